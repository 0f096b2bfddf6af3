"""Rewording: a plan that is revised without changing anything that is done keeps the flows and permits that rely on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.errors import VolitionError
from volition.workflow.law.judgement import StoredJudgement, judge_again
from volition.workflow.law.permit import hash_of_actions, work_of
from volition.workflow.law.plans import flows_relying_on
from volition.workflow.store.rows import FlowPlanRow, PlanRow, QuestionRow
from volition.workflow.team.registration import JUDGEMENT

if TYPE_CHECKING:
    from volition.workflow.law.transaction import ProjectTransaction
    from volition.workflow.store.rows import FlowRow, Rows


def reword_flows(transaction: ProjectTransaction, plan_id: str, by: str) -> None:
    """Keep the judged flows with a plan that was revised, where they would do exactly the same with it as it is now; the
    others are void, with the reason."""
    for flow in flows_relying_on(transaction.rows, plan_id):
        found = _judge_reworded(transaction.rows, flow, plan_id)
        if isinstance(found, StoredJudgement):
            transaction.record(
                "reworded", flow.flow_id, by, plan=plan_id, graph=found.graph, merged=found.merged, judgement=JUDGEMENT
            )
        else:
            transaction.record("void", flow.flow_id, by, why=f"{plan_id} was revised: {found}")


def _judge_reworded(rows: Rows, flow: FlowRow, plan_id: str) -> StoredJudgement | str:
    """The judgement of a flow with a plan in other words, or why it cannot stay as it is."""
    plan, part = rows.find(PlanRow, plan_id), rows.find(FlowPlanRow, flow.flow_id, plan_id)
    assert plan is not None
    assert part is not None
    if flow.state == "asked":
        return "its question was about the plan as it was"
    if work_of(plan.document) != work_of(part.document):
        return "what it claims, its commands or their order are others"
    try:
        judged = judge_again(rows, flow)
    except VolitionError as error:
        return error.problems[0].what
    if judged is None:
        asked = bool(rows.all(QuestionRow, flow_id=flow.flow_id))
        return "it leads to other questions than those that were answered" if asked else "it is judged otherwise"
    if hash_of_actions(judged.graph, flow.bindings, flow.policy, flow.env) != flow.graph_hash:
        return "what would be done is not what was judged"
    return judged
