"""Short evenings to sweep over, and terms of one's own that can go to other processes."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.drama.company.records import PARTY
from volition.arbitration import Heuristic
from volition.drama.company.ensemble import Plan
from volition.drama.company.settings import Setting, applied

if TYPE_CHECKING:
    from volition.drama.world.model import Action

SHORT = applied(PARTY, [Setting("evening.ticks", None, 3)])
SIGMA, STRENGTH = "rules.noise.sigma", "people.victor.flaws[0].strength"
FILES = ("evenings.jsonl", "table.csv")


def plan(seeds: int = 3, **more: Any) -> Plan:
    """A small sweep: two values, two draws, and some seeds."""
    return replace(_plan(), seeds=tuple(range(1, seeds + 1))) if not more else _made(seeds, **more)


@cache
def _plan() -> Plan:
    return _made(1)


def _made(seeds: int, **more: Any) -> Plan:
    given: dict[str, Any] = {"grid": {SIGMA: [0.1, 0.3]}, "random": {STRENGTH: (0.1, 0.9)}, "draws": 2}
    return Plan.of(SHORT, range(1, seeds + 1), **(given | more))


def content(folder: Path) -> list[bytes]:
    """What a finished ensemble says, to the byte."""
    return [(folder / name).read_bytes() for name in FILES]


def talkative(action: Action) -> float:
    """Somebody who likes to talk."""
    return 1.0 if action.action_type.name == "CHAT" else 0.0


TALK = Heuristic("talk", talkative, weight=2.0)


@dataclass(frozen=True)
class Deadly:
    """A term that ends its process, so many times in all: a real worker, killed in the middle of a decision."""

    folder: str
    times: int

    def __call__(self, action: Action) -> float:
        for number in range(self.times):
            try:
                (Path(self.folder) / f"killed-{number}").touch(exist_ok=False)
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        return 0.0


def deadly(folder: Path, times: int) -> Heuristic:
    folder.mkdir(exist_ok=True)
    return Heuristic("deadly", Deadly(str(folder), times))
