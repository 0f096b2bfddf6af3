"""How long answers take: a histogram of all, and the median and the worst of those given at once."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from math import floor, log2
from typing import Final

TIMES_KEPT: Final = 10_000
"""How many of the latest answers the latency is computed from."""

AT_ONCE: Final = 1.0
"""Milliseconds: a shorter attempt is over as soon as it begins, and its answer measures only the round trip."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds of a round trip, for answers given at once: the median, and the 99th percentile."""

    p50: float
    p99: float


@dataclass(frozen=True, slots=True)
class Bin:
    """The number of answers that took from `low` to `high` microseconds, `lasting` of them because the attempt did."""

    low: int
    high: int
    count: int
    lasting: int


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
