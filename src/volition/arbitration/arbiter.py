"""The arbiter: filter by vetoes, aggregate the votes, break ties by priority, in that order and no other."""

from __future__ import annotations

from itertools import compress
from math import fsum
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from volition.arbitration import answers
from volition.arbitration.candidate import identify, offered
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.decision import Decision
from volition.arbitration.tally import Outcome, Rule, Settings, TieBreak, check_settings
from volition.core.errors import InvalidInput, Problems, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from volition.arbitration.answers import Score, Verdict

C = TypeVar("C")

_EXACT = 0.0
_USUAL = Settings("hold", _EXACT, None)


def arbitrate(
    candidates: Iterable[C],
    composite: CompositeIntention,
    *,
    on_impossible: Literal["hold", "fail"] = "hold",
    tie_margin: float = _EXACT,
    stay: str | None = None,
    key: Callable[[C], str] | None = None,
    context: Any = None,
    version: Any = None,
) -> Decision[C]:
    """Choose one of the candidates, or none, and keep the whole reason.

    Args:
        candidates: what may be chosen; their order is the last tie-break.
        composite: who vetoes and who votes.
        on_impossible: "hold" or "fail" when no candidate may be chosen.
        tie_margin: candidates within this distance of the best total count as tied with it.
        stay: the id of the candidate that means staying put. Where it is vetoed with all others the answer is
            "fail", for holding would be the forbidden act.
        key: gives a candidate its id; by default a text is its own id, and others have an `id` or print as one.
        context: passed on to the intents that ask for it.
        version: of the world that the caller saw; kept in the decision, never interpreted.

    >>> from volition.arbitration.intention import constraint, heuristic
    >>> @constraint
    ... def safety(way):
    ...     return way == "bridge"
    >>> @heuristic
    ... def fast(way):
    ...     return {"bridge": 1.0, "ferry": 0.2, "ford": -0.4}[way]
    >>> decision = arbitrate(["bridge", "ferry", "ford"], CompositeIntention(safety, fast))
    >>> decision.candidate, decision.reason.vetoed_by
    ('ferry', ('safety',))
    """
    pool = list(candidates) if type(candidates) is list else offered(candidates)
    ids = identify(pool, key)
    settings = _USUAL
    if stay is not None or tie_margin is not _EXACT or on_impossible != "hold":
        settings = _settings(on_impossible, tie_margin, stay, ids)
    if type(composite) is not CompositeIntention:
        refuse(
            f"the composite is {composite!r}",
            where="composite",
            expected="a CompositeIntention",
            remedy="wrap the intentions: CompositeIntention(safety, goal)",
        )
    judges = composite.judges
    if composite.filter is not None:
        vetoed, left, survivors = composite.filter(pool, ids)
    else:
        vetoed, left, survivors = _filter(composite, pool, ids, context)
    if composite.aggregate is not None:
        scores, products = composite.aggregate(left, survivors)
    else:
        judges, vetoed, left, survivors, columns = aggregate(composite, vetoed, left, survivors, ids, context)
        scores = answers.rows(columns, len(survivors))
        products = answers.weighed_columns(composite.heuristics, columns, len(survivors))
    totals = list(map(fsum, products))
    if len(totals) > 1 and settings is _USUAL and totals.count(best := max(totals)) == 1:
        # What most decisions come to, told without a further call.
        return Decision((
            composite, settings, pool, ids, context, version,
            judges, vetoed, left, survivors,
            scores, products, totals,
            totals.index(best), "highest_total", None, "act",
        ))  # fmt: skip
    return conclude(composite, settings, pool, ids, context, version, judges, vetoed, left, survivors, scores, products)


def conclude(
    composite: CompositeIntention,
    settings: Settings,
    candidates: list[Any],
    ids: list[str],
    context: Any,
    version: Any,
    judges: tuple[str, ...],
    vetoed: dict[str, tuple[Verdict, ...]],
    left: list[Any],
    survivors: list[str],
    scores: list[tuple[Score, ...]],
    products: list[tuple[float, ...]],
) -> Decision[Any]:
    """Decide from answers that were already given and checked; this part asks nobody."""
    totals = list(map(fsum, products))
    kind: Outcome = "act"
    winner, rule, tie = _choose(composite, settings.tie_margin, scores, totals)
    if winner is None:
        if not candidates:
            rule = "no_candidates"
        stay_vetoed = settings.stay is not None and rule == "all_candidates_vetoed"
        kind = "fail" if stay_vetoed else settings.on_impossible
    told = (
        composite, settings, candidates, ids, context, version,
        judges, vetoed, left, survivors,
        scores, products, totals,
        winner, rule, tie, kind,
    )  # fmt: skip
    return Decision(told)


