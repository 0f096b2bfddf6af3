"""The execution intent: one agent's plan, as a document; and what all documents have in common.

A type says which fields a document has. What a field may hold is written in the JSON Schemas of `schemas/`, and nowhere
else. The rules between fields are there too; those that keep people safe are also held by the types, so that no program can
make a document against them. A field that may be missing is None then, and a null in the JSON is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from msgspec import Struct, field
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

INTENT_ID: Final = r"^intent_[a-z0-9_]{6,64}\Z"
UNSEALED: Final = "0" * 64
"""The placeholder for a checksum until the document is sealed."""
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


class StrictStruct(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """The base of all documents: an unknown key is an error. Documents have no cycles, so the collector need not track them."""


class Lineage(StrictStruct, frozen=True):
    """Where an intent comes from and what it replaces."""

    introduced_in: str
    derived_from: tuple[str, ...]
    supersedes: tuple[str, ...]


class Targets(StrictStruct, frozen=True):
    """What an intent affects, what it relies on, and what it takes away from others."""

    files: tuple[str, ...]
    modules: tuple[str, ...]
    areas: tuple[Area, ...]
    reads: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    renames: dict[str, str] = field(default_factory=dict)
    """Old name -> new name."""


class Scope(StrictStruct, frozen=True):
    """The project, its root and the targets."""

    project_id: str
    repo_root: str
    targets: Targets


class Objective(StrictStruct, frozen=True):
    """What should be achieved, and what is out of scope."""

    goal: str
    success_criteria: tuple[str, ...]
    non_goals: tuple[str, ...]


class Workflow(StrictStruct, frozen=True):
    """A workflow that is to be followed, with its phases."""

    workflow_id: str
    phases: tuple[Phase, ...]
    reason: str | None = None


class Agent(StrictStruct, frozen=True):
    """An agent that works on it."""

    agent_id: str
    role: str
    responsibilities: tuple[str, ...]


class Command(StrictStruct, frozen=True):
    """A planned command: named and described, never spelled out; in a merged plan, `source` is the plan that it comes from."""

    command_id: str
    intent: str
    effects: tuple[Effect, ...]
    risk_level: Level
    evidence_refs: tuple[str, ...]
    source: str | None = None


class Interaction(StrictStruct, frozen=True):
    """How much it may ask."""

    mode: Mode
    question_budget: int
    question_policy: Literal["conceptual_only", "blockers_only", "never"]

    def __post_init__(self) -> None:
        if self.mode == "full_auto" and (self.question_budget or self.question_policy != "never"):
            raise ValueError("full_auto asks nothing: question_budget is 0 and question_policy is never")


class Risk(StrictStruct, frozen=True):
    """The risk that its author declares."""

    overall: Level
    drivers: tuple[str, ...]
    requires_review: tuple[Review, ...]


class Budgets(StrictStruct, frozen=True):
    """The most it may use."""

    max_files: int
    max_commits: int
    max_tokens: int
    max_cost_usd: int | float


class LockScope(StrictStruct, frozen=True):
    """What it reserves for itself."""

    mode: LockMode
    paths: tuple[str, ...]


class Constraints(StrictStruct, frozen=True):
    """The constraints that every intent must state."""

    execution: Literal["forbidden"]
    no_fabrication: Literal[True]
    registry_only: Literal[True]
    lock_scope: LockScope


class Audit(StrictStruct, frozen=True):
    """Who wrote it, and the checksum of what it says."""

    created_by: str
    source: Source
    checksum: str


class Supersession(StrictStruct, frozen=True):
    """Which evaluation superseded an intent, by which winner and rule; and its earlier state, so that it can be restored."""

    result_id: str
    rule: LossRule
    status: Literal["draft", "proposed", "approved"]
    checksum: str
    superseded_by: str | None = None


class Part(StrictStruct, frozen=True):
    """A source of a merged plan: its scope, phases and agents."""

    intent_id: str
    repo_root: str
    targets: Targets
    phases: tuple[Phase, ...]
    agents: tuple[str, ...]


class CommandLink(StrictStruct, frozen=True):
    """One command of a merged plan comes before another, both by their indices in `planned_commands`, and why."""

    before: int
    after: int
    reason: str


class IntentMetadata(StrictStruct, frozen=True):
    """What an author may add: an explicit priority, and intents that must come first.

    A merged intent has here what its evaluation knew: its `parts`, and the `order` of its commands; a superseded one, by
    which evaluation.
    """

    priority: int | None = None
    depends_on: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    order: tuple[CommandLink, ...] = ()
    supersession: Supersession | None = None


class IntentDocument(StrictStruct, frozen=True):
    """An execution intent."""

    id: str
    type: Literal["execution_intent"]
    title: str
    version: str
    status: Status
    created_at: str
    lineage: Lineage
    scope: Scope
    objective: Objective
    selected_workflows: tuple[Workflow, ...]
    selected_agents: tuple[Agent, ...]
    planned_commands: tuple[Command, ...]
    interaction: Interaction
    risk: Risk
    budgets: Budgets
    evidence_refs: tuple[str, ...]
    constraints: Constraints
    audit: Audit
    description: str | None = None
    metadata: IntentMetadata | None = None

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
    parts = []
    for part in intent.metadata.parts:
        mine = {place: command for place, command in commands.items() if command.source == part.intent_id}
        commands = {place: command for place, command in commands.items() if place not in mine}
        parts.append((replace(intent.scope, repo_root=part.repo_root, targets=part.targets), mine))
    return [*parts, (intent.scope, commands)] if commands else parts


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
    parts: dict[str, Part] = {}
    for intent in kept:
        inner = intent.metadata.parts if intent.metadata else ()
        known = {part.intent_id for part in inner}
        if not inner or any(command.source not in known for command in commands_of(intent)):
            inner = (*inner, _part(intent))
        for part in inner:
            parts.setdefault(part.intent_id, part)
    return tuple(parts.values())


def _part(intent: IntentDocument) -> Part:
    return Part(
        intent_id=intent.id,
        repo_root=intent.scope.repo_root,
        targets=intent.scope.targets,
        phases=tuple(dict.fromkeys(phase for workflow in intent.selected_workflows for phase in workflow.phases)),
        agents=tuple(dict.fromkeys(agent.agent_id for agent in intent.selected_agents)),
    )
