"""Stopping early: when the interval of a column is narrow enough, further seeds are not played.

The rule looks at rows in the order of the seeds, at fixed numbers of seeds, so it stops at the same seed
whatever the engine and the number of workers. Every point gets the same seeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.core.errors import refuse
from volition.drama.ensemble.columns import Column, columns, find_column
from volition.drama.ensemble.intervals import Interval, mean, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from volition.drama.ensemble.frames import Played
    from volition.drama.ensemble.plan import EnsemblePlan

FIRST: Final = 50
"""The number of seeds after which an interval is looked at for the first time."""


def stages(seeds: int) -> Iterator[int]:
    """The numbers of seeds after which the interval is looked at; the last one is all of them.

    >>> list(stages(260))
    [50, 100, 150, 200, 250, 260]
    """
    reached = 0
    while reached < seeds:
        reached = min(seeds, reached + max(FIRST, reached // 4))
        yield reached


def check_until(plan: EnsemblePlan) -> None:
    """Refuse a plan that stops early by a column that there is not, that has no interval, or by no width."""
    if plan.until is None:
        return
    _column(plan)
    if not plan.until[1] > 0.0:
        refuse(
            f"the interval of {plan.until[0]} is to be {plan.until[1]} wide",
            where="until",
            expected="a width above 0",
            remedy="give the width of the 95 % interval at which to stop",
        )


def is_narrow(plan: EnsemblePlan, evenings: Iterable[Played]) -> bool:
    """Whether the column's interval is at most as wide as the plan says at every point."""
    assert plan.until is not None
    column, width = _column(plan), plan.until[1]
    cells: dict[int, list[float]] = {point: [] for point in range(len(plan.points))}
    for one in evenings:
        if (cell := column.cell(one)) is not None:
            cells[one.point].append(cell)
    return all(_is_within(_interval(column, found), width) for found in cells.values())


def _column(plan: EnsemblePlan) -> Column:
    assert plan.until is not None
    measured = [column for column in columns(plan) if not column.setting and column.kind != "text"]
    return find_column(measured, plan.until[0], where="until", expected="a column of numbers or flags")


def _interval(column: Column, cells: list[float]) -> Interval:
    return share(int(sum(cells)), len(cells)) if column.kind == "bool" else mean([float(cell) for cell in cells])


def _is_within(interval: Interval, width: float) -> bool:
    return interval.low is not None and interval.high is not None and interval.high - interval.low <= width
