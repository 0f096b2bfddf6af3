"""The flows of a project, as people use them. Every verb is one turn: it happens as a whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from volition.workflow.flow import approval, decisions, judging
from volition.workflow.flow.judging import PATIENCE
from volition.workflow.flow.status import FlowStatus, find_flow, status_of
from volition.workflow.store.tables import FLOW

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
        """Let nodes that failed be tried again, or an unknown one that is named, as a new attempt."""
        return decisions.resume_flow(self.team, flow_id, by, node)

    def skip(self, flow_id: str, node: str, by: str, *, why: str = "") -> FlowStatus:
        """Leave a node that failed, is unknown or has not begun; what waits for it goes on."""
        return decisions.skip_node(self.team, flow_id, node, by, why)

    def settle(self, flow_id: str, node: str, outcome: str, by: str, *, detail: str = "") -> FlowStatus:
        """Say what became of a node of unknown fate, after looking: `done` or `failed`."""
        return decisions.settle_node(self.team, flow_id, node, outcome, by, detail)

    def report(self, flow_id: str, node: str, outcome: str, token: int, *, detail: str = "") -> FlowStatus:
        """The holder of a plan reports on a node that it was notified of: `done` or `failed`."""
        return decisions.report_node(self.team, flow_id, node, outcome, token, detail)

    def abandon(self, flow_id: str, by: str, *, why: str = "") -> FlowStatus:
        """Give a flow up: nothing more is sent."""
        return decisions.abandon_flow(self.team, flow_id, by, why)

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