def _filter(
    composite: CompositeIntention, pool: list[Any], ids: list[str], context: Any
) -> tuple[dict[str, tuple[Verdict, ...]], list[Any], list[str]]:
    """Ask constraints of every kind; gives the verdicts on each that is vetoed, the others, and their ids."""
    columns = [answers.verdicts(entry, pool, ids, context) for entry in composite.constraints]
    if not any(map(any, columns)):
        return {}, pool, ids
    rows = list(zip(*columns, strict=True))
    vetoed = {name: row for name, row in zip(ids, rows, strict=True) if any(row)}
    allowed = [not any(row) for row in rows]
    return vetoed, list(compress(pool, allowed)), list(compress(ids, allowed))


def aggregate(
    composite: CompositeIntention,
    vetoed: dict[str, tuple[Verdict, ...]],
    left: list[Any],
    survivors: list[str],
    ids: list[str],
    context: Any,
) -> tuple[tuple[str, ...], dict[str, tuple[Verdict, ...]], list[Any], list[str], list[list[Score]]]:
    """Ask heuristics of every kind, a column of scores from each; where the errors of some of them veto, those judge like constraints.

    They are asked first, and about all survivors of the constraints, so that neither the survivors nor the trace depend
    on the order of intentions; the others are never asked about what those forbade.
    """
    guards = [entry for entry in composite.heuristics if entry.on_error == "veto"]
    columns: dict[str, list[Any]] = {
        entry.id: answers.scores_or_reasons(entry, left, survivors, context) for entry in guards
    }
    if guards:
        reasons = [
            tuple(answer if isinstance(answer, str) else False for answer in row)
            for row in zip(*columns.values(), strict=True)
        ]
        unasked, passed = (None,) * len(guards), (False,) * len(composite.constraints)
        judged: dict[str, tuple[Verdict, ...]] = {name: (*row, *unasked) for name, row in vetoed.items()}
        judged |= {name: (*passed, *row) for name, row in zip(survivors, reasons, strict=True) if any(row)}
        vetoed = {name: judged[name] for name in ids if name in judged}
        allowed = [not any(row) for row in reasons]
        columns = {id: list(compress(column, allowed)) for id, column in columns.items()}
        left, survivors = list(compress(left, allowed)), list(compress(survivors, allowed))
    for entry in composite.heuristics:
        if entry.on_error != "veto":
            columns[entry.id] = answers.scores(entry, left, survivors, context)
    judges = (*composite.judges, *(entry.id for entry in guards))
    return judges, vetoed, left, survivors, [columns[entry.id] for entry in composite.heuristics]


def _choose(
    composite: CompositeIntention,
    margin: float,
    scores: list[tuple[Score, ...]],
    totals: list[float],
) -> tuple[int | None, Rule, TieBreak | None]:
    if len(totals) < 2:
        return (0, "only_survivor", None) if totals else (None, "all_candidates_vetoed", None)
    if not composite.heuristics:
        return 0, "no_heuristics", None
    best = max(totals)
    if not margin and totals.count(best) == 1:
        return totals.index(best), "highest_total", None
    tied = [position for position, total in enumerate(totals) if total == best or within(margin, best, total)]
    if len(tied) == 1:
        return tied[0], "highest_total", None
    left = tied
    for priority, members in composite.levels:
        values = [level_value(scores[position], members) for position in left]
        highest = max(values)
        left = [position for position, value in zip(left, values, strict=True) if value == highest]
        if len(left) == 1:
            return left[0], "priority", TieBreak(tuple(tied), priority)
    return left[0], "order", TieBreak(tuple(tied), None)


def within(margin: float, best: float, total: float) -> bool:
    """Whether a total lies within the margin of the best, judged without rounding."""
    return fsum((best, -total, -margin)) <= 0.0


def level_value(scores: Sequence[Score], members: Iterable[int]) -> float:
    """What one priority level makes of a candidate: the unweighted sum of its intentions' scores."""
    return fsum(scores[member] or 0.0 for member in members)


def _settings(on_impossible: Any, tie_margin: Any, stay: Any, ids: Sequence[str]) -> Settings:
    problems = Problems()
    check_settings(on_impossible, tie_margin, stay, ids, problems)
    problems.raise_if_any(InvalidInput)
    return Settings(on_impossible, float(tie_margin), stay)
