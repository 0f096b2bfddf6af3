"""Who works on what in a project: its open plans, since when, what each claims, and the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.studio.claims import plan_claims
from volition.studio.team_shapes import TeamAhead, TeamPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.workflow import Team
    from volition.workflow.store.rows import RegisteredPlan
    from volition.workflow.team.line import PlaceInLine


def open_plans(team: Team, plans: Iterable[RegisteredPlan]) -> list[TeamPlan]:
    """The open plans among all plans of a project, as pages show them."""
    from volition.workflow.law.judgement import read_plan  # noqa: PLC0415  SQLAlchemy is optional
    from volition.workflow.team.line import read_line  # noqa: PLC0415

    known = [plan for plan in plans if plan.state in {"active", "waiting"}]
    documents = {plan.plan_id: read_plan(plan.document) for plan in known}
    titles = {name: document.title for name, document in documents.items()}
    line = {place.plan_id: place for place in read_line(team, known)}
    begun, (policy, _) = _beginnings(team, list(titles)), team.rules()
    return [
        TeamPlan(
            id=plan.plan_id,
            title=titles[plan.plan_id],
            holder=plan.holder,
            person=split_holder(plan.holder)[0],
            agent=split_holder(plan.holder)[1],
            state=plan.state,
            since=begun.get(plan.plan_id),
            lease_until=plan.lease_until / 1000,
            claims=plan_claims(documents[plan.plan_id], policy),
            place=line[plan.plan_id].place if plan.plan_id in line else 0,
            behind=_behind(line.get(plan.plan_id), titles),
        )
        for plan in known
    ]


def split_holder(holder: str) -> tuple[str, str]:
    """The person of a holder, and the session of that person's agent; empty for the person.

    >>> split_holder("ann"), split_holder("ann@7f3c/tester")
    (('ann', ''), ('ann', '7f3c/tester'))
    """
    person, mark, session = holder.rpartition("@")
    return (person, session) if mark and person else (holder, "")


def _behind(place: PlaceInLine | None, titles: dict[str, str]) -> list[TeamAhead]:
    ahead = place.behind if place else ()
    return [TeamAhead(each.plan_id, titles[each.plan_id], each.holder, list(each.resources)) for each in ahead]


def _beginnings(team: Team, plans: Sequence[str]) -> dict[str, float]:
    """When each plan was granted or put in line, in seconds since 1970: a revision goes on with what was begun."""
    from sqlalchemy import select  # noqa: PLC0415  it is optional

    from volition.workflow.store.events import read_event, select_events  # noqa: PLC0415
    from volition.workflow.store.tables import EVENT  # noqa: PLC0415

    wanted = (
        select(EVENT)
        .where(EVENT.c.project == team.project, EVENT.c.what.in_(("granted", "waiting")), EVENT.c.subject.in_(plans))
        .order_by(EVENT.c.seq)
    )
    with team.store.read() as connection:
        events = [read_event(row) for row in select_events(connection, wanted)]
    return {event.subject: event.at / 1000 for event in events if "revises" not in event.body}
