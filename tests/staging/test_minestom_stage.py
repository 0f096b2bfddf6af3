"""An evening in the Minestom world, seen by a client of the game. The stage's own laws are tested in Java (`make minestom`)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import PATIENCE, ROOT
from tests.staging.minestom_stages import serving_stage
from volition.drama import play, scenario
from volition.execution import connect
from volition.execution.conformance import check
from volition.execution.transports.endpoint import dial
from volition.execution.wire.frames import GameEvent
from volition.staging import STAGE_INTENTS, Show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution import Bridge

CLIENT = ROOT / ".venv" / "minestom" / "node_modules"
FIRST_WALK = 9
"""The tick of the evening in which somebody first walks into another room."""
MOST_SIGHTS = 2000
"""The client is told where everybody stands again and again: after so many lines nothing else will come."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The bridge's address of a stage, and the port of the game."""
    with serving_stage(tmp_path_factory.mktemp("stage")) as stage:
        yield stage.address, str(stage.game_port)


def test_it_declares_what_every_stage_declares(server: tuple[str, str]) -> None:
    """Parameters, results, words and examples are those of STAGE_INTENTS, and sixteen guests may walk at once."""
    with connect(server[0]) as stage:
        assert tuple(stage.declared.values()) == STAGE_INTENTS
        assert stage.execute("LEAVE", agent="nobody", deadline=5.0).reason == "INVALID_STATE"
        guests = [f"guest-{n}" for n in range(16)]
        for n, who in enumerate(guests):
            assert stage.execute("ENTER", {"who": who, "name": who, "at": [n, 0]}, deadline=5.0).status == "SUCCESS"
        tickets = [stage.submit("WALK", {"way": [[n, 1]]}, agent=who, deadline=9.0) for n, who in enumerate(guests)]
        assert {stage.wait(ticket).status for ticket in tickets} == {"SUCCESS"}
        assert stage.refresh().data["guests"] == {who: [n, 1] for n, who in enumerate(guests)}


def test_the_kit_conforms_to_the_stage(server: tuple[str, str]) -> None:
    """The laws of declared intents hold, each with the guest that the stage names; `make minestom` runs the whole kit."""
    report = check(lambda: dial(server[0]), only=("declared", "handshake.welcome", "stop"), limit=PATIENCE)
    assert report.broken == ()
    held = {row.check for row in report.rows if row.verdict == "holds"}
    assert {"declared.readable", "declared.attempted", "declared.parameters", "declared.stopped"} <= held


class Seen(Exception):
    """The client has seen everything that the test wants it to see."""


class Attended:
    """A bridge to the stage with a client who asks: whenever the show listens, the next of the client's deeds is done."""

    def __init__(self, bridge: Bridge, client: subprocess.Popen[str]) -> None:
        self.bridge, self.client = bridge, client
        self.places: dict[int, set[tuple[float, ...]]] = {}
        self.deeds = iter([self.see_a_guest_move, self.ask_why, self.read_why, self.ask_for_another, self.see_it])
        self.walked = False
        self.moved = 0
        self.answer = ""

    def submit(self, intent: str, parameters: Any = None, **options: Any) -> int:
        self.walked |= intent == "WALK"
        return self.bridge.submit(intent, parameters, **options)

    def wait(self, ticket: int) -> Any:
        return self.bridge.wait(ticket)

    def events(self) -> list[Any]:
        return next(self.deeds)() if self.walked else []

    def see_a_guest_move(self) -> list[Any]:
        guests = self.bridge.refresh().data["guests"].values()
        ends = {(x + 0.5, z + 0.5) for x, z in guests}
        while not self.moved:
            seen = self.see("place")
            places = self.places.setdefault(seen["id"], set())
            places.add(tuple(seen["at"]))
            x, _, z = seen["at"]
            if len(places) > 5 and any(abs(x - to_x) + abs(z - to_z) < 0.01 for to_x, to_z in ends):
                self.moved = seen["id"]
        return []

    def ask_why(self) -> list[Any]:
        return self.do(str(self.moved), "asked")

    def read_why(self) -> list[Any]:
        self.answer = self.hear("Elena goes to the dining table")
        return []

    def ask_for_another(self) -> list[Any]:
        return self.do("/instead", "instead")

    def see_it(self) -> list[Any]:
        self.hear("From here on it is another evening")
        assert self.do("/pause", "pause")
        assert self.do("/resume", "resume")
        raise Seen

    def do(self, line: str, event: str) -> list[Any]:
        """Make the client do something, and wait for the event that it causes."""
        assert self.client.stdin is not None
        self.client.stdin.write(f"{line}\n")
        self.client.stdin.flush()
        ends = time.monotonic() + PATIENCE
        while not (heard := self.occurred(event)):
            assert time.monotonic() < ends
            self.bridge.refresh()
            time.sleep(0.02)
        assert heard[0].data["by"] == "witness"
        return heard

    def occurred(self, event: str) -> list[GameEvent]:
        return [one for one in self.bridge.events() if isinstance(one, GameEvent) and one.name == event]

    def hear(self, words: str) -> str:
        while words not in (text := self.see("chat")["text"]):
            pass
        return str(text)

    def see(self, what: str) -> dict[str, Any]:
        assert self.client.stdout is not None
        for line in islice(self.client.stdout, MOST_SIGHTS):
            seen: dict[str, Any] = json.loads(line)
            assert seen["saw"] not in {"disconnect", "error"}, seen
            if seen["saw"] == what:
                return seen
        raise AssertionError(f"the client has ended, or sees no {what}")


@contextmanager
def witness(port: str) -> Iterator[subprocess.Popen[str]]:
    """A client of the game that has joined."""
    node = shutil.which("node")
    if node is None or not CLIENT.is_dir():
        pytest.skip("NO CLIENT: nobody WATCHES the Minestom stage here; make minestom installs one (Node, npm)")
    command = [node, str(ROOT / "bodies" / "minestom" / "client" / "witness.js"), port]
    environment = {**os.environ, "NODE_PATH": str(CLIENT)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as client:
        try:
            yield client
        finally:
            client.kill()


def test_a_client_sees_a_guest_move_asks_why_and_asks_for_another_evening(server: tuple[str, str]) -> None:
    """One who joins sees a guest walk to where the state has them, clicks them, reads why, and asks for the other way; the
    show hears all of it, and goes on with a fork."""
    evening = play(scenario("dinner-party"), 8, ticks=FIRST_WALK + 2)
    with connect(server[0]) as bridge, witness(server[1]) as client:
        attended = Attended(bridge, client)
        attended.hear("Click on a guest to ask why")
        show = Show(evening, attended, pace_s=0.0)
        with pytest.raises(Seen):
            show.run(FIRST_WALK)
    assert "Next best: watch Diana" in attended.answer
    assert show.evening.run.interference[-1].at >= FIRST_WALK
