"""Several plans judged together: what is sent, and what comes back."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import Meta, Raw, Struct

from volition.governance.fates import ClusterStrategy  # noqa: TC001  msgspec reads the annotations
from volition.studio.shapes.problems import ProblemShape  # noqa: TC001  msgspec reads the annotations

MOST_ROUNDS: Final = 50


class GovernAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """An intent set and its intents, as documents. `policy` is the text of one in TOML.

    `choices` answer the questions, round by round: question id -> option id; `answers` are answer packs of earlier
    rounds, as documents. Without `limit` a set may be of more than 20 intents, and nothing is merged. With `save`
    the outcome is written into the folder; without `graph` the execution graph, which costs more than all the rest, is
    left out.
    """

    set: Raw
    intents: list[Raw]
    policy: Annotated[str, Meta(max_length=2**20)] | None = None
    answers: list[Raw] = []
    choices: Annotated[list[dict[str, str]], Meta(max_length=MOST_ROUNDS)] = []
    lenient: bool = False
    limit: bool = True
    save: bool = False
    graph: bool = True


class GovernAgain(Struct, frozen=True):
    """What a saved evaluation was made of: sent again with `choices`, its questions are answered."""

    set: Any
    intents: list[Any]
    policy: str | None
    answers: list[Any]
    lenient: bool
    limit: bool = True


class NodeShape(Struct, frozen=True):
    node_id: str
    command_id: str
    phase: str
    effects: list[str]
    risk_level: str


class EdgeShape(Struct, frozen=True):
    before: str
    after: str
    reason: str


class Graph(Struct, frozen=True):
    """The merged commands in an order in which they may be carried out. Nothing carries them out."""

    intent_id: str
    nodes: list[NodeShape]
    edges: list[EdgeShape]


class Cluster(Struct, frozen=True):
    """Intents that grave conflicts connect, the conflicts among them, and what becomes of them: one of them overrides the
    others by priority, a person is asked, they are merged, or they are not; `because` is the plan's own evidence."""

    intents: list[str]
    conflicts: list[str]
    strategy: ClusterStrategy
    because: str


class Evaluation(Struct, frozen=True):
    """What an evaluation comes to. `result`, `merge_plan`, `merged_intent` and `question_pack` are documents, with
    the very bytes that `volition govern evaluate --out` would write; `riskiest` is the Pareto front of risk;
    `titles` are those of the intents, by id."""

    strategy: str
    result: Any
    clusters: list[Cluster]
    riskiest: list[str]
    merge_plan: Any
    merged_intent: Any
    question_pack: Any
    graph: Graph | None
    explanation: str
    titles: dict[str, str]
    answers: list[Any]
    warnings: list[ProblemShape]
    saved: str | None = None


class GovernSample(Struct, frozen=True):
    """A small set that shows something, ready to be sent."""

    name: str
    about: str
    set: dict[str, Any]
    intents: list[dict[str, Any]]
