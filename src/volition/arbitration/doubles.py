"""Doubles and straight lines as integers: what an exact search for a weight counts with.

Each double has a position, and neighbours have neighbouring positions. A line is (slope * t + start) / unit, in integers.
While two lines are less than 1 apart there is at most one integer between them, so the sum of the differences of their
floors counts the t that have one. Such a sum takes logarithmically many steps (`floor_sum`, Euclid's algorithm), so the
first t with an integer between is found by bisection, however far away it is.

>>> position(-0.5) < position(0.0) < position(0.5), double_at(position(-0.5))
(True, -0.5)
"""

from __future__ import annotations

from bisect import bisect_left
from struct import pack, unpack
from typing import TYPE_CHECKING

from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from collections.abc import Sequence


def position(number: float) -> int:
    """The position of a double; 0.0 is at 0, and negative numbers are below it."""
    # The bit patterns of doubles >= 0, read as integers, are in the order of the numbers.
    size = int(unpack("<q", pack("<d", abs(number)))[0])
    return size if number >= 0.0 else -size


def double_at(position: int) -> float:
    """The double at a position."""
    size = float(unpack("<d", pack("<q", abs(position)))[0])
    return size if position >= 0 else -size


class Straight(FrozenStruct, frozen=True):
    """A line in units: `slope * t + start`."""

    slope: int
    start: int

    def at(self, t: int) -> int:
        return self.slope * t + self.start


def first_with_integer(lower: Sequence[Straight], upper: Straight, unit: int, first: int, last: int) -> int | None:
    """The first t in [first, last] with an integer m where every lower line < m <= the upper line; None without one.

    >>> first_with_integer([Straight(3, 0)], Straight(3, 1), 10, 0, 100)  # 3t/10 < m <= (3t + 1)/10
    3
    """
    while first <= last:
        highest = max(lower, key=lambda line: (line.at(first), line.slope))
        # It stays the highest until a steeper one crosses it.
        crossings = [
            (highest.start - line.start) // (line.slope - highest.slope) for line in lower if line.slope > highest.slope
        ]
        end = min(crossings, default=last)
        place = _first_between(highest, upper, unit, first, min(end, last))
        if place is not None:
            return place
        first = end + 1
    return None


def _first_between(lower: Straight, upper: Straight, unit: int, first: int, last: int) -> int | None:
    gap = Straight(upper.slope - lower.slope, upper.start - lower.start)
    if gap.at(first) >= unit:
        return first
    if gap.slope > 0:
        certain = -((gap.start - unit) // gap.slope)  # the first t with a gap of at least 1
        first = max(first, -gap.start // gap.slope + 1)  # the first t with a gap above 0
        place = _first_by_count(lower, upper, unit, first, min(last, certain - 1))
        return certain if place is None and certain <= last else place
    if gap.at(first) <= 0:
        return None
    if gap.slope < 0:
        last = min(last, (gap.start - 1) // -gap.slope)  # the last t with a gap above 0
    return _first_by_count(lower, upper, unit, first, last)


def _first_by_count(lower: Straight, upper: Straight, unit: int, first: int, last: int) -> int | None:
    """The same where the gap is above 0 and below 1 at every t in [first, last]."""

    def count(end: int) -> int:
        """How many t in [first, end] have an integer."""
        many = end - first + 1
        above = floor_sum(many, unit, upper.slope, upper.at(first))
        return above - floor_sum(many, unit, lower.slope, lower.at(first))

    if first > last or not count(last):
        return None
    return first + bisect_left(range(first, last), 1, key=count)


def floor_sum(count: int, unit: int, slope: int, start: int) -> int:
    """The sum of (slope * t + start) // unit over t in [0, count).

    >>> floor_sum(4, 10, 3, 5) == sum((3 * t + 5) // 10 for t in range(4))
    True
    """
    total = 0
    while True:
        total += (count - 1) * count // 2 * (slope // unit) + count * (start // unit)
        slope, start = slope % unit, start % unit
        last = slope * count + start
        if last < unit:
            return total
        # Count the same points by rows instead of columns.
        count, start, unit, slope = last // unit, last % unit, slope, unit
