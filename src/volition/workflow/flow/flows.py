"""The flows of a project, as people use them. Every verb is one transaction: it happens as a whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from sqlalchemy import select

from volition.core.errors import NotPossible, did_you_mean, refuse
from volition.workflow.flow import judging
from volition.workflow.flow.judging import PATIENCE
from volition.workflow.flow.status import FlowStatus, find_flow, find_in_transaction, status_now, status_of
from volition.workflow.law.bindings import parse_bindings
from volition.workflow.law.flows import need_state
from volition.workflow.law.nodes import nodes_of
from volition.workflow.law.permit import request_id
from volition.workflow.store.rows import FlowRow, NodeRow, RegisteredPlan
from volition.workflow.store.tables import FLOW
from volition.workflow.team.sweeping import settle_flow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.governance.documents.packs import AnswerPack
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
        return judging.approve_flow(self.team, flow_id, by, exactly, patience)

    def resume(self, flow_id: str, by: str, *, node: str | None = None) -> FlowStatus:
        """Make nodes that failed ready again, as a new attempt: one, or all.

        An unknown node is never tried again: driving the flow asks its executor once more, where that remembers requests, and
        else a person has to say what became of it (`settle`).
        """
        with self.team.transaction() as transaction:
            flow = find_in_transaction(transaction, flow_id)
            need_state(flow, ("held",), "resumed")
            nodes = nodes_of(transaction.rows, flow.flow_id)
            chosen = [_find_node(nodes, node, flow)] if node else [each for each in nodes if each.state == "failed"]
            if not chosen or any(each.state != "failed" for each in chosen):
                _refuse_resume(flow, chosen)
            for each in chosen:
                request = request_id(flow.flow_id, flow.graph_hash, each.node_id, each.attempt + 1)
                transaction.record(
                    "node ready", flow.flow_id, by, node=each.node_id, attempt=each.attempt + 1, request=request
                )
            settle_flow(transaction, flow.flow_id, by)
            return status_now(transaction, flow.flow_id)

    def skip(self, flow_id: str, node: str, by: str, *, why: str = "") -> FlowStatus:
        """Leave a node that failed, is unknown or has not begun; what waits for it goes on."""
        with self.team.transaction() as transaction:
            flow = find_in_transaction(transaction, flow_id)
            row = _find_node(nodes_of(transaction.rows, flow.flow_id), node, flow)
            transaction.record("node skipped", flow.flow_id, by, node=row.node_id, why=why or f"skipped by {by}")
            settle_flow(transaction, flow.flow_id, by)
            return status_now(transaction, flow.flow_id)

    def settle(self, flow_id: str, node: str, outcome: str, by: str, *, detail: str = "") -> FlowStatus:
        """Settle a node whose result is unknown, or whose driver is gone, after looking: `done` or `failed`."""
        with self.team.transaction() as transaction:
            flow = find_in_transaction(transaction, flow_id)
            row = _find_node(nodes_of(transaction.rows, flow.flow_id), node, flow)
            reason = detail or f"settled by {by}"
            transaction.record(
                "node settled", flow.flow_id, by, node=row.node_id, request=row.request, outcome=outcome, detail=reason
            )
            settle_flow(transaction, flow.flow_id, by)
            return status_now(transaction, flow.flow_id)

    def report(self, flow_id: str, node: str, outcome: str, token: int, *, detail: str = "") -> FlowStatus:
        """The holder of a plan reports on a node that it was notified of: `done` or `failed`. It needs the plan's token.

        The same report again changes nothing: its answer may have been lost.
        """
        with self.team.transaction() as transaction:
            flow = find_in_transaction(transaction, flow_id)
            row = _find_node(nodes_of(transaction.rows, flow.flow_id), node, flow)
            plan = transaction.rows.find(RegisteredPlan, row.plan_id)
            notice = parse_bindings(flow.bindings).by_name(row.binding).action == "notify"
            if notice and row.state == outcome and plan is not None and plan.token == token:
                return status_now(transaction, flow.flow_id)
            holder = plan.holder if plan is not None else ""
            transaction.record(
                "node reported", flow.flow_id, holder,
                node=row.node_id, request=row.request, outcome=outcome, token=token, detail=detail,
            )  # fmt: skip
            settle_flow(transaction, flow.flow_id, holder)
            judging.notify_holders(transaction, flow.flow_id, holder)
            return status_now(transaction, flow.flow_id)

    def abandon(self, flow_id: str, by: str, *, why: str = "") -> FlowStatus:
        """Give a flow up: nothing more is sent. What was done stays done, and claims stay with their holders."""
        self.team.prepare()
        with self.team.transaction() as transaction:
            flow = find_in_transaction(transaction, flow_id)
            transaction.record("abandoned", flow.flow_id, by, why=why or f"given up by {by}")
            self.team.move_up(transaction, by)
            return status_now(transaction, flow.flow_id)

    def status(self, flow_id: str) -> FlowStatus:
        """A flow as it is now, by the database's clock; a unique beginning of its id is enough."""
        with self.team.store.read() as connection:
            flow = find_flow(connection, self.team.project, flow_id)
            return status_of(connection, flow, self.team.store.clock(connection))

    def list(self, *, state: str | None = None) -> tuple[FlowStatus, ...]:
        """All flows of the project, or those in one state, oldest first."""
        with self.team.store.read() as connection:
            wanted = select(FLOW).where(FLOW.c.project == self.team.project).order_by(FLOW.c.number)
            now, rows = self.team.store.clock(connection), connection.execute(wanted).mappings().all()
            flows = [status_of(connection, FlowRow(**row), now) for row in rows]
        return tuple(flow for flow in flows if state is None or flow.state == state)


def _find_node(nodes: Sequence[NodeRow], node_id: str, flow: FlowRow) -> NodeRow:
    """One node of a flow; InvalidInput if there is none of this id."""
    known = {node.node_id: node for node in nodes}
    if node_id not in known:
        refuse(
            f"there is no node {node_id!r}", where=flow.flow_id, expected="a node", remedy=did_you_mean(node_id, known)
        )
    return known[node_id]


def _refuse_resume(flow: FlowRow, chosen: Sequence[NodeRow]) -> NoReturn:
    """Say why nothing is tried again, and what is known of an unknown node."""
    if chosen and chosen[0].state == "unknown":
        node = chosen[0]
        raise NotPossible.of(
            f"nobody knows what became of {node.node_id}: {node.detail or 'there was no answer'}",
            where=flow.flow_id,
            expected="a person who has looked whether it happened",
            remedy=(
                f"look, and then say it: volition flow settle {flow.flow_id} {node.node_id} done, or failed; what failed can be"
                " resumed"
            ),
        )
    refuse(
        f"{chosen[0].node_id} is {chosen[0].state}" if chosen else "no node failed",
        where=flow.flow_id,
        expected="a node that failed",
        remedy="see volition flow status; settle an unknown node once you know what became of it",
    )
