"""The parameters of curves: finite, in range, and able to tell values apart. All problems of a curve arrive at once."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn

from volition.arbitration.data_checks import is_number
from volition.core.errors import InvalidInput, Problems, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence


def settle(
    curve: Any, *numbers: str, positive: str | None = None, scores: Sequence[str] = (), span: bool = False
) -> None:
    """Check the parameters of a curve and make them floats; `span`: the first two are the ends of an interval."""
    problems = Problems()
    for name in (*numbers, *scores, *([positive] if positive else [])):
        value = getattr(curve, name)
        fits = is_number(value)
        if fits and name == positive:
            fits = value > 0
        if fits and name in scores:
            fits = -1 <= value <= 1
        if not fits:
            problems.add(
                f"{name} is {value!r}",
                where=f"{curve.name}.{name}",
                expected="a number in [-1, 1]" if name in scores else "a finite number" + " > 0" * (name == positive),
                remedy="fix the parameter",
            )
        else:
            object.__setattr__(curve, name, float(value))
    if not isinstance(getattr(curve, "clamps", False), bool):
        problems.add(
            f"clamps is {curve.clamps!r}",
            where=f"{curve.name}.clamps",
            expected="true or false",
            remedy="leave it out to refuse values outside the domain",
        )
    problems.raise_if_any(InvalidInput)
    if span:
        low, high = (getattr(curve, name) for name in numbers[:2])
        if low == high or not isfinite(high - low):
            degenerate(curve.name, numbers[1], f"the ends are {low!r} and {high!r}: no interval that can be measured")


def degenerate(name: str, parameter: str, what: str) -> NoReturn:
    """Refuse parameters that make a curve say the same of everything, or nothing at all."""
    refuse(what, where=f"{name}.{parameter}", expected="a curve that tells values apart", remedy="move one of them")


def checked_points(points: Any) -> tuple[tuple[float, float], ...]:
    """The points of a piecewise curve: finite, values rising strictly, scores in [-1, 1]."""
    problems = Problems()
    found: list[tuple[float, float]] = []
    for index, point in enumerate(points if isinstance(points, (list, tuple)) else ()):
        where = f"piecewise.points[{index}]"
        if not (isinstance(point, (list, tuple)) and len(point) == 2 and all(map(is_number, point))):
            problems.add(
                f"the point is {point!r}", where=where, expected="[value, score]", remedy="write two finite numbers"
            )
            continue
        x, y = map(float, point)
        if not -1 <= y <= 1:
            problems.add(
                f"the score is {y!r}", where=where, expected="a score in [-1, 1]", remedy="scale the scores down"
            )
        if found and not (found[-1][0] < x and isfinite(x - found[-1][0])):
            problems.add(
                f"the value {x!r} follows {found[-1][0]!r}",
                where=where,
                expected="values that rise strictly",
                remedy="sort the points by value, each value once",
            )
        found.append((x, y))
    if len(found) < 2 and not len(problems):
        problems.add(
            f"the points are {points!r}",
            where="piecewise.points",
            expected="two points or more",
            remedy="give at least the two ends",
        )
    problems.raise_if_any(InvalidInput)
    return tuple(found)
