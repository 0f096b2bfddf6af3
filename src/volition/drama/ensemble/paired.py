"""Differences between groups of evenings that have the same seeds: what a setting changes in the same evening.

Chance is keyed by what it is for, so two points of a sweep share all the luck of a seed. The mean of the differences,
seed by seed, has a narrower interval than two means beside each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import to_builtins

from volition.drama.ensemble.columns import numbers_of
from volition.drama.ensemble.intervals import Interval, mean

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from volition.drama.ensemble.columns import Column
    from volition.drama.ensemble.lines import Played


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


_OTHERS = frozenset({"row", "point", "scenario", "path", "state"})
"""Columns that identify an evening and are neither its seed nor a setting."""
