"""A decision as a page draws it, the same for evenings, pilots and pasted cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct

from volition.arbitration.breakdown import rank_survivors
from volition.arbitration.intention import Heuristic
from volition.arbitration.sensitivity import Flip, WeightRange  # noqa: TC001  msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.arbitration.decision import Decision
    from volition.arbitration.intention import Intention
    from volition.arbitration.sensitivity import Sensitivity
    from volition.arbitration.tally import Tally
    from volition.arbitration.why_answers import Why, WhyNot
    from volition.drama.audience.reasons import ChoiceWords


Weights = Annotated[dict[Annotated[str, Meta(max_length=200)], float], Meta(max_length=1000)]
Without = Annotated[list[str], Meta(max_length=1000)]


class Vote(Struct, frozen=True):
    """One heuristic's vote on a candidate; `score` is None where it abstained."""

    score: float | None
    """The score; null where it abstained."""
    contribution: float
    """The score times the weight."""


class Ranked(Struct, frozen=True):
    """A candidate that nothing vetoed. `rank` counts from 1; the winner is first, unless chance chose it."""

    id: str
    """The id of the candidate."""
    rank: int
    """Its rank, from 1 on."""
    total: float
    """Its total."""
    winner: bool
    """Whether it was chosen."""
    votes: dict[str, Vote]
    """The vote of each heuristic."""
    answer: str
    """The kind of answer to why it did not win."""
    why_not: str
    """Why it did not win, in words."""


class Forbidden(Struct, frozen=True):
    """A vetoed candidate: who vetoed it, each with a reason or None."""

    id: str
    """The id of the candidate."""
    by: dict[str, str | None]
    """Who vetoed it, each with a reason or null."""
    why_not: str
    """The same in words."""


class IntentionShape(Struct, frozen=True):
    """A constraint, or a heuristic: its weight, its priority, the weights that keep the winner, and the range of its scores."""

    id: str
    """The id of the intention."""
    kind: Literal["constraint", "heuristic"]
    """Whether it forbids or votes."""
    weight: float | None = None
    """The weight of its votes; null for a constraint."""
    priority: int | None = None
    """Its level in ties, if it has one."""
    range: WeightRange | None = None
    """The weights that keep the winner."""
    scores: tuple[float, float] | None = None
    """The lowest and the highest score that it may give."""


class Share(Struct, frozen=True):
    """What one intention adds to the lead over the rival."""

    by: str
    """The id of the heuristic."""
    weight: float
    """Its weight."""
    score: float | None
    """Its score for the winner; null where it abstained."""
    rival_score: float | None
    """Its score for the rival; null where it abstained."""
    value: float
    """What it adds to the lead."""


class WhyShape(Struct, frozen=True):
    """Why the winner won: over whom, by how much, and by whose votes."""

    text: str
    """Why, in words."""
    over: str | None
    """The best rival; null where there is none."""
    margin: float | None
    """The lead over the rival."""
    contributions: list[Share]
    """What each heuristic adds to the lead, the most first."""
    sufficient: tuple[str, ...]
    """The fewest votes that outweigh all votes against the winner."""


class DecisionWords(Struct, frozen=True):
    """A decision of an evening in words: its acts and intentions by their ids, why, and why not each other act."""

    acts: dict[str, str]
    """Each act by its id."""
    terms: dict[str, str]
    """Each intention by its id."""
    why: str
    """Why the winner won."""
    why_not: dict[str, str]
    """Why each other act did not, by its id."""


class DecisionShape(Struct, frozen=True):
    """Everything about one decision. `exact` refers to `robustness`; `relaxations` are the constraints that would have to go.
    `words` are there for decisions of an evening, whose acts and people have names."""

    kind: Literal["act", "hold", "fail"]
    """Whether something was chosen, held back, or impossible."""
    candidate: str | None
    """The id of what was chosen; null where nothing was."""
    rule: str
    """The rule that decided."""
    ranked: list[Ranked]
    """The candidates that nothing vetoed, as they rank."""
    vetoed: list[Forbidden]
    """The vetoed candidates."""
    intentions: list[IntentionShape]
    """Everybody who votes or forbids."""
    margin: float | None
    """The lead over the best rival."""
    nearest_flip: Flip | None
    """The smallest change of one weight that changes the winner."""
    robustness: float | None
    """The share by which all weights may change at once without changing the winner."""
    exact: bool
    """Whether the robustness is the largest such share."""
    why: WhyShape
    """Why the winner won."""
    tied: tuple[str, ...]
    """The candidates whose tie was broken."""
    tie_level: int | None
    """The priority at which it was broken."""
    relaxations: tuple[tuple[str, ...], ...]
    """The sets of constraints without which something would be possible."""
    words: DecisionWords | None = None
    """The same in words; null where it is no decision of an evening."""


class WhatIfAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """Other weights, and intentions to leave out."""

    weights: Weights = {}
    """Other weights, by the ids of heuristics."""
    without: Without = []
    """The ids of intentions to leave out."""


class WhatIfShape(Struct, frozen=True):
    """The decision as it would have been. `shadows` were vetoed, and are scored for this question only."""

    before: str | None
    """What was chosen."""
    after: str | None
    """What would be chosen."""
    changed: bool
    """Whether these differ."""
    text: str
    """The difference, in words."""
    shadows: tuple[str, ...]
    """Vetoed candidates that are scored for this question only."""
    decision: DecisionShape
    """The decision as it would be."""
    words: str | None = None
    """The difference in words, with names; null where it is no decision of an evening."""


def decision_shape(decision: Decision[Any], words: ChoiceWords | None = None) -> DecisionShape:
    """Everything about a decision; candidates are listed as they rank. `words` has those of the person who decides."""
    tally, sensitivity, reason, why = decision.tally, decision.sensitivity(), decision.reason, decision.why()
    answers = {id: decision.why_not(id) for id in tally.ids}
    return DecisionShape(
        kind=decision.kind,
        candidate=decision.id,
        rule=tally.rule,
        ranked=[_ranked_shape(tally, place, rank, answers) for rank, place in enumerate(rank_survivors(tally), 1)],
        vetoed=[_forbidden_shape(tally, id, answers[id]) for id in tally.vetoed],
        intentions=[_intention_shape(entry, sensitivity) for entry in tally.composite],
        margin=decision.margin,
        nearest_flip=sensitivity.nearest,
        robustness=sensitivity.robustness,
        exact=sensitivity.exact,
        why=_why_shape(why),
        tied=reason.tied,
        tie_level=None if tally.tie is None else tally.tie.level,
        relaxations=reason.relaxations,
        words=None if words is None else _decision_words(decision, why, answers, words),
    )


def what_if_shape(decision: Decision[Any], asked: WhatIfAsked, words: ChoiceWords | None = None) -> WhatIfShape:
    """The decision with other weights or without some intentions."""
    then = decision.what_if(weights=asked.weights, without=asked.without, shadow=True)
    return WhatIfShape(
        before=then.before,
        after=then.after,
        changed=then.changed,
        text=then.text,
        shadows=then.shadows,
        decision=decision_shape(then.decision, words),
        words=None if words is None else words.sentence(then.text, decision.tally.ids),
    )


def _decision_words(
    decision: Decision[Any], why: Why, answers: Mapping[str, WhyNot], words: ChoiceWords
) -> DecisionWords:
    terms = {entry.id: words.term(entry.id) for entry in decision.tally.composite}
    return DecisionWords(
        acts={id: words.act(id) for id in answers},
        terms=terms,
        why=words.sentence(why.text, answers, terms),
        why_not={
            id: words.sentence(answer.text, answers, terms) for id, answer in answers.items() if id != decision.id
        },
    )


def _ranked_shape(tally: Tally, place: int, rank: int, answers: Mapping[str, WhyNot]) -> Ranked:
    id = tally.survivors[place]
    votes = zip(tally.composite.voters, tally.scores[place], tally.products[place], strict=True)
    return Ranked(
        id=id,
        rank=rank,
        total=tally.totals[place],
        winner=place == tally.winner,
        votes={voter: Vote(score, product) for voter, score, product in votes},
        answer=type(answers[id]).__name__,
        why_not=answers[id].text,
    )


def _forbidden_shape(tally: Tally, id: str, answer: WhyNot) -> Forbidden:
    return Forbidden(id, {by: None if why is True else why for by, why in tally.vetoed_by(id).items()}, answer.text)


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
