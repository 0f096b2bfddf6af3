"""Judging and approving: plans become a flow with questions or a graph, answers settle the questions, and a person permits exactly
what is stored.

The judgement is computed before the transaction, because nothing is waited for inside one; the transaction then sees whether it still
speaks of the plans as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from volition.core.errors import refuse
from volition.governance import answer_questions, parse_document
from volition.governance.documents.packs import QuestionPack
from volition.workflow.flow.status import FlowStatus, find_flow, find_in_transaction, status_now
from volition.workflow.law.bindings import parse_bindings
from volition.workflow.law.flows import bindings_changed, flow_id_of, need_state, open_question
from volition.workflow.law.judgement import (
    Judgement,
    answers_of,
    finished_among,
    judge_together,
    known_as_done,
    prerequisites_of,
    read_plan,
    rules_of,
    store_judgement,
)
from volition.workflow.law.nodes import nodes_of
from volition.workflow.law.permit import flow_changed, hash_of_actions, world_moved
from volition.workflow.law.states import DRIVEN, OPEN_PLANS
from volition.workflow.store.events import moment, read_events
from volition.workflow.store.files import find_archived_flow
from volition.workflow.store.rows import FlowPlanRow, FlowRow, ProjectRow, RegisteredPlan
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.team.registration import JUDGEMENT, grave_collisions
from volition.workflow.team.sweeping import settle_flow, void_flow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.governance.documents.packs import AnswerPack
    from volition.workflow.law.transaction import ProjectTransaction
    from volition.workflow.store.rows import Rows
    from volition.workflow.team.team import Team


PATIENCE: Final = 7 * 86400.0
"""How long a question waits and a permit lasts, in seconds, unless another time is given."""


def start_flow(team: Team, bindings: str, by: str, plans: Sequence[str] | None, patience: float) -> FlowStatus:
    """Judge open plans together, and store what was found as a new flow."""
    table = parse_bindings(bindings)
    with team.store.read() as connection:
        rows = SqlRows(connection, team.project)
        chosen, project = _choose(rows, plans), rows.find(ProjectRow)
        assert project is not None
        rules = (project.policy, project.env or "local")
        needs = {name for plan in chosen for name in prerequisites_of(read_plan(plan.document))}
        done = finished_among(rows, needs)
    judged = judge_together([read_plan(plan.document) for plan in chosen], *rules_of(*rules), done=sorted(done))
    if judged.graph is not None:
        table.bind(judged.graph)
    with team.transaction() as transaction:
        transaction.admit(by)
        project = transaction.settings
        if (project.policy, project.env or "local") != rules:
            raise world_moved("the project's rules were changed", team.project)
        if finished_among(transaction.rows, needs) != done:
            raise world_moved("what these plans depend on was finished or begun again", team.project)
        checksums, number = {plan.plan_id: plan.checksum for plan in chosen}, project.flows + 1
        flow_id = flow_id_of(team.project, number, checksums, bindings, project.policy_hash, rules[1])
        transaction.record(
            "started", flow_id, by, plans=checksums, number=number, bindings=bindings, set_document=judged.set_document
        )
        _record_judgement(transaction, flow_id, judged, by, patience)
        return status_now(transaction, flow_id)


def answer_flow(
    team: Team, flow_id: str, choices: Mapping[str, str] | AnswerPack, by: str, exactly: str | None, patience: float
) -> FlowStatus:
    """Take the one answer to the open question of a flow, and judge again with it."""
    _void_if_changed(team, flow_id, by)
    with team.store.read() as connection:
        flow = find_flow(connection, team.project, flow_id)
        need_state(flow, ("asked",), "answered")
        rows, now = SqlRows(connection, team.project), moment(team.store.clock(connection))
        asked, earlier = open_question(rows, flow), answers_of(rows, flow.flow_id)
        plans = [read_plan(part.document) for part in rows.all(FlowPlanRow, flow_id=flow.flow_id)]
    pack = parse_document(asked.pack.encode(), QuestionPack)
    need_exactly("question pack", pack.checksum, exactly, flow.flow_id)
    answer = choices if isinstance(choices, msgspec.Struct) else answer_questions(pack, choices, now)
    rules = rules_of(flow.policy, flow.env)
    judged = judge_together(plans, *rules, [*earlier, answer], done=known_as_done(flow.set_document))
    if judged.graph is not None:
        parse_bindings(flow.bindings).bind(judged.graph)
    team.prepare()
    with team.transaction() as transaction:
        chosen = {each.question_id: each.answer_text for each in answer.answers}
        document = msgspec.json.encode(answer).decode()
        transaction.record(
            "answered", flow.flow_id, by, question=answer.question_pack_checksum, answer=document, choices=chosen
        )
        _record_judgement(transaction, flow.flow_id, judged, by, patience)
        team.move_up(transaction, by)  # a plan that is left out waits for nobody's permit
        return status_now(transaction, flow.flow_id)


def _void_if_changed(team: Team, flow_id: str, by: str) -> None:
    """Void a flow whose bindings are not those that were asked about, so that everybody sees why its question is closed."""
    with team.transaction() as transaction:
        flow = find_in_transaction(transaction, flow_id)
        if bindings_changed(transaction.rows, flow):
            void_flow(transaction, flow.flow_id, by)


def need_exactly(noun: str, hash: str, exactly: str | None, flow_id: str) -> None:
    """Refuse what was meant for other content than what is stored: `exactly` is the beginning of the hash that was seen."""
    if exactly is not None and not (len(exactly) >= 8 and hash.startswith(exactly)):
        raise world_moved(f"the {noun} is {hash[:16]}..., not {exactly}", flow_id)


def _record_judgement(
    transaction: ProjectTransaction, flow_id: str, judged: Judgement, by: str, patience: float
) -> None:
    """Record a judgement: the question, the reason why there is nothing to do, or the graph."""
    if judged.pack is not None:
        until = transaction.now + round(patience * 1000)
        transaction.record(
            "asked",
            flow_id,
            by,
            pack=msgspec.json.encode(judged.pack).decode(),
            expires_at=until,
            judgement=JUDGEMENT,
        )
        return
    if judged.graph is None:
        transaction.record(
            "nothing to do", flow_id, by, why=judged.reason or "nothing is to be done", judgement=JUDGEMENT
        )
        return
    flow, stored = transaction.rows.find(FlowRow, flow_id), store_judgement(judged)
    assert flow is not None
    hash = hash_of_actions(stored.graph, flow.bindings, flow.policy, flow.env)
    transaction.record(
        "judged",
        flow_id,
        by,
        plans=dict(judged.fates),
        graph=stored.graph,
        merged=stored.merged,
        graph_hash=hash,
        judgement=JUDGEMENT,
    )


def _choose(rows: Rows, names: Sequence[str] | None) -> list[RegisteredPlan]:
    """The plans that are named, or all that are open, by their ids."""
    plans = [plan for state in OPEN_PLANS for plan in rows.all(RegisteredPlan, state=state)]
    chosen = sorted((plan for plan in plans if names is None or plan.plan_id in names), key=lambda plan: plan.plan_id)
    missing = sorted(set(names or ()) - {plan.plan_id for plan in chosen})
    if missing or not chosen:
        refuse(
            f"{', '.join(missing) or 'no plan'} is not open" if missing else "no plan is open",
            where=f"project {rows.project}",
            expected="plans that are active or waiting",
            remedy="register them: volition team register PLAN.json",
        )
    return chosen


def approve_flow(team: Team, flow_id: str, by: str, exactly: str | None, patience: float) -> FlowStatus:
    """Give a permit. Plans that gave way are superseded, and waiting ones are granted, in the same transaction."""
    team.prepare()
    with team.transaction() as transaction:
        flow = find_in_transaction(transaction, flow_id)
        need_state(flow, ("judged",), "approved")
        need_exactly("graph", flow.graph_hash, exactly, flow.flow_id)
        _need_same_bindings(transaction, flow)
        parts = [part for part in transaction.rows.all(FlowPlanRow, flow_id=flow.flow_id) if part.fate != "left_out"]
        until = transaction.now + round(patience * 1000)
        transaction.record("approved", flow.flow_id, by, graph_hash=flow.graph_hash, expires_at=until)
        for part in parts:
            if part.fate == "superseded":
                transaction.record("superseded", part.plan_id, by, flow=flow.flow_id)
        granted = {}
        for part in parts:
            plan = transaction.rows.find(RegisteredPlan, part.plan_id)
            if part.fate == "kept" and plan is not None and plan.state == "waiting":
                _grant(team, transaction, flow, plan, {each.plan_id for each in parts}, by)
                granted[part.plan_id] = plan.token
        team.move_up(transaction, by)
        settle_flow(transaction, flow.flow_id, by)
        return replace(status_now(transaction, flow.flow_id), granted=granted)


def _need_same_bindings(transaction: ProjectTransaction, flow: FlowRow) -> None:
    """Refuse bindings that are not those with which the flow was started: the hash in the row may have been changed with them."""
    first = next(read_events(transaction.connection, transaction.project, subject=flow.flow_id), None)
    if first is not None and first.what == "started":
        bindings = first.body.get("bindings")
    else:
        archived = find_archived_flow(transaction.connection, transaction.project, flow.flow_id)
        bindings = archived.bindings if archived is not None else None
    if bindings != flow.bindings:
        raise flow_changed(flow.flow_id, "its bindings are not those with which it was started")


def _grant(
    team: Team, transaction: ProjectTransaction, flow: FlowRow, plan: RegisteredPlan, together: set[str], by: str
) -> None:
    """Make a waiting plan active: a person has settled its collisions with the plans of this flow, and with no others."""
    collisions = grave_collisions(team.collisions_of(transaction, read_plan(plan.document)))
    outside = sorted({name for each in collisions for name in each.intent_ids} - together)
    if outside:
        raise world_moved(f"{plan.plan_id} collides with {', '.join(outside)}, which is not in this flow", flow.flow_id)
    transaction.record("granted", plan.plan_id, by, flow=flow.flow_id, checksum=plan.checksum, token=plan.token)


def notify_holders(transaction: ProjectTransaction, flow_id: str, by: str) -> None:
    """Notify the holders of all plans with a ready node that is theirs to do; what they are told is the event."""
    flow = transaction.rows.find(FlowRow, flow_id)
    assert flow is not None
    if flow.state not in DRIVEN:
        return
    bindings = parse_bindings(flow.bindings)
    for node in nodes_of(transaction.rows, flow_id):
        if node.state == "ready" and bindings.by_name(node.binding).action == "notify":
            transaction.record("node notified", flow_id, by, node=node.node_id, request=node.request)
