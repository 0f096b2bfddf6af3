"""The execution intent: one agent's plan, as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, get_args

from msgspec import Meta, field
from msgspec.structs import replace

from volition.governance.documents.strict import (
    NAME,
    DistinctStruct,
    Integer,
    IntentId,
    Maybe,
    Moment,
    Semver,
    Sha,
    StrictStruct,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

CommandId = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{2,120}\Z")]
ResultId = Annotated[str, Meta(pattern=r"^eval_result_[a-z0-9_]{6,64}\Z")]
LossRule = Literal["explicit", "risk", "newer_same_author", "newer", "status", "answer"]
"""By what a plan may lose to another: a key of priority, or a person's answer."""
Status = Literal["draft", "proposed", "approved", "rejected", "superseded"]
Level = Literal["low", "medium", "high", "critical"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
GRAVE: Final = frozenset({"high", "critical"})
"""The levels of conflicts that must be settled, and of risks that no full_auto plan may have."""
Effect = Literal["read", "write", "network", "deploy", "security", "data", "create", "delete", "rollback"]
Area = Literal["frontend", "backend", "infra", "docs", "tests", "ops", "security", "data"]
Phase = Literal[
    "setup", "analysis", "design", "implementation", "validation", "review", "release", "operations", "postmortem"
]
Mode = Literal["interactive", "semi_auto", "full_auto"]
Review = Literal["security", "data", "release", "architecture", "cost", "compliance"]
LockMode = Literal["none", "task", "files"]
Source = Literal["human", "octopusos", "agentos", "imported"]

CHANGING: Final = frozenset({"write", "deploy", "create", "delete", "rollback"})
"""The effects that change something, and therefore need a review."""


class Lineage(DistinctStruct, frozen=True):
    """Where an intent comes from and what it replaces."""

    distinct = ("derived_from", "supersedes")

    introduced_in: Semver
    derived_from: Annotated[tuple[IntentId, ...], Meta(max_length=20)]
    supersedes: Annotated[tuple[IntentId, ...], Meta(max_length=20)]


Place = Annotated[str, Meta(min_length=1, max_length=512)]
"""A file, a folder, a pattern or a part of a file; in `reads`, `removes` and `renames` also `module:NAME` or `service:NAME`."""


class Targets(DistinctStruct, frozen=True):
    """What an intent affects, what it relies on, and what it takes away from others."""

    distinct = ("areas", "reads", "removes")

    files: Annotated[tuple[Place, ...], Meta(max_length=200)]
    modules: Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=128)], ...], Meta(max_length=100)]
    areas: Annotated[tuple[Area, ...], Meta(max_length=8)]
    reads: Annotated[tuple[Place, ...], Meta(max_length=200)] = ()
    removes: Annotated[tuple[Place, ...], Meta(max_length=200)] = ()
    renames: Annotated[dict[Place, Place], Meta(max_length=200)] = field(default_factory=dict)
    """Old name -> new name."""


class Scope(StrictStruct, frozen=True):
    """The project, its root and the targets."""

    project_id: Annotated[str, Meta(min_length=1, max_length=128)]
    repo_root: Annotated[str, Meta(min_length=1, max_length=512)]
    targets: Targets


class Objective(StrictStruct, frozen=True):
    """What should be achieved, and what is out of scope."""

    goal: Annotated[str, Meta(min_length=5, max_length=2000)]
    success_criteria: Annotated[
        tuple[Annotated[str, Meta(min_length=3, max_length=300)], ...], Meta(min_length=1, max_length=20)
    ]
    non_goals: Annotated[tuple[Annotated[str, Meta(min_length=3, max_length=300)], ...], Meta(max_length=20)]


class Workflow(StrictStruct, frozen=True):
    """A workflow that is to be followed, with its phases."""

    workflow_id: Annotated[str, Meta(pattern=NAME)]
    phases: Annotated[tuple[Phase, ...], Meta(min_length=1, max_length=12)]
    reason: Maybe[Annotated[str, Meta(min_length=3, max_length=800)]] = None


