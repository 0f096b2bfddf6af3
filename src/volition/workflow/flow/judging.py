"""Judging: plans become a flow with questions or a graph, and answers settle the questions.

The judgement is computed before the turn, because nothing is waited for inside one; the turn then sees whether it still
speaks of the plans as they are.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from volition.core.canonical import canonical
from volition.core.document import parse_json
from volition.core.errors import refuse
from volition.governance import AnswerPack, IntentDocument, read_answer_pack, read_intent, read_question_pack, read_set
from volition.governance import answer as answer_pack
from volition.workflow.flow.bindings import parse_bindings
from volition.workflow.flow.judgement import Judgement, judge_together
from volition.workflow.flow.nodes import move_flow
from volition.workflow.flow.permit import graph_hash
from volition.workflow.flow.status import FlowStatus, find_flow, status_now
from volition.workflow.flow.transitions import check_unchanged, need_exactly, need_state, on_flow, world_moved
from volition.workflow.store.tables import ANSWER, FLOW, FLOW_PLAN, PLAN, PROJECT, QUESTION
from volition.workflow.team.ending import OPEN_FLOWS
from volition.workflow.team.evidence import moment
from volition.workflow.team.registration import OPEN
from volition.workflow.team.rules import rules_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.workflow.store.turn import Turn
    from volition.workflow.team.team import Team

PATIENCE: Final = 7 * 86400.0
"""How long a question waits and a permit lasts, in seconds, unless another time is given."""


def start_flow(team: Team, bindings: str, by: str, plans: Sequence[str] | None, patience: float) -> FlowStatus:
    """Judge open plans together, and store what was found as a new flow."""
    table = parse_bindings(bindings)
    rows, policy, env = _choose(team, plans)
    rules = rules_of(policy, env)
    judged = judge_together([_intent(row) for row in rows], *rules, done=_finished_prerequisites(team, rows))
    if judged.graph is not None:
        table.bind(judged.graph)
    with team.turn(flows=True) as turn:
        check_unchanged(turn, [(row.plan_id, row.checksum, row.token) for row in rows])
        if (turn.policy, turn.env or "local") != (policy, env):
            raise world_moved("the project's rules were changed", team.project)
        _refuse_busy(turn, [row.plan_id for row in rows])
        run = turn.connection.execute
        number = 1 + (run(select(func.max(FLOW.c.number)).where(FLOW.c.project == team.project)).scalar() or 0)
        said = [judged.set_checksum, rules[0].hash, env, bindings, *(row.checksum for row in rows), str(number)]
        flow_id = f"flow_{sha256(canonical(said)).hexdigest()[:16]}"
        run(
            insert(FLOW).values(
                flow_id=flow_id, project=team.project, number=number, state="asked", holder="", fence=0,
                lease_until=0, reason="", set_document=judged.set_document, merged="", graph="", graph_hash="",
                bindings=bindings, policy=policy, policy_hash=rules[0].hash, env=env,
            )
        )  # fmt: skip
        for row in rows:
            run(
                insert(FLOW_PLAN).values(
                    flow_id=flow_id, plan_id=row.plan_id, checksum=row.checksum, token=row.token,
                    fate="kept", document=row.document,
                )
            )  # fmt: skip
        turn.record("started", flow_id, by, plans={row.plan_id: row.checksum for row in rows})
        _take_judgement(turn, find_flow(turn.connection, team.project, flow_id), judged, by, patience)
        return status_now(turn, flow_id)


def answer_flow(
    team: Team, flow_id: str, choices: Mapping[str, str] | AnswerPack, by: str, exactly: str | None, patience: float
) -> FlowStatus:
    """Take the one answer to the open question of a flow, and judge again with it."""
    with team.store.read() as connection:
        flow = find_flow(connection, team.project, flow_id)
        asked = _open_question(connection, flow)
        now = moment(team.store.clock(connection))
        rows = list(connection.execute(select(FLOW_PLAN).where(FLOW_PLAN.c.flow_id == flow.flow_id)))
        earlier = _answers(connection, flow.flow_id)
    pack = read_question_pack(asked.pack.encode()).document
    need_exactly("question pack", pack.checksum, exactly, flow.flow_id)
    given = choices if isinstance(choices, msgspec.Struct) else answer_pack(pack, choices, now)
    if given.question_pack_checksum != pack.checksum:
        raise world_moved("the answer belongs to another question pack", flow.flow_id)
    rules = rules_of(flow.policy, flow.env)
    judged = judge_together([_intent(row) for row in rows], *rules, [*earlier, given], done=_known_as_done(flow))
    if judged.graph is not None:
        parse_bindings(flow.bindings).bind(judged.graph)
    with on_flow(team, flow.flow_id) as (turn, flow):
        still = _open_question(turn.connection, flow)
        if still.checksum != asked.checksum:
            raise world_moved("the question was answered already, and another one is open", flow.flow_id)
        if still.expires_at <= turn.now:
            raise world_moved(f"the time for an answer ended at {moment(still.expires_at)}", flow.flow_id)
        check_unchanged(turn, [(row.plan_id, row.checksum, row.token) for row in rows], flow.flow_id)
        turn.connection.execute(
            insert(ANSWER).values(
                flow_id=flow.flow_id, checksum=still.checksum, actor=by, at=turn.now,
                pack=msgspec.json.encode(given).decode(),
            )
        )  # fmt: skip
        turn.connection.execute(
            update(QUESTION)
            .where(QUESTION.c.flow_id == flow.flow_id, QUESTION.c.checksum == still.checksum)
            .values(state="answered")
        )
        chosen = {each.question_id: each.answer_text for each in given.answers}
        turn.record("answered", flow.flow_id, by, pack=still.checksum, choices=chosen)
        _take_judgement(turn, flow, judged, by, patience)
        return status_now(turn, flow.flow_id)


def _finished_prerequisites(team: Team, rows: Sequence[Row[Any]]) -> list[str]:
    """The finished plans of the project on which some of these depend."""
    intents = [_intent(row) for row in rows]
    wanted = {name for intent in intents if intent.metadata for name in intent.metadata.depends_on}
    found = select(PLAN.c.plan_id).where(
        PLAN.c.project == team.project, PLAN.c.state == "finished", PLAN.c.plan_id.in_(sorted(wanted))
    )
    with team.store.read() as connection:
        return sorted(connection.execute(found).scalars()) if wanted else []


def _known_as_done(flow: Row[Any]) -> Sequence[str]:
    """What was finished when the flow was started: its questions were asked with this in mind."""
    given = read_set(flow.set_document.encode()).document if flow.set_document else None
    hints = given.metadata.merge_hints if given and given.metadata else None
    return hints.done if hints else ()


def _take_judgement(turn: Turn, flow: Row[Any], judged: Judgement, by: str, patience: float) -> None:
    """Store a judgement: the question, the reason why there is nothing to do, or the graph."""
    run = turn.connection.execute
    if judged.pack is not None:
        rounds = run(select(func.count()).where(QUESTION.c.flow_id == flow.flow_id)).scalar_one()
        run(
            insert(QUESTION).values(
                flow_id=flow.flow_id, checksum=judged.pack.checksum, state="open", round=1 + rounds,
                asked_at=turn.now, expires_at=turn.now + round(patience * 1000),
                pack=msgspec.json.encode(judged.pack).decode(),
            )
        )  # fmt: skip
        turn.record("asked", flow.flow_id, by, pack=judged.pack.checksum)
        return
    if judged.graph is None or judged.merged is None:
        move_flow(turn, flow, "refused", by, judged.reason or "nothing is to be done")
        return
    for plan_id, fate in judged.fates.items():
        mine = (FLOW_PLAN.c.flow_id == flow.flow_id, FLOW_PLAN.c.plan_id == plan_id)
        run(update(FLOW_PLAN).where(*mine).values(fate=fate))
    checksums = select(FLOW_PLAN.c.plan_id, FLOW_PLAN.c.checksum).where(FLOW_PLAN.c.flow_id == flow.flow_id)
    graph = canonical(msgspec.json.decode(msgspec.json.encode(judged.graph.to_data()))).decode()
    hash = graph_hash(
        graph=parse_json(graph), merged=judged.merged.audit.checksum, plans={row[0]: row[1] for row in run(checksums)},
        policy_hash=flow.policy_hash, env=flow.env, bindings=flow.bindings,
    )  # fmt: skip
    merged = msgspec.json.encode(judged.merged).decode()
    run(update(FLOW).where(FLOW.c.flow_id == flow.flow_id).values(graph=graph, merged=merged, graph_hash=hash))
    move_flow(turn, flow, "judged", by, plans=dict(judged.fates), graph_hash=hash)


def _choose(team: Team, plans: Sequence[str] | None) -> tuple[list[Row[Any]], str, str]:
    """The rows of the plans that are named, or of all that are open; and the project's rules."""
    with team.store.read() as connection:
        project = connection.execute(select(PROJECT).where(PROJECT.c.project == team.project)).first()
        rows = connection.execute(
            select(PLAN).where(PLAN.c.project == team.project, PLAN.c.state.in_(OPEN)).order_by(PLAN.c.plan_id)
        ).all()
    chosen = [row for row in rows if plans is None or row.plan_id in plans]
    missing = sorted(set(plans or ()) - {row.plan_id for row in chosen})
    if missing or not chosen or project is None:
        refuse(
            f"{', '.join(missing) or 'no plan'} is not open" if missing else "no plan is open",
            where=f"project {team.project}",
            expected="plans that are active or waiting",
            remedy="register them: volition team register PLAN.json",
        )
    return chosen, project.policy, project.env or "local"


