"""A decision of the arbiter in the shape that pages draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.arbitration.decision import vetoed_by
from volition.arbitration.intention import Heuristic
from volition.studio.shapes.decisions import (
    DecisionShape,
    Flip,
    Forbidden,
    IntentionShape,
    Range,
    Ranked,
    Share,
    Vote,
    WhatIfAsked,
    WhatIfShape,
    WhyShape,
)

if TYPE_CHECKING:
    from volition.arbitration.decision import Decision
    from volition.arbitration.explain import Why
    from volition.arbitration.intention import Intention
    from volition.arbitration.sensitivity import Sensitivity, WeightRange


def decision_shape(decision: Decision[Any]) -> DecisionShape:
    """Everything about a decision; candidates stand from the winner down, then by their totals."""
    tally, firm, reason = decision.tally, decision.sensitivity(), decision.reason
    return DecisionShape(
        kind=decision.kind,
        candidate=decision.id,
        rule=tally.rule,
        ranked=[_ranked(decision, place, rank) for rank, place in enumerate(tally.ranking, 1)],
        vetoed=[_forbidden(decision, name) for name in tally.vetoed],
        intentions=[_intention(entry, firm) for entry in tally.composite],
        margin=decision.margin,
        nearest_flip=None
        if (flip := firm.nearest) is None
        else Flip(flip.intention, flip.weight, flip.change, flip.to),
        robustness=firm.robustness,
        exact=firm.exact,
        why=_why(decision.why()),
        tied=list(reason.tied),
        tie_level=None if tally.tie is None else tally.tie.level,
        relaxations=[list(one) for one in reason.relaxations],
    )


def what_if_shape(decision: Decision[Any], asked: WhatIfAsked) -> WhatIfShape:
    """The decision under other weights or without some intentions."""
    then = decision.what_if(weights=asked.weights, without=asked.without, shadow=True)
    return WhatIfShape(
        then.before, then.after, then.changed, then.text, list(then.shadows), decision_shape(then.decision)
    )


def _ranked(decision: Decision[Any], place: int, rank: int) -> Ranked:
    tally = decision.tally
    name = tally.survivors[place]
    answer = decision.why_not(name)
    votes = zip(tally.composite.voters, tally.scores[place], tally.products[place], strict=True)
    return Ranked(
        id=name,
        rank=rank,
        total=tally.totals[place],
        winner=place == tally.winner,
        votes={id: Vote(score, product) for id, score, product in votes},
        answer=type(answer).__name__,
        why_not=answer.text,
    )


def _forbidden(decision: Decision[Any], name: str) -> Forbidden:
    by = {id: None if why is True else why for id, why in vetoed_by(decision.tally, name).items()}
    return Forbidden(name, by, decision.why_not(name).text)


def _intention(entry: Intention, firm: Sensitivity) -> IntentionShape:
    if not isinstance(entry, Heuristic):
        return IntentionShape(entry.id, "constraint")
    bounds = firm.ranges.get(entry.id)
    return IntentionShape(
        entry.id,
        "heuristic",
        entry.weight,
        entry.priority,
        None if bounds is None else _range(bounds),
        list(entry.range),
    )


def _range(bounds: WeightRange) -> Range:
    return Range(bounds.low, bounds.low_rival, bounds.high, bounds.high_rival, bounds.exact)


def _why(why: Why) -> WhyShape:
    return WhyShape(
        why.text,
        why.over,
        None if why.margin is None else float(why.margin),
        [Share(one.by, one.weight, one.score, one.rival_score, one.value) for one in why.contributions],
        list(why.sufficient),
    )
