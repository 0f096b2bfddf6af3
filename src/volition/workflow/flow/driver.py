"""The driver: claims a flow, does what can be done, and leaves when a person or a holder has to act.

Theory of operation. A drive goes through these steps, and may be cut off after any of them:

    claim     take the lease, under a fence that rises with every claim
    recover   ask again for what an earlier driver has sent, and of which no outcome is known
    step      one transaction: record the results, notify holders, mark what is ready as sent
    act       let the orders leave, and wait for the first result; then the next step, until nothing is left to send
    leave     give the lease back, so that the next driver need not wait for its end

A node is marked as sent before its order leaves, so whatever may have happened is in the database. Each transition sees
that lease and fence still hold, and a driver that lost them sends nothing more; definite answers are recorded even then.
A node that is found `sent` or `unknown` may have happened. An executor that remembers requests is asked again under the
same id; of any other it stays unknown, and a person is asked. `volition.workflow.law.states` has the states of nodes.
"""

from __future__ import annotations

import os
import socket
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.canonical import canonical
from volition.core.errors import MissingPart
from volition.workflow.flow.dispatch import (
    WorkDoor,
    WorkOrder,
    WorkResult,
    definite,
    open_action_door,
    open_bridge_door,
    order_for,
    resource_of,
)
from volition.workflow.flow.judging import notify_holders
from volition.workflow.flow.status import find_in_transaction
from volition.workflow.law.bindings import Binding, Bindings, parse_bindings
from volition.workflow.law.driving import LostFlow, lost_flow
from volition.workflow.law.flows import need_state
from volition.workflow.law.nodes import may_retry, nodes_of
from volition.workflow.law.permit import request_id
from volition.workflow.law.states import DRIVEN
from volition.workflow.store.events import moment
from volition.workflow.store.rows import FlowRow, NodeRow
from volition.workflow.team.sweeping import settle_flow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from volition.workflow.flow.dispatch import LocalAction, OpenDoor
    from volition.workflow.flow.flows import Flows
    from volition.workflow.flow.status import FlowStatus
    from volition.workflow.law.transaction import ProjectTransaction

LEASE: Final = 15.0
"""How long a driver may be silent, beyond the deadline of what it has sent, before another one may take over."""
CUT_OFF: Final = "the driver was cut off, and the executor does not remember requests: it may have happened"


class Claimed(Struct, frozen=True):
    """A flow that this driver drives, under a fence: executors refuse a driver with a lower one."""

    flow_id: str
    fence: int
    bindings: Bindings
    unanswered: tuple[NodeRow, ...]
    """What an earlier driver sent, and of which no outcome is known."""
    ready: tuple[str, ...]
    """The bindings of what can be sent."""


class SentOrder(Struct, frozen=True):
    """A node that is marked as sent, and the order for it, which is about to leave."""

    node: NodeRow
    order: WorkOrder
    door: WorkDoor


