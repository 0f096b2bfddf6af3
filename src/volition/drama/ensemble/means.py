"""Means by settings: one for each combination of the values of some settings."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  the studio's API reads the annotations
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from volition.drama.ensemble.axes import Value  # noqa: TC001
from volition.drama.ensemble.columns import find_column, numbers_of
from volition.drama.ensemble.intervals import mean_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.drama.ensemble.columns import Column
    from volition.drama.ensemble.lines import Played


@dataclass(frozen=True, slots=True)
class Cell:
    """The evenings with some values: how many, and the mean of each number, None if no evening has it."""

    at: tuple[Value, ...]
    evenings: int
    means: Mapping[str, float | None]


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
