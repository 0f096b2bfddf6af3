"""The three stages of a decision, in the order in which they run: filter by vetoes, aggregate the votes, choose.

`filter_candidates` and `aggregate_votes` ask the intentions; `choose` asks nobody, and returns the tally of all three.
"""

from __future__ import annotations

from itertools import compress
from math import fsum
from typing import TYPE_CHECKING, Any

from volition.arbitration import answers
from volition.arbitration.tally import FilterResult, Tally, TieBreak, VoteResult, new_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.arbitration.answers import Score, Verdict
    from volition.arbitration.composite import CompositeIntention
    from volition.arbitration.tally import DecisionInput, Outcome, Rule


def filter_candidates(
    composite: CompositeIntention, candidates: list[Any], ids: list[str], context: Any
) -> FilterResult:
    """Ask every constraint about every candidate."""
    if composite.filter is not None:
        vetoed, left, survivors = composite.filter(candidates, ids)
        return new_record(FilterResult, (composite.judges, vetoed, left, survivors))
    columns = [answers.verdicts(entry, candidates, ids, context) for entry in composite.constraints]
    if not any(map(any, columns)):
        return FilterResult(composite.judges, {}, candidates, ids)
    rows = list(zip(*columns, strict=True))
    vetoed = {name: row for name, row in zip(ids, rows, strict=True) if any(row)}
    allowed = [not any(row) for row in rows]
    return FilterResult(composite.judges, vetoed, list(compress(candidates, allowed)), list(compress(ids, allowed)))


def aggregate_votes(
    composite: CompositeIntention, filtered: FilterResult, ids: Sequence[str], context: Any
) -> tuple[FilterResult, VoteResult]:
    """Ask every heuristic about every survivor, and add up the weighted scores.

    Heuristics whose errors veto judge like constraints, so fewer candidates may survive. They are asked first, and about
    all survivors of the constraints, so that neither the survivors nor the trace depend on the order of intentions; the
    others are never asked about what those forbade.
    """
    if composite.aggregate is not None:
        scores, products = composite.aggregate(filtered.left, filtered.survivors)
        return filtered, new_record(VoteResult, (scores, products, list(map(fsum, products))))
    guards = [entry for entry in composite.heuristics if entry.on_error == "veto"]
    columns: dict[str, list[Any]] = {
        entry.id: answers.scores_or_reasons(entry, filtered.left, filtered.survivors, context) for entry in guards
    }
    if guards:
        reasons = [
            tuple(answer if isinstance(answer, str) else False for answer in row)
            for row in zip(*columns.values(), strict=True)
        ]
        filtered = _filter_by_errors(composite, filtered, [entry.id for entry in guards], reasons, ids)
        allowed = [not any(row) for row in reasons]
        columns = {id: list(compress(column, allowed)) for id, column in columns.items()}
    for entry in composite.heuristics:
        if entry.on_error != "veto":
            columns[entry.id] = answers.scores(entry, filtered.left, filtered.survivors, context)
    in_order = [columns[entry.id] for entry in composite.heuristics]
    scores = answers.rows(in_order, len(filtered.survivors))
    return filtered, weigh(composite, scores)


def _filter_by_errors(
    composite: CompositeIntention,
    filtered: FilterResult,
    guards: list[str],
    reasons: list[tuple[str | bool, ...]],
    ids: Sequence[str],
) -> FilterResult:
    """Veto the survivors on which a guard raised."""
    not_asked, passed = (None,) * len(guards), (False,) * len(composite.constraints)
    judged: dict[str, tuple[Verdict, ...]] = {name: (*row, *not_asked) for name, row in filtered.vetoed.items()}
    judged |= {name: (*passed, *row) for name, row in zip(filtered.survivors, reasons, strict=True) if any(row)}
    allowed = [not any(row) for row in reasons]
    return FilterResult(
        (*composite.judges, *guards),
        {name: judged[name] for name in ids if name in judged},
        list(compress(filtered.left, allowed)),
        list(compress(filtered.survivors, allowed)),
    )


def weigh(composite: CompositeIntention, scores: list[tuple[Score, ...]]) -> VoteResult:
    """The contributions and totals of scores that were already checked."""
    products = answers.contributions(composite.heuristics, scores)
    return VoteResult(scores, products, list(map(fsum, products)))


def choose(given: DecisionInput, filtered: FilterResult, votes: VoteResult) -> Tally:
    """Take the best total, break ties by priority and then by the order offered; hold or fail where nothing is left."""
    totals, settings = votes.totals, given.settings
    winner: int | None = 0
    rule: Rule
    tie: TieBreak | None = None
    kind: Outcome = "act"
    if not totals:
        winner, rule = None, "all_candidates_vetoed" if given.candidates else "no_candidates"
        kind = "fail" if given.candidates and settings.stay is not None else settings.on_impossible
    elif len(totals) == 1:
        rule = "only_survivor"
    elif not given.composite.heuristics:
        rule = "no_heuristics"
    elif not settings.tie_margin and totals.count(best := max(totals)) == 1:
        winner, rule = totals.index(best), "highest_total"
    else:
        winner, rule, tie = _break_tie(given.composite, settings.tie_margin, votes)
    # Adding tuples takes half the time of unpacking them into one.
    return new_record(Tally, given + filtered + votes + (winner, rule, tie, kind))


def _break_tie(composite: CompositeIntention, margin: float, votes: VoteResult) -> tuple[int, Rule, TieBreak | None]:
    best = max(votes.totals)
    tied = [place for place, total in enumerate(votes.totals) if total == best or within(margin, best, total)]
    if len(tied) == 1:
        return tied[0], "highest_total", None
    left = tied
    for priority, members in composite.levels:
        values = [level_value(votes.scores[place], members) for place in left]
        highest = max(values)
        left = [place for place, value in zip(left, values, strict=True) if value == highest]
        if len(left) == 1:
            return left[0], "priority", TieBreak(tuple(tied), priority)
    return left[0], "order", TieBreak(tuple(tied), None)


def within(margin: float, best: float, total: float) -> bool:
    """Whether a total lies within the margin of the best, judged without rounding."""
    return fsum((best, -total, -margin)) <= 0.0


def level_value(scores: Sequence[Score], members: Iterable[int]) -> float:
    """What one priority level makes of a candidate: the unweighted sum of its intentions' scores."""
    return fsum(scores[member] or 0.0 for member in members)
