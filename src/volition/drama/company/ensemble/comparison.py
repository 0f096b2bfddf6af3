"""Two groups of evenings side by side: which of their numbers differ by more than chance explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from volition.drama.company.ensemble.figures import Figures
    from volition.drama.company.ensemble.intervals import Interval

ROUNDING: Final = 2e-8
"""What the ninth digit of a number, the last that a mean has, may be worth beside the number."""


class Pair(NamedTuple):
    """A mean of both groups; `apart` says that their intervals do not meet."""

    name: str
    first: Interval
    second: Interval
    apart: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups, and every mean that both have: those that are apart first, each in the order of the table's columns."""

    first: Figures
    second: Figures
    pairs: tuple[Pair, ...]

    @property
    def apart(self) -> int:
        """How many means are apart."""
        return sum(pair.apart for pair in self.pairs)


def compare(first: Figures, second: Figures) -> Comparison:
    """Hold two groups of the same table against each other."""
    pairs = [
        Pair(name, one, two, are_apart(one, two))
        for name, one in first.means.items()
        if (two := second.means[name]).value is not None and one.value is not None
    ]
    return Comparison(first, second, tuple(sorted(pairs, key=lambda pair: not pair.apart)))


def are_apart(one: Interval, two: Interval) -> bool:
    """Whether no number is in both intervals; what has no interval, as that of one evening, is apart from nothing.

    Where all evenings have the same number an interval is that number, and its last digit may have been rounded either way:
    that is no difference.

    >>> from volition.drama.company.ensemble.intervals import mean, share
    >>> are_apart(share(1, 100), share(90, 100)), are_apart(share(4, 10), share(6, 10))
    (True, False)
    >>> are_apart(mean([0.4] * 3), mean([0.400000001] * 3))
    False
    """
    if one.low is None or one.high is None or two.low is None or two.high is None:
        return False
    gap = max(two.low - one.high, one.low - two.high)
    return gap > ROUNDING * max(abs(one.low), abs(one.high), abs(two.low), abs(two.high))
