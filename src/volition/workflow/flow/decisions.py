"""What people and holders say about nodes: try again, skip, settle what is unknown, report, give the flow up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from volition.core.errors import refuse
from volition.workflow.flow.approval import notify_holders
from volition.workflow.flow.bindings import parse_bindings
from volition.workflow.flow.nodes import advance, move_node, nodes_of
from volition.workflow.flow.requests import request_id
from volition.workflow.flow.status import FlowStatus, find_flow, status_of
from volition.workflow.flow.transitions import need_open, need_state, node_of, on_flow, take_result
from volition.workflow.store.tables import PLAN
from volition.workflow.team.ending import close_flow
from volition.workflow.team.registration import not_held

if TYPE_CHECKING:
    from sqlalchemy import Row

    from volition.workflow.store.turn import Turn
    from volition.workflow.team.team import Team

OUTCOMES = ("done", "failed")


def resume_flow(team: Team, flow_id: str, by: str, node: str | None) -> FlowStatus:
    """Make nodes that failed ready again, as a new attempt: one, or all. An unknown one only where it is named."""
    with on_flow(team, flow_id) as (turn, flow):
        need_state(flow, ("held",), "resumed")
        nodes = nodes_of(turn.connection, flow.flow_id)
        chosen = [node_of(turn, flow, node)] if node else [each for each in nodes if each.state == "failed"]
        if not chosen or any(each.state not in {"failed", "unknown"} for each in chosen):
            refuse(
                f"{node} is {chosen[0].state}" if chosen else "no node failed",
                where=flow.flow_id,
                expected="a node that failed, or an unknown one that is named",
                remedy="see volition flow status; name an unknown node once you know that it did not happen",
            )
        for each in chosen:
            attempt = each.attempt + 1
            request = request_id(flow.flow_id, flow.graph_hash, each.node_id, attempt)
            move_node(turn, each, "ready", by, attempt=attempt, request=request, result="", detail="")
        advance(turn, flow.flow_id, by)
        return _status(turn, flow)


def skip_node(team: Team, flow_id: str, node: str, by: str, why: str) -> FlowStatus:
    """Leave a node that failed, is unknown or has not begun; what waits for it goes on."""
    with on_flow(team, flow_id) as (turn, flow):
        need_open(flow, "changed")
        row = node_of(turn, flow, node)
        if row.state not in {"blocked", "ready", "failed", "unknown"}:
            expected = "a node that is neither sent nor over"
            refuse(f"{node} is {row.state}", where=flow.flow_id, expected=expected, remedy="wait for its result")
        move_node(turn, row, "skipped", by, detail=why or f"skipped by {by}")
        advance(turn, flow.flow_id, by)
        return _status(turn, flow)


def settle_node(team: Team, flow_id: str, node: str, outcome: str, by: str, detail: str) -> FlowStatus:
    """Take a person's word for what became of a node of unknown fate, or of one whose driver is gone."""
    with on_flow(team, flow_id) as (turn, flow):
        row = node_of(turn, flow, node)
        _check_outcome(outcome)
        if row.state != "unknown" and (row.state != "sent" or flow.lease_until > turn.now):
            expected = "a node that is unknown, or that was sent by a driver that is gone"
            refuse(f"{node} is {row.state}", where=flow.flow_id, expected=expected, remedy="see volition flow status")
        take_result(turn, flow, row, outcome, by, detail=detail or f"settled by {by}")
        return _status(turn, flow)


def report_node(team: Team, flow_id: str, node: str, outcome: str, token: int, detail: str) -> FlowStatus:
    """Take the report of the holder of a plan on a node that it was notified of. It needs the plan's token.

    The same report again changes nothing: its answer may have been lost.
    """
    with on_flow(team, flow_id) as (turn, flow):
        row = node_of(turn, flow, node)
        _check_outcome(outcome)
        plan = turn.connection.execute(
            select(PLAN).where(PLAN.c.project == team.project, PLAN.c.plan_id == row.plan_id)
        ).first()
        if plan is None or plan.state != "active":
            raise not_held(row.plan_id, f"the plan is {plan.state if plan else 'missing'}")
        if plan.token != token:
            raise not_held(row.plan_id, f"{token} is not its token")
        notice = parse_bindings(flow.bindings).by_name(row.binding).action == "notify"
        if notice and row.state == outcome:
            return _status(turn, flow)
        if row.state != "sent" or not notice:
            refuse(
                f"{node} is {row.state}" if notice else f"{node} is done by an executor",
                where=flow.flow_id,
                expected="a node that the holder was notified of",
                remedy="see volition flow status",
            )
        take_result(turn, flow, row, outcome, plan.holder, detail=detail)
        notify_holders(turn, flow.flow_id, plan.holder)
        return _status(turn, flow)


def abandon_flow(team: Team, flow_id: str, by: str, why: str) -> FlowStatus:
    """Give a flow up: nothing more is sent. What was done stays done, and claims stay with their holders."""
    with on_flow(team, flow_id) as (turn, flow):
        need_open(flow, "abandoned")
        close_flow(turn, flow.flow_id, "abandoned", why or f"given up by {by}", by)
        return _status(turn, flow)


def _check_outcome(outcome: str) -> None:
    if outcome not in OUTCOMES:
        refuse(f"{outcome!r} is not an outcome", where="outcome", expected="done or failed", remedy="say one of them")


def _status(turn: Turn, flow: Row[Any]) -> FlowStatus:
    return status_of(turn.connection, find_flow(turn.connection, turn.project, flow.flow_id))
