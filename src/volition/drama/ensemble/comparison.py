"""Groups of evenings compared: which of their numbers differ by more than chance explains, and what a setting changes.

Chance is keyed by what it is for, so two points of a sweep share all the luck of a seed. The mean of the differences,
seed by seed, has a narrower interval than two means beside each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import to_builtins

from volition.drama.ensemble.columns import Column, numbers_of
from volition.drama.ensemble.figures import Figures  # noqa: TC001  the studio's API reads the annotations
from volition.drama.ensemble.intervals import Interval, mean

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from volition.drama.ensemble.frames import Played

ROUNDING: Final = 2e-8
"""The relative size of the ninth digit, which is the last digit of a mean."""
_OTHERS: Final = frozenset({"row", "point", "scenario", "path", "state"})
"""Columns that identify an evening and are neither its seed nor a setting."""


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


class Differences(NamedTuple):
    """How a value of a setting differs from the first one: the mean difference of every number, by its column."""

    value: Any
    first: Any
    means: Mapping[str, Interval]

    def to_data(self) -> dict[str, Any]:
        """The differences as JSON-compatible data."""
        return {"value": self.value, "from": self.first, "means": to_builtins(self.means)}


def differences(columns: Sequence[Column], evenings: Iterable[Played], by: str) -> tuple[Differences, ...]:
    """The differences of every value of a setting from its first one, over evenings alike in all other settings."""
    settings = [column for column in columns if column.setting and column.name not in _OTHERS]
    key = next((column for column in settings if column.name == by), None)
    if key is None:
        return ()
    alike = [column for column in settings if column is not key]
    numbers = numbers_of(columns)
    groups: dict[Any, dict[Hashable, list[Any]]] = {}
    for one in evenings:
        same = tuple(column.cell(one) for column in alike)
        groups.setdefault(key.cell(one), {})[same] = [column.cell(one) for column in numbers]
    (first, base), *rest = groups.items()
    return tuple(
        Differences(value, first, paired_means(numbers, [(base[same], group[same]) for same in group if same in base]))
        for value, group in rest
    )


def paired_means(numbers: Sequence[Column], pairs: Sequence[tuple[list[Any], list[Any]]]) -> dict[str, Interval]:
    """The mean difference of every number between the cells of paired evenings."""
    return {
        column.name: paired_mean((one[place], two[place]) for one, two in pairs) for place, column in enumerate(numbers)
    }


def paired_mean(pairs: Iterable[tuple[float | None, float | None]]) -> Interval:
    """The mean of the second number less the first, over the pairs that have both.

    >>> paired_mean([(1, 2), (3, 5), (None, 1)]).value
    1.5
    """
    return mean([float(two) - float(one) for one, two in pairs if one is not None and two is not None])
