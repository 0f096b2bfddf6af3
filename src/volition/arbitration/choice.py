"""The last stage of a decision, the law of choosing: the best total, ties broken by priority. It asks nobody.

A winner below a bound that the caller names is not acted on. On request chance chooses instead, and the chance of a
candidate is its share of all totals above 0. The draw is a pure function of the seed: the candidates, sorted by id, lie
side by side in [0, 1), each as long as its share, and the one on which the draw falls is chosen. All of that is computed
in fractions, so that each candidate has its share of the 2^32 possible draws to within one, and the same seed chooses the
same candidate in whatever order they are offered.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, Literal

from volition.arbitration.settings import Margin
from volition.arbitration.tally import TieBreak
from volition.core.chance import stream, uid, uniform, word
from volition.core.typed import FrozenStruct, replace

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from volition.arbitration.composite import CompositeIntention
    from volition.arbitration.settings import DecisionSettings, HoldBelow
    from volition.arbitration.stages import Score
    from volition.arbitration.tally import Outcome, Rule, Tally


_PURPOSE = uid("weighted choice")


def choose_candidate(
    composite: CompositeIntention,
    settings: DecisionSettings,
    vetoed: Container[str],
    ids: Sequence[str],
    scores: Sequence[Sequence[Score]],
    totals: list[float],
) -> tuple[int | None, Rule, TieBreak | None, Outcome]:
    """Choose as the settings say, and hold where the winner is below their bound.

    Holding is never the forbidden act: where staying put is vetoed, it is "fail".
    """
    may_hold = settings.stay is None or settings.stay not in vetoed
    choice: tuple[int | None, Rule, TieBreak | None, Outcome]
    if settings.seed is not None and totals:
        place = draw_place(settings.seed, [name for name in ids if name not in vetoed], totals)
        choice = place, "weighted", None, "act"
        if place is None:
            choice = None, "no_positive_total", None, settings.on_impossible if may_hold else "fail"
    else:
        choice = choose_best(composite, settings, ids, scores, totals)
    (winner, _, tie, _), bound = choice, settings.hold_below
    if winner is None or bound is None or not is_below(bound, totals, winner):
        return choice
    return None, "below_margin" if isinstance(bound, Margin) else "below_total", tie, "hold" if may_hold else "fail"


def choose_best(
    composite: CompositeIntention,
    settings: DecisionSettings,
    ids: Sequence[str],
    scores: Sequence[Sequence[Score]],
    totals: list[float],
) -> tuple[int | None, Rule, TieBreak | None, Outcome]:
    """Take the best total, break ties by priority and then by the order offered; hold or fail where nothing is left."""
    if not totals:
        if not ids:
            return None, "no_candidates", None, settings.on_impossible
        return None, "all_candidates_vetoed", None, settings.on_impossible if settings.stay is None else "fail"
    if len(totals) == 1:
        return 0, "only_survivor", None, "act"
    if not composite.heuristics:
        return 0, "no_heuristics", None, "act"
    best, margin = max(totals), settings.tie_margin
    if not margin and totals.count(best) == 1:
        return totals.index(best), "highest_total", None, "act"
    left = tied = [place for place, total in enumerate(totals) if total == best or within(margin, best, total)]
    if len(tied) == 1:
        return tied[0], "highest_total", None, "act"
    for priority, members in composite.levels:
        values = [level_value(scores[place], members) for place in left]
        highest = max(values)
        left = [place for place, value in zip(left, values, strict=True) if value == highest]
        if len(left) == 1:
            return left[0], "priority", TieBreak(tuple(tied), priority), "act"
    return left[0], "order" if has_opinions(scores) else "no_opinion", TieBreak(tuple(tied), None), "act"


def within(margin: float, best: float, total: float) -> bool:
    """Whether a total lies within the margin of the best, judged without rounding."""
    return fsum((best, -total, -margin)) <= 0.0


def level_value(scores: Sequence[Score], members: Iterable[int]) -> float:
    """What one priority level makes of a candidate: the unweighted sum of its intentions' scores."""
    return fsum(scores[member] or 0.0 for member in members)


def has_opinions(scores: Iterable[Iterable[Score]]) -> bool:
    """Whether any heuristic gave any survivor a score."""
    return any(score is not None for row in scores for score in row)


