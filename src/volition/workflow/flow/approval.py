"""Approving: a person permits exactly what is stored, and the claims of the plans follow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from volition.workflow.flow.judging import need_exactly
from volition.workflow.flow.status import FlowStatus, find_in_transaction, status_now
from volition.workflow.law.bindings import parse_bindings
from volition.workflow.law.flows import need_state
from volition.workflow.law.nodes import nodes_of
from volition.workflow.law.permit import flow_changed, world_moved
from volition.workflow.law.rules import read_plan
from volition.workflow.law.states import DRIVEN
from volition.workflow.store.checkpoints import find_archived_flow
from volition.workflow.store.events import read_events
from volition.workflow.store.rows import FlowPlanRow, FlowRow, PlanRow
from volition.workflow.team.evidence import grave_collisions
from volition.workflow.team.sweeping import settle_flow

if TYPE_CHECKING:
    from volition.workflow.law.transaction import ProjectTransaction
    from volition.workflow.team.team import Team


def approve_flow(team: Team, flow_id: str, by: str, exactly: str | None, patience: float) -> FlowStatus:
    """Give a permit. Plans that gave way are superseded, and waiting ones are granted, in the same transaction."""
    team.prepare()
    with team.transaction() as transaction:
        flow = find_in_transaction(transaction, flow_id)
        need_state(flow, ("judged",), "approved")
        need_exactly("graph", flow.graph_hash, exactly, flow.flow_id)
        _need_same_bindings(transaction, flow)
        parts = [part for part in transaction.rows.all(FlowPlanRow, flow_id=flow.flow_id) if part.fate != "left_out"]
        until = transaction.now + round(patience * 1000)
        transaction.record("approved", flow.flow_id, by, graph_hash=flow.graph_hash, expires_at=until)
        for part in parts:
            if part.fate == "superseded":
                transaction.record("superseded", part.plan_id, by, flow=flow.flow_id)
        granted = {}
        for part in parts:
            plan = transaction.rows.find(PlanRow, part.plan_id)
            if part.fate == "kept" and plan is not None and plan.state == "waiting":
                _grant(team, transaction, flow, plan, {each.plan_id for each in parts}, by)
                granted[part.plan_id] = plan.token
        team.move_up(transaction, by)
        settle_flow(transaction, flow.flow_id, by)
        return replace(status_now(transaction, flow.flow_id), granted=granted)


def _need_same_bindings(transaction: ProjectTransaction, flow: FlowRow) -> None:
    """Refuse bindings that are not those with which the flow was started: the hash in the row may have been changed with them."""
    first = next(read_events(transaction.connection, transaction.project, subject=flow.flow_id), None)
    if first is not None and first.what == "started":
        bindings = first.body.get("bindings")
    else:
        archived = find_archived_flow(transaction.connection, transaction.project, flow.flow_id)
        bindings = archived.bindings if archived is not None else None
    if bindings != flow.bindings:
        raise flow_changed(flow.flow_id, "its bindings are not those with which it was started")


def _grant(
    team: Team, transaction: ProjectTransaction, flow: FlowRow, plan: PlanRow, together: set[str], by: str
) -> None:
    """Make a waiting plan active: a person has settled its collisions with the plans of this flow, and with no others."""
    collisions = grave_collisions(team.collisions_of(transaction, read_plan(plan.document)))
    outside = sorted({name for each in collisions for name in each.intent_ids} - together)
    if outside:
        raise world_moved(f"{plan.plan_id} collides with {', '.join(outside)}, which is not in this flow", flow.flow_id)
    transaction.record("granted", plan.plan_id, by, flow=flow.flow_id, checksum=plan.checksum, token=plan.token)


def notify_holders(transaction: ProjectTransaction, flow_id: str, by: str) -> None:
    """Notify the holders of all plans with a ready node that is theirs to do; what they are told is the event."""
    flow = transaction.rows.find(FlowRow, flow_id)
    assert flow is not None
    if flow.state not in DRIVEN:
        return
    bindings = parse_bindings(flow.bindings)
    for node in nodes_of(transaction.rows, flow_id):
        if node.state == "ready" and bindings.by_name(node.binding).action == "notify":
            transaction.record("node notified", flow_id, by, node=node.node_id, request=node.request)
