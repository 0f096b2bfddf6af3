"""The last stage of a decision: the best total, ties broken by priority. It asks nobody."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from volition.arbitration.tally import TieBreak

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.arbitration.answers import Score
    from volition.arbitration.composite import CompositeIntention
    from volition.arbitration.tally import DecisionSettings, Outcome, Rule


def choose(
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
    return left[0], "order", TieBreak(tuple(tied), None), "act"


def within(margin: float, best: float, total: float) -> bool:
    """Whether a total lies within the margin of the best, judged without rounding."""
    return fsum((best, -total, -margin)) <= 0.0


def level_value(scores: Sequence[Score], members: Iterable[int]) -> float:
    """What one priority level makes of a candidate: the unweighted sum of its intentions' scores."""
    return fsum(scores[member] or 0.0 for member in members)
