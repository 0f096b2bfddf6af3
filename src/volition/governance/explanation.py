"""Evaluation results in plain words, for the person who has to act on them: one result, or what differs between two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import asdict

from volition.governance.wording import SHOWN, join_names

if TYPE_CHECKING:
    from volition.governance.documents.result import EvaluationResult, Loss, MissingPrerequisite, RiskComparison

_STRATEGY: Final = {
    "merge_union": "All plans can be merged into one.",
    "override_by_priority": "The plans can be merged; some give way to others.",
    "reject": "Nothing is merged.",
    "no_merge_needed": "There is nothing to merge.",
}
MOST_PAIRS: Final = 12
"""How many pairs of plans are compared in words; the rest are counted."""


def explain_result(result: EvaluationResult) -> str:
    """What was found, what follows from it, and what is left to decide."""
    evaluation = result.evaluation
    plan = evaluation.merge_plan
    count = len(result.input.intent_checksums)
    lines = [f"{result.id}, of {result.created_at}", f"{count} plans of {result.input.intent_set_id}", ""]
    lines.append(_STRATEGY[plan.strategy])
    lines += [f"- {describe_loss(loss)}" for loss in result.losses]
    lines += [f"- {describe_missing(missing)}" for missing in result.missing]
    if plan.result_intent_id:
        lines.append(f"The merged plan is {plan.result_intent_id}.")
    lines += ["", f"Conflicts: {len(evaluation.conflicts) or 'none'}"]
    for conflict in evaluation.conflicts:
        lines.append(
            f"- {conflict.severity}, {conflict.type.replace('_', ' ')}: {conflict.description or conflict.resource_ref}"
        )
        lines.append(f"  evidence: {'; '.join(conflict.evidence_refs[:3])}")
    lines += ["", "Steps"]
    lines += [f"- {step.operation} from {step.source_intent_id}: {step.evidence}" for step in plan.operations]
    lines += ["", "Risk (effects, scope, blast radius, unknowns)"]
    for row in evaluation.risk_comparison.matrix:
        lines.append(f"- {row.intent_id}: {row.overall_risk} ({', '.join(row.texts())})")
    lines += describe_dominance(evaluation.risk_comparison)
    if result.requires_questions:
        lines += ["", "To decide"]
        for question in result.requires_questions:
            lines.append(f"- {question.question_id}: {question.condition} {question.reason}")
            lines += [f"  {o.option_id}: {o.label}. {o.implications or ''}".rstrip() for o in question.options]
    return "\n".join(lines) + "\n"


def describe_loss(loss: Loss) -> str:
    """A loss in one line: which plan lost to which, by which key, and what was dropped."""
    if loss.lost_to:
        text = f"{loss.intent_id} gives way to {loss.lost_to}: {loss.because}"
    else:
        text = f"{loss.intent_id} is {loss.fate.replace('_', ' ')}: {loss.because}"
    dropped = [
        f"{len(items)} {noun}{'' if len(items) == 1 else 's'} ({join_names(items, SHOWN)})"
        for noun, items in (("command", loss.dropped.commands), ("target", loss.dropped.targets))
        if items
    ]
    text += f"; dropped: {', '.join(dropped) or 'nothing that the others do not have'}"
    if loss.needed_by:
        text += f"; still needed by {join_names(loss.needed_by, SHOWN)}"
    return text


def describe_missing(missing: MissingPrerequisite) -> str:
    """What plans have to do without, in one line, and whether somebody accepted that."""
    return (
        f"{missing.because}: {'a person chose to go on without it' if missing.accepted else 'this has to be decided'}"
    )


def describe_dominance(risks: RiskComparison) -> list[str]:
    """Which plan is riskier than which in every respect, and which cannot be compared, a line each."""
    of = {row.intent_id: row.dimensions for row in risks.matrix}
    lines = []
    for pair in risks.dominance:
        riskier, other = pair.intent_a, pair.intent_b
        if pair.relationship == "B_dominates_A":
            riskier, other = other, riskier
        lines.append(f"{riskier} is riskier than {other}")
    for first, second in risks.incomparable:
        why = (
            "are equally risky"
            if of.get(first) == of.get(second)
            else "cannot be compared: each is riskier in some respect"
        )
        lines.append(f"{first} and {second} {why}")
    more = len(lines) - MOST_PAIRS
    return lines if more <= 0 else [*lines[:MOST_PAIRS], f"... and {more} more pairs; --json has them all"]


class ResultDifference(Struct, frozen=True):
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
