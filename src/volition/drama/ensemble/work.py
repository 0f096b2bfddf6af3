"""What one worker does: play evenings of a plan, row after row, until its time is up."""

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
from volition.drama.company.measures import Meter
from volition.drama.ensemble.lines import to_line
from volition.drama.ensemble.paths import KERNEL, SCALAR

if TYPE_CHECKING:
    from volition.drama.ensemble.plan import EnsemblePlan

POINTS: Final = 8
"""How many points a player keeps ready."""


class Span(NamedTuple):
    """Consecutive rows of a plan: the first, and how many."""

    first: int
    rows: int

    @property
    def last(self) -> int:
        """The last of the rows."""
        return self.first + self.rows - 1

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"


class Done(NamedTuple):
    """A worker's answer: how many rows of its span it has played, from the first on, and their lines."""

    rows: int
    lines: bytes


@dataclass(frozen=True)
class Job:
    """A plan for workers, and its path; `token` tells jobs apart in a process that works on several."""

    plan: EnsemblePlan
    path: str = SCALAR
    token: str = field(default_factory=lambda: token_hex(8))

    def pack(self) -> bytes:
        """The job as bytes for another process; a term that cannot be pickled is refused."""
        try:
            return pickle.dumps(self)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            refuse(
                f"a custom term cannot be sent to another process ({error})",
                where="terms",
                expected="functions at the top level of a module",
                remedy="move the function there, or play in this process: engine='here'",
            )


class Player:
    """Plays the rows of one plan. What the evenings of a point share is made once, and kept for the last few points."""

    def __init__(self, plan: EnsemblePlan, path: str = SCALAR) -> None:
        self.plan, self.path = plan, path
        self._meter = lru_cache(POINTS)(self._make_meter)

    def play(self, span: Span, seconds: float) -> Done:
        """Play the rows of a span in order until the time is up, but at least one."""
        until, lines = perf_counter() + seconds, []
        for row in range(span.first, span.first + span.rows):
            evening = self.plan.evening(row)
            meter = self._meter(evening.point)
            path = SCALAR if meter.watch is None else KERNEL
            lines.append(to_line(evening, path, meter.measure(evening.seed)))
            if perf_counter() >= until:
                break
        return Done(len(lines), b"".join(lines))

    def _make_meter(self, point: int) -> Meter:
        """A meter that uses the kernel if that is the path, this worker can compile, and the point fits the kernel."""
        scenario = self.plan.scenario_at(point)
        meter = Meter(scenario, self.plan.terms)
        if self.path == KERNEL and can_compile():
            from volition.drama.ensemble.arrays import watch_of  # noqa: PLC0415  only where something is compiled

            with suppress(InvalidInput):
                meter.watch = watch_of(meter.mind, self.plan.terms)
        return meter


_players: dict[str, Player] = {}


def play_span(job: Job, span: Span, seconds: float) -> Done:
    """Play a span in a process that may be asked again: the player of the last job is kept."""
    if job.token not in _players:
        _players.clear()
        _players[job.token] = Player(job.plan, job.path)
    return _players[job.token].play(span, seconds)
