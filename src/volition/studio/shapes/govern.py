"""Several plans evaluated together: what is sent, and what comes back."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import Meta, Raw, Struct

from volition.governance.merge.coordinator import ExecutionGraph  # noqa: TC001  msgspec reads the annotations
from volition.governance.merge.fates import Fate  # noqa: TC001

MOST_ROUNDS: Final = 50
PLANS: Final = 2000
"""How many plans the studio evaluates together."""


class GovernAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """An intent set and its intents, as documents. `policy` is the text of a policy in TOML.

    `choices` answer the questions, round by round: question id -> option id; `answers` are the answer packs of earlier
    rounds, as documents. Without `limit` a set may have more than 20 intents, and nothing is merged. With `save` the
    outcome is written into the folder; without `graph` the execution graph, which costs more than all the rest, is left
    out.
    """

    set: Raw
    intents: list[Raw]
    policy: Annotated[str, Meta(max_length=2**20)] | None = None
    answers: Annotated[list[Raw], Meta(max_length=MOST_ROUNDS)] = []
    choices: Annotated[list[dict[str, str]], Meta(max_length=MOST_ROUNDS)] = []
    limit: bool = True
    save: bool = False
    graph: bool = True


class GovernAgain(Struct, frozen=True):
    """What a saved evaluation was made from: sent again with `choices`, its questions are answered."""

    set: Any
    intents: list[Any]
    policy: str | None
    answers: list[Any]
    limit: bool = True


class EvaluationShape(Struct, frozen=True):
    """The outcome of an evaluation. `result`, `merge_plan`, `merged_intent` and `question_pack` are documents, with the
    same bytes that `volition govern evaluate --out` would write; `riskiest` is the Pareto front of risk; `titles` are
    those of the intents, by id."""

    strategy: str
    result: Any
    clusters: tuple[Fate, ...]
    riskiest: tuple[str, ...]
    merge_plan: Any
    merged_intent: Any
    question_pack: Any
    graph: ExecutionGraph | None
    explanation: str
    titles: dict[str, str]
    answers: list[Any]
    saved: str | None = None


class GovernSample(Struct, frozen=True):
    """A small set that demonstrates something, ready to be sent."""

    name: str
    about: str
    set: dict[str, Any]
    intents: list[dict[str, Any]]
