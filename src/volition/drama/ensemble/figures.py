"""The figures of an ensemble: every number with its interval, over all evenings or group by group; and means by settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping  # noqa: TC003  msgspec and the studio's API read the annotations
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins

from volition.core.errors import refuse
from volition.drama.ensemble.axes import Value  # noqa: TC001  as above
from volition.drama.ensemble.columns import Column, find_column, numbers_of
from volition.drama.ensemble.intervals import Interval, mean, mean_value, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.drama.ensemble.frames import Played

GROUPS: Final = 24
"""More values than this are grouped into bands."""
BANDS: Final = 5


@dataclass(frozen=True, slots=True)
class Figures:
    """The numbers of some evenings. `of` names the group, None for all evenings.

    `endings` and `flags` are shares, `means` are the rest. An evening that lacks a number, such as the tick of the first
    dramatic act, does not count in its mean.
    """

    of: str | None
    evenings: int
    paths: Mapping[str, int]
    endings: Mapping[str, Interval]
    flags: Mapping[str, Interval]
    means: Mapping[str, Interval]

    def to_data(self) -> dict[str, Any]:
        """The figures as JSON-compatible data."""
        data: dict[str, Any] = to_builtins(self)
        return data


@dataclass(frozen=True, slots=True)
class Cell:
    """The evenings with some values: how many, and the mean of each number, None if no evening has it."""

    at: tuple[Value, ...]
    evenings: int
    means: Mapping[str, float | None]


def figures(columns: Sequence[Column], evenings: Iterable[Played], by: str | None = None) -> tuple[Figures, ...]:
    """The figures of all evenings, or for each value of a column."""
    shown = [column for column in columns if not column.setting]
    expected = "a setting of the sweep, or another column of its table"
    key = find_column(columns, by, where="by", expected=expected) if by is not None else None
    rows: list[tuple[Any, str, list[Any]]] = [
        (key.cell(one) if key is not None else None, one.path, [column.cell(one) for column in shown])
        for one in evenings
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
    for one in evenings:
        at = tuple(key.cell(one) for key in keys)
        groups.setdefault(at, []).append([column.cell(one) for column in shown])
    return tuple(
        Cell(at, len(rows), {column.name: _mean(row[place] for row in rows) for place, column in enumerate(shown)})
        for at, rows in groups.items()
    )


def _mean(cells: Iterable[float | None]) -> float | None:
    return mean_value([float(cell) for cell in cells if cell is not None])
