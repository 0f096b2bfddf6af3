"""What the end of a plan's work means to the flow that it is in: its notices are done, and nothing more of it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.workflow.flow.bindings import parse_bindings
from volition.workflow.flow.nodes import advance, move_node, nodes_of
from volition.workflow.flow.states import DRIVEN
from volition.workflow.team.ending import close_flow, flows_relying_on

if TYPE_CHECKING:
    from volition.workflow.store.turn import Turn


def finish_nodes(turn: Turn, plan_id: str, by: str) -> None:
    """Take the holder's word that the work of a plan is done. What the holder was notified of is done, and what was not
    sent is skipped; others go on, and the flow is done with its last node. One without a permit yet is void: it speaks of
    work that is over."""
    for flow in flows_relying_on(turn, plan_id):
        if flow.state not in DRIVEN:
            close_flow(turn, flow.flow_id, "void", f"{plan_id} is finished", by)
            continue
        bindings = parse_bindings(flow.bindings)
        for node in nodes_of(turn.connection, flow.flow_id):
            if node.plan_id == plan_id and node.state in {"blocked", "ready"}:
                move_node(turn, node, "skipped", by, detail=f"{plan_id} is finished")
            elif node.plan_id == plan_id and node.state == "sent" and bindings.by_name(node.binding).action == "notify":
                move_node(turn, node, "done", by, detail=f"{plan_id} is finished")
        advance(turn, flow.flow_id, by)
