"""A team's registry in words: registrations, plans, events and people; and its flows, with what to type next."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from volition.cli.entitled import agent_at
from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.printing import CommandAnswer, columns, program_name
from volition.workflow.flow.actions import visible
from volition.workflow.flow.review import chosen_options
from volition.workflow.store.events import archive_text, moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from volition.workflow import Flows, Registration
    from volition.workflow.flow.review import PermitDifference, UnansweredNode
    from volition.workflow.flow.status import FlowStatus
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import RegisteredPlan
    from volition.workflow.team.members import Member
    from volition.workflow.team.work import HeldPlan, OpenDecision, OwnWork, TeamIdentity


_NEXT: Final = {
    "judged": "approve {flow} --exactly {hash}",
    "approved": "resume {flow}",
    "running": "status {flow}",
    "held": "resume {flow}",
}
_FOR_PEOPLE: Final = {"asked": "a person answers it", "judged": "a person permits it", "held": "a person looks at it"}
"""What an agent is told to wait for: the line to type is not for it."""


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
    details = ", ".join(f"{key} {event.body[key]}" for key in ("token", "node", "why") if event.body.get(key))
    return f"{event.seq:>6}  {shown_moment(event.at)}  {event.what:<10}  {event.subject}  by {event.actor}  {details}".rstrip()


def _is_open(plan: RegisteredPlan) -> bool:
    return plan.state in {"active", "waiting"}


def identity_text(identity: TeamIdentity) -> str:
    """A member's name, role and key."""
    role = f"{identity.role} of {identity.project}" if identity.role else f"not a member of {identity.project} yet"
    lines = [f"{identity.name}: {role}", f"  registry: {identity.registry}", f"  key: {identity.own_key}"]
    if not identity.may_act:
        lines.append(f"  the name belongs to another key: {identity.key}")
    return "\n".join(lines)


def work_text(work: OwnWork) -> str:
    """What a member has to do, the most pressing first."""
    lines = [f"{work.name}: {work.role or 'not a member yet'}"]
    lines += [_decision_line(each) for each in work.decisions]
    lines += [
        f"  report: flow report {each.flow_id} {each.node_id} done  ({each.plan_id}, token {each.token})"
        for each in work.reports
    ]
    for plan in work.plans:
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


def member_table(members: Sequence[Member]) -> Iterator[str]:
    """The people of a project, with the beginnings of their keys."""
    rows = [(each.name, each.role, each.key if len(each.key) < 64 else f"{each.key[:16]}...") for each in members]
    yield from columns([("name", "role", "key"), *rows])


def flow_answer(flows: Flows, flow: FlowStatus) -> CommandAnswer:
    """A flow with what has changed since the last permit, while another one may be given; and with what is known of nodes
    that nobody answered for."""
    from volition.workflow.flow.review import difference_since_permit, unanswered_nodes

    is_agent = agent_at(flows.team.store.address.place) is not None
    data, text = flow.to_data() | {"granted": list(flow.granted)}, [status_text(flow, to_agent=is_agent)]
    changed = difference_since_permit(flows, flow.flow_id) if flow.state in {"asked", "judged"} else None
    if changed is not None:
        text += ["", *difference_lines(changed)]
    unknown = any(node.state == "unknown" for node in flow.nodes)
    nodes = list(unanswered_nodes(flow, flows.team.history(flow.flow_id))) if unknown else []
    ways = {node.node_id: [] if is_agent else ways_to_settle(flow, node) for node in nodes}
    for node in nodes:
        who = "a person looks whether it happened, and says so" if is_agent else "look whether it happened, and say so:"
        text += ["", *unanswered_lines(node), f"  {who}", *(f"    {way}" for way in ways[node.node_id])]
    data["since_permit"] = None if changed is None else changed.to_data()
    data["unanswered"] = [node.to_data() | {"commands": ways[node.node_id]} for node in nodes]
    return CommandAnswer(data, "\n".join(text), DONE if flow.state == "done" else NEEDS_A_PERSON)


def status_text(flow: FlowStatus, *, to_agent: bool = False) -> str:
    """Everything about a flow, and the next step."""
    why = f": {flow.reason}" if flow.reason else ""
    lines = [f"{flow.flow_id} is {flow.state}{why}"]
    lines += [f"  {plan}: {fate}" for plan, fate in flow.plans.items()]
    lines += [f"{plan} was granted: its holder finds the token with team work" for plan in flow.granted]
    if flow.pack:
        lines.append(f"question pack {flow.pack.checksum}")
    for question in flow.pack.questions if flow.pack else ():
        lines += ["", f"{question.question_id}: {question.question_text}"]
        lines += [f"  {option.option_id}: {option.label}" for option in question.options]
    lines += action_lines(flow)
    if flow.graph_hash:
        lines.append(f"graph {flow.graph_hash}")
    if flow.permit:
        permit = flow.permit
        lines.append(f"permit by {permit['by']} until {shown_moment(permit['expires_at'])}: {permit['state']}")
    if flow.nodes:
        rows = [
            (node.node_id, node.state, node.plan_id, node.binding, ", ".join(node.waits), node.detail)
            for node in flow.nodes
        ]
        lines += ["", *columns([("node", "state", "plan", "binding", "after", "known"), *rows])]
    return "\n".join([*lines, *_next_step(flow, to_agent=to_agent)])


