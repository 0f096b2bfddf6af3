"""How long answers take: all of them counted in bins, and of those that were given at once the middle and the worst."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from math import floor, log2
from typing import Final

TIMES_KEPT: Final = 10_000
"""How many of the latest answers the latency speaks of."""

AT_ONCE: Final = 1.0
"""Milliseconds: an attempt that took less is over as soon as it begins, and its answer measures the way alone."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds that answers given at once took, there and back: in the middle, and the worst of a hundred."""

    p50: float
    p99: float


@dataclass(frozen=True, slots=True)
class Bin:
    """So many answers took from `low` up to `high` microseconds, `lasting` of them because the attempt itself did."""

    low: int
    high: int
    count: int
    lasting: int


@dataclass(slots=True)
class Times:
    """The times of answers so far; it does not grow with them."""

    _at_once: deque[float] = field(default_factory=lambda: deque(maxlen=TIMES_KEPT))
    _powers: Counter[tuple[int, bool]] = field(default_factory=Counter)

    def add(self, seconds: float, attempt_ms: float) -> None:
        """Count an answer that took so long, to an attempt that itself took so many milliseconds."""
        lasting = attempt_ms >= AT_ONCE
        self._powers[floor(log2(max(1.0, seconds * 1e6))), lasting] += 1
        if not lasting:
            self._at_once.append(seconds)

    @property
    def latency(self) -> Latency | None:
        """How long answers took where the attempt itself took no time; None where there was no such answer."""
        times = sorted(self._at_once)
        if not times:
            return None
        return Latency(times[(len(times) - 1) // 2], times[-(-99 * len(times) // 100) - 1])

    @property
    def bins(self) -> tuple[Bin, ...]:
        """A bin for each power of two microseconds from the shortest to the longest; what took less than one is in the first.

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
