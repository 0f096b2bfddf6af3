"""A decision as a page draws it: the same shape for evenings, pilots and pasted cases."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from volition.arbitration.sensitivity import Flip, WeightRange  # noqa: TC001  msgspec reads the annotations

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
