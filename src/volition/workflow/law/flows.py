"""The law of flows: from plans that are judged together over questions, answers and a permit to the end."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from volition.core.canonical import canonical
from volition.core.errors import NotPossible, refuse
from volition.governance import parse_document
from volition.governance.documents.packs import AnswerPack, QuestionPack
from volition.workflow.law.bindings import parse_bindings
from volition.workflow.law.judgement import finished_among, known_as_done, prerequisites_of, read_plan
from volition.workflow.law.members import need_another, need_role, settings_of
from volition.workflow.law.nodes import goes_on, make_nodes, nodes_of, passed_nodes, why_held
from volition.workflow.law.permit import (
    check_permit,
    check_unchanged,
    flow_changed,
    hash_of_actions,
    stored_hash,
    work_of,
    world_moved,
)
from volition.workflow.law.states import DRIVEN, NEXT_OF_FLOW, OPEN_FLOWS, OPEN_PLANS
from volition.workflow.store.events import CLOCK
from volition.workflow.store.rows import AnswerRow, FlowPlanRow, FlowRow, PermitRow, QuestionRow, RegisteredPlan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.workflow.law.bodies import (
        AnsweredBody,
        ApprovedBody,
        AskedBody,
        JudgedBody,
        NoBody,
        NothingToDoBody,
        RewordedBody,
        StartedBody,
        WhyBody,
    )
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import Rows

FATES: Final = ("kept", "superseded", "left_out")
LONGEST_WAIT: Final = 366 * 86_400_000
"""How long a question may wait and a permit may last, in milliseconds."""


def flow_id_of(project: str, number: int, plans: dict[str, str], bindings: str, policy_hash: str, env: str) -> str:
    """The id of a flow: of its content and its number in the project."""
    content = [project, number, plans, bindings, policy_hash, env]
    return f"flow_{sha256(canonical(content)).hexdigest()[:16]}"


def start(rows: Rows, event: RecordedEvent, body: StartedBody) -> None:
    """Open plans are judged together, by the project's rules and some bindings. A plan is in one open flow at a time."""
    project = settings_of(rows)
    plans = [_open_plan(rows, plan_id, event.subject) for plan_id in sorted(body.plans)]
    for plan in plans:
        if body.plans[plan.plan_id] != plan.checksum:
            raise world_moved(f"{plan.plan_id} was revised or granted again", event.subject)
        refuse_busy(rows, plan.plan_id)
    needs = {name for plan in plans for name in prerequisites_of(read_plan(plan.document))}
    finished = finished_among(rows, needs)
    if body.set_document and set(known_as_done(body.set_document)) != finished:
        raise world_moved(
            f"of what it depends on, {', '.join(sorted(finished)) or 'nothing'} is finished", event.subject
        )
    parse_bindings(body.bindings)
    env = project.env or "local"
    expected = flow_id_of(rows.project, body.number, body.plans, body.bindings, project.policy_hash, env)
    if event.subject != expected or body.number != project.flows + 1:
        raise _unlawful(event, "the id is not that of its content", expected)
    rows.put(replace(project, flows=body.number))
    rows.put(
        FlowRow(
            flow_id=event.subject, project=rows.project, number=body.number, state="asked", holder="", driver="",
            fence=0, lease_until=0, reason="", set_document=body.set_document, merged="", graph="", graph_hash="",
            bindings=body.bindings, policy=project.policy, policy_hash=project.policy_hash, env=env,
        )
    )  # fmt: skip
    for plan in plans:
        rows.put(
            FlowPlanRow(
                flow_id=event.subject, plan_id=plan.plan_id, checksum=plan.checksum, token=plan.token, fate="kept",
                document=plan.document,
            )
        )  # fmt: skip


def refuse_busy(rows: Rows, plan_id: str) -> None:
    """Refuse a plan that is in an open flow: two flows would carry out its commands twice."""
    for part in rows.all(FlowPlanRow, plan_id=plan_id):
        flow = rows.find(FlowRow, part.flow_id)
        if part.fate == "kept" and flow is not None and flow.state in OPEN_FLOWS and flow.project == rows.project:
            refuse(
                f"{plan_id} is in {flow.flow_id}, which is open",
                where=f"project {rows.project}",
                expected="plans that are in no open flow",
                remedy=f"finish it, or give it up: volition flow abandon {flow.flow_id}",
            )


