"""The difference between two evaluation results: what is new, what is gone, and what has changed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from volition.governance.documents.result import EvaluationResult


@dataclass(frozen=True, slots=True)
class ResultDifference:
    """How a second result differs from a first one: ids and short texts."""

    strategy: tuple[str, str] | None
    intents_added: tuple[str, ...]
    intents_removed: tuple[str, ...]
    intents_changed: tuple[str, ...]
    conflicts_added: tuple[str, ...]
    conflicts_removed: tuple[str, ...]
    conflicts_changed: tuple[str, ...]
    risks_changed: tuple[str, ...]
    questions: tuple[int, int]

    def __bool__(self) -> bool:
        return str(self) != "no difference"

    def to_data(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        lines = []
        if self.strategy:
            lines.append(f"strategy: {self.strategy[0]} -> {self.strategy[1]}")
        for name, items in asdict(self).items():
            if name not in {"strategy", "questions"}:
                lines += [f"{name.replace('_', ' ')}: {item}" for item in items]
        if self.questions[0] != self.questions[1]:
            lines.append(f"questions: {self.questions[0]} -> {self.questions[1]}")
        return "\n".join(lines) or "no difference"


def compare_results(one: EvaluationResult, other: EvaluationResult) -> ResultDifference:
    """How `other` differs from `one`."""
    before, after = one.input.intent_checksums, other.input.intent_checksums
    old = {c.conflict_id: c for c in one.evaluation.conflicts}
    new = {c.conflict_id: c for c in other.evaluation.conflicts}
    risks = {row.intent_id: row for row in one.evaluation.risk_comparison.matrix}
    was, now = one.evaluation.merge_plan.strategy, other.evaluation.merge_plan.strategy

    def describe(name: str) -> str:
        conflict = new.get(name) or old[name]
        return (
            f"{name} ({conflict.severity} {conflict.type}, {conflict.resource_ref or ', '.join(conflict.intent_ids)})"
        )

    return ResultDifference(
        strategy=None if was == now else (was, now),
        intents_added=tuple(sorted(after.keys() - before.keys())),
        intents_removed=tuple(sorted(before.keys() - after.keys())),
        intents_changed=tuple(sorted(n for n in before.keys() & after.keys() if before[n] != after[n])),
        conflicts_added=tuple(describe(name) for name in sorted(new.keys() - old.keys())),
        conflicts_removed=tuple(describe(name) for name in sorted(old.keys() - new.keys())),
        conflicts_changed=tuple(describe(name) for name in sorted(old.keys() & new.keys()) if old[name] != new[name]),
        risks_changed=tuple(
            row.intent_id
            for row in other.evaluation.risk_comparison.matrix
            if row.intent_id in risks and risks[row.intent_id] != row
        ),
        questions=(len(one.requires_questions), len(other.requires_questions)),
    )
