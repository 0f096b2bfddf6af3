"""Approving: a person permits exactly what is stored, and the claims of the plans follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, insert, select, update

from volition.core.errors import NotPossible, Problem
from volition.governance import coordinate, read_intent
from volition.workflow.flow.bindings import parse_bindings
from volition.workflow.flow.nodes import advance, make_nodes, move_flow, move_node, nodes_of
from volition.workflow.flow.permit import flow_changed, node_faults, plans_of, stored_hash
from volition.workflow.flow.states import DRIVEN
from volition.workflow.flow.status import FlowStatus, find_flow, status_now
from volition.workflow.flow.transitions import check_unchanged, need_exactly, need_state, on_flow, world_moved
from volition.workflow.store.tables import FLOW_PLAN, PERMIT, PLAN
from volition.workflow.team.ending import end_plan
from volition.workflow.team.evidence import grave_collisions, moment
from volition.workflow.team.registration import OPEN
from volition.workflow.team.rules import rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.workflow.store.turn import Turn
    from volition.workflow.team.team import Team


def approve_flow(team: Team, flow_id: str, by: str, exactly: str | None, patience: float) -> FlowStatus:
    """Give a permit. Plans that gave way are superseded, and waiting ones are granted, in the same transaction."""
    with on_flow(team, flow_id) as (turn, flow):
        need_state(flow, ("judged",), "approved")
        need_exactly("graph", flow.graph_hash, exactly, flow.flow_id)
        plans = plans_of(turn.connection, flow.flow_id)
        if stored_hash(flow, plans) != flow.graph_hash:
            raise flow_changed(flow.flow_id, "the hash of what is stored is another one")
        kept = [plan for plan in plans if plan.fate != "left_out"]
        rows = check_unchanged(turn, [(plan.plan_id, plan.checksum, plan.token) for plan in kept], flow.flow_id)
        for plan in kept:
            if plan.fate == "superseded":
                end_plan(turn, rows[plan.plan_id], "superseded", by, flow=flow.flow_id)
        for plan in kept:
            if plan.fate == "kept" and rows[plan.plan_id].state == "waiting":
                _grant(team, turn, flow, rows[plan.plan_id], {each.plan_id for each in kept}, by)
        until = turn.now + round(patience * 1000)
        turn.connection.execute(
            insert(PERMIT).values(
                flow_id=flow.flow_id, graph_hash=flow.graph_hash, actor=by, at=turn.now, state="valid", expires_at=until
            )
        )
        turn.record("permit", flow.flow_id, by, graph_hash=flow.graph_hash, expires_at=until)
        move_flow(turn, flow, "approved", by)
        graph = coordinate(read_intent(flow.merged.encode()).document, rules_of(flow.policy, flow.env)[0])
        make_nodes(turn, flow, graph, parse_bindings(flow.bindings).bind(graph))
        advance(turn, flow.flow_id, by)
        return status_now(turn, flow.flow_id)


def _grant(team: Team, turn: Turn, flow: Row[Any], row: Row[Any], together: set[str], by: str) -> None:
    """Make a waiting plan active: a person has settled its collisions with the plans of this flow, and with no others."""
    collisions = grave_collisions(team.collisions_of(turn, read_intent(row.document.encode()).document))
    outside = sorted({name for each in collisions for name in each.intent_ids} - together)
    if outside:
        raise world_moved(f"{row.plan_id} collides with {', '.join(outside)}, which is not in this flow", flow.flow_id)
    seq = turn.record("granted", row.plan_id, by, token=turn.seq + 1, checksum=row.checksum, flow=flow.flow_id)
    mine = (PLAN.c.project == turn.project, PLAN.c.plan_id == row.plan_id)
    turn.connection.execute(update(PLAN).where(*mine).values(state="active", token=seq, seq=seq))
    here = (FLOW_PLAN.c.flow_id == flow.flow_id, FLOW_PLAN.c.plan_id == row.plan_id)
    turn.connection.execute(update(FLOW_PLAN).where(*here).values(token=seq))


def check_permit(turn: Turn, flow: Row[Any], nodes: Sequence[Row[Any]]) -> None:
    """Check that a flow may act now, exactly as it was approved; `nodes` are all of its nodes in this turn.

    Nothing is taken on trust: the permit must be valid and not over, every plan active under the same token, or finished with no
    node left to send, the hash of what is stored the one that was approved, and every node what the graph says.
    """
    permit = turn.connection.execute(select(PERMIT).where(PERMIT.c.flow_id == flow.flow_id)).first()
    if permit is None or permit.state != "valid":
        raise _not_permitted(flow.flow_id, "there is no valid permit")
    if permit.expires_at <= turn.now:
        raise _not_permitted(flow.flow_id, f"the permit ended at {moment(permit.expires_at)}")
    plans = plans_of(turn.connection, flow.flow_id)
    if not permit.graph_hash == flow.graph_hash == stored_hash(flow, plans):
        raise flow_changed(flow.flow_id, "the hash of what is stored is another one")
    if faults := node_faults(flow, nodes):
        raise flow_changed(flow.flow_id, faults[0])
    kept = [(plan.plan_id, plan.checksum, plan.token) for plan in plans if plan.fate == "kept"]
    waiting = {node.plan_id for node in nodes if node.state == "ready"}
    for plan_id, row in check_unchanged(turn, kept, flow.flow_id, states=(*OPEN, "finished")).items():
        if row.state == "waiting" or (row.state == "finished" and plan_id in waiting):
            raise world_moved(f"{plan_id} is {row.state}", flow.flow_id)


def notify_holders(turn: Turn, flow_id: str, by: str) -> None:
    """Notify the holders of all plans with a ready node that is theirs to do; what they are told is the event."""
    flow = find_flow(turn.connection, turn.project, flow_id)
    bindings = parse_bindings(flow.bindings)
    nodes = nodes_of(turn.connection, flow_id)
    ready = [node for node in nodes if node.state == "ready" and bindings.by_name(node.binding).action == "notify"]
    if ready and flow.state in DRIVEN:
        check_permit(turn, flow, nodes)
        for node in ready:
            move_node(turn, node, "sent", by, detail="its holder was notified")


def _not_permitted(flow_id: str, what: str) -> NotPossible:
    return NotPossible(
        Problem(what, flow_id, "a permit for exactly this flow", "abandon the flow, start it again, and approve it")
    )
