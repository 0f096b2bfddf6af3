"""The figures of an ensemble: every number with its interval, over all evenings or group by group; and groups compared.

Chance is keyed by what it is for, so two points of a sweep share all the luck of a seed. The mean of the differences,
seed by seed, has a narrower interval than two means beside each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping  # noqa: TC003  msgspec and the studio's API read the annotations
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from volition.core.errors import refuse
from volition.core.typed import DataStruct
from volition.drama.ensemble.axes import Value  # noqa: TC001  as above
from volition.drama.ensemble.intervals import Interval, mean, mean_value, share
from volition.drama.ensemble.table import Column, find_column, numbers_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from volition.drama.ensemble.frames import Played

GROUPS: Final = 24
"""More values than this are grouped into bands."""
BANDS: Final = 5
ROUNDING: Final = 2e-8
"""The relative size of the ninth digit, which is the last digit of a mean."""
_OTHERS: Final = frozenset({"row", "point", "scenario", "path", "state"})
"""Columns that identify an evening and are neither its seed nor a setting."""


class Figures(DataStruct, frozen=True):
    """The numbers of some evenings. `of` names the group, None for all evenings.

    `endings` and `flags` are shares, `means` are the rest. An evening that lacks a number, such as the tick of the first
    dramatic act, does not count in its mean.
    """

    of: str | None
    """The group; null for all evenings."""
    evenings: int
    """How many evenings there are."""
    paths: Mapping[str, int]
    """How many evenings took each path of the engine."""
    endings: Mapping[str, Interval]
    """The share of each ending."""
    flags: Mapping[str, Interval]
    """The shares of what either happened or did not."""
    means: Mapping[str, Interval]
    """The means of all other numbers."""


class Cell(Struct, frozen=True):
    """The evenings with some values: how many, and the mean of each number, None if no evening has it."""

    at: tuple[Value, ...]
    """The values of the settings."""
    evenings: int
    """How many evenings have them."""
    means: Mapping[str, float | None]
    """The mean of each column."""


def figures(columns: Sequence[Column], evenings: Iterable[Played], by: str | None = None) -> tuple[Figures, ...]:
    """The figures of all evenings, or for each value of a column."""
    shown = [column for column in columns if not column.setting]
    expected = "a setting of the sweep, or another column of its table"
    key = find_column(columns, by, where="by", expected=expected) if by is not None else None
    rows: list[tuple[Any, str, list[Any]]] = [
        (key.cell(evening) if key is not None else None, evening.path, [column.cell(evening) for column in shown])
        for evening in evenings
    ]
    names = _groups([value for value, _, _ in rows], by) if by is not None else {None: None}
    groups: dict[str | None, list[tuple[str, list[Any]]]] = {name: [] for name in names.values()}
    for value, path, cells in rows:
        groups[names[value]].append((path, cells))
    return tuple(_figures(name, shown, group) for name, group in groups.items())


def _figures(name: str | None, shown: Sequence[Column], rows: Sequence[tuple[str, list[Any]]]) -> Figures:
    cells = {column: [row[place] for _, row in rows] for place, column in enumerate(shown)}
    ends = Counter(end for column, row in cells.items() if column.name == "ending" for end in row)
    count = len(rows)
    return Figures(
        name,
        count,
        dict(sorted(Counter(path for path, _ in rows).items())),
        {end: share(ends[end], count) for end in sorted(ends, key=lambda end: (-ends[end], end))},
        {column.name: share(sum(row), count) for column, row in cells.items() if column.kind == "bool"},
        {
            column.name: mean([float(cell) for cell in row if cell is not None])
            for column, row in cells.items()
            if column.kind in ("int", "float")
        },
    )


def _groups(values: Sequence[Any], by: str) -> dict[Any, str | None]:
    """The group of each value: one group per value or, if there are many numbers, bands of equally many values."""
    known = sorted(set(values), key=lambda value: (value is not None, value))
    if len(known) <= GROUPS:
        return {value: f"{by} = {_format_value(value)}" for value in known}
    if not all(isinstance(value, int | float) for value in known):
        refuse(
            f"{by} has {len(known)} values",
            where="by",
            expected=f"a column of numbers, or of at most {GROUPS} different words",
            remedy="group by another column",
        )
    named: dict[Any, str | None] = {}
    for band in range(BANDS):
        part = known[band * len(known) // BANDS : (band + 1) * len(known) // BANDS]
        named |= dict.fromkeys(part, f"{by} = {_format_value(part[0])} to {_format_value(part[-1])}")
    return named


def _format_value(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def means(
    columns: Sequence[Column], evenings: Iterable[Played], names: Sequence[str], by: Sequence[str]
) -> tuple[Cell, ...]:
    """The means of some numbers by the settings `by`, in the order in which the rows reach the values.

    Every evening has the same weight in a mean, also where other settings are swept.
    """
    settings = [column for column in columns if column.setting]
    numbers = numbers_of(columns)
    setting, number = "a setting of the sweep, or the point", "a column that holds numbers"
    keys = [find_column(settings, name, "setting", where="by", expected=setting) for name in by]
    shown = [find_column(numbers, name, "number", where="columns", expected=number) for name in names]
    groups: dict[tuple[Value, ...], list[list[Any]]] = {}
    for evening in evenings:
        at = tuple(key.cell(evening) for key in keys)
        groups.setdefault(at, []).append([column.cell(evening) for column in shown])
    return tuple(
        Cell(at, len(rows), {column.name: _mean(row[place] for row in rows) for place, column in enumerate(shown)})
        for at, rows in groups.items()
    )


def _mean(cells: Iterable[float | None]) -> float | None:
    return mean_value([float(cell) for cell in cells if cell is not None])


class Pair(Struct, frozen=True):
    """A mean of both groups; `apart` says that their intervals do not overlap.

    `difference` is the mean of the second less the first, seed by seed: its interval is narrower than theirs.
    """

    name: str
    """The column."""
    first: Interval
    """Its mean in the first group."""
    second: Interval
    """Its mean in the second group."""
    apart: bool
    """Whether the two intervals do not overlap."""
    difference: Interval
    """The mean difference, seed by seed."""


class PointComparison(Struct, frozen=True):
    """Two groups, and every mean that both have: first those that are apart, each part in the order of the columns."""

    first: Figures
    """The figures of the first group."""
    second: Figures
    """The figures of the second group."""
    pairs: tuple[Pair, ...]
    """Every mean that both have."""

    @property
    def apart(self) -> int:
        """The number of means that are apart."""
        return sum(pair.apart for pair in self.pairs)


def compare(first: Figures, second: Figures, differences: Mapping[str, Interval]) -> PointComparison:
    """Compare two groups of the same table, whose `differences` seed by seed are given."""
    pairs = [
        Pair(name, ours, theirs, are_apart(ours, theirs), differences[name])
        for name, ours in first.means.items()
        if (theirs := second.means[name]).value is not None and ours.value is not None
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


class Differences(DataStruct, frozen=True):
    """How a value of a setting differs from the first one: the mean difference of every number, by its column."""

    value: Any
    first: Any = field(name="from")
    means: Mapping[str, Interval]


def differences(columns: Sequence[Column], evenings: Iterable[Played], by: str) -> tuple[Differences, ...]:
    """The differences of every value of a setting from its first one, over evenings alike in all other settings."""
    settings = [column for column in columns if column.setting and column.name not in _OTHERS]
    key = next((column for column in settings if column.name == by), None)
    if key is None:
        return ()
    alike = [column for column in settings if column is not key]
    numbers = numbers_of(columns)
    groups: dict[Any, dict[Hashable, list[Any]]] = {}
    for evening in evenings:
        same = tuple(column.cell(evening) for column in alike)
        groups.setdefault(key.cell(evening), {})[same] = [column.cell(evening) for column in numbers]
    (first, base), *rest = groups.items()
    return tuple(
        Differences(value, first, paired_means(numbers, [(base[same], group[same]) for same in group if same in base]))
        for value, group in rest
    )


def paired_means(numbers: Sequence[Column], pairs: Sequence[tuple[list[Any], list[Any]]]) -> dict[str, Interval]:
    """The mean difference of every number between the cells of paired evenings."""
    return {
        column.name: paired_mean((before[place], after[place]) for before, after in pairs)
        for place, column in enumerate(numbers)
    }


def paired_mean(pairs: Iterable[tuple[float | None, float | None]]) -> Interval:
    """The mean of the second number less the first, over the pairs that have both.

    >>> paired_mean([(1, 2), (3, 5), (None, 1)]).value
    1.5
    """
    return mean([float(after) - float(before) for before, after in pairs if before is not None and after is not None])