def is_below(bound: HoldBelow, totals: Sequence[float], winner: int) -> bool:
    """Whether a winner is not acted on: its total, or its lead over the best of the others, judged without rounding."""
    if not isinstance(bound, Margin):
        return totals[winner] < bound.least
    rival = best_other(totals, winner)
    return rival is not None and fsum((totals[winner], -totals[rival], -bound.least)) < 0.0


def best_other(totals: Sequence[float], winner: int) -> int | None:
    """The best of the others, by total and then by order offered; None without any."""
    others = [place for place in range(len(totals)) if place != winner]
    return max(others, key=totals.__getitem__, default=None)


def leader_of(tally: Tally) -> int | None:
    """The winner, or who would have been it if the decision did not hold below a bound: a position among the survivors."""
    if tally.winner is not None or tally.rule not in ("below_margin", "below_total"):
        return tally.winner
    settings = replace(tally.settings, hold_below=None)
    return choose_candidate(tally.composite, settings, tally.vetoed, tally.ids, tally.scores, tally.totals)[0]


class Shortfall(FrozenStruct, frozen=True):
    """Why a decision holds: the leader has a `margin` or a `total` of `value`, and the caller named `least`."""

    leader: str
    what: Literal["margin", "total"]
    value: float
    least: float


def shortfall_of(tally: Tally) -> Shortfall | None:
    """What a decision that holds below a bound falls short of; None for every other decision."""
    leader, bound = leader_of(tally), tally.settings.hold_below
    if tally.winner is not None or leader is None or bound is None:
        return None
    name, total = tally.survivors[leader], tally.totals[leader]
    if not isinstance(bound, Margin):
        return Shortfall(name, "total", total, bound.least)
    rival = best_other(tally.totals, leader)
    assert rival is not None  # one alone is never below a margin
    return Shortfall(name, "margin", total - tally.totals[rival], bound.least)


class WeightedDraw(FrozenStruct, frozen=True):
    """How chance chose.

    `value` is the draw, in [0, 1), that the `seed` gives. `weights` are the totals above 0, and 0 for the others, by id;
    `chances` are their shares, exactly. The draw fell into [low, high), the part of the chosen candidate; the three are
    None where no total is above 0, and nothing could be drawn.
    """

    seed: int
    value: float
    weights: dict[str, float]
    chances: dict[str, Fraction]
    chosen: str | None
    low: Fraction | None
    high: Fraction | None


def draw_value(seed: int) -> float:
    """The draw of a seed: one of 2^32 numbers, evenly spread over [0, 1)."""
    return uniform(word(stream(seed, 0, 0, _PURPOSE), 0))


def draw_place(seed: int, names: Sequence[str], totals: Sequence[float]) -> int | None:
    """The position of the candidate on which the draw of the seed falls; None where no total is above 0."""
    value = Fraction(draw_value(seed))
    return next((place for place, low, high in _parts(names, totals) if low <= value < high), None)


def draw_of(tally: Tally) -> WeightedDraw | None:
    """How chance chose in a decision; None where it did not."""
    seed = tally.settings.seed
    if seed is None or not tally.totals:
        return None
    value = draw_value(seed)
    parts = {tally.survivors[place]: (low, high) for place, low, high in _parts(tally.survivors, tally.totals)}
    weights = {name: max(0.0, total) for name, total in sorted(zip(tally.survivors, tally.totals, strict=True))}
    chances = {name: parts[name][1] - parts[name][0] if parts else Fraction() for name in weights}
    chosen = next((name for name, (low, high) in parts.items() if low <= value < high), None)
    low, high = (None, None) if chosen is None else parts[chosen]
    return WeightedDraw(seed, value, weights, chances, chosen, low, high)


def _parts(names: Sequence[str], totals: Sequence[float]) -> Iterator[tuple[int, Fraction, Fraction]]:
    """The part of [0, 1) of each candidate, in the order of ids; none where no total is above 0."""
    weights = [Fraction(max(0.0, total)) for total in totals]
    whole = sum(weights, Fraction())
    reached = Fraction()
    for place in sorted(range(len(names)), key=names.__getitem__) if whole else ():
        before, reached = reached, reached + weights[place]
        yield place, before / whole, reached / whole