def action_lines(flow: FlowStatus) -> Iterator[str]:
    """What a flow does, or what its commands are bound to while questions are open; and by which rules."""
    if not flow.actions:
        return
    rules = f"policy {flow.policy_hash[:12]}, environment {flow.env}"
    yield ""
    yield f"what is done ({rules}):" if flow.graph else f"what the commands are bound to ({rules}):"
    for action in flow.actions:
        after = f", after {', '.join(action.waits)}" if action.waits else ""
        node = f"{action.node_id}  " if action.node_id else ""
        yield f"  {node}{action.command_id} of {action.plan_id} ({visible(action.title)}){after}"
        yield f"    {action.words}"


def difference_lines(difference: PermitDifference) -> Iterator[str]:
    """What has changed since the last permit."""
    yield f"since {difference.by} permitted {difference.permitted} at {shown_moment(difference.at)}:"
    yield from (f"  {name} {old[:12]} -> {new[:12]}" for name, (old, new) in difference.rules.items())
    yield from (f"  {change}" for change in difference.changes)
    if not difference.changes and not difference.rules:
        yield "  nothing that is done has changed"


def _next_step(flow: FlowStatus, *, to_agent: bool) -> Iterator[str]:
    if to_agent and flow.state in _FOR_PEOPLE:
        yield from ("", f"next: {_FOR_PEOPLE[flow.state]}")
        return
    step = _NEXT.get(flow.state)
    if flow.pack is not None:
        first = flow.pack.questions[0]
        seen = flow.pack.checksum[:12]
        step = f"answer {{flow}} --choose {first.question_id}={first.options[0].option_id} --exactly {seen}"
    notices = [node for node in flow.nodes if node.state == "sent" and node.action == "notify"]
    if flow.state == "running" and notices:
        step = f"report {{flow}} {notices[0].node_id} done"
    if step is not None:
        yield ""
        yield f"next: {program_name()} flow {step.format(flow=flow.flow_id, hash=flow.graph_hash[:12])}"


def unanswered_lines(node: UnansweredNode) -> Iterator[str]:
    """What is known of a node that nobody answered for."""
    yield f"nobody knows what became of {node.node_id}: {node.words}"
    sent = f"at {shown_moment(node.sent_at)} by {node.sent_by}" if node.sent_by else "by an event that is archived,"
    yield f"  sent {sent} under request {node.request}"
    yield from (f"  asked for again at {shown_moment(at)} by {who}" for at, who in node.asked_again)
    yield f"  since {shown_moment(node.silent_since) if node.sent_by else 'then'}: {node.silence}"


def ways_to_settle(flow: FlowStatus, node: UnansweredNode) -> list[str]:
    """What to type once somebody has looked whether a node happened."""
    program = program_name()
    outcomes = {"it happened": "done", "it did not happen": "failed"}
    ways = [f"{program} flow settle {flow.flow_id} {node.node_id} {word}  # {why}" for why, word in outcomes.items()]
    return [*ways, f"{program} flow resume {flow.flow_id}  # go on"]


def flow_table(flows: Sequence[FlowStatus]) -> Iterator[str]:
    """All flows, one to a line."""
    rows = [(flow.flow_id, flow.state, str(len(flow.plans)), _progress(flow), flow.reason) for flow in flows]
    yield from columns([("flow", "state", "plans", "done", "why"), *rows])


def _progress(flow: FlowStatus) -> str:
    passed = sum(node.state in {"done", "skipped"} for node in flow.nodes)
    return f"{passed} of {len(flow.nodes)}" if flow.nodes else ""


def graph_lines(flow: FlowStatus) -> Iterator[str]:
    """The graph of a flow, node by node, with the reasons of its order and what is done."""
    assert flow.graph is not None
    words = {action.node_id: action.words for action in flow.actions}
    yield f"graph {flow.graph_hash}"
    for node in flow.graph["nodes"]:
        after = f"  after {'; '.join(node['waits'])}" if node["waits"] else ""
        yield f"{node['node_id']}  {node['intent_id']}  {node['command_id']} [{', '.join(node['effects'])}]{after}"
        yield f"  {words.get(node['node_id'], '')}"


def why_lines(flow: FlowStatus, events: Sequence[RecordedEvent], archived: RecordedEvent | None) -> Iterator[str]:
    """The state of a flow, and everything that led there, with the options that were chosen; and where older events are."""
    yield f"{flow.flow_id} is {flow.state}" + (f": {flow.reason}" if flow.reason else "")
    if archived is not None and not any(event.what == "started" for event in events):
        yield f"  {archive_text(archived)}"
    for event in events:
        yield event_line(event)
        for chosen in chosen_options(event, events):
            yield f"        {event.actor} chose {chosen.label} ({chosen.question_id}={chosen.option_id})"
        if "outcome" in event.body:
            detail = f", {visible(event.body['detail'])}" if event.body["detail"] else ""
            yield f"        {event.body['node']}: {event.body['outcome']}{detail}"


def why_data(events: Sequence[RecordedEvent]) -> list[dict[str, Any]]:
    """Everything that happened to a flow, each event with the options that were chosen in it."""
    return [
        event.to_data() | {"chosen": [each.to_data() for each in chosen_options(event, events)]} for event in events
    ]
