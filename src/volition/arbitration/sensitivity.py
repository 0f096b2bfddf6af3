"""How firm a decision is: the range of each weight that keeps the winner, the nearest flip, and the robustness.

Everything is computed with fractions, so the answers are those of brute force. With d_i the difference of two
candidates' scores on intention i and m the margin between them, moving the weight of i by t moves the margin by t * d_i,
and scaling every weight by up to 1 +- e moves it by at most e * sum |w_i * d_i|.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf
from struct import pack, unpack
from typing import TYPE_CHECKING, Any

from volition.arbitration.arbiter import level_value
from volition.arbitration.composite import HEAVIEST
from volition.arbitration.counterfactual import what_if
from volition.arbitration.explain import margin_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from volition.arbitration.decision import Decision
    from volition.arbitration.tally import Tally

_ROUNDING = 2.0**-50
"""More than the relative error of any float estimate made here."""


@dataclass(frozen=True, slots=True)
class WeightRange:
    """The weights of one intention, all else as it was, under which the winner stays.

    A bound is None where the winner stays however far the weight moves (a weight is never below 0); `low_rival` and
    `high_rival` are who takes over there. At an open bound the rival has won already; at a closed one, only past it.
    """

    weight: float
    low: Fraction | None = None
    low_rival: str | None = None
    low_open: bool = False
    high: Fraction | None = None
    high_rival: str | None = None
    high_open: bool = False


@dataclass(frozen=True, slots=True)
class Flip:
    """The smallest change of a single weight that changes the winner.

    The decision turns at `at`; `weight` is a number at which arbitration indeed chooses `to`.
    """

    intention: str
    at: Fraction
    weight: float
    change: float
    to: str


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How firm a decision is.

    `robustness` is a share e in [0, 1]: no change of all weights at once, each by less than e of itself, can change the
    winner; 1 says that it is at least as good on every count, 0 that it is tied. It is the largest such share where
    `exact`; with a tie margin it may be smaller than the largest. All is empty where nothing was chosen.
    """

    ranges: dict[str, WeightRange]
    nearest: Flip | None
    robustness: float | None
    exact: bool = True


def sensitivity(decision: Decision[Any]) -> Sensitivity:
    tally = decision.tally
    if tally.winner is None:
        return Sensitivity({}, None, None)
    model = _Model(tally, tally.winner)
    if tally.settings.tie_margin:
        ranges = {id: _range_within_margin(model, i) for i, id in enumerate(tally.composite.voters)}
        robustness, exact = _robustness_within_margin(model)
    else:
        ranges = {id: _range(model, i) for i, id in enumerate(tally.composite.voters)}
        robustness, exact = _robustness(model), True
    return Sensitivity(ranges, _nearest(decision, ranges), float(robustness), exact)


class _Model:
    """The tally as exact numbers, each made when it is needed."""

    def __init__(self, tally: Tally, winner: int) -> None:
        self.tally = tally
        self.winner = winner
        self.rivals = [position for position in range(len(tally.totals)) if position != winner]
        self._margins: dict[int, Fraction] = {}

    def name(self, position: int) -> str:
        return self.tally.survivors[position]

    def margin(self, rival: int) -> Fraction:
        """Exact, and 0 where the rounded totals are equal: that is what the arbiter calls a tie."""
        if rival not in self._margins:
            tied = self.tally.totals[rival] == self.tally.totals[self.winner]
            self._margins[rival] = Fraction() if tied else margin_over(self.tally, self.winner, rival)
        return self._margins[rival]

    def difference(self, i: int, one: int, other: int) -> Fraction:
        return Fraction(self.tally.scores[one][i] or 0.0) - Fraction(self.tally.scores[other][i] or 0.0)

    def spread(self, one: int, other: int) -> Fraction:
        """How much their margin can move when every weight moves by all of itself."""
        pairs = zip(self.tally.products[one], self.tally.products[other], strict=True)
        return sum((abs(Fraction(mine) - Fraction(theirs)) for mine, theirs in pairs), Fraction())

    def preferred(self, one: int, other: int) -> bool:
        """Whether the priorities, then the order offered, put one before the other in a tie."""
        for _, members in self.tally.composite.levels:
            first, second = (level_value(self.tally.scores[position], members) for position in (one, other))
            if first != second:
                return first > second
        return one < other


def _range(model: _Model, i: int) -> WeightRange:
    """Each rival with a lower score on i bounds the weight from below, each with a higher one from above."""
    weight = model.tally.composite.heuristics[i].weight
    mine = model.tally.scores[model.winner][i] or 0.0
    below: list[tuple[int, float]] = []
    above: list[tuple[int, float]] = []
    for rival in model.rivals:
        difference = mine - (model.tally.scores[rival][i] or 0.0)
        if difference:
            (below if difference > 0 else above).append((rival, abs(difference)))
    low, low_rival, low_open = _bound(model, i, below)
    high, high_rival, high_open = _bound(model, i, above)
    low = None if low is None else Fraction(weight) - low
    if low is not None and (low < 0 or (low == 0 and not low_open)):
        low, low_rival, low_open = None, None, False
    high = None if high is None else Fraction(weight) + high
    return WeightRange(weight, low, low_rival, low_open, high, high_rival, high_open)


