"""A decision of the arbiter in the shape that pages draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.arbitration.breakdown import rank_survivors
from volition.arbitration.intention import Heuristic
from volition.studio.shapes.decisions import (
    DecisionShape,
    Forbidden,
    IntentionShape,
    Ranked,
    Share,
    Vote,
    WhatIfAsked,
    WhatIfShape,
    WhyShape,
)

if TYPE_CHECKING:
    from volition.arbitration.decision import Decision
    from volition.arbitration.intention import Intention
    from volition.arbitration.sensitivity import Sensitivity
    from volition.arbitration.why_answers import Why


def decision_shape(decision: Decision[Any]) -> DecisionShape:
    """Everything about a decision; candidates are listed as they rank."""
    tally, sensitivity, reason = decision.tally, decision.sensitivity(), decision.reason
    return DecisionShape(
        kind=decision.kind,
        candidate=decision.id,
        rule=tally.rule,
        ranked=[_ranked_shape(decision, place, rank) for rank, place in enumerate(rank_survivors(tally), 1)],
        vetoed=[_forbidden_shape(decision, name) for name in tally.vetoed],
        intentions=[_intention_shape(entry, sensitivity) for entry in tally.composite],
        margin=decision.margin,
        nearest_flip=sensitivity.nearest,
        robustness=sensitivity.robustness,
        exact=sensitivity.exact,
        why=_why_shape(decision.why()),
        tied=reason.tied,
        tie_level=None if tally.tie is None else tally.tie.level,
        relaxations=reason.relaxations,
    )


def what_if_shape(decision: Decision[Any], asked: WhatIfAsked) -> WhatIfShape:
    """The decision with other weights or without some intentions."""
    then = decision.what_if(weights=asked.weights, without=asked.without, shadow=True)
    return WhatIfShape(then.before, then.after, then.changed, then.text, then.shadows, decision_shape(then.decision))


def _ranked_shape(decision: Decision[Any], place: int, rank: int) -> Ranked:
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


def _forbidden_shape(decision: Decision[Any], name: str) -> Forbidden:
    by = {id: None if why is True else why for id, why in decision.tally.vetoed_by(name).items()}
    return Forbidden(name, by, decision.why_not(name).text)


def _intention_shape(entry: Intention, sensitivity: Sensitivity) -> IntentionShape:
    if not isinstance(entry, Heuristic):
        return IntentionShape(entry.id, "constraint")
    bounds = sensitivity.ranges.get(entry.id)
    return IntentionShape(entry.id, "heuristic", entry.weight, entry.priority, bounds, entry.range)


def _why_shape(why: Why) -> WhyShape:
    return WhyShape(
        why.text,
        why.over,
        None if why.margin is None else float(why.margin),
        [Share(one.by, one.weight, one.score, one.rival_score, one.value) for one in why.contributions],
        why.sufficient,
    )
