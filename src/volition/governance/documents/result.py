"""The evaluation result: conflicts, the merge, the comparison of risks, and the open questions."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, get_args

from msgspec import Meta

from volition.governance.documents.intent import (
    INTENT_ID,
    IntentDocument,
    Level,
    LossRule,
    StrictStruct,
)

ConflictKind = Literal["resource_conflict", "effect_conflict", "order_conflict", "constraint_conflict"]
CONFLICT_KINDS: Final[tuple[ConflictKind, ...]] = get_args(ConflictKind)
Resolution = Literal["merge_union", "override_by_priority", "reject", "manual_resolution"]
Strategy = Literal["merge_union", "override_by_priority", "reject", "no_merge_needed"]
OperationName = Literal[
    "union_commands",
    "union_workflows",
    "union_agents",
    "union_evidence",
    "override_field",
    "keep_field",
    "merge_budgets",
    "aggregate_risk",
    "reject",
]


class Conflict(StrictStruct, frozen=True):
    """One contested thing: the intents that contest it, the evidence, and the ways out.

    A group: `intent_ids` are all members, so a resource that many contest is one conflict.
    """

    conflict_id: str
    type: ConflictKind
    severity: Level
    intent_ids: tuple[str, ...]
    evidence_refs: tuple[str, ...]
    resource_ref: str | None = None
    description: str | None = None
    resolutions: tuple[Resolution, ...] = ()


class Operation(StrictStruct, frozen=True):
    """One step of a merge, with its evidence."""

    op_id: str
    operation: OperationName
    source_intent_id: str
    evidence: str
    target_field: str | None = None


class Merge(StrictStruct, frozen=True):
    """How the intents are merged, or why they are not."""

    strategy: Strategy
    operations: tuple[Operation, ...]
    result_intent_id: str | None = None

    def __post_init__(self) -> None:
        if self.strategy == "reject" and self.result_intent_id is not None:
            raise ValueError("what is rejected has no result intent")


class Dimensions(StrictStruct, frozen=True):
    """Four kinds of risk, 0 to 100."""

    effects_risk: int | float
    scope_risk: int | float
    blast_radius: int | float
    unknowns: int | float


class RiskRow(StrictStruct, frozen=True):
    """The risk of one intent; `overall_risk` is what its author declared.

    `unknown` names the dimensions that are unknown; each of them counts as the worst.
    """

    intent_id: str
    overall_risk: Level
    dimensions: Dimensions
    unknown: tuple[Literal["scope_risk", "blast_radius"], ...] = ()

    def texts(self) -> tuple[str, str, str, str]:
        """The four dimensions as text: numbers, or "unknown"."""
        of = self.dimensions
        scope, blast = (
            "unknown" if name in self.unknown else f"{share:g}"
            for name, share in (("scope_risk", of.scope_risk), ("blast_radius", of.blast_radius))
        )
        return f"{of.effects_risk:g}", scope, blast, f"{of.unknowns:g}"


class Dominance(StrictStruct, frozen=True):
    """Which of two intents is at least as risky in every dimension and riskier in one."""

    intent_a: str
    intent_b: str
    relationship: Literal["A_dominates_B", "B_dominates_A", "incomparable"]


class RiskComparison(StrictStruct, frozen=True):
    """All risks side by side."""

    matrix: tuple[RiskRow, ...]
    dominance: tuple[Dominance, ...]
    incomparable: tuple[tuple[str, str], ...] = ()


class Evaluation(StrictStruct, frozen=True):
    """What was found and what follows from it."""

    conflicts: tuple[Conflict, ...]
    merge_plan: Merge
    risk_comparison: RiskComparison


class Option(StrictStruct, frozen=True):
    """One possible answer, and what it implies."""

    option_id: str
    label: str
    implications: str | None = None


class Question(StrictStruct, frozen=True):
    """What only a person can settle."""

    question_id: str
    condition: str
    reason: str
    options: tuple[Option, ...]


class ResultInput(StrictStruct, frozen=True):
    """What was evaluated."""

    intent_set_id: str
    intent_checksums: dict[Annotated[str, Meta(pattern=INTENT_ID)], str]
    """Ids alone are keys here, so that this object is as closed as all others."""


class ResultConstraints(StrictStruct, frozen=True):
    """The red line: a result is never executable."""

    execution: Literal["forbidden"]
    """Always `forbidden`: a result is not executable."""


class ResultLineage(StrictStruct, frozen=True):
    """Which set was evaluated, and by what."""

    derived_from_intent_set: str
    evaluator_version: str
    intent_set_checksum: str | None = None


class ResultMetadata(StrictStruct, frozen=True):
    """A checksum of the whole content, and the policy that applied.

    For a set that is too large to be merged: the `clusters` that high or critical conflicts connect, to be evaluated
    separately, and the `risk_front`, the intents that no other one dominates.
    """

    content_checksum: str | None = None
    policy_hash: str | None = None
    evaluator_mode: Literal["automatic", "semi_automatic", "manual"] | None = None
    evaluation_duration_ms: int | None = None
    clusters: tuple[tuple[str, ...], ...] = ()
    risk_front: tuple[str, ...] = ()


class Dropped(StrictStruct, frozen=True):
    """What is not in the merged plan: command ids, and targets that no kept plan has."""

    commands: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


class Loss(StrictStruct, frozen=True):
    """A plan that is not in the merged one: which plan it lost to and by which key, or that a person chose so.

    A plan that was left out stays as it is; a superseded one gave way. `conflict_ids` are the conflicts between the two,
    `needed_by` the kept plans that need something from it.
    """

    intent_id: str
    fate: Literal["superseded", "left_out"]
    rule: LossRule
    because: str
    dropped: Dropped
    lost_to: str | None = None
    conflict_ids: tuple[str, ...] = ()
    needed_by: tuple[str, ...] = ()


class MissingPrerequisite(StrictStruct, frozen=True):
    """A plan that others depend on and that is not in the merged one: lost, left out, or not in the set at all."""

    intent_id: str
    fate: Literal["absent", "lost", "left_out"]
    needed_by: tuple[str, ...]
    because: str
    accepted: bool = False
    """Whether a person chose to go on without it."""


class EvaluationResult(StrictStruct, frozen=True, kw_only=True):
    """The result of evaluating an intent set; the losses come first, and then what plans have to do without."""

    losses: tuple[Loss, ...] = ()
    missing: tuple[MissingPrerequisite, ...] = ()
    id: str
    type: Literal["intent_evaluation_result"]
    schema_version: Literal["0.9.3"]
    created_at: str
    input: ResultInput
    evaluation: Evaluation
    constraints: ResultConstraints
    lineage: ResultLineage
    checksum: str
    requires_questions: tuple[Question, ...] = ()
    metadata: ResultMetadata | None = None


class PlanOperation(Operation, frozen=True):
    """One step of the plan."""

    value: Any = None
    conflict_resolution: str | None = None


class PlanLineage(StrictStruct, frozen=True):
    """All sources of the plan, and those it supersedes."""

    derived_from: tuple[str, ...]
    supersedes: tuple[str, ...]
    merge_plan_id: str | None = None


class PlanMetadata(StrictStruct, frozen=True):
    """Optional facts about a plan."""

    conflicts_resolved: int | None = None
    merge_complexity: Literal["simple", "moderate", "complex"] | None = None


class MergePlan(StrictStruct, frozen=True):
    """The plan as a document; `result_intent` is missing if the strategy is to reject."""

    id: str
    type: Literal["intent_merge_plan"]
    schema_version: Literal["0.9.3"]
    created_at: str
    strategy: Literal["merge_union", "override_by_priority", "reject"]
    source_intent_ids: tuple[str, ...]
    operations: tuple[PlanOperation, ...]
    lineage: PlanLineage
    checksum: str
    result_intent: IntentDocument | None = None
    metadata: PlanMetadata | None = None

    def __post_init__(self) -> None:
        merged = self.result_intent
        if (merged is None) != (self.strategy == "reject"):
            raise ValueError("a plan has a result intent unless it rejects")
        if merged is None:
            return
        if not merged.lineage.derived_from:
            raise ValueError("a merged intent names what it is derived from")
        if self.strategy == "override_by_priority" and not (self.lineage.supersedes and merged.lineage.supersedes):
            raise ValueError("an override names what it supersedes")
