"""The law of plans: who holds what, since when, and until when.

A plan is granted while it meets no active plan gravely, or by a person's word in a flow. Its lease is by the clock of the
database; but a plan lives as long as a flow that was approved with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from msgspec import UNSET
from msgspec.structs import replace

from volition.core.errors import NotPossible, refuse
from volition.governance.documents.intent import GRAVE
from volition.workflow.law.bindings import parse_bindings
from volition.workflow.law.bodies import GrantByFlow, RegisteredBody
from volition.workflow.law.judgement import read_plan
from volition.workflow.law.members import need_role, settings_of
from volition.workflow.law.nodes import free_nodes
from volition.workflow.law.states import DRIVEN, NEXT_OF_PLAN, OPEN_FLOWS, OPEN_PLANS
from volition.workflow.store.events import CLOCK
from volition.workflow.store.rows import FlowPlanRow, FlowRow, NodeRow, PermitRow, RegisteredPlan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance.live.index import Collision
    from volition.workflow.law.bodies import (
        CollisionBody,
        GrantFromLine,
        LeaseBody,
        NoBody,
        RefusedBody,
        SupersededBody,
        TokenBody,
        WhyBody,
        WithdrawnBody,
    )
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import ProjectRow, Rows

LONGEST_LEASE: Final = 90 * 86400.0
"""In seconds: what a record may hold. `volition.workflow.team.team.LONGEST` is what may be asked for."""
EPOCH: Final = 10**9
"""How far the tokens of one epoch are from those of the next."""
CUT: Final = 15_000
"""What is left of the lease of a driver when the clock is set back, in milliseconds."""


class NotHeld(NotPossible):
    """The plan is not held under this token: it ended, was granted again, or the token was never right."""


def not_held(plan_id: str, what: str, remedy: str = "") -> NotHeld:
    """The error for a token that authorises nothing."""
    return NotHeld.of(
        what,
        where=plan_id,
        expected="the token of the newest grant, while its lease lasts",
        remedy=remedy or f"stop working on it, and look: volition team show {plan_id}; then register it again",
    )


def token_at(project: ProjectRow, seq: int) -> int:
    """The token that the event with a number gives."""
    return project.epoch * EPOCH + seq


def is_grave(collision: Collision | CollisionBody) -> bool:
    """Whether a plan is not granted beside another: the collision is grave; or a lock, which holds while its plan is active
    unless the policy calls that low; or only a declared order settles it, since one has to end before the other."""
    lock = collision.rule == "constraint_lock" and collision.severity != "low"
    return collision.severity in GRAVE or lock or bool(collision.in_order)


# Grants.


def grant(rows: Rows, event: RecordedEvent, body: RegisteredBody | GrantFromLine | GrantByFlow) -> None:
    """A plan is active: it met nobody gravely, or a person has settled that in a flow."""
    if isinstance(body, GrantByFlow):
        _grant_by_flow(rows, event, body)
        return
    if any(map(is_grave, body.collisions)):
        _refuse_grant(event, "it collides gravely with another plan", "a plan that meets nobody gravely")
    if isinstance(body, RegisteredBody):
        _take_document(rows, event, body, "active")
    else:
        _grant_from_line(rows, event, body)


def _grant_from_line(rows: Rows, event: RecordedEvent, body: GrantFromLine) -> None:
    """The way of a waiting plan is free: whoever notices says so. It stays as its holder registered it, under the token that it
    waited with."""
    plan, lease = _need_waiting(rows, event, body), _lease(event, body)
    if lease["lease_ms"] != plan.lease_ms and plan.holder != event.actor:
        _refuse_grant(
            event, f"the lease is {lease['lease_ms']} ms", f"the {plan.lease_ms} ms that its holder asked for"
        )
    rows.put(replace(plan, state="active", seq=event.seq, **lease))


def _need_waiting(rows: Rows, event: RecordedEvent, body: GrantFromLine | GrantByFlow) -> RegisteredPlan:
    """The plan that is granted after it waited, exactly as it is."""
    plan = need_open(rows, event.subject)
    if (plan.state, plan.checksum, plan.token) != ("waiting", body.checksum, body.token):
        state = f"the plan is {plan.state}, {plan.checksum[:16]}... under {plan.token}"
        _refuse_grant(event, state, "a waiting plan, as it is")
    return plan


def put_in_line(rows: Rows, event: RecordedEvent, body: RegisteredBody) -> None:
    """A plan waits: it holds nothing, and keeps its place, which is its token."""
    if not any(map(is_grave, body.collisions)):
        _refuse_grant(event, "nothing is in its way", "a plan that collides gravely")
    _take_document(rows, event, body, "waiting")


def refuse_plan(rows: Rows, event: RecordedEvent, body: RefusedBody) -> None:
    """A plan is refused: nothing of it is stored but the event."""
    if not any(map(is_grave, body.collisions)):
        _refuse_grant(event, "nothing is in its way", "a plan that collides gravely")
    before = rows.find(RegisteredPlan, event.subject)
    if before is not None and before.state in OPEN_PLANS and before.holder != event.actor:
        _refuse_grant(event, f"the plan is held by {before.holder}", f"{before.holder}, who revises it")


def _take_document(rows: Rows, event: RecordedEvent, body: RegisteredBody, state: str) -> None:
    """Store a plan that is registered, or that its holder revises."""
    before = rows.find(RegisteredPlan, event.subject)
    if event.actor == CLOCK:
        _refuse_grant(event, "nobody registers it", "somebody who holds it")
    intent = read_plan(body.document)
    if (intent.id, intent.audit.checksum, intent.scope.project_id) != (event.subject, body.checksum, rows.project):
        _refuse_grant(event, "the document is of another plan", f"{event.subject} of {rows.project}")
    if before is not None and before.state in OPEN_PLANS:
        _need_held(before, event, 0 if body.revises is UNSET else body.revises)
    elif body.revises is not UNSET:
        _refuse_grant(event, "there is no open plan to revise", "an open plan")
    rows.put(
        RegisteredPlan(
            project=rows.project, plan_id=event.subject, checksum=body.checksum, holder=event.actor, state=state,
            document=body.document, token=_token(rows, event, body), seq=event.seq, **_lease(event, body),
        )
    )  # fmt: skip


def _grant_by_flow(rows: Rows, event: RecordedEvent, body: GrantByFlow) -> None:
    """A waiting plan is granted because somebody approved the flow in which its collisions were settled."""
    plan = _need_waiting(rows, event, body)
    _check_approval(rows, event, body.flow, "kept")
    rows.put(replace(plan, state="active", seq=event.seq))


def _check_approval(rows: Rows, event: RecordedEvent, flow_id: str, fate: str) -> None:
    """Check that the actor has just approved a flow in which the plan has this fate."""
    flow, permit = rows.find(FlowRow, flow_id), rows.find(PermitRow, flow_id)
    part = rows.find(FlowPlanRow, flow_id, event.subject)
    permitted = permit is not None and (permit.actor, permit.at, permit.state) == (event.actor, event.at, "valid")
    if flow is None or flow.state != "approved" or not permitted or part is None or part.fate != fate:
        _refuse_grant(event, f"{flow_id} does not say so", f"an approval in which it is {fate}")


def _token(rows: Rows, event: RecordedEvent, body: RegisteredBody) -> int:
    token = token_at(settings_of(rows), event.seq)
    if body.token != token:
        _refuse_grant(event, f"the token is {body.token}", str(token))
    return token


def _lease(event: RecordedEvent, body: LeaseBody) -> dict[str, int]:
    length, until = body.lease_ms, body.lease_until
    if not 0 < length <= LONGEST_LEASE * 1000:
        _refuse_grant(event, f"the lease is {length} ms", f"1 to {LONGEST_LEASE * 1000:.0f} ms")
    if until != event.at + length:
        _refuse_grant(event, f"the lease ends at {until}", f"{event.at + length}, {length} ms after it began")
    return {"lease_ms": length, "lease_until": until}


def _refuse_grant(event: RecordedEvent, what: str, expected: str) -> NoReturn:
    raise NotPossible.of(
        f"{event.subject} cannot be {event.what}: {what}",
        where=event.subject,
        expected=expected,
        remedy="register it again, as it is now",
    )


# What its holder does with a plan.


def renew(rows: Rows, event: RecordedEvent, body: LeaseBody) -> None:
    """The lease begins again."""
    plan = _need_held(need_open(rows, event.subject), event, body.token)
    rows.put(replace(plan, seq=event.seq, **_lease(event, body)))


def finish(rows: Rows, event: RecordedEvent, body: TokenBody) -> None:
    """The work of a plan is done. What its holder was notified of is done, and what was not sent of it is skipped."""
    plan = _need_held(need_open(rows, event.subject), event, body.token)
    if plan.state == "waiting":
        raise not_held(plan.plan_id, "the plan is waiting: it was never granted, so nothing of it can be done")
    _end(rows, event, plan, "finished")
    for flow in flows_relying_on(rows, plan.plan_id, DRIVEN):
        _finish_nodes(rows, flow, plan.plan_id)


def _finish_nodes(rows: Rows, flow: FlowRow, plan_id: str) -> None:
    bindings, why = parse_bindings(flow.bindings), f"{plan_id} is finished"
    for node in rows.all(NodeRow, flow_id=flow.flow_id):
        if node.plan_id != plan_id:
            continue
        if node.state in {"blocked", "ready"}:
            rows.put(replace(node, state="skipped", detail=why))
        elif node.state == "sent" and bindings.by_name(node.binding).action == "notify":
            rows.put(replace(node, state="done", detail=why))
    free_nodes(rows, flow)


def withdraw(rows: Rows, event: RecordedEvent, body: WithdrawnBody) -> None:
    """Its holder gives a plan up."""
    _end(rows, event, _need_held(need_open(rows, event.subject), event, body.token), "withdrawn")


def release(rows: Rows, event: RecordedEvent, body: WhyBody) -> None:
    """A keeper takes a plan from its holder, with a reason. From the session of an agent any person who approves may take it:
    a session that died answers nobody, and the first session in a project may be its only keeper."""
    row = need_open(rows, event.subject)
    need_role(rows, event, "approver" if _is_session(row.holder) and not _is_session(event.actor) else "keeper")
    if not body.why.strip():
        refuse(
            "no reason was given",
            where=event.subject,
            expected="why it is taken from its holder",
            remedy="pass --reason",
        )
    _end(rows, event, row, "withdrawn")


def _is_session(name: str) -> bool:
    """Whether a name is that of an agent's session, NAME@SESSION."""
    return "@" in name


