"""Every question that people were asked in a project, with what became of it: open, answered by whom, expired or closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct
from sqlalchemy import select

from volition.governance import gather, parse_document
from volition.governance.documents.packs import AnswerPack, QuestionPack
from volition.governance.preview import OptionPreview, preview_options
from volition.workflow.flow.status import FlowStatus, find_flow, status_of, why_over
from volition.workflow.law.judgement import answers_of, known_as_done, read_plan, rules_of
from volition.workflow.law.members import ROLES, settings_of
from volition.workflow.store.events import read_events
from volition.workflow.store.rows import AnswerRow, FlowPlanRow, FlowRow, MemberRow, QuestionRow, RegisteredPlan
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.store.tables import FLOW, QUESTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from volition.workflow.store.rows import Rows
    from volition.workflow.team.team import Team

QuestionState: TypeAlias = Literal["open", "answered", "expired", "closed"]


class GivenAnswer(Struct, frozen=True):
    """Who answered a question, when, and what."""

    actor: str
    at: int
    choices: dict[str, str]
    """Question id -> option id."""


class AskedQuestion(Struct, frozen=True):
    """A question pack of a flow. Times are milliseconds since 1970, by the database's clock."""

    flow_id: str
    pack: QuestionPack
    state: QuestionState
    """Nobody answered an `expired` one in time; one is `closed` if its flow ended before anybody had answered."""
    asked_at: int
    expires_at: int
    left: int
    """How long an open one still waits."""
    flow_state: str
    """The flow by now."""
    flow_reason: str
    """Why the flow is there."""
    answer: GivenAnswer | None
    titles: dict[str, str]
    """The titles of the plans of the flow, by their ids."""
    holders: tuple[str, ...]
    """Who holds these plans, and so waits for the answer."""
    answerers: tuple[str, ...]
    """The members who may answer it."""


def asked_questions(team: Team, *, most: int) -> list[AskedQuestion]:
    """The questions of a project, the newest first: all that are open, and of the others the last ones."""
    with team.store.read() as connection:
        rows, now = SqlRows(connection, team.project), team.store.clock(connection)
        wanted = (
            select(QUESTION)
            .join(FLOW, FLOW.c.flow_id == QUESTION.c.flow_id)
            .where(FLOW.c.project == team.project)
            .order_by(QUESTION.c.asked_at.desc(), QUESTION.c.round.desc())
        )
        ended = wanted.where(QUESTION.c.state != "open").limit(most)
        open_rows = [
            QuestionRow(**row)
            for statement in (wanted.where(QUESTION.c.state == "open"), ended)
            for row in connection.execute(statement).mappings()
        ]
        members = rows.all(MemberRow)
        asked = list(_questions(connection, rows, open_rows, members, now))
    return sorted(asked, key=lambda each: -each.asked_at)


def _questions(
    connection: Connection, rows: Rows, open_rows: list[QuestionRow], members: list[MemberRow], now: int
) -> Iterator[AskedQuestion]:
    flows: dict[str, FlowRow] = {}
    for row in open_rows:
        flow = flows.setdefault(row.flow_id, find_flow(connection, rows.project, row.flow_id))
        parts = rows.all(FlowPlanRow, flow_id=row.flow_id)
        plans = [rows.find(RegisteredPlan, part.plan_id) for part in parts]
        holders = sorted({plan.holder for plan in plans if plan is not None})
        over = why_over(rows, flow, now)
        answer = rows.find(AnswerRow, row.flow_id, row.checksum)
        state = _state(row, over, now)
        yield AskedQuestion(
            flow_id=row.flow_id,
            pack=parse_document(row.pack.encode(), QuestionPack),
            state=state,
            asked_at=row.asked_at,
            expires_at=row.expires_at,
            left=row.expires_at - now if state == "open" else 0,
            flow_state="void" if over else flow.state,
            flow_reason=over or flow.reason,
            answer=None if answer is None else _read_answer(answer),
            titles={part.plan_id: read_plan(part.document).title for part in parts},
            holders=tuple(holders),
            answerers=answerers(rows, members, set(holders)),
        )


def _state(row: QuestionRow, over: str, now: int) -> QuestionState:
    if row.state == "answered":
        return "answered"
    if row.expires_at <= now:
        return "expired"
    return "closed" if over or row.state != "open" else "open"


def _read_answer(row: AnswerRow) -> GivenAnswer:
    pack = parse_document(row.pack.encode(), AnswerPack)
    return GivenAnswer(row.actor, row.at, {each.question_id: each.answer_text for each in pack.answers})


def answerers(rows: Rows, members: list[MemberRow], holders: set[str]) -> tuple[str, ...]:
    """The members who may answer for plans of these holders: approvers and keepers, and nobody for their own plan unless the
    project allows it."""
    free = settings_of(rows).own_approval == "allow" or len(members) < 2
    able = [member.name for member in members if ROLES.index(member.role) >= ROLES.index("approver")]
    return tuple(sorted(name for name in able if free or name not in holders))


class WantedPermit(Struct, frozen=True):
    """A flow that was judged and waits for a permit."""

    flow: FlowStatus
    judged_at: int
    """When it was judged, in milliseconds since 1970; 0 if that is in an archive."""
    holders: tuple[str, ...]
    """Who holds its plans, and so waits for the permit."""
    answerers: tuple[str, ...]
    """The members who may approve it."""


def wanted_permits(team: Team) -> list[WantedPermit]:
    """The flows of a project that wait for a permit, the newest first."""
    with team.store.read() as connection:
        rows, now = SqlRows(connection, team.project), team.store.clock(connection)
        members = rows.all(MemberRow)
        wanted = select(FLOW).where(FLOW.c.project == team.project, FLOW.c.state == "judged")
        wanting = connection.execute(wanted.order_by(FLOW.c.number.desc())).mappings().all()
        flows = [status_of(connection, FlowRow(**row), now) for row in wanting]
        return [_permit(connection, rows, members, flow) for flow in flows if flow.state == "judged"]


def _permit(connection: Connection, rows: Rows, members: list[MemberRow], flow: FlowStatus) -> WantedPermit:
    plans = [rows.find(RegisteredPlan, plan_id) for plan_id, fate in flow.plans.items() if fate != "left_out"]
    holders = {plan.holder for plan in plans if plan is not None}
    judged = [each.at for each in read_events(connection, rows.project, subject=flow.flow_id) if each.what == "judged"]
    return WantedPermit(flow, max(judged, default=0), tuple(sorted(holders)), answerers(rows, members, holders))


def preview_flow(team: Team, flow_id: str) -> tuple[OptionPreview, ...]:
    """What each option of the open question of a flow would lead to; empty if nothing is asked."""
    with team.store.read() as connection:
        flow = find_flow(connection, team.project, flow_id)
        rows = SqlRows(connection, team.project)
        plans = [read_plan(part.document) for part in rows.all(FlowPlanRow, flow_id=flow.flow_id)]
        answers = answers_of(rows, flow.flow_id)
    if flow.state != "asked" or len(plans) < 2:
        return ()
    policy, env = rules_of(flow.policy, flow.env)
    return preview_options(gather(plans, env=env, done=known_as_done(flow.set_document)), policy, answers)