def _bound(model: _Model, i: int, rivals: list[tuple[int, float]]) -> tuple[Fraction | None, str | None, bool]:
    """The nearest distance at which a rival draws level, the rival, and whether it wins right there."""
    totals, lead = model.tally.totals, model.tally.totals[model.winner]
    near = _shortlist(
        (rival, lead - totals[rival], _ROUNDING * (abs(lead) + abs(totals[rival])), spread) for rival, spread in rivals
    )
    if not near:
        return None, None, False
    exact = {rival: model.margin(rival) / abs(model.difference(i, model.winner, rival)) for rival in near}
    distance = min(exact.values())
    level = [rival for rival in near if exact[rival] == distance]
    winning = [rival for rival in level if model.preferred(rival, model.winner)]
    if not winning:  # past the level, whom the weight favours most leads
        steepest = max(abs(model.difference(i, model.winner, rival)) for rival in level)
        level = [rival for rival in level if abs(model.difference(i, model.winner, rival)) == steepest]
    return distance, model.name(_first(model, winning or level)), bool(winning)


def _shortlist(estimates: Iterable[tuple[int, float, float, float]]) -> list[int]:
    """Those of (who, numerator, its error, denominator) whose ratio may be the smallest, judged by floats."""
    bounds = []
    ceiling = inf
    for who, numerator, error, denominator in estimates:
        lowest = (numerator - error) / denominator * (1 - _ROUNDING if numerator > error else 1 + _ROUNDING)
        highest = (numerator + error) / denominator * (1 + _ROUNDING)
        ceiling = min(ceiling, highest)
        bounds.append((lowest, who))
    return [who for lowest, who in bounds if lowest <= ceiling]


def _first(model: _Model, positions: list[int]) -> int:
    best = positions[0]
    for position in positions[1:]:
        if model.preferred(position, best):
            best = position
    return best


def _robustness(model: _Model) -> Fraction:
    totals, lead = model.tally.totals, model.tally.totals[model.winner]
    mine = model.tally.products[model.winner]
    estimates = []
    for rival in model.rivals:
        spread = fsum(abs(x - y) for x, y in zip(mine, model.tally.products[rival], strict=True))
        if spread:
            estimates.append((rival, lead - totals[rival], _ROUNDING * (abs(lead) + abs(totals[rival])), spread))
    shares = [model.margin(rival) / model.spread(model.winner, rival) for rival in _shortlist(estimates)]
    return max(Fraction(), min([Fraction(1), *shares]))


def _range_within_margin(model: _Model, i: int) -> WeightRange:
    """With a tie margin: the winner leaves the tied set, or somebody who is preferred to it enters.

    Both sets of weights are intervals, for they are where finitely many linear functions stay below the margin.
    """
    entry = model.tally.composite.heuristics[i]
    leaders = _leaders(model, i)
    start, end = _tied_weights(model, i, model.winner, leaders) or (None, None)
    low, high = (start, False), (end, False)
    weight = Fraction(entry.weight)
    for rival in model.rivals:
        interval = _tied_weights(model, i, rival, leaders) if model.preferred(rival, model.winner) else None
        if interval is None:
            continue
        start, end = interval
        if end is not None and end < weight and (low[0] is None or end >= low[0]):
            low = (end, True)
        elif start is not None and start > weight and (high[0] is None or start <= high[0]):
            high = (start, True)
    if low[0] is not None and (low[0] < 0 or (low[0] == 0 and not low[1])):
        low = (None, False)
    takers = [
        None if at is None else _taker(model, i, at, 0 if is_open else way)
        for (at, is_open), way in ((low, -1), (high, 1))
    ]
    return WeightRange(entry.weight, low[0], takers[0], low[1], high[0], takers[1], high[1])


def _line(model: _Model, i: int, who: int) -> tuple[Fraction, Fraction]:
    """The total of a candidate as the arbiter has it, and by how much it rises with the weight of i."""
    return Fraction(model.tally.totals[who]), Fraction(model.tally.scores[who][i] or 0.0)


def _leaders(model: _Model, i: int) -> list[int]:
    """Those who have the best total at some weight of i: the upper envelope of all lines."""
    hull: list[tuple[Fraction, Fraction, int]] = []
    lines = sorted((*_line(model, i, who)[::-1], who) for who in range(len(model.tally.totals)))
    for slope, total, who in lines:
        if hull and hull[-1][0] == slope:
            hull.pop()
        while len(hull) > 1:
            (s0, t0, _), (s1, t1, _) = hull[-2:]
            if (t0 - total) * (s1 - s0) > (t0 - t1) * (slope - s0):
                break
            hull.pop()
        hull.append((slope, total, who))
    return [who for _, _, who in hull]


