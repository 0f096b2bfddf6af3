"""A team's registry in words: registrations, plans, judgements and events."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from volition.cli.common import columns
from volition.workflow.store.events import moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from volition.workflow import RecordedEvent, RegisteredPlan, Registration
    from volition.workflow.team.work import HeldPlan, OpenDecision, OwnWork, TeamIdentity


def shown_moment(milliseconds: int) -> str:
    """A time of the database for whoever reads it: local on a terminal, and UTC in files and pipes."""
    if not sys.stdout.isatty():
        return moment(milliseconds)
    return datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone().isoformat(" ", "seconds")


def time_left(milliseconds: int) -> str:
    """How long something lasts, in the two largest units.

    >>> time_left(90_061_000), time_left(61_000), time_left(0)
    ('1 d 1 h', '1 min 1 s', '0 s')
    """
    rest, parts = milliseconds // 1000, list[str]()
    for unit, seconds in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, rest = divmod(rest, seconds)
        if count or (unit == "s" and not parts):
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])


def registration_text(made: Registration) -> str:
    """How a registration ended, and what to do next."""
    lines = []
    if made.grant is not None:
        until = shown_moment(made.grant.lease_until)
        lines += [f"granted: {made.plan_id}", f"  token {made.grant.token}, lease until {until}"]
    elif made.outcome == "waiting":
        lines += [f"waiting: {made.plan_id}, in line with token {made.place}"]
    else:
        lines += [f"refused: {made.plan_id}"]
    lines += [
        f"  {each.severity}: {each.rule} on {each.resource} with {', '.join(each.intent_ids)}"
        for each in made.collisions
    ]
    lines += _obstacle_lines([obstacle.to_data() for obstacle in made.obstacles])
    return "\n".join(lines)


def _obstacle_lines(obstacles: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for obstacle in obstacles:
        yield f"  {obstacle['because']}"
        if obstacle["evidence"]:
            yield f"    evidence: {'; '.join(obstacle['evidence'][:4])}"
        yield from (f"    or {way}" for way in obstacle["ways_out"])


def plan_table(plans: Sequence[RegisteredPlan]) -> Iterator[str]:
    """Plans as a table."""
    rows = [
        (
            plan.plan_id,
            plan.state,
            plan.holder,
            str(plan.token or ""),
            shown_moment(plan.lease_until) if _is_open(plan) else "",
        )
        for plan in plans
    ]
    yield from columns([("plan", "state", "holder", "token", "lease until"), *rows])


def plan_text(plan: RegisteredPlan, archived: str = "") -> str:
    """One plan, where its events are if they were archived, and its document as it was registered."""
    until = f", lease until {shown_moment(plan.lease_until)}" if _is_open(plan) else ""
    token = f", token {plan.token}" if plan.token else ""
    head = f"{plan.plan_id}: {plan.state}, held by {plan.holder}{token}{until}"
    where = f"\n  {archived}" if archived else ""
    return f"{head}\n  checksum {plan.checksum}{where}\n{plan.document}"


def judgement_text(event: RecordedEvent) -> str:
    """Why a plan is in its state."""
    lines = [f"{event.subject}: {event.what} by {event.actor} at {shown_moment(event.at)} (event {event.seq})"]
    if event.body.get("why"):
        lines.append(f"  {event.body['why']}")
    lines += [
        f"  {each['severity']}: {each['rule']} on {each['resource']} with {', '.join(each['plans'])}"
        for each in event.body.get("collisions", ())
    ]
    if event.what == "granted" and len(lines) == 1:
        lines.append("  it collided with no active plan")
    return "\n".join([*lines, *_obstacle_lines(event.body.get("obstacles", ()))])


def event_line(event: RecordedEvent) -> str:
    """An event on one line."""
    said = ", ".join(f"{key} {event.body[key]}" for key in ("token", "node", "why") if event.body.get(key))
    return f"{event.seq:>6}  {shown_moment(event.at)}  {event.what:<10}  {event.subject}  by {event.actor}  {said}".rstrip()


def _is_open(plan: RegisteredPlan) -> bool:
    return plan.state in {"active", "waiting"}


def identity_text(found: TeamIdentity) -> str:
    """Who somebody is."""
    role = f"{found.role} of {found.project}" if found.role else f"not a member of {found.project} yet"
    lines = [f"{found.name}: {role}", f"  registry: {found.registry}", f"  key: {found.own_key}"]
    if not found.may_act:
        lines.append(f"  the name belongs to another key: {found.key}")
    return "\n".join(lines)


def work_text(found: OwnWork) -> str:
    """What is somebody's to do, the most pressing first."""
    lines = [f"{found.name}: {found.role or 'not a member yet'}"]
    lines += [_decision_line(each) for each in found.decisions]
    lines += [
        f"  report: flow report {each.flow_id} {each.node_id} done  ({each.plan_id}, token {each.token})"
        for each in found.reports
    ]
    for plan in found.plans:
        lines += _held_lines(plan)
    return "\n".join(lines if len(lines) > 1 else [*lines, "  nothing to do"])


def _decision_line(each: OpenDecision) -> str:
    until = f", until {shown_moment(each.until)}" if each.until else ""
    why = f": {each.why}" if each.why else ""
    return f"  {each.kind}: {each.flow_id} of {', '.join(each.plans)}{until}{why}"


def _held_lines(plan: HeldPlan) -> Iterator[str]:
    if plan.kept_by:
        lease = f"lasts as long as {plan.kept_by}"
    else:
        lease = f"lease until {shown_moment(plan.lease_until)}, {time_left(plan.left)} left"
    place = f", place {plan.place} in line" if plan.place else ""
    yield f"  {plan.state}: {plan.plan_id}, token {plan.token}{place}, {lease}"
    yield from (f"    behind {ahead.plan_id} of {ahead.holder}" for ahead in plan.behind)
