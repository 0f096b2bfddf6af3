"""Where one total stops leading another as one weight moves: the first double at which it does, found without a gap.

A total is a sum, rounded once, of contributions that are each rounded once. So it rises or falls with a weight in steps,
and the lead of one total over another is a straight line give or take those roundings. Three things together say for
every weight on the way whether the lead holds:

1. Where the straight line is clear of all rounding, nothing is computed at all.
2. Nearer to it, whole stretches of doubles are settled at once: between two powers of two every rounding is to one grid,
   and two numbers that are apart by more than a multiple of it are at least that multiple apart after rounding.
3. What is left is tried double by double, those with the same totals at once; a search that takes more than `STEPS`
   says so. From where the other contributions are lost in rounding, everything repeats at each doubling of the weight.
"""

from __future__ import annotations

from fractions import Fraction
from math import copysign, fsum, inf, ulp
from struct import pack, unpack
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = 2_000
"""How much a search may try. Scores that differ by more than about 1e-3 need some hundred steps."""
_BINADE = 1 << 52
"""How many doubles there are from one power of two to the next."""

_UNIT = 2.0**-50
"""More than the relative error of any estimate made here, which is at most five roundings of 2^-53."""
_TINY = 2.0**-1060
"""More than what is lost where a contribution is too small for a double of full precision."""


class Line(NamedTuple):
    """The total of one candidate as a function of one weight: what the other contributions are, and its score."""

    others: tuple[float, ...]
    score: float
    rest: float
    """The sum of the others."""

    def total(self, weight: float) -> float:
        """What the arbiter makes of it."""
        return fsum((*self.others, weight * self.score))


class Turn(NamedTuple):
    """The first weight at which a lead fails; where not `exact`, the first of which nobody knows whether it does."""

    at: float
    exact: bool


class Lead(NamedTuple):
    """That one total is above another by more than the `ahead_by`, or by as much where it is `closed`."""

    one: Line
    other: Line
    ahead_by: float = 0.0
    closed: bool = False

    def holds(self, weight: float) -> bool:
        lead = fsum((self.one.total(weight), -self.other.total(weight), -self.ahead_by))
        return lead > 0.0 or (self.closed and lead == 0.0)

    def fails_from(self, weight: float, last: float) -> float | None:
        """A weight on the way from `weight` to `last` up to which the lead is certain to hold; None for all the way."""
        if self._always():
            return None
        (_, mine, rest), (_, theirs, other) = self.one, self.other
        lead = rest - other - self.ahead_by - (_UNIT * (abs(rest) + abs(other) + abs(self.ahead_by)) + _TINY)
        rise = mine - theirs - _UNIT * (abs(mine) + abs(theirs))
        if not lead + rise * weight > 0.0:
            return weight
        if last < weight:
            start = -1.0 if rise <= 0.0 or lead > 0.0 else min(weight, -lead / rise * (1.0 + _UNIT) + _TINY)
            return None if start < last else start
        start = inf if rise >= 0.0 else max(weight, lead / -rise * (1.0 - _UNIT))
        return None if start > last else start

    def _always(self) -> bool:
        """Whether no weight can end it: all that goes into one total is at least what goes into the other."""
        if not self.closed or self.ahead_by > 0.0 or self.one.score < self.other.score:
            return False
        return fsum((*self.one.others, *(-part for part in self.other.others))) >= 0.0


def first_failure(lead: Lead, weight: float, last: float) -> Turn | None:
    """The nearest weight from `weight` on, up to and with `last`, at which a lead fails; None where it never does."""
    start = lead.fails_from(weight, last)
    if start is None:
        return None
    return _Search(lead, 1 if last > weight else -1, bits(last)).first(bits(start))