def _taker(model: _Model, i: int, at: Fraction, way: int) -> str:
    """Who wins at a weight of i, or just past it where `way` is -1 or 1."""
    step, margin = at - Fraction(model.tally.composite.heuristics[i].weight), Fraction(model.tally.settings.tie_margin)
    lines = [_line(model, i, who) for who in range(len(model.tally.totals))]
    there = [(total + step * slope, way * slope) for total, slope in lines]
    best = max(there)
    tied = [
        who
        for who, (total, slope) in enumerate(there)
        if (best[0] - total - margin, best[1] - slope) <= (Fraction(), Fraction())
    ]
    return model.name(_first(model, tied))


def _tied_weights(
    model: _Model, i: int, who: int, leaders: list[int]
) -> tuple[Fraction | None, Fraction | None] | None:
    """The weights of i at which a candidate is within the tie margin of every other; None for none at all."""
    weight = Fraction(model.tally.composite.heuristics[i].weight)
    margin = Fraction(model.tally.settings.tie_margin)
    start: Fraction | None = None
    end: Fraction | None = None
    mine, rise = _line(model, i, who)
    for other in leaders:
        total, slope = _line(model, i, other)
        excess, slope = total - mine - margin, slope - rise
        if not slope:
            if excess > 0:
                return None
            continue
        limit = weight - excess / slope
        if slope > 0:
            end = limit if end is None else min(end, limit)
        else:
            start = limit if start is None else max(start, limit)
    if start is not None and end is not None and start > end:
        return None
    return start, end


def _robustness_within_margin(model: _Model) -> tuple[Fraction, bool]:
    """The winner stays in the tied set, and nobody preferred to it enters.

    For the second it is enough that one leader stays too far ahead of the intruder; the leader now is taken, which
    gives a share that is safe and perhaps not the largest.
    """
    margin = Fraction(model.tally.settings.tie_margin)
    leader = max(range(len(model.tally.totals)), key=model.tally.totals.__getitem__)

    def share(distance: Fraction, one: int, other: int) -> Fraction:
        spread = model.spread(one, other)
        return distance / spread if spread else Fraction(1)

    staying = [share(margin + margin_over(model.tally, model.winner, x), model.winner, x) for x in model.rivals]
    intruding = [
        share(margin_over(model.tally, leader, y) - margin, leader, y)
        for y in model.rivals
        if y != leader and model.preferred(y, model.winner)
    ]
    stay, intrude = min([Fraction(1), *staying]), min([Fraction(1), *intruding])
    return max(Fraction(), min(stay, intrude)), stay <= intrude


def _nearest(decision: Decision[Any], ranges: dict[str, WeightRange]) -> Flip | None:
    sides: list[tuple[Fraction, str, int, Fraction]] = []
    for id, bounds in ranges.items():
        weight = Fraction(bounds.weight)
        if bounds.low is not None:
            sides.append((weight - bounds.low, id, -1, bounds.low))
        if bounds.high is not None:
            sides.append((bounds.high - weight, id, 1, bounds.high))
    for _, id, direction, at in sorted(sides):

        def winner(weight: float, id: str = id) -> str | None:
            return what_if(decision, {id: weight}, (), shadow=False).after

        others = sum(bounds.weight for other, bounds in ranges.items() if other != id)
        heaviest = (HEAVIEST - others) * (1 - _ROUNDING)
        turned = None if at > heaviest else _turning(winner, decision.id, float(at), direction, heaviest)
        if turned is not None:
            to = winner(turned)
            assert to is not None
            return Flip(id, at, turned, turned - ranges[id].weight, to)
    return None


def _turning(
    winner: Callable[[float], str | None], now: str | None, at: float, direction: int, heaviest: float
) -> float | None:
    """The first number from the turning point on at which the decision, in floats, has indeed turned.

    Numbers >= 0 stand in the order of their bits, so that a search over those takes few questions even from 0.
    """
    if winner(at) != now:
        return at
    first, last = _bits(at), _bits(heaviest if direction > 0 else 0.0)
    step = 1
    while True:
        reached = min(first + step, last) if direction > 0 else max(first - step, last)
        if winner(_number(reached)) != now:
            break
        if reached == last:
            return None
        step *= 2
    stays, turns = first, reached
    while abs(turns - stays) > 1:
        middle = (stays + turns) // 2
        stays, turns = (stays, middle) if winner(_number(middle)) != now else (middle, turns)
    return _number(turns)


def _bits(number: float) -> int:
    return int(unpack("<q", pack("<d", number))[0])


def _number(bits: int) -> float:
    return float(unpack("<d", pack("<q", bits))[0])
