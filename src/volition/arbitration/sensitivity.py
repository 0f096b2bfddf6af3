"""How firm a decision is: the range of each weight that keeps the winner, the nearest flip, and the robustness.

A range is about the doubles that weights are: at every one strictly inside it the arbiter chooses the same winner, and
at its ends it does not. `flip_search` finds these ends exactly, however near to each other totals are. The robustness is
about all weights at once: the share within which no rounding can make up for the lead that is left.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import fsum, nextafter
from typing import TYPE_CHECKING, Any

from volition.arbitration.choice import has_opinions, is_below, level_value, within
from volition.arbitration.flip_search import Lead, TotalLine, first_failure
from volition.arbitration.settings import Margin, Total
from volition.core.pausing import pause
from volition.core.typed import FrozenStruct, replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.arbitration.tally import Tally

_ROUNDING = Fraction(1, 2**50)
"""More than the share of its contributions by which a total can be off while weights are at most doubled."""
_TINY = Fraction(1, 2**1060)


class WeightRange(FrozenStruct, frozen=True):
    """The weights of one intention, all else as it was, that keep the winner: every double strictly between low and high.

    `low` is the nearest weight below at which another candidate wins, and `low_rival` is that candidate, or None where
    the decision then holds below a bound; `high` likewise above. A `low` or `high` of None says that there is none: down
    to 0, and up to the heaviest weight that a composite may have. Farther out the winner may change again.
    """

    weight: float
    """The weight as it is."""
    low: float | None = None
    """The nearest weight below at which the winner changes."""
    low_rival: str | None = None
    """Who wins there."""
    high: float | None = None
    """The nearest weight above at which the winner changes."""
    high_rival: str | None = None
    """Who wins there."""


class Flip(FrozenStruct, frozen=True):
    """The smallest change of a single weight that changes the winner: at `weight`, arbitration chooses `to`.

    `to` is None where the decision then holds below a bound.
    """

    intention: str
    """Whose weight changes."""
    weight: float
    """The weight at which the winner changes."""
    change: float
    """The new weight less the old one."""
    to: str | None
    """Who wins then."""


class Sensitivity(FrozenStruct, frozen=True):
    """How firm a decision is.

    `robustness` is a share e in [0, 1]: no change of all weights at once, each by less than e of itself, can change the
    winner. It is as good as 1 where the winner is at least as good on every count, and 0 where it is tied, or leads by
    no more than rounding. It is the largest such share, less what rounding can do (about 1e-15), where `exact`; with a
    tie margin it may be smaller than the largest. It is None where nobody has an opinion, which no weight makes firm.
    All is empty where nothing was chosen, and where chance chose.
    """

    ranges: dict[str, WeightRange]
    nearest: Flip | None
    robustness: float | None
    exact: bool = True


def sensitivity(tally: Tally) -> Sensitivity:
    """How far each weight may move before the winner changes, the nearest flip, and the robustness."""
    if tally.winner is None or tally.settings.choose == "weighted":
        return Sensitivity({}, None, None)
    field = _Field(tally, tally.winner)
    ranges = {id: _range(field, i) for i, id in enumerate(tally.composite.voters)}
    if not has_opinions(tally.scores):
        return Sensitivity(ranges, None, None)
    robustness, exact = _robustness(field)
    return Sensitivity(ranges, _nearest(ranges), _floor(robustness), exact)


class _Field:
    """The survivors of a tally, and who comes before whom in a tie."""

    def __init__(self, tally: Tally, winner: int) -> None:
        self.tally = tally
        self.winner = winner
        self.margin = tally.settings.tie_margin
        self.bound = tally.settings.hold_below
        self.rivals = [position for position in range(len(tally.totals)) if position != winner]
        self.ranks = [
            tuple(-level_value(scores, members) for _, members in tally.composite.levels) for scores in tally.scores
        ]
        self.preferred = [place for place in self.rivals if self.rank(place) < self.rank(winner)]

    def rank(self, place: int) -> tuple[Any, ...]:
        """Among the tied, the lowest wins: by priority levels, then by the order offered. It depends on no weight."""
        return (self.ranks[place], place)

    def lines(self, i: int) -> list[TotalLine]:
        """The totals as functions of one weight."""
        lines = []
        for scores, products in zip(self.tally.scores, self.tally.products, strict=True):
            others = products[:i] + products[i + 1 :]
            lines.append(TotalLine(others, scores[i] or 0.0, fsum(others)))
        return lines

    def least_leads(self) -> dict[int, tuple[float, bool]]:
        """By how much the winner must lead each rival where a least margin is named, and whether that much suffices.

        It must lead all of them by the least margin, so that it is the best; and whoever would be preferred in a tie
        by more than the tie margin.
        """
        assert isinstance(self.bound, Margin)
        preferred, least = {*self.preferred}, self.bound.least
        return {
            rival: (self.margin, False) if rival in preferred and self.margin >= least else (least, True)
            for rival in self.rivals
        }

    def winner_at(self, lines: list[TotalLine], weight: float) -> str | None:
        """Who wins with that weight; None where the decision then holds."""
        totals = [line.total(weight) for line in lines]
        best = max(totals)
        tied = [place for place, total in enumerate(totals) if total == best or within(self.margin, best, total)]
        winner = min(tied, key=self.rank)
        holds = self.bound is not None and is_below(self.bound, totals, winner)
        return None if holds else self.tally.survivors[winner]


def _range(field: _Field, i: int) -> WeightRange:
    pause()
    composite, lines = field.tally.composite, field.lines(i)
    weight = composite.heuristics[i].weight
    sides: list[tuple[float | None, str | None]] = []
    for last in (0.0, composite.heaviest(i)):
        at = None if last == weight else _turn(field, lines, weight, last)
        sides.append((at, None if at is None else field.winner_at(lines, at)))
    (low, low_rival), (high, high_rival) = sides
    return WeightRange(weight, low, low_rival, high, high_rival)


def _turn(field: _Field, lines: list[TotalLine], weight: float, last: float) -> float | None:
    """The nearest weight at which the winner is no longer tied for the best, somebody preferred to it is, or it is held."""
    mine, preferred = lines[field.winner], {*field.preferred}
    if isinstance(field.bound, Margin):
        needed = field.least_leads().items()
        leads = [Lead((mine,), lines[rival], ahead_by, closed=closed) for rival, (ahead_by, closed) in needed]
        return _first(leads, weight, last, first_failure)
    enough = []
    if isinstance(field.bound, Total):
        floor = TotalLine((field.bound.least,), 0.0, field.bound.least)
        enough.append(Lead((mine,), floor, closed=True))
    if not field.margin:
        leads = [Lead((mine,), lines[rival], closed=rival not in preferred) for rival in field.rivals]
        return _first([*leads, *enough], weight, last, first_failure)
    staying = [Lead((mine,), lines[rival], -field.margin, closed=True) for rival in field.rivals]
    staying += enough
    left = _first(staying, weight, last, first_failure)
    leaders = _leaders(lines)
    ahead = (_best(leaders, weight),)
    intruders = [Lead(ahead, lines[rival], field.margin) for rival in field.preferred]
    came = _first(intruders, weight, last if left is None else left, partial(_first_intrusion, lines, leaders))
    return left if came is None else came


def _first(
    leads: list[Lead],
    weight: float,
    last: float,
    failure: Callable[[Lead, float, float], float | None],
) -> float | None:
    """The nearest weight at which any of the leads fails; those that can fail only farther out are skipped."""
    way = 1.0 if last > weight else -1.0  # distances from the weight would round all that is near 0 to the same value
    starts = ((lead.fails_from(weight, last), lead) for lead in leads)
    nearest_first = sorted(
        ((start, lead) for start, lead in starts if start is not None), key=lambda pair: way * pair[0]
    )
    at: float | None = None
    for start, lead in nearest_first:
        if at is not None and way * start > way * at:
            break
        nearer = failure(lead, weight, last if at is None else at)
        at = at if nearer is None else nearer
    return at


def _first_intrusion(
    lines: list[TotalLine], leaders: list[TotalLine], lead: Lead, weight: float, last: float
) -> float | None:
    """The nearest weight at which nobody leads the rival by more than the tie margin.

    A line that still leads where all known leaders have failed joins them, so each line joins at most once.
    """
    at: float | None = weight
    ahead: tuple[TotalLine, ...] = ()
    while at is not None:
        best = _best(leaders, at)
        if not replace(lead, leaders=(best,)).holds(at):
            best = _best(lines, at)  # the leaders are found in plain floats, and may lack one
            if not replace(lead, leaders=(best,)).holds(at):
                return at
        ahead = (*ahead, best)
        at = first_failure(replace(lead, leaders=ahead), at, last)
    return None


def _best(lines: list[TotalLine], weight: float) -> TotalLine:
    return max(lines, key=lambda line: line.total(weight))


def _leaders(lines: list[TotalLine]) -> list[TotalLine]:
    """The lines with the best total at some weight, more or less: the upper envelope of all lines, in plain floats."""
    hull: list[TotalLine] = []
    for line in sorted(lines, key=lambda line: (line.score, line.rest)):
        if hull and hull[-1].score == line.score:
            hull.pop()
        while len(hull) > 1:
            (_, s0, t0), (_, s1, t1) = hull[-2:]
            if (t0 - line.rest) * (s1 - s0) > (t0 - t1) * (line.score - s0):
                break
            hull.pop()
        hull.append(line)
    return hull


def _nearest(ranges: dict[str, WeightRange]) -> Flip | None:
    sides = [
        (abs(Fraction(at) - Fraction(bounds.weight)), id, at, to)
        for id, bounds in ranges.items()
        for at, to in ((bounds.low, bounds.low_rival), (bounds.high, bounds.high_rival))
        if at is not None
    ]
    nearest = min(sides, default=None, key=lambda side: side[:3])
    if nearest is None:
        return None
    _, id, at, to = nearest
    return Flip(id, at, at - ranges[id].weight, to)


def _robustness(field: _Field) -> tuple[Fraction, bool]:
    """The share of all weights that may move against the winner, and whether it is the largest such share.

    The winner stays in the tied set, and nobody preferred to it enters. With a tie margin it is enough for the second
    that one leader stays too far ahead of the intruder; the leader now is taken, which gives a share that is safe and
    perhaps not the largest.
    """
    if isinstance(field.bound, Margin):
        needed = field.least_leads().items()
        shares = [_share(field, field.winner, rival, -Fraction(ahead_by)) for rival, (ahead_by, _) in needed]
        return max(Fraction(), min((share for share in shares if share is not None), default=Fraction(1))), True
    margin, totals = Fraction(field.margin), field.tally.totals
    leader = max(range(len(totals)), key=totals.__getitem__)
    intruders = [rival for rival in field.preferred if rival != leader] if margin else ()
    staying = [_share(field, field.winner, rival, margin) for rival in field.rivals]
    if isinstance(field.bound, Total):
        staying.append(_share(field, field.winner, None, -Fraction(field.bound.least)))
    intruding = [_share(field, leader, rival, -margin) for rival in intruders]
    stay, intrude = (
        min((share for share in shares if share is not None), default=Fraction(1)) for shares in (staying, intruding)
    )
    return max(Fraction(), min(stay, intrude)), stay <= intrude


def _share(field: _Field, one: int, other: int | None, more: Fraction) -> Fraction | None:
    """How much of all weights may go before the lead of one over the other, or over 0, with `more` added, is gone.

    None where no weight matters.
    """
    tally = field.tally
    lead, spread, size = more, Fraction(), abs(more)
    nobody = (0.0,) * len(tally.composite.heuristics)
    others = nobody if other is None else tally.scores[other]
    for entry, mine, theirs in zip(tally.composite.heuristics, tally.scores[one], others, strict=True):
        if mine == theirs or not entry.weight:
            continue
        weight, apart = Fraction(entry.weight), Fraction(mine or 0.0) - Fraction(theirs or 0.0)
        lead += weight * apart
        spread += weight * abs(apart)
        size += weight * (abs(Fraction(mine or 0.0)) + abs(Fraction(theirs or 0.0)))
    if not spread:
        return None
    rows = (tally.products[one], nobody if other is None else tally.products[other])
    shared = sum(abs(Fraction(part)) for row in rows for part in row)
    return min(Fraction(1), (lead - _ROUNDING * (size + shared) - _TINY) / spread)


def _floor(share: Fraction) -> float:
    """The share as a double that is not above it."""
    rounded = float(share)
    return nextafter(rounded, 0.0) if Fraction(rounded) > share else rounded
