"""The evaluation result: conflicts, the merge, the comparison of risks, and the open questions."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, get_args

from msgspec import Meta

from volition.governance.documents.intent import (  # noqa: TC001 - msgspec reads the annotations
    CommandId,
    IntentDocument,
    Level,
    LossRule,
    ResultId,
)
from volition.governance.documents.strict import (
    Count,
    DistinctStruct,
    IntentId,
    Maybe,
    Moment,
    Semver,
    SetId,
    Sha,
    StrictStruct,
)

ConflictId = Annotated[str, Meta(pattern=r"^conflict_[a-z0-9_]{6,32}\Z")]
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
Share = Annotated[int, Meta(ge=0, le=100)] | Annotated[float, Meta(ge=0, le=100)]


class Conflict(DistinctStruct, frozen=True):
    """One contested thing: the intents that contest it, the evidence, and the ways out.

    A group: `intent_ids` are all members, so a resource that many contest is one conflict.
    """

    distinct = ("intent_ids",)

    conflict_id: ConflictId
    type: ConflictKind
    severity: Level
    intent_ids: Annotated[tuple[IntentId, ...], Meta(min_length=2)]
    evidence_refs: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=512)], ...], Meta(min_length=1, max_length=50)
    ]
    resource_ref: Maybe[Annotated[str, Meta(max_length=512)]] = None
    description: Maybe[Annotated[str, Meta(max_length=1000)]] = None
    resolutions: tuple[Resolution, ...] = ()


class Operation(StrictStruct, frozen=True):
    """One step of a merge, with its evidence."""

    op_id: Annotated[str, Meta(pattern=r"^op_[a-z0-9_]{4,32}\Z")]
    operation: OperationName
    source_intent_id: IntentId
    evidence: Annotated[str, Meta(min_length=1, max_length=500)]
    target_field: Maybe[Annotated[str, Meta(max_length=256)]] = None


class Merge(StrictStruct, frozen=True):
    """How the intents are merged, or why they are not."""

    strategy: Strategy
    operations: tuple[Operation, ...]
    result_intent_id: Maybe[IntentId] = None

    def __post_init__(self) -> None:
        if self.strategy == "reject" and self.result_intent_id is not None:
            raise ValueError("what is rejected has no result intent")


class Dimensions(StrictStruct, frozen=True):
    """Four kinds of risk, 0 to 100."""

    effects_risk: Share
    scope_risk: Share
    blast_radius: Share
    unknowns: Share


class RiskRow(DistinctStruct, frozen=True):
    """The risk of one intent; `overall_risk` is what its author declared.

    `unknown` names the dimensions that are unknown; each of them counts as the worst.
    """

    distinct = ("unknown",)

    intent_id: IntentId
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

    intent_a: IntentId
    intent_b: IntentId
    relationship: Literal["A_dominates_B", "B_dominates_A", "incomparable"]


class RiskComparison(StrictStruct, frozen=True):
    """All risks side by side."""

    matrix: tuple[RiskRow, ...]
    dominance: tuple[Dominance, ...]
    incomparable: tuple[tuple[IntentId, IntentId], ...] = ()


class Evaluation(StrictStruct, frozen=True):
    """What was found and what follows from it."""

    conflicts: tuple[Conflict, ...]
    merge_plan: Merge
    risk_comparison: RiskComparison


class Option(StrictStruct, frozen=True):
    """One possible answer, and what it implies."""

    option_id: Annotated[str, Meta(pattern=r"^option_[a-z0-9_]{4,16}\Z")]
    label: Annotated[str, Meta(min_length=1, max_length=200)]
    implications: Maybe[Annotated[str, Meta(max_length=500)]] = None


class Question(StrictStruct, frozen=True):
    """What only a person can settle."""

    question_id: Annotated[str, Meta(pattern=r"^question_[a-z0-9_]{4,32}\Z")]
    condition: Annotated[str, Meta(max_length=500)]
    reason: Annotated[str, Meta(max_length=1000)]
    options: Annotated[tuple[Option, ...], Meta(min_length=2)]


class ResultInput(StrictStruct, frozen=True):
    """What was evaluated."""

    intent_set_id: SetId
    intent_checksums: Annotated[dict[IntentId, Sha], Meta(min_length=2)]


class ResultConstraints(StrictStruct, frozen=True):
    """The red line: a result is never executable."""

    execution: Literal["forbidden"]


class ResultLineage(StrictStruct, frozen=True):
    """Which set was evaluated, and by what."""

    derived_from_intent_set: SetId
    evaluator_version: Semver
    intent_set_checksum: Maybe[Sha] = None


class ResultMetadata(DistinctStruct, frozen=True):
    """A checksum of the whole content, and the policy that applied.

    For a set that is too large to be merged: the `clusters` that high or critical conflicts connect, to be evaluated
    separately, and the `risk_front`, the intents that no other one dominates.
    """

    distinct = ("risk_front",)

    content_checksum: Maybe[Sha] = None
    policy_hash: Maybe[Sha] = None
    evaluator_mode: Maybe[Literal["automatic", "semi_automatic", "manual"]] = None
    evaluation_duration_ms: Maybe[Count] = None
    clusters: tuple[Annotated[tuple[IntentId, ...], Meta(min_length=2)], ...] = ()
    risk_front: tuple[IntentId, ...] = ()


class Dropped(StrictStruct, frozen=True):
    """What is not in the merged plan: command ids, and targets that no kept plan has."""

    commands: tuple[CommandId, ...] = ()
    targets: tuple[str, ...] = ()


class Loss(StrictStruct, frozen=True):
    """A plan that is not in the merged one: which plan it lost to and by which key, or that a person chose so.

    A plan that was left out stays as it is; a superseded one gave way. `conflict_ids` are the conflicts between the two,
    `needed_by` the kept plans that need something from it.
    """

    intent_id: IntentId
    fate: Literal["superseded", "left_out"]
    rule: LossRule
    because: Annotated[str, Meta(min_length=1, max_length=500)]
    dropped: Dropped
    lost_to: Maybe[IntentId] = None
    conflict_ids: tuple[ConflictId, ...] = ()
    needed_by: tuple[IntentId, ...] = ()


class MissingPrerequisite(StrictStruct, frozen=True):
    """A plan that others depend on and that is not in the merged one: lost, left out, or not in the set at all."""

    intent_id: IntentId
    fate: Literal["absent", "lost", "left_out"]
    needed_by: Annotated[tuple[IntentId, ...], Meta(min_length=1)]
    because: Annotated[str, Meta(min_length=1, max_length=500)]
    accepted: bool = False
    """Whether a person chose to go on without it."""


class EvaluationResult(StrictStruct, frozen=True, kw_only=True):
    """The result of evaluating an intent set; the losses come first, and then what plans have to do without."""

    losses: tuple[Loss, ...] = ()
    missing: tuple[MissingPrerequisite, ...] = ()
    id: ResultId
    type: Literal["intent_evaluation_result"]
    schema_version: Literal["0.9.3"]
    created_at: Moment
    input: ResultInput
    evaluation: Evaluation
    constraints: ResultConstraints
    lineage: ResultLineage
    checksum: Sha
    requires_questions: tuple[Question, ...] = ()
    metadata: Maybe[ResultMetadata] = None


PlanId = Annotated[str, Meta(pattern=r"^merge_plan_[a-z0-9_]{6,64}\Z")]


class PlanOperation(Operation, frozen=True):
    """One step of the plan."""

    value: Any = None
    conflict_resolution: Maybe[Annotated[str, Meta(max_length=300)]] = None


class PlanLineage(DistinctStruct, frozen=True):
    """All sources of the plan, and those it supersedes."""

    distinct = ("derived_from", "supersedes")

    derived_from: Annotated[tuple[IntentId, ...], Meta(min_length=2, max_length=20)]
    supersedes: Annotated[tuple[IntentId, ...], Meta(max_length=20)]
    merge_plan_id: Maybe[PlanId] = None


class PlanMetadata(StrictStruct, frozen=True):
    """Optional facts about a plan."""

    conflicts_resolved: Maybe[Count] = None
    merge_complexity: Literal["simple", "moderate", "complex"] | None = None


class MergePlan(DistinctStruct, frozen=True):
    """The plan as a document; `result_intent` is missing if the strategy is to reject."""

    distinct = ("source_intent_ids",)

    id: PlanId
    type: Literal["intent_merge_plan"]
    schema_version: Literal["0.9.3"]
    created_at: Moment
    strategy: Literal["merge_union", "override_by_priority", "reject"]
    source_intent_ids: Annotated[tuple[IntentId, ...], Meta(min_length=2, max_length=20)]
    operations: tuple[PlanOperation, ...]
    lineage: PlanLineage
    checksum: Sha
    result_intent: Maybe[IntentDocument] = None
    metadata: Maybe[PlanMetadata] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        merged = self.result_intent
        if (merged is None) != (self.strategy == "reject"):
            raise ValueError("a plan has a result intent unless it rejects")
        if merged is None:
            return
        if not merged.lineage.derived_from:
            raise ValueError("a merged intent names what it is derived from")
        if self.strategy == "override_by_priority" and not (self.lineage.supersedes and merged.lineage.supersedes):
            raise ValueError("an override names what it supersedes")
