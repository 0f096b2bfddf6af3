"""The steps of a drive, and its statistics: counts that grow step by step, and how long the answers take."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from math import floor, log2
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

if TYPE_CHECKING:
    from volition.arbitration import Decision
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.request import Outcome
    from volition.execution.worlds.pilot.candidates import PilotOption
    from volition.execution.worlds.pilot.judge import Goal, GoalVerdict, Judged
    from volition.execution.worlds.pilot.situation import PilotSituation


TIMES_KEPT: Final = 10_000
"""How many of the latest answers the latency is computed from."""

AT_ONCE: Final = 1.0
"""Milliseconds: a shorter attempt is over as soon as it begins, and its answer measures only the round trip."""


class Latency(Struct, frozen=True):
    """Seconds of a round trip, for answers given at once: the median, and the 99th percentile."""

    p50: float
    p99: float


class Bin(Struct, frozen=True):
    """The number of answers that took from `low` to `high` microseconds, `lasting` of them because the attempt did."""

    low: int
    """The shortest time in it, in microseconds."""
    high: int
    """The longest time in it, in microseconds."""
    count: int
    """How many results took so long."""
    lasting: int
    """How many of them because the attempt itself lasted."""


@dataclass(slots=True)
class Times:
    """The times of answers so far, in bounded memory."""

    _at_once: deque[float] = field(default_factory=lambda: deque(maxlen=TIMES_KEPT))
    _powers: Counter[tuple[int, bool]] = field(default_factory=Counter)

    def add(self, seconds: float, attempt_ms: float) -> None:
        """Count an answer that took this many seconds, to an attempt that took this many milliseconds."""
        lasting = attempt_ms >= AT_ONCE
        self._powers[floor(log2(max(1.0, seconds * 1e6))), lasting] += 1
        if not lasting:
            self._at_once.append(seconds)

    @property
    def latency(self) -> Latency | None:
        """The latency of attempts that took no time themselves; None where there was no such answer."""
        times = sorted(self._at_once)
        if not times:
            return None
        return Latency(times[(len(times) - 1) // 2], times[-(-99 * len(times) // 100) - 1])

    @property
    def bins(self) -> tuple[Bin, ...]:
        """A bin for each power of two microseconds from the shortest to the longest; less than one is in the first.

        >>> times = Times()
        >>> times.add(3e-6, 0.0)
        >>> times.add(9e-6, 4.0)
        >>> times.bins
        (Bin(low=2, high=4, count=1, lasting=0), Bin(low=4, high=8, count=0, lasting=0), Bin(low=8, high=16, count=1, lasting=1))
        """
        counts, known = self._powers, [power for power, _ in list(self._powers)]
        return tuple(
            Bin(2**power, 2 ** (power + 1), counts[power, False] + counts[power, True], counts[power, True])
            for power in range(min(known, default=0), max(known, default=-1) + 1)
        )


class PilotStep(Struct, frozen=True):
    """What a pilot knew, what it chose and why, the outcome, and what later states say about the goal.

    `outcome` is None where it waited. `judged` never rests on the outcome's status.
    """

    number: int
    frame: StateFrame
    situation: PilotSituation
    decision: Decision[PilotOption]
    outcome: Outcome | None
    after: PilotSituation | None
    judged: Judged

    def to_data(self) -> dict[str, Any]:
        """The step as JSON data, without measured times."""
        why, outcome, after = self.decision.why(), self.outcome, self.after or self.situation
        return {
            "step": self.number,
            "seq": self.situation.seq,
            "tick": self.situation.tick,
            "episode": self.situation.episode,
            "chosen": self.decision.id,
            "rule": why.rule,
            "why": why.text,
            "rival": why.over,
            "vetoed": len(self.decision.tally.vetoed),
            "outcome": None
            if outcome is None
            else {
                "status": outcome.status,
                "reason": outcome.reason,
                "label": outcome.label,
                "detail": outcome.detail,
                "violations": len(outcome.violations),
            },
            "health": after.me.health,
            "opponent": None if after.foe is None else after.foe.health,
            "verdict": self.judged.verdict,
            "because": self.judged.because,
        }


@dataclass(slots=True)
class Course:
    """A drive so far, in bounded memory.

    `labels` counts the labels of the attempts. `health` and `opponent` are shares of health in the last state, None where
    unknown. `harm` is the sum of the health that was lost. `times` are those of all answers.
    """

    goal: Goal
    verdict: GoalVerdict = "open"
    because: str = "no step was taken"
    steps: int = 0
    ticks: int = 0
    sent: int = 0
    waited: int = 0
    labels: dict[str, int] = field(default_factory=dict)
    violations: int = 0
    vetoed: int = 0
    defeats: int = 0
    deaths: int = 0
    harm: float = 0.0
    health: float | None = None
    opponent: float | None = None
    times: Times = field(default_factory=Times)
    _began: int | None = None

    @property
    def refused_retries(self) -> int:
        return self.labels.get("refused_retry", 0)

    def add(self, step: PilotStep) -> None:
        """Add a step to the counts."""
        seen, judged = step.after or step.situation, step.judged
        self._began = step.situation.tick if self._began is None else self._began
        self.ticks = seen.tick - self._began
        self.steps += 1
        self.vetoed += len(step.decision.tally.vetoed)
        self.verdict, self.because = judged.verdict, judged.because
        self.defeats += judged.defeated
        self.deaths += judged.died
        self.harm += judged.harm
        self.health = seen.me.health
        self.opponent = None if seen.foe is None else seen.foe.health
        outcome = step.outcome
        if outcome is None:
            self.waited += 1
            return
        self.sent += outcome.sent is not None
        self.labels[outcome.label] = self.labels.get(outcome.label, 0) + 1
        self.violations += len(outcome.violations)
        if outcome.answered:
            self.times.add(outcome.elapsed, outcome.result.metadata.execution_time_ms)

    @property
    def latency(self) -> Latency | None:
        """The latency of attempts that took no time themselves; None where there was no such answer."""
        return self.times.latency

    def to_data(self) -> dict[str, Any]:
        """The course as JSON data, without measured times."""
        return {
            "goal": str(self.goal),
            "verdict": self.verdict,
            "because": self.because,
            "steps": self.steps,
            "ticks": self.ticks,
            "sent": self.sent,
            "waited": self.waited,
            "labels": dict(sorted(self.labels.items())),
            "refused_retries": self.refused_retries,
            "violations": self.violations,
            "vetoed": self.vetoed,
            "defeats": self.defeats,
            "deaths": self.deaths,
            "harm": round(self.harm, 6),
            "health": self.health,
            "opponent": self.opponent,
        }