def ask(rows: Rows, event: RecordedEvent, body: AskedBody) -> None:
    """A question is open, until its time is over."""
    flow = need_flow(rows, event, ("asked",), "asked about")
    if _open_questions(rows, flow.flow_id):
        raise _unlawful(event, "a question is open already", "one question at a time")
    _need_wait(event, body.expires_at)
    pack = parse_document(body.pack.encode(), QuestionPack)
    rows.put(
        QuestionRow(
            flow_id=flow.flow_id, checksum=pack.checksum, state="open", pack=body.pack,
            round=1 + len(rows.all(QuestionRow, flow_id=flow.flow_id)), asked_at=event.at,
            expires_at=body.expires_at,
        )
    )  # fmt: skip


def open_question(rows: Rows, flow: FlowRow) -> QuestionRow:
    """The open question of a flow that is asked about."""
    (question,) = _open_questions(rows, flow.flow_id)
    return question


def answer_question(rows: Rows, event: RecordedEvent, body: AnsweredBody) -> None:
    """A person answers the open question, once, in time, while every plan is what it was; not for one's own plan."""
    flow = need_flow(rows, event, ("asked",), "answered")
    need_role(rows, event, "approver")
    asked = open_question(rows, flow)
    answer = parse_document(body.answer.encode(), AnswerPack)
    chosen = {each.question_id: each.answer_text for each in answer.answers}
    if (answer.question_pack_checksum, chosen) != (body.question, body.choices):
        raise _unlawful(event, "it says something else than the answer", "the choices of the answer")
    if answer.question_pack_checksum != asked.checksum:
        raise world_moved("the answer belongs to another question pack", flow.flow_id)
    if asked.expires_at <= event.at:
        raise world_moved("nobody answered in time", flow.flow_id)
    if bindings_changed(rows, flow):
        raise world_moved("its bindings were changed after it was asked about", flow.flow_id)
    parts = rows.all(FlowPlanRow, flow_id=flow.flow_id)
    plans = check_unchanged(rows, parts, flow.flow_id)
    need_another(rows, event, {plan.holder for plan in plans.values()}, "answers for")
    rows.put(AnswerRow(flow_id=flow.flow_id, checksum=asked.checksum, pack=body.answer, actor=event.actor, at=event.at))
    rows.put(replace(asked, state="answered"))


def judge(rows: Rows, event: RecordedEvent, body: JudgedBody) -> None:
    """The judgement is known: a graph, and the fate of every plan."""
    flow = need_flow(rows, event, ("asked",), "judged")
    if _open_questions(rows, flow.flow_id):
        raise _unlawful(event, "its question is open", "an answer")
    parts = rows.all(FlowPlanRow, flow_id=flow.flow_id)
    if {part.plan_id for part in parts} != set(body.plans) or not set(body.plans.values()) <= set(FATES):
        raise _unlawful(event, "it judges other plans", "a fate for each plan of the flow")
    for part in parts:
        rows.put(replace(part, fate=body.plans[part.plan_id]))
    hash = hash_of_actions(body.graph, flow.bindings, flow.policy, flow.env)
    if hash != body.graph_hash:
        raise _unlawful(event, f"its hash is {body.graph_hash[:16]}...", f"{hash[:16]}...")
    read_plan(body.merged)
    moved = replace(flow, graph=body.graph, merged=body.merged, graph_hash=hash)
    _move(rows, moved, "judged", "")


def refuse_flow(rows: Rows, event: RecordedEvent, body: NothingToDoBody) -> None:
    """The judgement leaves nothing to do."""
    flow = need_flow(rows, event, ("asked",), "refused")
    if _open_questions(rows, flow.flow_id):
        raise _unlawful(event, "its question is open", "an answer")
    _move(rows, flow, "refused", body.why)


def reword(rows: Rows, event: RecordedEvent, body: RewordedBody) -> None:
    """A plan of a judged flow was revised, and everything that is done stays the same: so does the permit."""
    flow = need_flow(rows, event, ("judged", *DRIVEN), "reworded")
    plan = _open_plan(rows, body.plan, flow.flow_id)
    part = rows.find(FlowPlanRow, flow.flow_id, body.plan)
    if part is None or plan.holder != event.actor or part.fate != "kept":
        raise _unlawful(event, f"{event.actor} does not hold it", "its holder's own plan")
    graph_hash = hash_of_actions(body.graph, flow.bindings, flow.policy, flow.env)
    if graph_hash != flow.graph_hash:
        raise _unlawful(event, f"what is done has the hash {graph_hash[:16]}...", f"{flow.graph_hash[:16]}...")
    if work_of(plan.document) != work_of(part.document):
        raise _unlawful(event, f"the work of {plan.plan_id} is another one", "the same work in other words")
    read_plan(body.merged)
    rows.put(replace(part, checksum=plan.checksum, token=plan.token, document=plan.document))
    rows.put(replace(flow, graph=body.graph, merged=body.merged))


