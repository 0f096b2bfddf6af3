"""An evaluation result in plain words, for the person who has to act on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.governance.merge.losses import describe_loss, describe_missing

if TYPE_CHECKING:
    from volition.governance.documents.result import EvaluationResult, RiskComparison

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


def describe_dominance(risks: RiskComparison) -> list[str]:
    """Which plan is riskier than which in every respect, and which cannot be compared, a line each."""
    of = {row.intent_id: row.dimensions for row in risks.matrix}
    lines = []
    for one in risks.dominance:
        riskier, other = one.intent_a, one.intent_b
        if one.relationship == "B_dominates_A":
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