# What ends a plan otherwise.


def expire(rows: Rows, event: RecordedEvent, body: NoBody) -> None:
    """The lease of a plan is over, by the clock, and no approved flow keeps it."""
    plan = need_open(rows, event.subject)
    if event.actor != CLOCK or event.at < plan.lease_until or flows_relying_on(rows, plan.plan_id, DRIVEN):
        raise NotPossible.of(
            f"{plan.plan_id} cannot expire yet",
            where=plan.plan_id,
            expected=f"the end of its lease at {plan.lease_until}, and of every approved flow with it",
            remedy="wait for it",
        )
    _end(rows, event, plan, "expired")


def supersede(rows: Rows, event: RecordedEvent, body: SupersededBody) -> None:
    """A plan gives way to another one, as was approved in a flow."""
    plan = need_open(rows, event.subject)
    _check_approval(rows, event, body.flow, "superseded")
    _end(rows, event, plan, "superseded")


def set_back(rows: Rows, event: RecordedEvent, body: NoBody) -> None:
    """The clock went back: no plan is held longer than it asked for, and no flow by a driver that is gone."""
    if event.actor != CLOCK:
        raise NotPossible.of(
            f"{event.actor} sets the clock back", where=rows.project, expected="the clock itself", remedy="leave it"
        )
    for state in OPEN_PLANS:
        for plan in rows.all(RegisteredPlan, state=state):
            rows.put(replace(plan, lease_until=min(plan.lease_until, event.at + plan.lease_ms)))
    for state in DRIVEN:
        for flow in rows.all(FlowRow, state=state):
            rows.put(replace(flow, lease_until=min(flow.lease_until, event.at + CUT)))


