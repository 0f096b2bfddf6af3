"""What has expired says so to everybody who looks, also before a turn has written it down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from volition.workflow.law.flows import why_void
from volition.workflow.law.states import DRIVEN, OPEN_FLOWS, OPEN_PLANS
from volition.workflow.store.rows import FlowPlanRow, FlowRow, PlanRow
from volition.workflow.store.tables import SqlRows

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from volition.workflow.flow.status import FlowStatus


def status_by_clock(connection: Connection, flow: FlowRow, found: FlowStatus, now: int) -> FlowStatus:
    """The status of a flow as the next turn would write it: void, if a plan, the question or the permit is over by now."""
    rows = SqlRows(connection, flow.project)
    if flow.state not in OPEN_FLOWS or not (why := _expired_plan(rows, flow, now) or why_void(rows, flow, now)):
        return found
    permit = found.permit and found.permit | {"state": "void"}
    nodes = [
        replace(node, state="skipped", detail=why) if node.state in {"blocked", "ready"} else node
        for node in found.nodes
    ]
    return replace(found, state="void", reason=why, pack=None, permit=permit, nodes=tuple(nodes))


def _expired_plan(rows: SqlRows, flow: FlowRow, now: int) -> str:
    """Which plan of a flow is over by its lease: only an approved flow keeps it beyond."""
    for part in rows.all(FlowPlanRow, flow_id=flow.flow_id) if flow.state not in DRIVEN else ():
        plan = rows.find(PlanRow, part.plan_id)
        if part.fate == "kept" and plan is not None and plan.state in OPEN_PLANS and plan.lease_until <= now:
            return f"{plan.plan_id} is expired"
    return ""
