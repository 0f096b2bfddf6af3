"""What every engine of the comparison shares, in its own environment: the service that it orders from, and its commands.

Nothing but the standard library is imported here, because each engine runs where the others are not installed.
`benchmarks/beside.py` starts these programs, and kills them:

    python benchmarks/dbos_peer.py chain DATABASE SERVICE LOG     one chain of steps for each line that it is given
    python benchmarks/dbos_peer.py work DATABASE SERVICE LOG 12   bring twelve flows to their end, from wherever they are
    python benchmarks/dbos_peer.py program DATABASE               the three steps with an approval whose lines are counted
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

STEPS = ("look", "jump", "strike")
CHAIN = 10
"""Steps of a chain."""
DONE = 200


class Engine(Protocol):
    """What runs flows."""

    def chain(self, number: int) -> Callable[[], object]:
        """A chain of steps that is ready to run; running it is what is timed."""
        ...

    def finish(self, number: int) -> None:
        """Bring a flow of three steps to its end, from wherever it is; a person approves it first."""
        ...


@dataclass(frozen=True, slots=True)
class Site:
    """Where an engine works: its database, the service, the service's log, and whether the service forgets keys."""

    database: str
    service: str
    log: Path
    forgets: bool

    def order(self, what: str, key: str, *, token: int = 0, resource: str = "", timeout: float = 60.0) -> str:
        """Ask the service for an effect, once for each key if it remembers keys; the reason if it was not done."""
        return self.post("/orders", {"intent": what, "token": token, "resource": resource}, key=key, timeout=timeout)

    def post(self, path: str, body: object, *, key: str = "", timeout: float = 60.0) -> str:
        """Ask the service for something; the reason if it was not done."""
        place = urlsplit(self.service)
        connection = HTTPConnection(place.hostname or "", place.port, timeout=timeout)
        try:
            connection.request("POST", path, json.dumps(body), {"Idempotency-Key": key})
            answer = connection.getresponse()
            said = answer.read().decode()
        finally:
            connection.close()
        return "" if answer.status == DONE else f"status {answer.status}: {said}"

    def effects(self) -> list[str]:
        """What has happened so far."""
        return self.log.read_text().splitlines() if self.log.exists() else []


def run_engine(
    open_engine: Callable[[Site], AbstractContextManager[Engine]], program: Callable[[str], list[str]]
) -> None:
    """Do what the command line says."""
    what, database, *rest = sys.argv[1:]
    if what == "program":
        print(json.dumps(program(database)))
        return
    service, log, forgets, *flows = rest
    with open_engine(Site(database, service, Path(log), forgets == "forgets")) as engine:
        if what == "work":
            for number in range(int(flows[0])):
                engine.finish(number)
            return
        for line in sys.stdin:
            run = engine.chain(int(line))
            start = perf_counter()
            run()
            print(perf_counter() - start, flush=True)
