"""The first double at which a lead of some totals over another fails as one weight moves: exact, without a gap.

A total is a sum, rounded once, of contributions that are each rounded once. So as a weight moves, totals rise or fall in
steps, and near a tie a lead may fail at one double and hold again at the next. Three observations find the first failure
among up to 2^62 doubles:

1. Where the lead of the unrounded totals is larger than any rounding, it holds, and nothing else is computed.
2. The rest is cut into stretches of doubles in which every rounding is to one grid. In a stretch, "this total is at least
   N steps of its grid" says that the exact product weight * score is at least a straight line in N, one for even and one
   for odd N because ties are rounded to even.
3. So a lead fails at the t-th double of a stretch where an integer lies between straight lines in t (`lattice`).
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from functools import partial
from math import ceil, copysign, floor, fsum, inf, ulp
from typing import TYPE_CHECKING, NamedTuple

from volition.arbitration.doubles import Straight, double_at, first_with_integer, position
from volition.core.pausing import pause
from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_BINADE = 1 << 52
"""How many doubles there are from one power of two to the next."""
_UNIT = 2.0**-50
"""More than the relative error of any estimate made here, which is at most five roundings of 2^-53."""
_TINY = 2.0**-1060
"""More than what is lost where a contribution is too small for a double of full precision."""


class TotalLine(NamedTuple):
    """The total of one candidate as a function of one weight: the other contributions, their sum, and its score."""

    others: tuple[float, ...]
    score: float
    rest: float

    def total(self, weight: float) -> float:
        """The total as the arbiter computes it."""
        return fsum((*self.others, weight * self.score))


class Lead(FrozenStruct, frozen=True):
    """That at least one of the leaders is above the rival by more than `ahead_by`, or by as much where it is `closed`."""

    leaders: tuple[TotalLine, ...]
    rival: TotalLine
    ahead_by: float = 0.0
    closed: bool = False

    def holds(self, weight: float) -> bool:
        *totals, rival = self.totals(weight)
        return self._suffices(max(totals), rival)

    def holds_between(self, weight: float, other: float) -> bool:
        """Whether it holds at all weights between two, as far as their ends tell: totals only rise or only fall."""
        *lowest, _ = map(min, self.totals(weight), self.totals(other))
        return self._suffices(max(lowest), max(self.rival.total(weight), self.rival.total(other)))

    def _suffices(self, total: float, rival: float) -> bool:
        lead = fsum((total, -rival, -self.ahead_by))
        return lead > 0.0 or (self.closed and lead == 0.0)

    def fails_from(self, weight: float, last: float) -> float | None:
        """A weight on the way from `weight` to `last` up to which the lead is certain to hold; None for all the way."""
        farthest = weight
        for leader in self.leaders:
            start = None if self._never_fails(leader) else self._certain_until(leader, weight, last)
            if start is None:
                return None
            farthest = max(farthest, start) if last > weight else min(farthest, start)
        return farthest

    def _never_fails(self, leader: TotalLine) -> bool:
        """Whether no weight can end this leader's lead: all parts of its total are at least those of the rival's."""
        if not self.closed or self.ahead_by > 0.0 or leader.score < self.rival.score:
            return False
        return fsum((*leader.others, *(-part for part in self.rival.others))) >= 0.0

    def _certain_until(self, leader: TotalLine, weight: float, last: float) -> float | None:
        (_, mine, rest), (_, theirs, other) = leader, self.rival
        lead = rest - other - self.ahead_by - (_UNIT * (abs(rest) + abs(other) + abs(self.ahead_by)) + _TINY)
        rise = mine - theirs - _UNIT * (abs(mine) + abs(theirs))
        if not lead + rise * weight > 0.0:
            return weight
        if last < weight:
            start = -1.0 if rise <= 0.0 or lead > 0.0 else min(weight, -lead / rise * (1.0 + _UNIT) + _TINY)
            return None if start < last else start
        start = inf if rise >= 0.0 else max(weight, lead / -rise * (1.0 - _UNIT))
        return None if start > last else start

    def totals(self, weight: float) -> list[float]:
        return [line.total(weight) for line in (*self.leaders, self.rival)]

    def grids(self, weight: float) -> list[float]:
        """The spacing of doubles at the weight, at each contribution and, with its sign, at each total.

        Each of them only grows or only shrinks as the weight moves: the same at two weights, the same between them.
        """
        spacings = [ulp(weight)]
        for line, total in zip((*self.leaders, self.rival), self.totals(weight), strict=True):
            spacings += (ulp(weight * line.score), copysign(ulp(total), total))
        return spacings


def first_failure(lead: Lead, weight: float, last: float) -> float | None:
    """The nearest weight from `weight` on, up to and including `last`, at which a lead fails; None if it never does."""
    way = 1 if last > weight else -1
    at, end = position(weight), position(last)
    if way > 0:
        end = min(end, max(at, _periodic_from(lead, last)) + 2 * _BINADE)
    sums = [sum(map(Fraction, line.others), Fraction()) for line in (*lead.leaders, lead.rival)]
    while True:
        pause()
        start = lead.fails_from(double_at(at), last)
        if start is None or way * (end - position(start)) < 0:
            return None
        at = position(start)
        if not lead.holds(double_at(at)):
            return double_at(at)
        stop = _end_of_stretch(lead, at, end)
        if lead.holds_between(double_at(at), double_at(stop)):
            stop = _end_of_run(at, end, partial(lead.holds_between, double_at(at)))
        else:
            failure = _Stretch(lead, sums, at, stop).first_failure()
            if failure is not None:
                return double_at(failure)
        if stop == end:
            return None
        at = stop + way


def _periodic_from(lead: Lead, last: float) -> int:
    """A position beyond which doubling the weight doubles all totals and every lead: the other parts, and what the
    lead must be, are lost in rounding. So what holds from one power of two to the next holds from there on.
    """
    lines = (*lead.leaders, lead.rival)
    lost = fsum(abs(part) for line in lines for part in (*line.others, lead.ahead_by))
    scores = [abs(line.score) for line in lines if line.score]
    return position(min(last, max((max(2.0**60 * lost, 2.0**-900) / score for score in scores), default=0.0)))


def _end_of_stretch(lead: Lead, at: int, end: int) -> int:
    """The last position on the way to `end` at which all grids are those at the first."""
    binade = at // _BINADE  # the first two have the same grid
    first, last = (binade, binade) if binade > 1 else (0, 1)
    stop = min(end, (last + 1) * _BINADE - 1) if end > at else max(end, first * _BINADE)
    grids = lead.grids(double_at(at))
    return _end_of_run(at, stop, lambda weight: lead.grids(weight) == grids)


def _end_of_run(at: int, end: int, belongs: Callable[[float], bool]) -> int:
    """The last position on the way to `end` whose weight belongs with the first, as all before it do."""
    if belongs(double_at(end)):
        return end
    places = range(at, end, 1 if end > at else -1)
    return places[bisect_left(places, True, key=lambda place: not belongs(double_at(place))) - 1]


class _Rounded(FrozenStruct, frozen=True):
    """One total in a stretch: it is `base + N * grid`, and N is at least n where the exact product weight * score is at
    least `n * grid + offsets[n % 2]`. `slope` is how much that product changes from one double to the next.
    """

    slope: Fraction
    grid: Fraction
    base: Fraction
    offsets: tuple[Fraction, Fraction]

    def product_for(self, bound: Fraction, *, above: bool) -> Fraction:
        """The least product at which the total is at least the bound, or above it."""
        steps = (bound - self.base) / self.grid
        least = floor(steps) + 1 if above else ceil(steps)
        return least * self.grid + self.offsets[least % 2]


def _rounding_of(line: TotalLine, others: Fraction, weight: float) -> _Rounded:
    """How a total is rounded around a weight: the product to multiples of `fine`, then the sum to those of `coarse`."""
    fine, coarse = Fraction(ulp(weight * line.score)), Fraction(ulp(line.total(weight)))
    slope = Fraction(line.score) * Fraction(ulp(weight))
    # A product is above a bound where it is at least `more` above it: both are multiples of this.
    more = min(fine / 2, Fraction(slope.numerator & -slope.numerator, slope.denominator) or fine)
    if coarse < fine:
        # The rounded product is an even multiple of `coarse`: the sum of the others is rounded as if alone.
        return _Rounded(slope, fine, coarse * round(others / coarse), (-fine / 2, more - fine / 2))
    ratio = coarse // fine
    # In multiples of `fine`: where the total is half a step below N = 0.
    half_below = -Fraction(ratio, 2) - others / fine
    offsets = []
    for parity, least in enumerate((ceil(half_below), floor(half_below) + 1)):  # ties go to even totals
        odd = (parity * ratio + least) % 2  # and to even products
        offsets.append((least - Fraction(1, 2)) * fine + odd * more)
    return _Rounded(slope, coarse, Fraction(), (offsets[0], offsets[1]))


class _Comparison(FrozenStruct, frozen=True):
    """The leaders of a group fail at the t-th double where, in one of the cases, an integer is above all lower lines and
    not above the upper one.
    """

    cases: list[tuple[list[Straight], Straight]]
    unit: int

    def first_failure(self, first: int, last: int) -> int | None:
        failure = None
        for lower, upper in self.cases:
            earlier = first_with_integer(lower, upper, self.unit, first, last)
            if earlier is not None:
                failure, last = earlier, earlier - 1
        return failure


class _Stretch:
    """Doubles from one position to another between which every rounding is to one grid."""

    def __init__(self, lead: Lead, sums: Sequence[Fraction], at: int, stop: int) -> None:
        self.at, self.way, self.last = at, 1 if stop >= at else -1, abs(stop - at)
        self.ahead_by, self.closed = Fraction(lead.ahead_by), lead.closed
        weight = double_at(at)
        self.doubles = Fraction(weight) / Fraction(ulp(weight))
        lines = (*lead.leaders, lead.rival)
        *self.leaders, self.rival = (_rounding_of(line, rest, weight) for line, rest in zip(lines, sums, strict=True))

    def first_failure(self) -> int | None:
        """The first position at which no leader leads."""
        comparisons = [
            self._on_lattice_of_rival(group) if shared else self._on_own_lattice(group)
            for shared, group in self._groups()
        ]
        t, agreed = 0, 0
        while agreed < len(comparisons):
            for comparison in comparisons:
                later = comparison.first_failure(t, self.last)
                if later is None:
                    return None
                t, agreed = later, agreed + 1 if later == t else 1
        return self.at + self.way * t

    def _groups(self) -> Iterator[tuple[bool, list[_Rounded]]]:
        """The leaders, by the lattice of totals on which they can be compared with the rival at once.

        Those with much wider steps than the rival's have separate lattices. There can be several only where their
        scores are far from the rival's: then their leads are in doubt for a few doubles, and trying in turn is fast.
        """
        widest = self.rival.grid * (4 if len(self.leaders) > 1 else 1)
        groups: dict[tuple[Fraction, Fraction], list[_Rounded]] = {}
        for leader in self.leaders:
            lattice = (leader.grid, leader.base % leader.grid) if leader.grid > widest else (Fraction(), Fraction())
            groups.setdefault(lattice, []).append(leader)
        return ((not grid, group) for (grid, _), group in groups.items())

    def _on_lattice_of_rival(self, leaders: list[_Rounded]) -> _Comparison:
        """They fail where, for some total of the rival's lattice, the rival has it and they do not have `ahead_by` more."""
        rival = self.rival
        period = 2 * max(rival.grid, *(leader.grid for leader in leaders))
        cases = []
        for step in range(int(period / rival.grid)):
            total = rival.base + step * rival.grid
            lower = [(line, line.product_for(total + self.ahead_by, above=not self.closed)) for line in leaders]
            cases.append((lower, (rival, rival.product_for(total, above=False))))
        return self._comparison(cases, period)

    def _on_own_lattice(self, leaders: list[_Rounded]) -> _Comparison:
        """They fail where, for some total of their lattice, none is above it and the rival is short of it by `ahead_by`."""
        grid, base = leaders[0].grid, leaders[0].base
        cases = []
        for total in (base, base + grid):
            lower = [(line, line.product_for(total, above=True)) for line in leaders]
            cases.append((lower, (self.rival, self.rival.product_for(total - self.ahead_by, above=self.closed))))
        return self._comparison(cases, 2 * grid)

    def _comparison(
        self, cases: list[tuple[list[tuple[_Rounded, Fraction]], tuple[_Rounded, Fraction]]], period: Fraction
    ) -> _Comparison:
        """Products less what they must reach, in periods, as lines in t."""
        parts = [part for lower, upper in cases for line, product in (*lower, upper) for part in (line.slope, product)]
        scale = max(part.denominator for part in (*parts, period))  # all are powers of two

        def straight(line: _Rounded, product: Fraction) -> Straight:
            return Straight(int(self.way * line.slope * scale), int((line.slope * self.doubles - product) * scale))

        lines = [([straight(*part) for part in lower], straight(*upper)) for lower, upper in cases]
        return _Comparison(lines, int(period * scale))
