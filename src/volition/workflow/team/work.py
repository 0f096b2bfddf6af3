"""Who somebody is in a project, and what is theirs to do: plans, reports, decisions, and places in line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.typed import DataStruct
from volition.workflow.law.bindings import parse_bindings
from volition.workflow.law.judgement import read_plan
from volition.workflow.law.members import ROLES, settings_of
from volition.workflow.law.nodes import nodes_of
from volition.workflow.law.plans import flows_relying_on
from volition.workflow.law.states import DRIVEN, OPEN_FLOWS, OPEN_PLANS
from volition.workflow.store.rows import (
    FlowPlanRow,
    FlowRow,
    MemberRow,
    PermitRow,
    ProjectRow,
    QuestionRow,
    RegisteredPlan,
)
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.team.live import LiveIndex
from volition.workflow.team.registration import grave_collisions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from volition.workflow.store.rows import Rows
    from volition.workflow.team.team import Team


class TeamIdentity(DataStruct, frozen=True):
    """Who somebody is in a project: `role` is empty for a name that has not acted there, and `key` belongs to the name there, while
    `own_key` is that of this user."""

    name: str
    role: str
    key: str
    own_key: str
    registry: str
    project: str

    @property
    def may_act(self) -> bool:
        """Whether this user's key signs in this name."""
        return self.key in {"", self.own_key}

    def to_data(self) -> dict[str, Any]:
        return super().to_data() | {"may_act": self.may_act}


class PlanAhead(DataStruct, frozen=True):
    """A plan that another one waits for, and who holds it."""

    plan_id: str
    holder: str


class HeldPlan(DataStruct, frozen=True):
    """An open plan of somebody. Its lease has `left` milliseconds, or lasts as long as the flow `kept_by`; a waiting one has a `place`
    in line, from 1 up, and `behind` names those that it waits for, each with the holder."""

    plan_id: str
    state: str
    token: int
    lease_until: int
    left: int
    kept_by: str
    place: int
    behind: tuple[PlanAhead, ...]


class AwaitedReport(DataStruct, frozen=True):
    """A node that waits for the report of the holder of its plan."""

    flow_id: str
    node_id: str
    plan_id: str
    token: int


class OpenDecision(DataStruct, frozen=True):
    """What somebody may decide in a flow: `answer` a question, `approve` it, or say what becomes of a `held` one."""

    flow_id: str
    kind: str
    plans: tuple[str, ...]
    until: int
    """When the question or the permit is over; 0 if there is no such time yet."""
    why: str


class OwnWork(DataStruct, frozen=True):
    """Everything that somebody has to do in a project."""

    name: str
    role: str
    plans: tuple[HeldPlan, ...]
    reports: tuple[AwaitedReport, ...]
    decisions: tuple[OpenDecision, ...]


def find_identity(team: Team, name: str) -> TeamIdentity:
    """Who `name` is in a team's project."""
    with team.store.read() as connection:
        member = SqlRows(connection, team.project).find(MemberRow, name)
    role, key = (member.role, member.public_key) if member is not None else ("", "")
    return TeamIdentity(name, role, key, team.store.signer.public, str(team.store.address), team.project)


def find_work(team: Team, name: str) -> OwnWork:
    """What `name` has to do now, by the database's clock."""
    with team.store.read() as connection:
        now, rows = team.store.clock(connection), SqlRows(connection, team.project)
        member = rows.find(MemberRow, name)
        plans = [row for state in OPEN_PLANS for row in rows.all(RegisteredPlan, state=state)]
        kept = {row.plan_id: flow.flow_id for row in plans for flow in flows_relying_on(rows, row.plan_id, DRIVEN)}
        alive = [row for row in plans if row.lease_until > now or row.plan_id in kept]
        flows = [row for state in OPEN_FLOWS for row in rows.all(FlowRow, state=state) if row.project == team.project]
        return OwnWork(
            name,
            member.role if member is not None else "",
            tuple(_held_plans(connection, team.project, name, alive, kept, now)),
            tuple(each for flow in flows for each in _reports(rows, flow, name)),
            tuple(each for flow in flows if (each := _decision(rows, flow, member, now))),
        )


def _held_plans(
    connection: Connection, project: str, name: str, alive: Iterable[RegisteredPlan], kept: dict[str, str], now: int
) -> Iterable[HeldPlan]:
    plans = {row.plan_id: row for row in alive}
    line = sorted((row.token, row.plan_id) for row in plans.values() if row.state == "waiting")
    places = {plan_id: place for place, (_, plan_id) in enumerate(line, 1)}
    index = LiveIndex()
    if any(plans[plan_id].holder == name for plan_id in places):
        index.prepare(connection, project)
    for plan_id, row in sorted(plans.items()):
        if row.holder != name:
            continue
        behind: list[str] = []
        if plan_id in places:
            grave = grave_collisions(index.in_the_way(read_plan(row.document)))
            behind = sorted({other for each in grave for other in each.intent_ids if other in plans})
        yield HeldPlan(
            plan_id, row.state, row.token, row.lease_until, max(0, row.lease_until - now), kept.get(plan_id, ""),
            places.get(plan_id, 0), tuple(PlanAhead(other, plans[other].holder) for other in behind),
        )  # fmt: skip


def _reports(rows: Rows, flow: FlowRow, name: str) -> Iterable[AwaitedReport]:
    bindings = parse_bindings(flow.bindings)
    for node in nodes_of(rows, flow.flow_id):
        plan = rows.find(RegisteredPlan, node.plan_id)
        notice = node.state == "sent" and bindings.by_name(node.binding).action == "notify"
        if notice and plan is not None and plan.holder == name:
            yield AwaitedReport(flow.flow_id, node.node_id, node.plan_id, plan.token)


def _decision(rows: Rows, flow: FlowRow, member: MemberRow | None, now: int) -> OpenDecision | None:
    kind = {"asked": "answer", "judged": "approve", "held": "held"}.get(flow.state)
    if kind is None or member is None or ROLES.index(member.role) < ROLES.index("approver"):
        return None
    parts = [part for part in rows.all(FlowPlanRow, flow_id=flow.flow_id) if part.fate != "left_out"]
    plans = [plan for part in parts if (plan := rows.find(RegisteredPlan, part.plan_id)) is not None]
    project: ProjectRow = settings_of(rows)
    free = project.own_approval == "allow" or len(rows.all(MemberRow)) < 2
    if kind != "held" and not free and member.name in {plan.holder for plan in plans}:
        return None
    ends = [row.expires_at for row in rows.all(QuestionRow, flow_id=flow.flow_id) if row.state == "open"]
    ends += [row.expires_at for row in rows.all(PermitRow, flow_id=flow.flow_id) if row.state == "valid"]
    if any(end <= now for end in ends) or any(plan.lease_until <= now for plan in plans if kind != "held"):
        return None
    names = tuple(sorted(part.plan_id for part in parts))
    return OpenDecision(flow.flow_id, kind, names, min(ends, default=0), flow.reason)
