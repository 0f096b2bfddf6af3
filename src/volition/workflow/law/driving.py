"""The law of driving: who may carry out a flow, and what may be said of a node that was sent.

A request has one id for as long as its attempt lasts. Once it was sent, it is `sent` or `unknown` until its executor gives a
definite answer about that id, or a person says what became of it; silence, a lost connection and a refusal of the driver
change nothing about that. A new attempt, with a new id, needs a definite failure. A driver that lost its fence may add the
answer to what it had asked, and nothing else.

`docs/models` has these transitions as a model, under the same names.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from volition.core.document import parse_json
from volition.core.errors import NotPossible, Problem, refuse
from volition.workflow.law.bindings import parse_bindings
from volition.workflow.law.bodies import RequestBody
from volition.workflow.law.flows import need_flow
from volition.workflow.law.members import need_role
from volition.workflow.law.nodes import compensate, free_nodes, may_retry, passed_nodes
from volition.workflow.law.permit import check_permit, flow_changed, request_id
from volition.workflow.law.plans import not_held, token_at
from volition.workflow.law.states import DRIVEN, NEXT_OF_FLOW, NEXT_OF_NODE, OPEN_FLOWS
from volition.workflow.store.rows import NodeRow, ProjectRow, RegisteredPlan

if TYPE_CHECKING:
    from volition.workflow.law.bodies import (
        AnswerBody,
        AttemptBody,
        ClaimedBody,
        FenceBody,
        NodeBody,
        ReportedBody,
        SentBody,
        SettledBody,
        SkippedBody,
        UnansweredBody,
    )
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import FlowRow, Rows


class LostFlow(NotPossible):
    """Another driver has taken the flow over, or the lease was lost."""


def lost_flow(flow_id: str, what: str) -> LostFlow:
    """The error for a driver that may not go on."""
    return LostFlow(Problem(what, flow_id, "one driver at a time", "leave it to the other one, or try again later"))


LONGEST_CLAIM: Final = 86_400_000
"""How long a claim may last without another word of its driver, in milliseconds."""


# The driver.


def claim(rows: Rows, event: RecordedEvent, body: ClaimedBody) -> None:
    """A driver takes a flow that nobody drives. The fence is a token, so no later claim has a lower one, and executors refuse
    a driver with an earlier claim."""
    flow = need_flow(rows, event, DRIVEN, "driven")
    same = (flow.holder, flow.driver) == (event.actor, body.driver)
    if flow.lease_until > event.at and not same:
        raise lost_flow(flow.flow_id, f"{flow.holder} drives it ({flow.driver})")
    project = rows.find(ProjectRow)
    if project is None or body.fence != token_at(project, event.seq):
        raise _unlawful(event, f"the fence is {body.fence}", "the token of the event")
    claimed = replace(flow, holder=event.actor, driver=body.driver, fence=body.fence)
    _extend(rows, event, claimed, body.lease_until)


def _extend(rows: Rows, event: RecordedEvent, flow: FlowRow, until: int) -> None:
    """Put a flow whose claim begins, or lasts until the answer to a node is due."""
    if not event.at < until <= event.at + LONGEST_CLAIM:
        raise _unlawful(event, f"the claim would last {until - event.at} ms", f"1 to {LONGEST_CLAIM} ms")
    rows.put(replace(flow, lease_until=until))


def leave(rows: Rows, event: RecordedEvent, body: FenceBody) -> None:
    """A driver lets the next one begin at once."""
    flow = need_flow(rows, event, NEXT_OF_FLOW, "left")
    if (flow.holder, flow.fence) != (event.actor, body.fence):
        raise lost_flow(flow.flow_id, f"{flow.holder} drives it")
    rows.put(replace(flow, lease_until=0))


def need_fence(flow: FlowRow, actor: str, fence: int, now: int) -> None:
    """Check that a driver still drives."""
    if (flow.holder, flow.fence) != (actor, fence):
        raise lost_flow(flow.flow_id, f"{flow.holder} drives it")
    if flow.lease_until <= now:
        raise lost_flow(flow.flow_id, "the lease is over")


def send(rows: Rows, event: RecordedEvent, body: SentBody) -> None:
    """A node is about to be sent: from here on it may have happened. It takes the claim, the permit, and its place in the
    order; the claim lasts until the answer is due."""
    flow, node = _need_driven(rows, event), _need_node(rows, event, body, ("ready",))
    need_fence(flow, event.actor, body.fence, event.at)
    _need_action(event, flow, node, notice=False)
    _need_order(rows, flow, node, event.at)
    _put(rows, node, "sent", asked_by=json.dumps([_asker(event, body.fence)]), detail="", result="", retry=0)
    _extend(rows, event, flow, body.lease_until)


def ask(rows: Rows, event: RecordedEvent, body: SentBody) -> None:
    """A driver is about to ask again for a request that was sent, under the same id, because its executor remembers it. It
    may happen now, if it has not yet."""
    flow, node = _need_driven(rows, event), _need_node(rows, event, body, ("sent", "unknown"))
    need_fence(flow, event.actor, body.fence, event.at)
    _need_action(event, flow, node, notice=False)
    check_permit(rows, flow, event.at)
    askers = [*json.loads(node.asked_by), _asker(event, body.fence)]
    rows.put(replace(node, state="sent", asked_by=json.dumps(list(dict.fromkeys(askers)))))
    _extend(rows, event, flow, body.lease_until)


def unsend(rows: Rows, event: RecordedEvent, body: UnansweredBody) -> None:
    """Nothing of a node has left: the driver that alone has sent it says so, and the same request may be sent later."""
    flow, node = _need_driven(rows, event), _need_node(rows, event, body, ("sent",))
    need_fence(flow, event.actor, body.fence, event.at)
    if json.loads(node.asked_by) != [_asker(event, body.fence)]:
        raise _unlawful(event, f"it was asked for by {node.asked_by}", "the driver that alone has sent it")
    _put(rows, node, "ready", asked_by="[]", detail=body.detail)


def answer(rows: Rows, event: RecordedEvent, body: AnswerBody) -> None:
    """An executor has said what became of a request. That is the truth about it, so whoever had asked may say it, also a
    driver whose claim was lost."""
    flow, node = (
        need_flow(rows, event, NEXT_OF_FLOW, "answered for"),
        _need_node(rows, event, body, ("sent", "unknown")),
    )
    if _asker(event, body.fence) not in json.loads(node.asked_by):
        raise _unlawful(event, f"{event.actor} did not ask under {body.fence}", "a driver that asked for it")
    if body.result:
        parse_json(body.result, where="result")
    outcome = event.what.removeprefix("node ")
    known = _put(rows, node, outcome, result=body.result, detail=body.detail, retry=int(body.retry))
    _go_on(rows, flow, known)


def doubt(rows: Rows, event: RecordedEvent, body: UnansweredBody) -> None:
    """Nobody has said what became of a request: it may have happened."""
    flow, node = need_flow(rows, event, NEXT_OF_FLOW, "doubted"), _need_node(rows, event, body, ("sent",))
    need_fence(flow, event.actor, body.fence, event.at)
    _need_action(event, flow, node, notice=False)
    _put(rows, node, "unknown", detail=body.detail)


def retry(rows: Rows, event: RecordedEvent, body: AttemptBody) -> None:
    """After a definite failure there is another attempt, with another request: the driver's, as often as is bound, or a
    person's."""
    flow, node = _need_driven(rows, event), _need_node(rows, event, body, ("failed",))
    bound = may_retry(flow, node) and (flow.holder, flow.fence) == (event.actor, body.fence)
    if bound:
        need_fence(flow, event.actor, flow.fence, event.at)
    else:
        need_role(rows, event, "approver")
    attempt = node.attempt + 1
    request = request_id(flow.flow_id, flow.graph_hash, node.node_id, attempt)
    if (body.request, body.attempt) != (request, attempt):
        raise _unlawful(event, "it has another request", f"attempt {attempt}, {request[:16]}...")
    _put(rows, node, "ready", attempt=attempt, request=request, result="", detail="", retry=0, asked_by="[]")


