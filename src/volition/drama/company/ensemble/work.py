"""What one worker does: it plays evenings of a plan, row after row, for as long as it was asked to."""

from __future__ import annotations

import pickle
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from secrets import token_hex
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput, refuse
from volition.drama.company.ensemble.lines import to_line
from volition.drama.company.ensemble.paths import KERNEL, SCALAR
from volition.drama.company.measures import Meter

if TYPE_CHECKING:
    from volition.drama.company.ensemble.plan import Plan

POINTS: Final = 8
"""How many points a player keeps ready."""


class Span(NamedTuple):
    """Rows of a plan: the first, and how many."""

    first: int
    rows: int


class Done(NamedTuple):
    """What a worker gives back: how many rows from the first of its span on it has played, and their lines."""

    rows: int
    lines: bytes


@dataclass(frozen=True)
class Job:
    """A plan for workers, and its path; `token` tells one job from another in a process that works for several."""

    plan: Plan
    path: str = SCALAR
    token: str = field(default_factory=lambda: token_hex(8))

    def packed(self) -> bytes:
        """The job as bytes for another process; a term that cannot go there is refused."""
        try:
            return pickle.dumps(self)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            refuse(
                f"a term of one's own cannot go to another process ({error})",
                where="terms",
                expected="functions that stand at the top of a module",
                remedy="move the function there, or play here: engine='here'",
            )


class Player:
    """Plays the rows of one plan. What the evenings of a point share is made once, and kept for the last few points."""

    def __init__(self, plan: Plan, path: str = SCALAR) -> None:
        self.plan, self.path = plan, path
        self._meter = lru_cache(POINTS)(self._made)

    def play(self, span: Span, seconds: float) -> Done:
        """Play rows from the first on until the span or the time is over, but at least one."""
        until, lines = perf_counter() + seconds, []
        for row in range(span.first, span.first + span.rows):
            evening = self.plan.evening(row)
            meter = self._meter(evening.point)
            path = SCALAR if meter.watch is None else KERNEL
            lines.append(to_line(evening, path, meter.measure(evening.seed)))
            if perf_counter() >= until:
                break
        return Done(len(lines), b"".join(lines))

    def _made(self, point: int) -> Meter:
        """Through the kernel where that is the path, this worker can, and the point fits it."""
        scenario = self.plan.scenario_at(point)
        meter = Meter(scenario, self.plan.terms)
        if self.path == KERNEL and can_compile():
            from volition.drama.company.ensemble.arrays import watch_of  # noqa: PLC0415  only for those who compile

            with suppress(InvalidInput):
                meter.watch = watch_of(meter.mind, self.plan.terms)
        return meter


_players: dict[str, Player] = {}


def played(job: Job, span: Span, seconds: float) -> Done:
    """The same in a process that may be asked again: it keeps what the next span can use."""
    if job.token not in _players:
        _players.clear()
        _players[job.token] = Player(job.plan, job.path)
    return _players[job.token].play(span, seconds)