def _refuse_busy(turn: Turn, plans: Sequence[str]) -> None:
    """A plan is in one open flow at a time: two would carry out its commands twice."""
    busy = (
        select(FLOW.c.flow_id, FLOW_PLAN.c.plan_id)
        .join(FLOW_PLAN, FLOW_PLAN.c.flow_id == FLOW.c.flow_id)
        .where(FLOW.c.project == turn.project, FLOW.c.state.in_(OPEN_FLOWS), FLOW_PLAN.c.plan_id.in_(plans))
        .where(FLOW_PLAN.c.fate == "kept")
    )
    found = turn.connection.execute(busy).first()
    if found is not None:
        refuse(
            f"{found.plan_id} is in {found.flow_id}, which is open",
            where=f"project {turn.project}",
            expected="plans that are in no open flow",
            remedy=f"finish it, or give it up: volition flow abandon {found.flow_id}",
        )


def _open_question(connection: Connection, flow: Row[Any]) -> Row[Any]:
    need_state(flow, ("asked",), "answered")
    wanted = select(QUESTION).where(QUESTION.c.flow_id == flow.flow_id, QUESTION.c.state == "open")
    return connection.execute(wanted).one()


def _answers(connection: Connection, flow_id: str) -> list[AnswerPack]:
    """The answers of a flow so far, in the order of the questions."""
    same = (ANSWER.c.flow_id == QUESTION.c.flow_id) & (ANSWER.c.checksum == QUESTION.c.checksum)
    wanted = select(ANSWER.c.pack).join(QUESTION, same).where(ANSWER.c.flow_id == flow_id).order_by(QUESTION.c.round)
    return [read_answer_pack(pack.encode()).document for pack in connection.execute(wanted).scalars()]


def _intent(row: Row[Any]) -> IntentDocument:
    return read_intent(row.document.encode(), where=row.plan_id).document