class _Search:
    """A walk over doubles, by their positions, to the first at which a lead fails."""

    def __init__(self, lead: Lead, way: int, end: int) -> None:
        self.lead, self.way, self.end = lead, way, end
        self.sums = [sum(map(Fraction, line.others), Fraction()) for line in (lead.one, lead.other)]
        self.apart = self.sums[0] - self.sums[1]
        self.rise = Fraction(lead.one.score) - Fraction(lead.other.score)
        self.left = STEPS
        self.length = 1
        if way > 0:
            self.end = min(end, self._all_alike() + 2 * _BINADE)

    def first(self, at: int) -> Turn | None:
        while self.left > 0:
            if not self.lead.holds(number(at)):
                return Turn(number(at), True)
            at = self._end_of_run(at, self._totals, None)
            at = self._end_of_run(at, self._grids, self._holds)
            if at == self.end:
                return None
            at += self.way
            self.left -= 1
        return Turn(number(at), False)

    def _all_alike(self) -> int:
        """A position from which on a doubled weight doubles both totals: the other parts are lost in rounding.

        So what holds for all weights from one power of two to the next holds from there on.
        """
        reach = 0.0
        for line in (self.lead.one, self.lead.other):
            if line.score:
                reach = max(reach, 2.0**60 * fsum(map(abs, line.others)) / abs(line.score), 2.0**-900 / abs(line.score))
            elif any(line.others) or self.lead.ahead_by:
                return self.end
        return bits(min(reach, number(self.end))) if not self.lead.ahead_by else self.end

    def _end_of_run(self, at: int, sign: Callable[[int], Any], holds: Callable[[int, int, Any], bool] | None) -> int:
        """The last position of those that are like the first, and that are known to hold for it."""
        mine = sign(at)
        known, beyond = at, self.end + self.way
        reached = self.end
        step = self.length
        while abs(beyond - known) > 1 and self.left > 0:
            self.left -= holds is not None
            if sign(reached) == mine and (holds is None or holds(at, reached, mine)):
                known, step = reached, 2 * step
            else:
                beyond, step = reached, max(1, step // 2)
            reached = known + self.way * min(step, max(1, abs(beyond - known) // 2))
            if step == 1 and beyond == at + self.way:
                break
        self.length = max(1, abs(known - at))
        return known

    def _totals(self, at: int) -> tuple[float, float]:
        weight = number(at)
        return self.lead.one.total(weight), self.lead.other.total(weight)

    def _grids(self, at: int) -> tuple[float, ...]:
        """The spacing of doubles where both contributions and both totals lie; that of nothing is infinite.

        It has the sign of the total. So where it is the same at two weights it is the same between them.
        """
        weight = number(at)
        spacings = [ulp(weight * line.score) if line.score else inf for line in (self.lead.one, self.lead.other)]
        return (*spacings, *(copysign(ulp(total), total) for total in self._totals(at)))

    def _holds(self, first: int, last: int, grids: tuple[float, ...]) -> bool:
        """Whether the smallest lead that roundings to these grids can leave between two positions is enough."""
        mine, theirs, top, bottom = map(abs, grids)
        apart = self.rise * Fraction(number(first if (self.rise > 0) == (first < last) else last))
        if self.rise:
            apart = _rounded_apart(apart, mine) if mine == theirs < inf else apart - _half(mine) - _half(theirs)
        gap = self.apart + apart
        least = _rounded_apart(gap, top) if top == bottom else gap - _half(top) - _half(bottom)
        if top <= mine and bottom <= theirs:  # of the sums only the other parts are rounded, the same way everywhere
            least = max(least, apart + _down(self.sums[0], top) - _up(self.sums[1], bottom))
        wanted = Fraction(self.lead.ahead_by)
        return least > wanted or (self.lead.closed and least == wanted)


def _rounded_apart(apart: Fraction, grid: float) -> Fraction:
    """The least that two numbers this far apart are apart after rounding: each moves by half of the grid at most."""
    return -((Fraction(grid) - apart) // Fraction(grid)) * Fraction(grid)


def _half(grid: float) -> Fraction:
    return Fraction() if grid == inf else Fraction(grid) / 2


def _down(sum: Fraction, grid: float) -> Fraction:
    """A sum rounded to a grid, down where it lies in the middle."""
    return -((Fraction(grid) / 2 - sum) // Fraction(grid)) * Fraction(grid)


def _up(sum: Fraction, grid: float) -> Fraction:
    return (Fraction(grid) / 2 + sum) // Fraction(grid) * Fraction(grid)


def bits(number: float) -> int:
    """The position of a double >= 0 among all of them: they stand in the order of their bits."""
    return int(unpack("<q", pack("<d", number + 0.0))[0])


def number(bits: int) -> float:
    """The double at a position."""
    return float(unpack("<d", pack("<q", bits))[0])


def order(number: float) -> int:
    """The position of any double, negative ones below 0.

    >>> order(-0.5) < order(0.0) < order(0.5), ordered(order(-0.5))
    (True, -0.5)
    """
    return bits(number) if number >= 0.0 else -bits(-number)


def ordered(position: int) -> float:
    """The double at a position."""
    return number(position) if position >= 0 else -number(-position)