def approve(rows: Rows, event: RecordedEvent, body: ApprovedBody) -> None:
    """A person permits exactly what is stored, for a time; not one's own plan."""
    flow = need_flow(rows, event, ("judged",), "approved")
    need_role(rows, event, "approver")
    _need_wait(event, body.expires_at)
    parts = rows.all(FlowPlanRow, flow_id=flow.flow_id)
    if not body.graph_hash == flow.graph_hash == stored_hash(flow, parts):
        raise flow_changed(flow.flow_id, "the hash of what is stored is another one")
    concerned = [part for part in parts if part.fate != "left_out"]
    plans = check_unchanged(rows, concerned, flow.flow_id)
    need_another(rows, event, {plan.holder for plan in plans.values()}, "approves")
    rows.put(
        PermitRow(
            flow_id=flow.flow_id, graph_hash=flow.graph_hash, actor=event.actor, state="valid", at=event.at,
            expires_at=body.expires_at,
        )
    )  # fmt: skip
    moved = _move(rows, flow, "approved", "")
    make_nodes(rows, moved)


def run(rows: Rows, event: RecordedEvent, body: NoBody) -> None:
    """A driver carries an approved flow out, or goes on after a person's word."""
    flow = need_flow(rows, event, ("approved", "held"), "driven")
    if flow.state == "approved" and (flow.holder != event.actor or flow.lease_until <= event.at):
        raise _unlawful(event, f"{event.actor} does not drive it", "a driver that has claimed it")
    check_permit(rows, flow, event.at)
    if not goes_on(rows, flow):
        raise _unlawful(event, "nothing of it can go on", "a node that is ready or under way")
    _move(rows, flow, "running", "")


def hold(rows: Rows, event: RecordedEvent, body: WhyBody) -> None:
    """Nothing goes on without a person's word."""
    flow = need_flow(rows, event, ("running",), "held")
    if goes_on(rows, flow) or _is_done(rows, flow):
        raise _unlawful(event, "something of it goes on", "a flow of which nothing goes on")
    _need_reason(event, body, why_held(rows, flow))
    _move(rows, flow, "held", body.why)


def end(rows: Rows, event: RecordedEvent, body: NoBody) -> None:
    """Every node has passed. The leases of its plans begin again."""
    flow = need_flow(rows, event, DRIVEN, "done")
    if not _is_done(rows, flow):
        raise _unlawful(event, "not every node has passed", "nodes that are done, skipped, or failed and ignored")
    _close(rows, flow, "done", "", event.at)


def void(rows: Rows, event: RecordedEvent, body: WhyBody) -> None:
    """A flow is void: a plan that it relies on is not what it was, or its question or permit is over."""
    flow = need_flow(rows, event, OPEN_FLOWS, "void")
    if not (why := why_void(rows, flow, event.at)):
        raise _unlawful(event, "nothing that it relies on has changed", "a plan, question or permit that is over")
    if event.actor == CLOCK and not _is_too_late(rows, flow, event.at) and not _has_expired(rows, flow):
        raise _unlawful(event, "its time is not over", "a question or permit that is over")
    _need_reason(event, body, why)
    _close(rows, flow, "void", body.why, event.at)


def abandon(rows: Rows, event: RecordedEvent, body: WhyBody) -> None:
    """A person gives a flow up: nothing more is sent."""
    flow = need_flow(rows, event, OPEN_FLOWS, "abandoned")
    need_role(rows, event, "approver")
    _close(rows, flow, "abandoned", body.why, event.at)


def why_void(rows: Rows, flow: FlowRow, now: int) -> str:
    """Why a flow cannot go on as it was judged; empty if it can."""
    for part in rows.all(FlowPlanRow, flow_id=flow.flow_id):
        plan = rows.find(RegisteredPlan, part.plan_id)
        if part.fate != "kept" or plan is None:
            continue
        if (plan.checksum, plan.token) != (part.checksum, part.token):
            return f"{plan.plan_id} was revised" if plan.state in OPEN_PLANS else f"{plan.plan_id} is {plan.state}"
        if plan.state not in OPEN_PLANS and not (plan.state == "finished" and flow.state in DRIVEN):
            return f"{plan.plan_id} is {plan.state}"
    if bindings_changed(rows, flow):
        return "its bindings were changed after it was asked about"
    return _is_too_late(rows, flow, now)


def bindings_changed(rows: Rows, flow: FlowRow) -> bool:
    """Whether the bindings are others than those of which the flow has its id."""
    plans = {part.plan_id: part.checksum for part in rows.all(FlowPlanRow, flow_id=flow.flow_id)}
    expected = flow_id_of(flow.project, flow.number, plans, flow.bindings, flow.policy_hash, flow.env)
    return flow.state == "asked" and flow.flow_id != expected


