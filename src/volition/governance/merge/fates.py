"""The fate of each cluster of a set, derived from a stored result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance.documents.result import EvaluationResult

ClusterStrategy = Literal["override_by_priority", "ask", "merge_union", "reject"]


@dataclass(frozen=True, slots=True)
class Fate:
    """A cluster: its intents, the conflicts between them, its strategy, and the evidence of the merge plan."""

    intents: tuple[str, ...]
    conflicts: tuple[str, ...]
    strategy: ClusterStrategy
    because: str


def fates(result: EvaluationResult, clusters: Iterable[tuple[str, ...]]) -> tuple[Fate, ...]:
    """The fate of each cluster; a conflict belongs to a cluster that contains all its intents."""
    return tuple(_fate(result, members) for members in clusters)


def _fate(result: EvaluationResult, members: tuple[str, ...]) -> Fate:
    inside = set(members)
    conflicts = tuple(one.conflict_id for one in result.evaluation.conflicts if inside.issuperset(one.intent_ids))
    return Fate(members, conflicts, *_strategy(result, inside))


def _strategy(result: EvaluationResult, members: set[str]) -> tuple[ClusterStrategy, str]:
    """The strategy that the operations on its intents show, and their evidence."""
    plan = result.evaluation.merge_plan
    mine = {one.operation: one.evidence for one in plan.operations if one.source_intent_id in members}
    if "override_field" in mine:
        return "override_by_priority", mine["override_field"]
    if "reject" in mine:
        return "ask" if result.requires_questions else "reject", mine["reject"]
    return "reject" if plan.strategy == "reject" else "merge_union", ""
