"""Two groups of evenings compared: which of their numbers differ by more than chance explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from volition.drama.ensemble.intervals import Interval  # noqa: TC001  the studio's API reads the annotations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.ensemble.figures import Figures

ROUNDING: Final = 2e-8
"""The relative size of the ninth digit, which is the last digit of a mean."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A mean of both groups; `apart` says that their intervals do not overlap.

    `difference` is the mean of the second less the first, seed by seed: its interval is narrower than theirs.
    """

    name: str
    first: Interval
    second: Interval
    apart: bool
    difference: Interval


@dataclass(frozen=True, slots=True)
class PointComparison:
    """Two groups, and every mean that both have: first those that are apart, each part in the order of the columns."""

    first: Figures
    second: Figures
    pairs: tuple[Pair, ...]

    @property
    def apart(self) -> int:
        """The number of means that are apart."""
        return sum(pair.apart for pair in self.pairs)


def compare(first: Figures, second: Figures, differences: Mapping[str, Interval]) -> PointComparison:
    """Compare two groups of the same table, whose `differences` seed by seed are given."""
    pairs = [
        Pair(name, one, two, are_apart(one, two), differences[name])
        for name, one in first.means.items()
        if (two := second.means[name]).value is not None and one.value is not None
    ]
    return PointComparison(first, second, tuple(sorted(pairs, key=lambda pair: not pair.apart)))


def are_apart(one: Interval, two: Interval) -> bool:
    """Whether two intervals do not overlap; False if one of them is missing, as for a single evening.

    If all evenings have the same number, the interval is that number. Its last digit may have been rounded either way,
    which does not count as a difference.

    >>> from volition.drama.ensemble.intervals import mean, share
    >>> are_apart(share(1, 100), share(90, 100)), are_apart(share(4, 10), share(6, 10))
    (True, False)
    >>> are_apart(mean([0.4] * 3), mean([0.400000001] * 3))
    False
    """
    if one.low is None or one.high is None or two.low is None or two.high is None:
        return False
    gap = max(two.low - one.high, one.low - two.high)
    return gap > ROUNDING * max(abs(one.low), abs(one.high), abs(two.low), abs(two.high))