# People.


def notify(rows: Rows, event: RecordedEvent, body: RequestBody) -> None:
    """The holder of a plan is told that a node is theirs to do now."""
    flow, node = _need_driven(rows, event), _need_node(rows, event, body, ("ready",))
    _need_action(event, flow, node, notice=True)
    _need_order(rows, flow, node, event.at)
    _put(rows, node, "sent", detail="its holder was notified")


def report(rows: Rows, event: RecordedEvent, body: ReportedBody) -> None:
    """The holder of a plan says what became of a node that was theirs to do."""
    flow, node = need_flow(rows, event, NEXT_OF_FLOW, "reported on"), _need_node(rows, event, body, ("sent",))
    plan = rows.find(RegisteredPlan, node.plan_id)
    if plan is None or plan.state != "active":
        raise not_held(node.plan_id, f"the plan is {plan.state if plan else 'missing'}")
    if plan.token != body.token:
        raise not_held(node.plan_id, f"{body.token} is not its token")
    if plan.holder != event.actor:
        raise not_held(node.plan_id, f"the plan is held by {plan.holder}")
    _need_action(event, flow, node, notice=True)
    known = _put(rows, node, _outcome(body), detail=body.detail, retry=int(body.outcome == "failed"))
    _go_on(rows, flow, known)


