"""Rewording: a plan that is revised without changing anything that is done keeps the flows and permits that rely on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.errors import VolitionError
from volition.workflow.flow.judgement import judge_again
from volition.workflow.law.permit import hash_of_actions
from volition.workflow.law.plans import flows_relying_on
from volition.workflow.law.states import DRIVEN
from volition.workflow.team.registration import JUDGEMENT

if TYPE_CHECKING:
    from volition.workflow.store.turn import Turn


def reword_flows(turn: Turn, plan_id: str, by: str) -> None:
    """Keep the judged flows with a plan that was revised, where they would do exactly the same with it as it is now."""
    for flow in flows_relying_on(turn.rows, plan_id, ("judged", *DRIVEN)):
        try:
            judged = judge_again(turn.rows, flow)
        except VolitionError:
            continue
        if judged is None or hash_of_actions(judged.graph, flow.bindings, flow.policy, flow.env) != flow.graph_hash:
            continue
        turn.record(
            "reworded", flow.flow_id, by, plan=plan_id, graph=judged.graph, merged=judged.merged, judgement=JUDGEMENT
        )
