"""The flows of a project, as people use them. Every verb is one turn: it happens as a whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from volition.core.errors import refuse
from volition.workflow.flow import approval, judging
from volition.workflow.flow.bindings import parse_bindings
from volition.workflow.flow.judging import PATIENCE
from volition.workflow.flow.nodes import advance, move_node, nodes_of
from volition.workflow.flow.requests import request_id
from volition.workflow.flow.status import FlowStatus, find_flow, status_now, status_of
from volition.workflow.flow.transitions import need_state, node_of, on_flow, take_result
from volition.workflow.store.tables import FLOW, PLAN
from volition.workflow.team.ending import OPEN_FLOWS, close_flow
from volition.workflow.team.registration import not_held

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.governance import AnswerPack
    from volition.workflow.team.team import Team


class Flows:
    """The flows of a team's project.

    `by` is who does it, for the record. A crash between two verbs loses nothing: what the last one returned is stored.
    """

    def __init__(self, team: Team) -> None:
        self.team = team

    def start(
        self, bindings: str, by: str, *, plans: Sequence[str] | None = None, patience: float = PATIENCE
    ) -> FlowStatus:
        """Judge plans together: those that are named, or all that are open. A command without a binding is refused.

        A question waits for `patience` seconds.
        """
        return judging.start_flow(self.team, bindings, by, plans, patience)

    def answer(
        self,
        flow_id: str,
        choices: Mapping[str, str] | AnswerPack,
        by: str,
        *,
        exactly: str | None = None,
        patience: float = PATIENCE,
    ) -> FlowStatus:
        """Answer the open question of a flow, once; `exactly` is the beginning of the checksum of the pack that was seen.

        The answer is bound to the checksum of the pack that was asked. It is refused if the question is closed, its time
        is over, or a plan is not what it was.
        """
        return judging.answer_flow(self.team, flow_id, choices, by, exactly, patience)

    def approve(self, flow_id: str, by: str, *, exactly: str | None = None, patience: float = PATIENCE) -> FlowStatus:
        """Permit exactly what is stored, for `patience` seconds; `exactly` is the beginning of the hash that was seen."""
        return approval.approve_flow(self.team, flow_id, by, exactly, patience)

    def resume(self, flow_id: str, by: str, *, node: str | None = None) -> FlowStatus:
        """Make nodes that failed ready again, as a new attempt: one, or all. An unknown one only where it is named."""
        with on_flow(self.team, flow_id) as (turn, flow):
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
            return status_now(turn, flow.flow_id)

    def skip(self, flow_id: str, node: str, by: str, *, why: str = "") -> FlowStatus:
        """Leave a node that failed, is unknown or has not begun; what waits for it goes on."""
        with on_flow(self.team, flow_id) as (turn, flow):
            need_state(flow, OPEN_FLOWS, "changed")
            row = node_of(turn, flow, node)
            if row.state not in {"blocked", "ready", "failed", "unknown"}:
                expected = "a node that is neither sent nor over"
                refuse(f"{node} is {row.state}", where=flow.flow_id, expected=expected, remedy="wait for its result")
            move_node(turn, row, "skipped", by, detail=why or f"skipped by {by}")
            advance(turn, flow.flow_id, by)
            return status_now(turn, flow.flow_id)

    def settle(self, flow_id: str, node: str, outcome: str, by: str, *, detail: str = "") -> FlowStatus:
        """Settle a node whose result is unknown, or whose driver is gone, after looking: `done` or `failed`."""
        with on_flow(self.team, flow_id) as (turn, flow):
            row = node_of(turn, flow, node)
            _check_outcome(outcome)
            if row.state != "unknown" and (row.state != "sent" or flow.lease_until > turn.now):
                what, remedy = f"{node} is {row.state}", "see volition flow status"
                expected = "a node that is unknown, or that was sent by a driver that is gone"
                refuse(what, where=flow.flow_id, expected=expected, remedy=remedy)
            take_result(turn, flow, row, outcome, by, detail=detail or f"settled by {by}")
            return status_now(turn, flow.flow_id)

    def report(self, flow_id: str, node: str, outcome: str, token: int, *, detail: str = "") -> FlowStatus:
        """The holder of a plan reports on a node that it was notified of: `done` or `failed`. It needs the plan's token.

        The same report again changes nothing: its answer may have been lost.
        """
        with on_flow(self.team, flow_id) as (turn, flow):
            row = node_of(turn, flow, node)
            _check_outcome(outcome)
            mine = (PLAN.c.project == self.team.project, PLAN.c.plan_id == row.plan_id)
            plan = turn.connection.execute(select(PLAN).where(*mine)).first()
            if plan is None or plan.state != "active":
                raise not_held(row.plan_id, f"the plan is {plan.state if plan else 'missing'}")
            if plan.token != token:
                raise not_held(row.plan_id, f"{token} is not its token")
            notice = parse_bindings(flow.bindings).by_name(row.binding).action == "notify"
            if notice and row.state == outcome:
                return status_now(turn, flow.flow_id)
            if row.state != "sent" or not notice:
                refuse(
                    f"{node} is {row.state}" if notice else f"{node} is done by an executor",
                    where=flow.flow_id,
                    expected="a node that the holder was notified of",
                    remedy="see volition flow status",
                )
            take_result(turn, flow, row, outcome, plan.holder, detail=detail)
            approval.notify_holders(turn, flow.flow_id, plan.holder)
            return status_now(turn, flow.flow_id)

    def abandon(self, flow_id: str, by: str, *, why: str = "") -> FlowStatus:
        """Give a flow up: nothing more is sent. What was done stays done, and claims stay with their holders."""
        with on_flow(self.team, flow_id) as (turn, flow):
            need_state(flow, OPEN_FLOWS, "abandoned")
            close_flow(turn, flow.flow_id, "abandoned", why or f"given up by {by}", by)
            return status_now(turn, flow.flow_id)

    def status(self, flow_id: str) -> FlowStatus:
        """A flow as it is now; a unique beginning of its id is enough."""
        with self.team.store.read() as connection:
            return status_of(connection, find_flow(connection, self.team.project, flow_id))

    def list(self, *, state: str | None = None) -> tuple[FlowStatus, ...]:
        """All flows of the project, or those in one state, oldest first."""
        with self.team.store.read() as connection:
            wanted = select(FLOW).where(FLOW.c.project == self.team.project).order_by(FLOW.c.number)
            wanted = wanted if state is None else wanted.where(FLOW.c.state == state)
            return tuple(status_of(connection, row) for row in connection.execute(wanted).all())


def _check_outcome(outcome: str) -> None:
    if outcome not in {"done", "failed"}:
        refuse(f"{outcome!r} is not an outcome", where="outcome", expected="done or failed", remedy="say one of them")