def settle(rows: Rows, event: RecordedEvent, body: SettledBody) -> None:
    """A person has looked, and says what became of a node whose outcome is unknown, or whose driver is gone."""
    flow, node = need_flow(rows, event, NEXT_OF_FLOW, "settled"), _need_node(rows, event, body, ("sent", "unknown"))
    need_role(rows, event, "approver")
    if node.state == "sent" and flow.lease_until > event.at:
        refuse(
            f"{node.node_id} is sent, and its driver is running",
            where=flow.flow_id,
            expected="a node that is unknown, or that was sent by a driver that is gone",
            remedy="wait for its result",
        )
    known = _put(rows, node, _outcome(body), detail=body.detail, retry=0)
    _go_on(rows, flow, known)


def skip(rows: Rows, event: RecordedEvent, body: SkippedBody) -> None:
    """A person leaves a node; what waits for it goes on."""
    flow = need_flow(rows, event, OPEN_FLOWS, "changed")
    need_role(rows, event, "approver")
    node = _need_node(rows, event, body, ("blocked", "ready", "failed", "unknown"))
    _put(rows, node, "skipped", detail=body.why)
    free_nodes(rows, flow)


# Shared by the laws.


def _asker(event: RecordedEvent, fence: int) -> str:
    """A driver as nodes remember it: under which claim, and in whose name."""
    return f"{fence} {event.actor}"


def _need_driven(rows: Rows, event: RecordedEvent) -> FlowRow:
    return need_flow(rows, event, DRIVEN, "driven")


def _need_node(rows: Rows, event: RecordedEvent, body: NodeBody, states: tuple[str, ...]) -> NodeRow:
    node = rows.find(NodeRow, event.subject, body.node)
    if node is None:
        raise _unlawful(event, f"there is no node {body.node!r}", "a node of the flow")
    if node.state not in states:
        refuse(
            f"{node.node_id} is {node.state}",
            where=event.subject,
            expected=f"a node that is {' or '.join(states)}",
            remedy="see volition flow status",
        )
    if isinstance(body, RequestBody) and node.request != body.request:
        raise _unlawful(event, f"{node.node_id} has another request", f"{node.request[:16]}...")
    return node


def _need_action(event: RecordedEvent, flow: FlowRow, node: NodeRow, *, notice: bool) -> None:
    """Check who does a node: an executor, whom only drivers ask, or the holder of its plan, who alone reports."""
    if (parse_bindings(flow.bindings).by_name(node.binding).action == "notify") != notice:
        whose = "an executor" if notice else "the holder of its plan"
        raise _unlawful(event, f"{node.node_id} is done by {whose}", "a notice" if notice else "a node for an executor")


def _need_order(rows: Rows, flow: FlowRow, node: NodeRow, now: int) -> None:
    """Check that a node may be sent now: the order is what was approved, whatever the row says."""
    check_permit(rows, flow, now)
    if waits := sorted(set(json.loads(node.waits)) - passed_nodes(rows, flow)):
        raise flow_changed(flow.flow_id, f"{node.node_id} is ready before {waits[0]}")
    if flow.state != "running":
        raise flow_changed(flow.flow_id, f"it is {flow.state}")


def _put(rows: Rows, node: NodeRow, state: str, **values: object) -> NodeRow:
    assert state in NEXT_OF_NODE[node.state]
    moved = replace(node, state=state, **values)
    rows.put(moved)
    return moved


def _go_on(rows: Rows, flow: FlowRow, node: NodeRow) -> None:
    """What follows from the outcome of a node, while its flow is open."""
    if flow.state in OPEN_FLOWS:
        if node.state == "failed":
            compensate(rows, flow, node)
        free_nodes(rows, flow)


def _outcome(body: SettledBody) -> str:
    if body.outcome not in {"done", "failed"}:
        refuse(
            f"{body.outcome!r} is not an outcome", where="outcome", expected="done or failed", remedy="use one of them"
        )
    return body.outcome


def _unlawful(event: RecordedEvent, what: str, expected: str) -> NotPossible:
    return NotPossible.of(
        f"{event.what}: {what}", where=event.subject, expected=expected, remedy="see volition flow status"
    )
