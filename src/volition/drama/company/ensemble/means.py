"""Means over settings: one for each combination of the values of some of them, over all evenings that have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from volition.core.errors import did_you_mean, refuse
from volition.drama.company.ensemble.intervals import middle

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.drama.company.ensemble.axes import Value
    from volition.drama.company.ensemble.columns import Column
    from volition.drama.company.ensemble.lines import Played


class Cell(NamedTuple):
    """The evenings at some values: how many there are, and the mean of each number, None where no evening has it."""

    at: tuple[Value, ...]
    evenings: int
    means: Mapping[str, float | None]


def means(
    columns: Sequence[Column], evenings: Iterable[Played], names: Sequence[str], by: Sequence[str]
) -> tuple[Cell, ...]:
    """The means of some numbers over the settings `by`, in the order in which the rows come to the values.

    Every evening counts once: what else is swept is averaged over by evenings, not by combinations.
    """
    keys = [_found(columns, name, setting=True) for name in by]
    shown = [_found(columns, name, setting=False) for name in names]
    groups: dict[tuple[Value, ...], list[list[Any]]] = {}
    for one in evenings:
        at = tuple(key.cell(one) for key in keys)
        groups.setdefault(at, []).append([column.cell(one) for column in shown])
    return tuple(
        Cell(at, len(rows), {column.name: _mean(row[place] for row in rows) for place, column in enumerate(shown)})
        for at, rows in groups.items()
    )


def _mean(cells: Iterable[float | None]) -> float | None:
    return middle([float(cell) for cell in cells if cell is not None])


def _found(columns: Sequence[Column], name: str, *, setting: bool) -> Column:
    """The column of a name: one that says which evening it is, or one that holds a number."""
    named = {
        column.name: column
        for column in columns
        if column.setting == setting and (setting or column.kind in ("int", "float"))
    }
    if name not in named:
        refuse(
            f"there is no {'setting' if setting else 'number'} {name[:80]!r}",
            where="by" if setting else "columns",
            expected="a setting of the sweep, or the point" if setting else "a column that holds numbers",
            remedy=did_you_mean(name, named),
        )
    return named[name]
