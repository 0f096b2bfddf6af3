"""A team's registry in words: registrations, plans, judgements and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.cli.common import columns
from volition.workflow.team.evidence import moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from volition.workflow import RecordedEvent, RegisteredPlan, Registration


def registration_text(made: Registration) -> str:
    """How a registration ended, and what to do next."""
    lines = []
    if made.grant is not None:
        until = moment(made.grant.lease_until)
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
        (plan.plan_id, plan.state, plan.holder, str(plan.token), moment(plan.lease_until) if _is_open(plan) else "")
        for plan in plans
    ]
    yield from columns([("plan", "state", "holder", "token", "lease until"), *rows])


def plan_text(plan: RegisteredPlan) -> str:
    """One plan, and its document as it was registered."""
    until = f", lease until {moment(plan.lease_until)}" if _is_open(plan) else ""
    head = f"{plan.plan_id}: {plan.state}, held by {plan.holder}, token {plan.token}{until}"
    return f"{head}\n  checksum {plan.checksum}\n{plan.document}"


def judgement_text(event: RecordedEvent) -> str:
    """Why a plan is in its state."""
    lines = [f"{event.subject}: {event.what} by {event.actor} at {moment(event.at)} (event {event.seq})"]
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
    return f"{event.seq:>6}  {moment(event.at)}  {event.what:<10}  {event.subject}  by {event.actor}  {said}".rstrip()


def _is_open(plan: RegisteredPlan) -> bool:
    return plan.state in {"active", "waiting"}
