"""The shapes of a team's registry: who works on what, flows, and what a person may do."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from volition.core.errors import Problem  # noqa: TC001  msgspec reads the annotations
from volition.studio.claims import ClaimShape  # noqa: TC001
from volition.studio.refusals import GuardRefusal  # noqa: TC001

Project = Annotated[str, Meta(min_length=1, max_length=128)]
Hash = Annotated[str, Meta(min_length=8, max_length=128)]
Act = Literal["claim", "answer", "approve"]


class TeamMe(Struct, frozen=True):
    """The person as whom this studio acts."""

    name: str
    """The name under which everything is recorded."""
    role: str
    """The role in the project; empty for who has not acted there yet."""
    may: list[Act]
    """What this person may do in the project: claim by registering a plan, answer questions, approve flows."""
    problem: Problem | None
    """Why nothing may be done here, and what to do about it."""


class TeamAhead(Struct, frozen=True):
    """A plan that another one waits for."""

    plan: str
    """The id of the plan."""
    title: str
    """Its title."""
    holder: str
    """Who holds it."""
    resources: list[str]
    """What both want."""


class TeamPlan(Struct, frozen=True):
    """An open plan: active, or in line."""

    id: str
    """The id of the plan."""
    title: str
    """Its title."""
    holder: str
    """Who holds it."""
    person: str
    """The person who holds it, or whose agent does."""
    agent: str
    """The session of that person's agent; empty where the person holds it."""
    state: str
    """`active`, or `waiting` in line."""
    since: float | None
    """Since when it is held or waits, in seconds since 1970; null where that is in an archive."""
    lease_until: float
    """When its lease ends, in seconds since 1970."""
    claims: list[ClaimShape]
    """What it claims."""
    place: int
    """Its place in line, from 1 up; 0 where it does not wait."""
    behind: list[TeamAhead]
    """What it waits behind."""


class TeamAction(Struct, frozen=True):
    """What is done for one command of a plan, in words."""

    node: str
    """The node of the execution graph; empty while questions are open."""
    plan: str
    """The id of its plan."""
    title: str
    """The title of its plan."""
    command: str
    """The id of the command."""
    words: str
    """What is done for it."""


class TeamFlow(Struct, frozen=True):
    """A flow: plans on their way to being done together."""

    id: str
    """The id of the flow."""
    state: str
    """Where it is: `asked`, `judged`, `approved`, `running`, `held`, `done`, `void`, `abandoned` or `refused`."""
    reason: str
    """Why it is there, in words; empty where nothing has to be said."""
    plans: dict[str, str]
    """Whether each plan is kept, by its id."""
    titles: dict[str, str]
    """The titles of all its plans, by their ids."""
    question_pack: Any
    """The document that waits for an answer; null where nothing does."""
    answer_until: float | None
    """When the question that nobody has answered is over, in seconds since 1970."""
    seconds_left: float | None
    """How long an open question still waits; null where none is open."""
    expired: bool
    """Whether nobody answered in time."""
    graph_hash: str
    """What an approval is bound to; empty before there is anything to approve."""
    may: list[Act]
    """What the person of this studio may do with it now."""
    nodes: dict[str, int]
    """How many nodes are in each state."""
    actions: list[TeamAction]
    """What is to be approved, or what every command is bound to while questions are open."""


class TeamShape(Struct, frozen=True):
    """A project of a registry. Without a registry all is empty."""

    registry: str | None
    """The name of the registry; null where the studio has none."""
    projects: list[str]
    """All projects of the registry."""
    project: str | None
    """The project that is shown."""
    me: TeamMe | None
    """The person as whom this studio acts."""
    plans: list[TeamPlan]
    """The open plans."""
    flows: list[TeamFlow]
    """The flows, the newest first."""
    left_out: int
    """How many older flows are not listed."""
    guarded: bool
    """Whether a guard keeps a journal in the repository of the studio's folder."""
    refusals: list[GuardRefusal]
    """What that guard refused today, the newest first."""


class TeamAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to the open questions of a flow, by the person as whom the studio acts."""

    project: Project
    """The project of the flow."""
    checksum: Hash
    """The checksum of the question pack that was shown; for another one the answer is refused."""
    choices: Annotated[dict[str, str], Meta(max_length=1000)]
    """The chosen options: question id -> option id."""


class TeamApproval(Struct, frozen=True, forbid_unknown_fields=True):
    """The permission to do what a flow shows, by the person as whom the studio acts."""

    project: Project
    """The project of the flow."""
    graph_hash: Hash
    """The hash that was shown; for another one the approval is refused."""


class TeamClaim(Struct, frozen=True, forbid_unknown_fields=True):
    """A plan to register, held by the person as whom the studio acts."""

    project: Project
    """The project of the plan."""
    plan: dict[str, Any]
    """The plan: an intent document."""
    lease: Annotated[float, Meta(ge=1, le=30 * 86400)] = 900.0
    """How many seconds it is held, unless it is renewed."""
    wait: bool = False
    """Whether it is put in line where it collides with others."""


class TeamClaimed(Struct, frozen=True):
    """What became of a plan that was registered."""

    plan: str
    """The id of the plan."""
    outcome: str
    """`granted`, `waiting` in line, or `refused`."""
    token: int | None
    """The number by which its holder renews and finishes it; null where it is refused."""
    lease_until: float | None
    """When its lease ends, in seconds since 1970; null where it is not granted."""
    obstacles: list[str]
    """What is in its way, in words."""