class Agent(StrictStruct, frozen=True):
    """An agent that works on it."""

    agent_id: Annotated[str, Meta(pattern=NAME)]
    role: Annotated[str, Meta(min_length=2, max_length=80)]
    responsibilities: Annotated[
        tuple[Annotated[str, Meta(min_length=3, max_length=200)], ...], Meta(min_length=1, max_length=12)
    ]


class Command(DistinctStruct, frozen=True):
    """A planned command: named and described, never spelled out; in a merged plan, `source` is the plan that it comes from."""

    distinct = ("effects",)

    command_id: CommandId
    intent: Annotated[str, Meta(min_length=3, max_length=800)]
    effects: Annotated[tuple[Effect, ...], Meta(min_length=1, max_length=6)]
    risk_level: Level
    evidence_refs: Annotated[
        tuple[Annotated[str, Meta(min_length=3, max_length=256)], ...], Meta(min_length=1, max_length=30)
    ]
    source: Maybe[IntentId] = None


class Interaction(StrictStruct, frozen=True):
    """How much it may ask."""

    mode: Mode
    question_budget: Annotated[int, Meta(ge=0, le=50)]
    question_policy: Literal["conceptual_only", "blockers_only", "never"]

    def __post_init__(self) -> None:
        if self.mode == "full_auto" and (self.question_budget or self.question_policy != "never"):
            raise ValueError("full_auto asks nothing: question_budget is 0 and question_policy is never")


class Risk(DistinctStruct, frozen=True):
    """The risk that its author declares."""

    distinct = ("requires_review",)

    overall: Level
    drivers: Annotated[
        tuple[Annotated[str, Meta(min_length=3, max_length=200)], ...], Meta(min_length=1, max_length=20)
    ]
    requires_review: Annotated[tuple[Review, ...], Meta(max_length=6)]


class Budgets(StrictStruct, frozen=True):
    """The most it may use."""

    max_files: Annotated[int, Meta(ge=0, le=500)]
    max_commits: Annotated[int, Meta(ge=0, le=50)]
    max_tokens: Annotated[int, Meta(ge=0, le=2_000_000)]
    max_cost_usd: Annotated[int, Meta(ge=0, le=10_000)] | Annotated[float, Meta(ge=0, le=10_000)]


class LockScope(StrictStruct, frozen=True):
    """What it reserves for itself."""

    mode: LockMode
    paths: Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=512)], ...], Meta(max_length=200)]


class Constraints(StrictStruct, frozen=True):
    """The constraints that every intent must state."""

    execution: Literal["forbidden"]
    no_fabrication: Literal[True]
    registry_only: Literal[True]
    lock_scope: LockScope


class Audit(StrictStruct, frozen=True):
    """Who wrote it, and the checksum of what it says."""

    created_by: Annotated[str, Meta(min_length=1, max_length=128)]
    source: Source
    checksum: Sha


class Supersession(StrictStruct, frozen=True):
    """Which evaluation superseded an intent, by which winner and rule; and its earlier state, so that it can be restored."""

    result_id: ResultId
    rule: LossRule
    status: Literal["draft", "proposed", "approved"]
    checksum: Sha
    superseded_by: Maybe[IntentId] = None


class Part(DistinctStruct, frozen=True):
    """A source of a merged plan: its scope, phases and agents."""

    distinct = ("phases", "agents")

    intent_id: IntentId
    repo_root: Annotated[str, Meta(min_length=1, max_length=512)]
    targets: Targets
    phases: Annotated[tuple[Phase, ...], Meta(min_length=1, max_length=9)]
    agents: Annotated[tuple[Annotated[str, Meta(pattern=NAME)], ...], Meta(min_length=1, max_length=13)]


class CommandLink(StrictStruct, frozen=True):
    """One command of a merged plan comes before another, both by their indices in `planned_commands`, and why."""

    before: Annotated[int, Meta(ge=0, lt=80)]
    after: Annotated[int, Meta(ge=0, lt=80)]
    reason: Annotated[str, Meta(min_length=1, max_length=800)]


