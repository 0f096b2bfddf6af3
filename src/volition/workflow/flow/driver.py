"""The driver: claims a flow, does what can be done, and leaves when a person or a holder has to act.

Who drives is decided by a lease of seconds and a fence that rises with every claim: each transition sees that both still
hold, and a driver that lost them stops. A node that is found `sent` by the next driver may have happened. An executor
that remembers requests is asked again under the same id; of any other the node is `unknown`, and a person is asked.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import update

from volition.core.canonical import canonical
from volition.core.errors import NotPossible, Problem
from volition.execution import HandshakeFailed
from volition.workflow.flow.approval import check_permit, notify_holders
from volition.workflow.flow.bindings import parse_bindings
from volition.workflow.flow.dispatch import open_bridge_door, order_for
from volition.workflow.flow.nodes import move_flow, move_node, nodes_of
from volition.workflow.flow.states import DRIVEN
from volition.workflow.flow.transitions import need_state, node_of, on_flow, take_result
from volition.workflow.store.tables import FLOW
from volition.workflow.team.evidence import moment

if TYPE_CHECKING:
    from sqlalchemy import Row

    from volition.workflow.flow.bindings import Binding
    from volition.workflow.flow.dispatch import OpenDoor, WorkDoor, WorkOrder, WorkResult
    from volition.workflow.flow.flows import Flows
    from volition.workflow.flow.status import FlowStatus
    from volition.workflow.store.turn import Turn

LEASE: Final = 15.0
"""How long a driver may be silent, beyond the deadline of what it has sent, before another one may take over."""


class LostFlow(NotPossible):
    """Another driver has taken the flow over, or the lease was lost."""


class FlowDriver:
    """Drives flows in the name of `holder`, which must be unique among those that run at the same time.

    `at_once` nodes that are free of each other are sent at the same time; with 1, one after the other in the order of
    the graph.
    """

    def __init__(
        self,
        flows: Flows,
        holder: str,
        *,
        open_door: OpenDoor = open_bridge_door,
        lease: float = LEASE,
        at_once: int = 4,
    ) -> None:
        self.flows, self.team, self.holder = flows, flows.team, holder
        self._open_door, self._lease, self._at_once = open_door, round(lease * 1000), at_once
        self._doors: dict[str, WorkDoor] = {}
        self._unreachable: HandshakeFailed | None = None

    def drive(self, flow_id: str) -> FlowStatus:
        """Do everything that can be done now, and return how the flow is then.

        If an executor cannot be reached, the rest is done, and then the reason is raised; its nodes stay ready.
        """
        flow_id, fence = self._claim(flow_id)
        self._unreachable = None
        try:
            self._recover(flow_id, fence)
            while (ready := self._prepare(flow_id, fence)) and self._send_all(flow_id, fence, ready):
                pass
        finally:
            self._close_doors()
            self._leave(flow_id, fence)
        if self._unreachable is not None:
            raise self._unreachable
        return self.flows.status(flow_id)

    # Claiming.

    def _claim(self, flow_id: str) -> tuple[str, int]:
        with on_flow(self.team, flow_id) as (turn, flow):
            need_state(flow, DRIVEN, "driven")
            if flow.lease_until > turn.now and flow.holder != self.holder:
                raise _lost(flow, f"{flow.holder} drives it until {moment(flow.lease_until)}")
            fence = flow.fence + 1
            mine = FLOW.c.flow_id == flow.flow_id
            values = {"fence": fence, "holder": self.holder, "lease_until": turn.now + self._lease}
            turn.connection.execute(update(FLOW).where(mine).values(values))
            turn.record("claimed", flow.flow_id, self.holder, fence=fence)
            return flow.flow_id, fence

    def _leave(self, flow_id: str, fence: int) -> None:
        """Let the next driver begin at once; one that was taken over has nothing to leave."""
        with self.team.store.write() as connection:
            mine = (FLOW.c.flow_id == flow_id, FLOW.c.fence == fence)
            connection.execute(update(FLOW).where(*mine).values(lease_until=0))

    def _keep(self, turn: Turn, flow: Row[Any], fence: int, seconds: float = 0.0) -> None:
        """See that this driver still drives, and let its lease begin again."""
        if flow.fence != fence or flow.lease_until <= turn.now:
            raise _lost(flow, f"{flow.holder} drives it" if flow.fence != fence else "the lease is over")
        until = turn.now + self._lease + round(seconds * 1000)
        turn.connection.execute(update(FLOW).where(FLOW.c.flow_id == flow.flow_id).values(lease_until=until))

    # What an earlier driver left behind.

    def _recover(self, flow_id: str, fence: int) -> None:
        with on_flow(self.team, flow_id) as (turn, flow):
            self._keep(turn, flow, fence)
            bindings = parse_bindings(flow.bindings)
            sent = [
                (node, bindings.by_name(node.binding))
                for node in nodes_of(turn.connection, flow.flow_id)
                if node.state == "sent" and bindings.by_name(node.binding).action == "intent"
            ]
            tokens = check_permit(turn, flow) if sent else {}
        for node, binding in sent:
            door = self._door(binding)
            if door is not None and door.once_only:
                result = door.act(order_for(binding, node.request, tokens[node.plan_id]))
                self._record(flow_id, node.node_id, node.request, result)
            else:
                self._record(flow_id, node.node_id, node.request, None)

    # Sending.

    def _prepare(self, flow_id: str, fence: int) -> list[tuple[Row[Any], Binding]]:
        """The nodes that are ready, with a door to each executor; holders of ready notices are notified.

        Doors are opened before anything is marked as sent: an executor that cannot be reached holds the flow up, and
        its nodes stay ready.
        """
        with on_flow(self.team, flow_id) as (turn, flow):
            if flow.state not in DRIVEN:
                return []
            self._keep(turn, flow, fence)
            bindings = parse_bindings(flow.bindings)
            ready = [
                (node, bindings.by_name(node.binding))
                for node in nodes_of(turn.connection, flow.flow_id)
                if node.state == "ready"
            ]
            if not ready:
                return []
            check_permit(turn, flow)
            if flow.state != "running":
                move_flow(turn, flow, "running", self.holder)
            notify_holders(turn, flow_id, self.holder)
        return [(node, binding) for node, binding in ready if binding.action == "intent"]

    def _send_all(self, flow_id: str, fence: int, ready: list[tuple[Row[Any], Binding]]) -> bool:
        """Send some ready nodes and record their results; False if no executor of theirs can be reached."""
        reachable = [(node, binding) for node, binding in ready if self._door(binding) is not None]
        batch = reachable[: self._at_once]
        if len(batch) > 1:
            with ThreadPoolExecutor(len(batch)) as pool:
                for done in [pool.submit(self._send, flow_id, fence, *each) for each in batch]:
                    done.result()
        elif batch:
            self._send(flow_id, fence, *batch[0])
        return bool(batch)

    def _send(self, flow_id: str, fence: int, node: Row[Any], binding: Binding) -> None:
        """One node: marked as sent, sent, and its result recorded. A crash between two of these is what recovery is for."""
        order = self._mark_sent(flow_id, fence, node, binding)
        if order is None:
            return
        door = self._door(binding)
        assert door is not None
        result = door.act(order)
        if result.outcome == "unknown" and door.once_only:
            result = door.act(order)
        self._record(flow_id, node.node_id, node.request, result)

    def _mark_sent(self, flow_id: str, fence: int, node: Row[Any], binding: Binding) -> WorkOrder | None:
        with on_flow(self.team, flow_id) as (turn, flow):
            now = node_of(turn, flow, node.node_id)
            if flow.state not in DRIVEN or now.state != "ready" or now.request != node.request:
                return None  # a withdrawal, or a person's word, came first
            self._keep(turn, flow, fence, seconds=2 * binding.deadline)
            tokens = check_permit(turn, flow)
            move_node(turn, now, "sent", self.holder)
            return order_for(binding, node.request, tokens[node.plan_id])

    def _record(self, flow_id: str, node_id: str, request: str, result: WorkResult | None) -> None:
        """Record what is known of a request, whoever drives by now: it is the truth about that request.

        None is what a crash left behind at an executor that does not remember.
        """
        with on_flow(self.team, flow_id) as (turn, flow):
            node = node_of(turn, flow, node_id)
            if node.request != request or node.state != "sent":
                return
            if result is None:
                what = "the driver was cut off, and the executor does not remember requests: it may have happened"
                take_result(turn, flow, node, "unknown", self.holder, detail=what)
                return
            written = canonical(result.result).decode() if result.result is not None else ""
            take_result(
                turn, flow, node, result.outcome, self.holder,
                result=written, detail=result.detail, retry=result.retry,
            )  # fmt: skip

    # Doors.

    def _door(self, binding: Binding) -> WorkDoor | None:
        """The door to the executor of a binding, opened once; None if it cannot be reached."""
        if binding.executor not in self._doors:
            try:
                self._doors[binding.executor] = self._open_door(binding.executor)
            except HandshakeFailed as error:
                self._unreachable = error
                return None
        return self._doors[binding.executor]

    def _close_doors(self) -> None:
        while self._doors:
            self._doors.popitem()[1].close()


def _lost(flow: Row[Any], what: str) -> LostFlow:
    problem = Problem(what, flow.flow_id, "one driver at a time", "leave it to the other one, or try again later")
    return LostFlow(problem)