class FlowDriver:
    """Drives flows in the name of `by`. Drivers that run at the same time in one process need a `name` each: the same driver may
    claim again at once what it has not left.

    `at_once` nodes that are free of each other are sent at the same time, each in a thread; with 1, one after the other
    in the order of the graph. `actions` are functions by the names that bindings may call: each gets the order, and
    returns a result, or None if it is done. The result of one that raises is unknown.
    """

    def __init__(
        self,
        flows: Flows,
        by: str,
        *,
        open_door: OpenDoor = open_bridge_door,
        lease: float = LEASE,
        at_once: int = 4,
        actions: Mapping[str, LocalAction] | None = None,
        name: str = "",
    ) -> None:
        self.flows, self.team, self.by = flows, flows.team, by
        self.name = f"{socket.gethostname()}, process {os.getpid()}{name and f', {name}'}"
        self._open_door, self._lease, self._at_once = open_door, round(lease * 1000), at_once
        self._doors: dict[tuple[str, str], WorkDoor | None] = {}
        """The doors that were opened; None for what cannot be reached."""
        self._actions = dict(actions or {})
        self._unreachable: MissingPart | None = None
        self._is_over = False

    def drive(self, flow_id: str) -> FlowStatus:
        """Do everything that can be done now, and return how the flow is then.

        If an executor cannot be reached, the rest is done, and then the reason is raised; its nodes stay as they are.
        """
        claim = self.claim(flow_id)
        self._unreachable, self._is_over = None, False
        try:
            self.recover(claim)
            self._open_doors(claim)
            self._carry_out(claim)
        finally:
            self._close_doors()
            if not self._is_over:
                self._leave(claim)
        if self._unreachable is not None:
            raise self._unreachable
        return self.flows.status(claim.flow_id)

    # Claiming.

    def claim(self, flow_id: str) -> Claimed:
        """Become the one who drives a flow; LostFlow while another one does."""
        with self._transaction_on(flow_id) as transaction:
            flow = find_in_transaction(transaction, flow_id)
            need_state(flow, DRIVEN, "driven")
            if flow.lease_until > transaction.now and (flow.holder, flow.driver) != (self.by, self.name):
                raise lost_flow(
                    flow.flow_id, f"{flow.holder} drives it until {moment(flow.lease_until)} ({flow.driver})"
                )
            transaction.admit(self.by)
            fence, until = transaction.token, transaction.now + self._lease
            transaction.record("claimed", flow.flow_id, self.by, fence=fence, driver=self.name, lease_until=until)
            nodes = nodes_of(transaction.rows, flow.flow_id)
            unanswered = tuple(node for node in nodes if node.state in {"sent", "unknown"})
            ready = tuple(node.binding for node in nodes if node.state == "ready")
            return Claimed(flow.flow_id, fence, parse_bindings(flow.bindings), unanswered, ready)

    def _leave(self, claim: Claimed) -> None:
        """Let the next driver begin at once; one that was taken over, or whose flow is over, has nothing to leave."""
        with self._transaction_on(claim.flow_id) as transaction:
            flow = find_in_transaction(transaction, claim.flow_id)
            if flow.state in DRIVEN and self._drives(flow, claim, transaction.now):
                transaction.record("left", claim.flow_id, self.by, fence=claim.fence)

    @contextmanager
    def _transaction_on(self, flow_id: str) -> Iterator[ProjectTransaction]:
        """A transaction that begins with one look at all that driving this flow may need."""
        with self.team.transaction() as transaction:
            transaction.rows.read_flow(flow_id, self.by)
            yield transaction

    def _drives(self, flow: FlowRow, claim: Claimed, now: int) -> bool:
        return (flow.holder, flow.fence) == (self.by, claim.fence) and flow.lease_until > now

    # What an earlier driver left behind.

    def recover(self, claim: Claimed) -> None:
        """Ask again for what was sent and has no definite answer, where the executor remembers; elsewhere it is unknown."""
        for node in claim.unanswered:
            binding = claim.bindings.by_name(node.binding)
            if binding.action == "notify" or (door := self._door(claim, binding)) is None:
                continue
            result = WorkResult("unknown", None, CUT_OFF)
            if door.once_only:
                result = self._ask(claim, node, binding, door)
            self.step(claim, [(node, result)], 0)

    def _ask(self, claim: Claimed, node: NodeRow, binding: Binding, door: WorkDoor) -> WorkResult:
        """Ask for a request that was sent, under the same id. Only a definite answer changes what is known of it."""
        with self._transaction_on(claim.flow_id) as transaction:
            transaction.record(
                "node asked", claim.flow_id, self.by, node=node.node_id, request=node.request, fence=claim.fence,
                lease_until=self._until(transaction, binding),
            )  # fmt: skip
        result = door.act(self._order(claim, node, binding))
        return definite(result) or WorkResult("unknown", None, result.detail)

    # Sending.

    def _carry_out(self, claim: Claimed) -> None:
        """Send what is ready, as much at once as is allowed, and go on with every result until nothing more can be sent.

        When the claim is lost, nothing more is sent; the answers to what is under way are still recorded.
        """
        under_way: dict[Future[WorkResult], NodeRow] = {}
        known: list[tuple[NodeRow, WorkResult]] = []
        lost: LostFlow | None = None
        with ThreadPoolExecutor(self._at_once) as pool:
            while True:
                try:
                    sent = self.step(claim, known, self._at_once - len(under_way))
                except LostFlow as error:
                    lost, sent = error, []
                if len(sent) == 1 and not under_way:
                    known = [(sent[0].node, self._act(sent[0]))]  # what is alone needs no thread
                else:
                    under_way |= {pool.submit(self._act, each): each.node for each in sent}
                    finished = wait(under_way, return_when=FIRST_COMPLETED).done
                    known = [(under_way.pop(each), each.result()) for each in finished]
                if not known:
                    break
        if lost is not None:
            raise lost

    def step(self, claim: Claimed, known: Iterable[tuple[NodeRow, WorkResult]] = (), most: int = 1) -> list[SentOrder]:
        """Record what is known, notify holders whose turn has come, and mark as sent what is ready and can be reached, at most
        so many: one transaction, unless doors have to be opened first.

        LostFlow if another one drives; what was definite is recorded even then.
        """
        results = list(known)
        while True:
            with self._transaction_on(claim.flow_id) as transaction:
                flow = self._record(transaction, claim, results)
                if flow.state not in DRIVEN:
                    self._is_over = True
                    return []
                drives, unopened = self._drives(flow, claim, transaction.now), list[Binding]()
                if drives and most:
                    ready = self._make_ready(transaction, flow, claim)
                    unopened = [binding for _, binding in ready if _key(binding) not in self._doors]
                    if not unopened:
                        return [self._mark_sent(transaction, claim, *each) for each in self._reachable(ready)[:most]]
                elif drives:
                    return []
            if not drives:
                raise lost_flow(flow.flow_id, f"{flow.holder} drives it, or the lease is over")
            results = []
            for binding in unopened:
                self._door(claim, binding)

    def _record(
        self, transaction: ProjectTransaction, claim: Claimed, known: Iterable[tuple[NodeRow, WorkResult]]
    ) -> FlowRow:
        """Record results: what is definite in any case, because it is the truth about a request, and the rest while this driver
        drives. The flow as it is then."""
        for node, result in known:
            flow, now = (
                find_in_transaction(transaction, claim.flow_id),
                transaction.rows.find(NodeRow, claim.flow_id, node.node_id),
            )
            if now is None or now.request != node.request or now.state not in {"sent", "unknown"}:
                continue  # a person, or another driver, has said what became of it
            details = {"node": node.node_id, "request": node.request, "fence": claim.fence, "detail": result.detail}
            if result.outcome in {"done", "failed"}:
                written = canonical(result.result).decode() if result.result is not None else ""
                transaction.record(
                    f"node {result.outcome}", flow.flow_id, self.by, result=written, retry=result.retry, **details
                )
            elif now.state == "sent" and self._drives(flow, claim, transaction.now):
                transaction.record(
                    f"node {'unsent' if result.outcome == 'unsent' else 'unknown'}", flow.flow_id, self.by, **details
                )
            if result.outcome == "unsent":
                self._give_up(claim.bindings.by_name(node.binding), result.detail)
            settle_flow(transaction, flow.flow_id, self.by)
        return find_in_transaction(transaction, claim.flow_id)

    def _make_ready(
        self, transaction: ProjectTransaction, flow: FlowRow, claim: Claimed
    ) -> list[tuple[NodeRow, Binding]]:
        """The nodes that are ready for an executor, after those are tried again that failed and may be; holders whose turn has
        come are notified."""
        for node in nodes_of(transaction.rows, flow.flow_id):
            if may_retry(flow, node):
                request = request_id(flow.flow_id, flow.graph_hash, node.node_id, node.attempt + 1)
                transaction.record(
                    "node ready", flow.flow_id, self.by,
                    node=node.node_id, attempt=node.attempt + 1, request=request, fence=claim.fence,
                )  # fmt: skip
        ready = [node for node in nodes_of(transaction.rows, flow.flow_id) if node.state == "ready"]
        if ready and flow.state != "running":
            transaction.record("running", flow.flow_id, self.by)
        notify_holders(transaction, flow.flow_id, self.by)
        bound = [(node, claim.bindings.by_name(node.binding)) for node in ready]
        return [(node, binding) for node, binding in bound if binding.action != "notify"]

    def _mark_sent(self, transaction: ProjectTransaction, claim: Claimed, node: NodeRow, binding: Binding) -> SentOrder:
        transaction.record(
            "node sent", claim.flow_id, self.by, node=node.node_id, request=node.request, fence=claim.fence,
            lease_until=self._until(transaction, binding),
        )  # fmt: skip
        door = self._doors[_key(binding)]
        assert door is not None
        return SentOrder(node, self._order(claim, node, binding), door)

    def _act(self, sent: SentOrder) -> WorkResult:
        """Let an order leave. After silence, an executor that remembers is asked once more for the same request: only a definite
        answer replaces the silence."""
        result = sent.door.act(sent.order)
        if result.outcome == "unknown" and sent.door.once_only:
            result = definite(sent.door.act(sent.order)) or result
        return result

    # Orders and doors.

    def _until(self, transaction: ProjectTransaction, binding: Binding) -> int:
        """How long the claim lasts once a node is sent: it may be asked for twice."""
        return transaction.now + self._lease + round(2000 * binding.deadline)

    def _order(self, claim: Claimed, node: NodeRow, binding: Binding) -> WorkOrder:
        return order_for(binding, node.request, claim.fence, self.team.project, claim.flow_id)

    def _reachable(self, ready: Iterable[tuple[NodeRow, Binding]]) -> list[tuple[NodeRow, Binding]]:
        return [each for each in ready if self._doors[_key(each[1])] is not None]

    def _door(self, claim: Claimed, binding: Binding) -> WorkDoor | None:
        """The door to the executor or the function of a binding, opened once; None if it cannot be reached."""
        key = _key(binding)
        if key not in self._doors:
            try:
                self._doors[key] = self._open(claim, binding)
            except MissingPart as error:
                self._unreachable = error
                self._doors[key] = None
        return self._doors[key]

    def _open_doors(self, claim: Claimed) -> None:
        """Open the doors that are needed first, so that the first transaction can send."""
        for name in claim.ready:
            if (binding := claim.bindings.by_name(name)).action != "notify":
                self._door(claim, binding)

    def _give_up(self, binding: Binding, why: str) -> None:
        """Send nothing more through a door through which nothing leaves."""
        self._unreachable = MissingPart.of(
            f"nothing could be sent: {why}",
            where=binding.executor or binding.call,
            expected="an executor that takes requests",
            remedy="see whether it runs, and resume the flow",
        )
        if door := self._doors.get(_key(binding)):
            door.close()
        self._doors[_key(binding)] = None

    def _open(self, claim: Claimed, binding: Binding) -> WorkDoor:
        if binding.action == "call":
            return open_action_door(binding.call, self._actions)
        here = claim.bindings.at(binding.executor)
        fences = {resource_of(each, self.team.project, claim.flow_id): claim.fence for each in here}
        return self._open_door(binding.executor, fences)

    def _close_doors(self) -> None:
        while self._doors:
            if door := self._doors.popitem()[1]:
                door.close()


def _key(binding: Binding) -> tuple[str, str]:
    """What needs a separate door: an executor, or a function."""
    return binding.executor, binding.call
