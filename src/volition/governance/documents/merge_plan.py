"""The merge plan: how several intents were merged, step by step, with the merged intent."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from volition.governance.documents.intent import IntentDocument  # noqa: TC001 - msgspec reads the annotations
from volition.governance.documents.result import Operation
from volition.governance.documents.strict import Count, DistinctStruct, IntentId, Maybe, Moment, Sha, StrictStruct

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
