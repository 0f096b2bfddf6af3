"""Why: the judgement of a plan, the collision of two plans, and the way of a flow, in lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.agents.mcp.answers import cut
from volition.agents.mcp.views import without_ways
from volition.governance import IntentDocument, evaluate, gather, parse_document
from volition.workflow import Flows, Team
from volition.workflow.law.states import OPEN_PLANS
from volition.workflow.store.events import RecordedEvent, archive_text, moment

if TYPE_CHECKING:
    from collections.abc import Iterator


def explain_plan(team: Team, plan_id: str) -> list[str]:
    """The last judgement of a plan, what it met, and whether that is still so."""
    event = team.why(plan_id)
    return [cut(line, 500) for line in _judgement(team, event)]


def explain_pair(team: Team, one: str, other: str) -> list[str]:
    """What two registered plans contest, as the evaluation of both says it."""
    policy, env = team.rules()
    intents = [parse_document(team.show(name).document.encode(), IntentDocument, where=name) for name in (one, other)]
    if one == other:
        return [f"{one} is one plan: it does not collide with itself"]
    lines = []
    for conflict in evaluate(gather(intents, env=env), policy=policy).conflicts:
        kind = conflict.type.replace("_", " ")
        lines.append(
            f"{conflict.severity}, {kind} on {conflict.resource_ref}: {without_ways(conflict.description or '')}"
        )
        lines += [f"  evidence: {ref}" for ref in conflict.evidence_refs[:4]]
    return [cut(line, 800) for line in lines or [f"{one} and {other} do not collide"]]


def explain_flow(team: Team, flow_id: str) -> list[str]:
    """The state of a flow, and the events that led there."""
    flow = Flows(team).status(flow_id)
    lines = [f"{flow.flow_id} is {flow.state}" + (f": {flow.reason}" if flow.reason else "")]
    lines += [f"{plan}: {fate}" for plan, fate in flow.plans.items()]
    archived = team.last_archive()
    lines += [archive_text(archived)] if archived is not None else []
    lines += [_event_line(event) for event in team.history(flow.flow_id)]
    return [cut(line, 500) for line in lines]


def _judgement(team: Team, event: RecordedEvent) -> Iterator[str]:
    yield _event_line(event)
    met = event.body.get("collisions", ())
    if event.what == "granted" and not met:
        yield "it collided with no active plan"
    for each in met:
        yield f"{each['severity']}: {each['rule']} on {each['resource']} with {', '.join(each['plans'][:6])}"
    for name in [event.subject, *sorted({name for each in met for name in each["plans"]})]:
        yield f"now: {_now(team, name)}"


def _now(team: Team, plan_id: str) -> str:
    plan = team.find(plan_id)
    if plan is None:
        return f"{plan_id} is not registered"
    until = f", lease until {moment(plan.lease_until)}" if plan.state in OPEN_PLANS else ", so it is not in the way"
    return f"{plan_id} is {plan.state}, held by {plan.holder}{until}"


def _event_line(event: RecordedEvent) -> str:
    why = f": {event.body['why']}" if event.body.get("why") else ""
    return f"{event.subject}: {event.what} by {event.actor} at {moment(event.at)} (event {event.seq}){why}"
