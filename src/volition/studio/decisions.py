"""A decision as a page draws it, the same for evenings, pilots and pasted cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct

from volition.arbitration.breakdown import rank_survivors
from volition.arbitration.intention import Heuristic
from volition.arbitration.sensitivity import Flip, WeightRange  # noqa: TC001  msgspec reads the annotations

if TYPE_CHECKING:
    from volition.arbitration.decision import Decision
    from volition.arbitration.intention import Intention
    from volition.arbitration.sensitivity import Sensitivity
    from volition.arbitration.why_answers import Why


Weights = Annotated[dict[Annotated[str, Meta(max_length=200)], float], Meta(max_length=1000)]
Without = Annotated[list[str], Meta(max_length=1000)]


class Vote(Struct, frozen=True):
    """One heuristic's vote on a candidate; `score` is None where it abstained."""

    score: float | None
    contribution: float


class Ranked(Struct, frozen=True):
    """A candidate that nothing vetoed. `rank` counts from 1; the winner is first, unless chance chose it."""

    id: str
    rank: int
    total: float
    winner: bool
    votes: dict[str, Vote]
    answer: str
    why_not: str


class Forbidden(Struct, frozen=True):
    """A vetoed candidate: who vetoed it, each with a reason or None."""

    id: str
    by: dict[str, str | None]
    why_not: str


class IntentionShape(Struct, frozen=True):
    """A constraint, or a heuristic: its weight, its priority, the weights that keep the winner, and the range of its scores."""

    id: str
    kind: Literal["constraint", "heuristic"]
    weight: float | None = None
    priority: int | None = None
    range: WeightRange | None = None
    scores: tuple[float, float] | None = None


class Share(Struct, frozen=True):
    """What one intention adds to the lead over the rival."""

    by: str
    weight: float
    score: float | None
    rival_score: float | None
    value: float


class WhyShape(Struct, frozen=True):
    """Why the winner won: over whom, by how much, and by whose votes."""

    text: str
    over: str | None
    margin: float | None
    contributions: list[Share]
    sufficient: tuple[str, ...]


class DecisionShape(Struct, frozen=True):
    """Everything about one decision. `exact` refers to `robustness`; `relaxations` are the constraints that would have to go."""

    kind: Literal["act", "hold", "fail"]
    candidate: str | None
    rule: str
    ranked: list[Ranked]
    vetoed: list[Forbidden]
    intentions: list[IntentionShape]
    margin: float | None
    nearest_flip: Flip | None
    robustness: float | None
    exact: bool
    why: WhyShape
    tied: tuple[str, ...]
    tie_level: int | None
    relaxations: tuple[tuple[str, ...], ...]


class WhatIfAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """Other weights, and intentions to leave out."""

    weights: Weights = {}
    without: Without = []


class WhatIfShape(Struct, frozen=True):
    """The decision as it would have been. `shadows` were vetoed, and are scored for this question only."""

    before: str | None
    after: str | None
    changed: bool
    text: str
    shadows: tuple[str, ...]
    decision: DecisionShape


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
        [Share(part.by, part.weight, part.score, part.rival_score, part.value) for part in why.contributions],
        why.sufficient,
    )
