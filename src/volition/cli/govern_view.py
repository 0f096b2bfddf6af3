"""An evaluation as tables: its conflicts, the risk of each plan, and its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.cli.common import columns
from volition.governance.explanation import describe_dominance, describe_loss, describe_missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.governance.documents.result import EvaluationResult

MOST_ROWS: Final = 20
"""How many rows of a table are printed; the rest are counted."""
_STRATEGIES: Final = {
    "merge_union": "all of them are merged",
    "override_by_priority": "they are merged, and some give way to others",
    "reject": "nothing is merged",
    "no_merge_needed": "there is nothing to merge",
}


def overview(result: EvaluationResult) -> str:
    """The gist of a result; `volition govern explain` says more."""
    evaluation = result.evaluation
    plan = evaluation.merge_plan
    count = len(result.input.intent_checksums)
    lines = [f"{result.input.intent_set_id}: {count} plans, {_STRATEGIES[plan.strategy]} ({plan.strategy})"]
    lines += [describe_loss(loss) for loss in result.losses]
    lines += [describe_missing(missing) for missing in result.missing]
    if plan.result_intent_id:
        lines.append(f"merged into {plan.result_intent_id}")
    if evaluation.conflicts:
        lines += ["", *_table(("severity", "conflict", "on", "plans"), [
            (c.severity, c.type.removesuffix("_conflict"), c.resource_ref or "a circle", _names(c.intent_ids))
            for c in evaluation.conflicts
        ])]  # fmt: skip
    else:
        lines += ["", "no conflicts"]
    lines += ["", *_table(("plan", "declared", "effects", "scope", "blast", "unknowns"), [
        (row.intent_id, row.overall_risk, *row.texts()) for row in evaluation.risk_comparison.matrix
    ])]  # fmt: skip
    lines += describe_dominance(evaluation.risk_comparison)
    for question in result.requires_questions:
        lines += ["", f"{question.question_id}: {question.condition}", f"  {question.reason}"]
        lines += [f"  {o.option_id}: {o.label}. {o.implications or ''}".rstrip() for o in question.options]
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from columns([head, *rows[:MOST_ROWS]])
    if len(rows) > MOST_ROWS:
        yield f"... and {len(rows) - MOST_ROWS} more; --json has them all"


def _names(ids: Sequence[str]) -> str:
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
