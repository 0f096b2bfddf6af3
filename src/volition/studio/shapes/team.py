"""A team's registry as a page shows it: open plans, flows, and the questions that wait for a person."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct


class TeamPlan(Struct, frozen=True):
    """An open plan: active, or in line. `lease_until` is in seconds since 1970."""

    id: str
    title: str
    holder: str
    state: str
    lease_until: float


class TeamAction(Struct, frozen=True):
    """What is done for one command of a plan, in words; `node` is empty while questions are open."""

    node: str
    plan: str
    title: str
    command: str
    words: str


class TeamFlow(Struct, frozen=True):
    """A flow. `question_pack` is the document that waits for an answer, None where nothing does; `plans` says of each plan
    whether it is kept."""

    id: str
    state: str
    reason: str
    plans: dict[str, str]
    question_pack: Any
    nodes: dict[str, int]
    """How many nodes are in each state."""
    actions: list[TeamAction]
    """What is to be approved, or what every command is bound to while questions are open."""


class TeamShape(Struct, frozen=True):
    """A project of a registry. Without a registry all is empty; `left_out` counts the older flows that are not listed."""

    registry: str | None
    projects: list[str]
    project: str | None
    by: str
    """The name under which an answer is recorded unless another one is given."""
    plans: list[TeamPlan]
    flows: list[TeamFlow]
    left_out: int


class TeamAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """A person's answer to the open questions of a flow: question id -> option id. `checksum` is that of the question pack
    that was shown; for another one the answer is refused."""

    project: Annotated[str, Meta(min_length=1, max_length=128)]
    checksum: Annotated[str, Meta(min_length=8, max_length=128)]
    choices: dict[str, str]
    by: Annotated[str, Meta(min_length=1, max_length=128)]
