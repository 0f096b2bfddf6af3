"""A decision as a page draws it; the same for evenings, pilots and pasted cases."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Weights = Annotated[dict[Annotated[str, Meta(max_length=200)], float], Meta(max_length=1000)]
Without = Annotated[list[str], Meta(max_length=1000)]


class Vote(Struct, frozen=True):
    """What one heuristic said of a candidate; `score` is None where it abstained."""

    score: float | None
    contribution: float


class Ranked(Struct, frozen=True):
    """A candidate that nothing forbade. `rank` counts from 1; the winner is first."""

    id: str
    rank: int
    total: float
    winner: bool
    votes: dict[str, Vote]
    answer: str
    why_not: str


class Forbidden(Struct, frozen=True):
    """A vetoed candidate: who forbade it, each with a reason or None."""

    id: str
    by: dict[str, str | None]
    why_not: str


class Range(Struct, frozen=True):
    """The weights under which the winner stays: all between the bounds, at which the rivals win; None for no bound.

    Where not `exact`, a bound without a rival is only how far the winner is known to stay.
    """

    low: float | None
    low_rival: str | None
    high: float | None
    high_rival: str | None
    exact: bool


class IntentionShape(Struct, frozen=True):
    """A constraint, or a heuristic with its weight, its priority, the range that keeps the winner, and that of its scores."""

    id: str
    kind: Literal["constraint", "heuristic"]
    weight: float | None = None
    priority: int | None = None
    range: Range | None = None
    scores: list[float] | None = None


class Flip(Struct, frozen=True):
    """The smallest change of one weight that changes the winner: at this `weight` the winner is `to`."""

    intention: str
    weight: float
    change: float
    to: str


class Share(Struct, frozen=True):
    """What one intention adds to the lead over the rival."""

    by: str
    weight: float
    score: float | None
    rival_score: float | None
    value: float


class WhyShape(Struct, frozen=True):
    """Why the winner, over whom, by how much, and by whose votes."""

    text: str
    over: str | None
    margin: float | None
    contributions: list[Share]
    sufficient: list[str]


class DecisionShape(Struct, frozen=True):
    """Everything about one decision. `exact` is about `robustness`; `relaxations` say what stands in the way of acting."""

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
    tied: list[str]
    tie_level: int | None
    relaxations: list[list[str]]


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
    shadows: list[str]
    decision: DecisionShape


class CaseAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """A case: a document (see docs/files.md), or the text of one in JSON or TOML; and, to ask what if, other weights."""

    document: dict[str, Any] | None = None
    text: Annotated[str, Meta(max_length=4 * 2**20)] | None = None
    format: Literal["json", "toml"] = "json"
    weights: Weights = {}
    without: Without = []


class CaseDecided(Struct, frozen=True):
    """The decision of a case, what the reader noticed, and what other weights would do where they were given."""

    decision: DecisionShape
    warnings: list[str]
    what_if: WhatIfShape | None = None