class IntentMetadata(DistinctStruct, frozen=True):
    """What an author may add: an explicit priority, and intents that must come first.

    A merged intent has here what its evaluation knew: its `parts`, and the `order` of its commands; a superseded one, by
    which evaluation.
    """

    distinct = ("depends_on",)

    priority: Maybe[Integer] = None
    depends_on: Annotated[tuple[IntentId, ...], Meta(max_length=20)] = ()
    parts: tuple[Part, ...] = ()
    order: tuple[CommandLink, ...] = ()
    supersession: Maybe[Supersession] = None


class IntentDocument(StrictStruct, frozen=True):
    """An execution intent."""

    id: IntentId
    type: Literal["execution_intent"]
    title: Annotated[str, Meta(min_length=5, max_length=160)]
    version: Semver
    status: Status
    created_at: Moment
    lineage: Lineage
    scope: Scope
    objective: Objective
    selected_workflows: Annotated[tuple[Workflow, ...], Meta(min_length=1, max_length=18)]
    selected_agents: Annotated[tuple[Agent, ...], Meta(min_length=1, max_length=13)]
    planned_commands: Annotated[tuple[Command, ...], Meta(max_length=80)]
    interaction: Interaction
    risk: Risk
    budgets: Budgets
    evidence_refs: Annotated[
        tuple[Annotated[str, Meta(min_length=3, max_length=256)], ...], Meta(min_length=1, max_length=200)
    ]
    constraints: Constraints
    audit: Audit
    description: Maybe[Annotated[str, Meta(max_length=4000)]] = None
    metadata: Maybe[IntentMetadata] = None

    def __post_init__(self) -> None:
        if self.interaction.mode == "full_auto" and self.risk.overall in GRAVE:
            raise ValueError("an intent of high or critical risk is never full_auto")
        if not self.risk.requires_review and any(CHANGING & {*command.effects} for command in self.planned_commands):
            raise ValueError("an intent that changes something names its reviews")


def parts_of(intent: IntentDocument) -> list[tuple[Scope, dict[int, Command]]]:
    """The scopes of the sources of an intent, each with its commands by their indices.

    A plan that was not merged is its only part. A command of a merged plan without a source, such as one
    that was added by hand, has the scope of the whole.
    """
    commands = dict(enumerate(intent.planned_commands))
    if not intent.metadata or not intent.metadata.parts:
        return [(intent.scope, commands)]
    found = []
    for part in intent.metadata.parts:
        mine = {place: one for place, one in commands.items() if one.source == part.intent_id}
        commands = {place: one for place, one in commands.items() if place not in mine}
        found.append((replace(intent.scope, repo_root=part.repo_root, targets=part.targets), mine))
    return [*found, (intent.scope, commands)] if commands else found


def commands_with_sources(kept: Iterable[IntentDocument]) -> tuple[Command, ...]:
    """The commands of some plans, each with its source, without duplicates."""
    return tuple(dict.fromkeys(command for intent in kept for command in commands_of(intent)))


def commands_of(intent: IntentDocument) -> list[Command]:
    """The commands of a plan, each with its source; a command without one is the plan's own."""
    parts = {part.intent_id for part in intent.metadata.parts} if intent.metadata else set()
    return [
        command if command.source in parts else replace(command, source=intent.id)
        for command in intent.planned_commands
    ]


def parts_of_merge(kept: Iterable[IntentDocument]) -> tuple[Part, ...]:
    """The parts of a merge of these plans; a plan that was merged before contributes its parts."""
    found: dict[str, Part] = {}
    for intent in kept:
        inner = intent.metadata.parts if intent.metadata else ()
        known = {part.intent_id for part in inner}
        if not inner or any(command.source not in known for command in commands_of(intent)):
            inner = (*inner, _part(intent))
        for part in inner:
            found.setdefault(part.intent_id, part)
    return tuple(found.values())


def _part(intent: IntentDocument) -> Part:
    return Part(
        intent_id=intent.id,
        repo_root=intent.scope.repo_root,
        targets=intent.scope.targets,
        phases=tuple(dict.fromkeys(phase for workflow in intent.selected_workflows for phase in workflow.phases)),
        agents=tuple(dict.fromkeys(agent.agent_id for agent in intent.selected_agents)),
    )
