"""A decision as a page draws it, the same for evenings, pilots and pasted cases, which are decided within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from volition.arbitration.breakdown import rank_survivors
from volition.arbitration.case import case_from_data
from volition.arbitration.intention import Heuristic
from volition.arbitration.sensitivity import Flip, WeightRange  # noqa: TC001  msgspec reads the annotations
from volition.core.canonical import canonical
from volition.core.document import parse_json, parse_toml
from volition.core.errors import refuse
from volition.studio.errors import TooMuch

if TYPE_CHECKING:
    from volition.arbitration.decision import Decision
    from volition.arbitration.intention import Intention
    from volition.arbitration.sensitivity import Sensitivity
    from volition.arbitration.why_answers import Why
    from volition.drama.audience.reasons import ChoiceWords


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


class DecisionWords(Struct, frozen=True):
    """A decision of an evening in words: its acts and intentions by their ids, why, and why not each other act."""

    acts: dict[str, str]
    terms: dict[str, str]
    why: str
    why_not: dict[str, str]


class DecisionShape(Struct, frozen=True):
    """Everything about one decision. `exact` refers to `robustness`; `relaxations` are the constraints that would have to go.
    `words` are there for decisions of an evening, whose acts and people have names."""

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
    words: DecisionWords | None = None


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
    words: str | None = None


class CaseAsked(WhatIfAsked, frozen=True, forbid_unknown_fields=True):
    """A case: a document (see docs/files.md), or its text in JSON or TOML; with other weights to ask what if."""

    document: dict[str, Any] | None = None
    text: Annotated[str, Meta(max_length=4 * 2**20)] | None = None
    format: Literal["json", "toml"] = "json"


class CaseDecided(Struct, frozen=True):
    """The decision of a case, the reader's warnings, and what other weights would change where they were given."""

    decision: DecisionShape
    warnings: tuple[str, ...]
    what_if: WhatIfShape | None = None


CELLS: Final = 10_000
"""The most cells, candidates times intentions, that a case may have: each is explained, against every weight."""


def decision_shape(decision: Decision[Any], said: ChoiceWords | None = None) -> DecisionShape:
    """Everything about a decision; candidates are listed as they rank. `said` has the words of the person who decides."""
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
        words=None if said is None else _decision_words(decision, said),
    )


def what_if_shape(decision: Decision[Any], asked: WhatIfAsked, said: ChoiceWords | None = None) -> WhatIfShape:
    """The decision with other weights or without some intentions."""
    then = decision.what_if(weights=asked.weights, without=asked.without, shadow=True)
    return WhatIfShape(
        before=then.before,
        after=then.after,
        changed=then.changed,
        text=then.text,
        shadows=then.shadows,
        decision=decision_shape(then.decision, said),
        words=None if said is None else said.sentence(then.text, decision.tally.ids),
    )


def _decision_words(decision: Decision[Any], said: ChoiceWords) -> DecisionWords:
    ids = decision.tally.ids
    terms = {entry.id: said.term(entry.id) for entry in decision.tally.composite}
    return DecisionWords(
        acts={id: said.act(id) for id in ids},
        terms=terms,
        why=said.sentence(decision.why().text, ids, terms),
        why_not={id: said.sentence(decision.why_not(id).text, ids, terms) for id in ids if id != decision.id},
    )


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


def decide_case(asked: CaseAsked) -> CaseDecided:
    """The decision of a case, and what other weights would change. Python code that a document names is never imported."""
    document = _read_case(asked)
    if isinstance(document, dict):
        # Checked before the case is built, because building it already costs.
        lists = [document.get(name) for name in ("candidates", "intentions")]
        _check_cells(*(len(given) if isinstance(given, list | dict) else 1 for given in lists))
    case = case_from_data(document)
    _check_cells(len(case.candidates), len(case.composite))
    decision = case.decide()
    then = what_if_shape(decision, asked) if asked.weights or asked.without else None
    return CaseDecided(decision_shape(decision), case.warnings, then)


def _read_case(asked: CaseAsked) -> Any:
    if (asked.document is None) == (asked.text is None):
        refuse(
            "there is no document, or there are two",
            where="document, text",
            expected="one of them",
            remedy="send the document, or its text",
        )
    if asked.text is not None:
        return (parse_toml if asked.format == "toml" else parse_json)(asked.text, where="text")
    return parse_json(canonical(asked.document), where="document")


def _check_cells(candidates: int, intentions: int) -> None:
    cells = max(1, candidates) * max(1, intentions)
    if cells > CELLS:
        raise TooMuch.of(
            f"{candidates} candidates and {intentions} intentions are {cells} cells",
            where="candidates, intentions",
            expected=f"at most {CELLS} cells",
            remedy="leave out candidates that cannot win, or use `volition arbitrate`",
        )
