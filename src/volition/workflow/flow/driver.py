"""The driver: claims a flow, does what can be done, and leaves when a person or a holder has to act.

Who drives is decided by a lease of seconds and a fence that rises with every claim: each transition sees that both still
hold, and a driver that lost them stops. A node that is found `sent` by the next driver may have happened. An executor
that remembers requests is asked again under the same id; of any other the node is `unknown`, and a person is asked.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Row, update

from volition.core.canonical import canonical
from volition.core.errors import MissingPart, NotPossible, Problem
from volition.workflow.flow.approval import check_permit, notify_holders
from volition.workflow.flow.bindings import Binding, Bindings, parse_bindings
from volition.workflow.flow.dispatch import (
    WorkDoor,
    WorkOrder,
    WorkResult,
    open_action_door,
    open_bridge_door,
    order_for,
    resource_of,
)
from volition.workflow.flow.nodes import has_passed, move_flow, move_node, nodes_of
from volition.workflow.flow.permit import flow_changed
from volition.workflow.flow.states import DRIVEN
from volition.workflow.flow.transitions import need_state, node_of, on_flow, take_result
from volition.workflow.store.tables import FLOW
from volition.workflow.team.evidence import moment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.workflow.flow.dispatch import LocalAction, OpenDoor
    from volition.workflow.flow.flows import Flows
    from volition.workflow.flow.status import FlowStatus
    from volition.workflow.store.turn import Turn

LEASE: Final = 15.0
"""How long a driver may be silent, beyond the deadline of what it has sent, before another one may take over."""
CUT_OFF: Final = "the driver was cut off, and the executor does not remember requests: it may have happened"


class LostFlow(NotPossible):
    """Another driver has taken the flow over, or the lease was lost."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A flow that this driver drives. The fence is the number of the event of the claim: no later claim has a lower
    one, so executors refuse a driver with an earlier claim."""

    flow_id: str
    fence: int
    bindings: Bindings


class FlowDriver:
    """Drives flows in the name of `holder`, which must be unique among those that run at the same time.

    `at_once` nodes that are free of each other are sent at the same time, each in a thread; with 1, one after the other
    in the order of the graph. `actions` are functions by the names that bindings may call: each gets the order, and
    returns a result, or None if it is done. The result of one that raises is unknown.
    """

    def __init__(
        self,
        flows: Flows,
        holder: str,
        *,
        open_door: OpenDoor = open_bridge_door,
        lease: float = LEASE,
        at_once: int = 4,
        actions: Mapping[str, LocalAction] | None = None,
    ) -> None:
        self.flows, self.team, self.holder = flows, flows.team, holder
        self._open_door, self._lease, self._at_once = open_door, round(lease * 1000), at_once
        self._doors: dict[tuple[str, str], WorkDoor] = {}
        self._actions = dict(actions or {})
        self._unreachable: MissingPart | None = None

    def drive(self, flow_id: str) -> FlowStatus:
        """Do everything that can be done now, and return how the flow is then.

        If an executor cannot be reached, the rest is done, and then the reason is raised; its nodes stay as they are.
        """
        claim = self.claim(flow_id)
        self._unreachable = None
        try:
            self.recover(claim)
            while (ready := self._prepare(claim)) and self._send_all(claim, ready):
                pass
        finally:
            self._close_doors()
            self._leave(claim)
        if self._unreachable is not None:
            raise self._unreachable
        return self.flows.status(claim.flow_id)

    # Claiming.

    def claim(self, flow_id: str) -> Claimed:
        """Become the one who drives a flow; LostFlow while another one does."""
        with on_flow(self.team, flow_id) as (turn, flow):
            need_state(flow, DRIVEN, "driven")
            if flow.lease_until > turn.now and flow.holder != self.holder:
                raise _lost_flow(flow, f"{flow.holder} drives it until {moment(flow.lease_until)}")
            fence = turn.record("claimed", flow.flow_id, self.holder, fence=turn.seq + 1)
            values = {"fence": fence, "holder": self.holder, "lease_until": turn.now + self._lease}
            turn.connection.execute(update(FLOW).where(FLOW.c.flow_id == flow.flow_id).values(values))
            return Claimed(flow.flow_id, fence, parse_bindings(flow.bindings))

    def _leave(self, claim: Claimed) -> None:
        """Let the next driver begin at once; one that was taken over has nothing to leave."""
        with self.team.store.write() as connection:
            mine = (FLOW.c.flow_id == claim.flow_id, FLOW.c.fence == claim.fence)
            connection.execute(update(FLOW).where(*mine).values(lease_until=0))

    def _keep(self, turn: Turn, flow: Row[Any], claim: Claimed, seconds: float = 0.0) -> None:
        """Check that this driver still drives, and renew its lease."""
        if flow.fence != claim.fence or flow.lease_until <= turn.now:
            raise _lost_flow(flow, f"{flow.holder} drives it" if flow.fence != claim.fence else "the lease is over")
        until = turn.now + self._lease + round(seconds * 1000)
        turn.connection.execute(update(FLOW).where(FLOW.c.flow_id == flow.flow_id).values(lease_until=until))

    # What an earlier driver left behind.

    def recover(self, claim: Claimed) -> None:
        """Ask again for what an earlier driver had sent, where the executor remembers; elsewhere it is unknown."""
        with on_flow(self.team, claim.flow_id) as (turn, flow):
            self._keep(turn, flow, claim)
            nodes = nodes_of(turn.connection, claim.flow_id)
            sent = self._bound_nodes(claim, nodes, "sent")
            if sent:
                check_permit(turn, flow, nodes)
        for node, binding in sent:
            door = self._door(claim, binding) if binding.action != "notify" else None
            if door is not None and door.once_only:
                self._record(claim, node, door.act(self._order(claim, node, binding)))
            elif door is not None:
                self._record(claim, node, WorkResult("unknown", None, CUT_OFF))

    # Sending.

    def _prepare(self, claim: Claimed) -> list[tuple[Row[Any], Binding]]:
        """The nodes that are ready for an executor; holders whose turn has come are notified."""
        with on_flow(self.team, claim.flow_id) as (turn, flow):
            if flow.state not in DRIVEN:
                return []
            self._keep(turn, flow, claim)
            nodes = nodes_of(turn.connection, claim.flow_id)
            ready = self._bound_nodes(claim, nodes, "ready")
            if not ready:
                return []
            if flow.state != "running":
                check_permit(turn, flow, nodes)
                move_flow(turn, flow, "running", self.holder)
            if any(binding.action == "notify" for _, binding in ready):
                notify_holders(turn, claim.flow_id, self.holder)
        return [(node, binding) for node, binding in ready if binding.action != "notify"]

    def _send_all(self, claim: Claimed, ready: list[tuple[Row[Any], Binding]]) -> bool:
        """Send some ready nodes and record their results; False if none can be sent.

        Doors are opened before anything is marked as sent, so a node whose executor cannot be reached stays ready.
        """
        batch = [each for each in ready if self._door(claim, each[1]) is not None][: self._at_once]
        if len(batch) > 1:
            with ThreadPoolExecutor(len(batch)) as pool:
                for done in [pool.submit(self._send, claim, *each) for each in batch]:
                    done.result()
        elif batch:
            self._send(claim, *batch[0])
        return bool(batch)

    def _send(self, claim: Claimed, node: Row[Any], binding: Binding) -> None:
        """One node: marked as sent, sent, and its result recorded. A crash between two of these is what recovery is for."""
        door = self._door(claim, binding)
        if door is None or not self._mark_sent(claim, node, binding):
            return
        order = self._order(claim, node, binding)
        result = door.act(order)
        if result.outcome == "unknown" and door.once_only:
            result = door.act(order)
        self._record(claim, node, result)

    def _mark_sent(self, claim: Claimed, node: Row[Any], binding: Binding) -> bool:
        """Mark a node as sent, under the permit and the claim; False if a withdrawal or a person's word came first."""
        with on_flow(self.team, claim.flow_id) as (turn, flow):
            nodes = nodes_of(turn.connection, claim.flow_id)
            now = next(each for each in nodes if each.node_id == node.node_id)
            if flow.state not in DRIVEN or now.state != "ready" or now.request != node.request:
                return False
            self._keep(turn, flow, claim, seconds=2 * binding.deadline)
            check_permit(turn, flow, nodes)
            self._check_order(claim, nodes, now)
            move_node(turn, now, "sent", self.holder)
            return True

    def _check_order(self, claim: Claimed, nodes: Sequence[Row[Any]], node: Row[Any]) -> None:
        """Check that nothing comes before a node that is ready: the order is what was approved, whatever the row says."""
        passed = {each.node_id for each in nodes if has_passed(each, claim.bindings.by_name(each.binding))}
        if waits := sorted(set(json.loads(node.waits)) - passed):
            raise flow_changed(claim.flow_id, f"{node.node_id} is ready before {waits[0]}")

    def _record(self, claim: Claimed, node: Row[Any], result: WorkResult) -> None:
        """Record the result of a request, even if another driver has taken over: it is still the truth about that request."""
        with on_flow(self.team, claim.flow_id) as (turn, flow):
            now = node_of(turn, flow, node.node_id)
            if now.request != node.request or now.state not in {"sent", "unknown"} or now.state == result.outcome:
                return
            written = canonical(result.result).decode() if result.result is not None else ""
            take_result(
                turn, flow, now, result.outcome, self.holder,
                result=written, detail=result.detail, retry=result.retry,
            )  # fmt: skip

    # Nodes and doors.

    def _bound_nodes(self, claim: Claimed, nodes: Sequence[Row[Any]], state: str) -> list[tuple[Row[Any], Binding]]:
        return [(node, claim.bindings.by_name(node.binding)) for node in nodes if node.state == state]

    def _order(self, claim: Claimed, node: Row[Any], binding: Binding) -> WorkOrder:
        return order_for(binding, node.request, claim.fence, self.team.project)

    def _door(self, claim: Claimed, binding: Binding) -> WorkDoor | None:
        """The door to the executor or the function of a binding, opened once; None if it cannot be reached."""
        key = (binding.executor, binding.call)
        if key not in self._doors:
            try:
                self._doors[key] = self._open(claim, binding)
            except MissingPart as error:
                self._unreachable = error
                return None
        return self._doors[key]

    def _open(self, claim: Claimed, binding: Binding) -> WorkDoor:
        if binding.action == "call":
            return open_action_door(binding.call, self._actions)
        here = claim.bindings.at(binding.executor)
        return self._open_door(binding.executor, {resource_of(each, self.team.project): claim.fence for each in here})

    def _close_doors(self) -> None:
        while self._doors:
            self._doors.popitem()[1].close()


def _lost_flow(flow: Row[Any], what: str) -> LostFlow:
    problem = Problem(what, flow.flow_id, "one driver at a time", "leave it to the other one, or try again later")
    return LostFlow(problem)