def _end(rows: Rows, event: RecordedEvent, plan: RegisteredPlan, state: str) -> None:
    assert state in NEXT_OF_PLAN[plan.state]
    rows.put(replace(plan, state=state, seq=event.seq))


# Shared by the laws.


def need_open(rows: Rows, plan_id: str) -> RegisteredPlan:
    """A plan that is active or waiting."""
    plan = rows.find(RegisteredPlan, plan_id)
    if plan is None:
        raise not_held(plan_id, "there is no such plan")
    if plan.state not in OPEN_PLANS:
        raise not_held(plan_id, f"the plan is {plan.state}")
    return plan


def _need_held(plan: RegisteredPlan, event: RecordedEvent, token: int) -> RegisteredPlan:
    """A plan that the actor holds, under this token."""
    if plan.holder != event.actor:
        raise not_held(
            plan.plan_id, f"the plan is held by {plan.holder}", f"ask {plan.holder}, or a keeper to release it"
        )
    return need_token(plan, token)


def need_token(plan: RegisteredPlan, token: int) -> RegisteredPlan:
    """A plan whose token this is."""
    if plan.token != token:
        look = f"see volition team show {plan.plan_id}: it changes when the plan is revised, or registered again"
        raise not_held(plan.plan_id, f"{token} is not its token", look)
    return plan


def flows_relying_on(rows: Rows, plan_id: str, states: Iterable[str] = OPEN_FLOWS) -> list[FlowRow]:
    """The flows that rely on a plan, in some states, oldest first."""
    parts = [part for part in rows.all(FlowPlanRow, plan_id=plan_id) if part.fate == "kept"]
    flows = [rows.find(FlowRow, part.flow_id) for part in parts]
    wanted = [flow for flow in flows if flow is not None and flow.project == rows.project and flow.state in states]
    return sorted(wanted, key=lambda flow: flow.number)