def need_flow(rows: Rows, event: RecordedEvent, states: Iterable[str], verb: str) -> FlowRow:
    """The flow of an event, in one of some states."""
    flow = rows.find(FlowRow, event.subject)
    if flow is None:
        raise _unlawful(event, "there is no such flow", "a flow of this project")
    need_state(flow, states, verb)
    return flow


def need_state(flow: FlowRow, states: Iterable[str], verb: str) -> None:
    """Refuse what cannot be done with a flow in its state."""
    wanted = list(states)
    if flow.state not in wanted:
        why = f" ({flow.reason})" if flow.reason else ""
        raise NotPossible.of(
            f"the flow is {flow.state}{why}, so it cannot be {verb}",
            where=flow.flow_id,
            expected=f"a flow that is {' or '.join(wanted)}",
            remedy="see volition flow status",
        )


def _need_wait(event: RecordedEvent, until: int) -> None:
    """Refuse a question that waits, or a permit that lasts, no time or too long."""
    if not event.at < until <= event.at + LONGEST_WAIT:
        refuse(
            f"it would be over {until - event.at} ms after it was {event.what}",
            where=event.subject,
            expected=f"more than 0 and at most {LONGEST_WAIT} ms",
            remedy="choose another time",
        )


def _need_reason(event: RecordedEvent, body: WhyBody, why: str) -> None:
    """Check that an event gives the reason that there is; it may say more about it, after a colon."""
    if body.why != why and not body.why.startswith(f"{why}: "):
        raise _unlawful(event, f"the reason is said to be {body.why!r}", repr(why))


def _open_plan(rows: Rows, plan_id: str, flow_id: str) -> RegisteredPlan:
    plan = rows.find(RegisteredPlan, plan_id)
    if plan is None or plan.state not in OPEN_PLANS:
        raise world_moved(f"{plan_id} is {plan.state if plan else 'missing'}", flow_id)
    return plan


def _open_questions(rows: Rows, flow_id: str) -> list[QuestionRow]:
    return [row for row in rows.all(QuestionRow, flow_id=flow_id) if row.state == "open"]


def _is_done(rows: Rows, flow: FlowRow) -> bool:
    return len(passed_nodes(rows, flow)) == len(nodes_of(rows, flow.flow_id))


def _is_too_late(rows: Rows, flow: FlowRow, now: int) -> str:
    if any(row.expires_at <= now for row in _open_questions(rows, flow.flow_id)):
        return "nobody answered in time"
    permit = rows.find(PermitRow, flow.flow_id)
    return "the permit is over" if permit and permit.state == "valid" and permit.expires_at <= now else ""


def _has_expired(rows: Rows, flow: FlowRow) -> bool:
    parts = [part for part in rows.all(FlowPlanRow, flow_id=flow.flow_id) if part.fate == "kept"]
    plans = [rows.find(RegisteredPlan, part.plan_id) for part in parts]
    return any(plan is not None and plan.state == "expired" for plan in plans)


def _move(rows: Rows, flow: FlowRow, state: str, reason: str) -> FlowRow:
    assert state in NEXT_OF_FLOW[flow.state]
    moved = replace(flow, state=state, reason=reason)
    rows.put(moved)
    return moved


def _close(rows: Rows, flow: FlowRow, state: str, why: str, at: int) -> None:
    """Close a flow: no question, no permit and no node of it is open afterwards, except what was sent; and the leases of the
    plans that it kept alive begin again."""
    _move(rows, flow, state, why)
    for question in _open_questions(rows, flow.flow_id):
        rows.put(replace(question, state="void"))
    permit = rows.find(PermitRow, flow.flow_id)
    if permit is not None and permit.state == "valid" and state != "done":
        rows.put(replace(permit, state="void"))
    for node in nodes_of(rows, flow.flow_id):
        if node.state in {"blocked", "ready"}:
            rows.put(replace(node, state="skipped", detail=why))
    if flow.state not in DRIVEN:
        return
    for part in rows.all(FlowPlanRow, flow_id=flow.flow_id):
        plan = rows.find(RegisteredPlan, part.plan_id)
        if part.fate == "kept" and plan is not None and plan.state in OPEN_PLANS:
            rows.put(replace(plan, lease_until=max(plan.lease_until, at + plan.lease_ms)))


def _unlawful(event: RecordedEvent, what: str, expected: str) -> NotPossible:
    return NotPossible.of(
        f"{event.subject} cannot be {event.what}: {what}",
        where=event.subject,
        expected=expected,
        remedy="see volition flow status",
    )
