"""A flow in words: its state, its questions, what it does, its nodes, and what to type next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.cli.common import columns, program_name
from volition.cli.team_view import event_line, shown_moment
from volition.workflow.flow.actions import visible
from volition.workflow.flow.review import chosen_options
from volition.workflow.store.events import archive_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.workflow import FlowStatus, RecordedEvent
    from volition.workflow.flow.review import PermitDifference, UnansweredNode

_NEXT: Final = {
    "judged": "approve {flow} --exactly {hash}",
    "approved": "resume {flow}",
    "running": "status {flow}",
    "held": "resume {flow}",
}


_FOR_PEOPLE: Final = {"asked": "a person answers it", "judged": "a person permits it", "held": "a person looks at it"}
"""What an agent is told to wait for: the line to type is not for it."""


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


def difference_lines(found: PermitDifference) -> Iterator[str]:
    """What has changed since the last permit."""
    yield f"since {found.by} permitted {found.permitted} at {shown_moment(found.at)}:"
    yield from (f"  {name} {old[:12]} -> {new[:12]}" for name, (old, new) in found.rules.items())
    yield from (f"  {change}" for change in found.changes)
    if not found.changes and not found.rules:
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
    said = [f"{program} flow settle {flow.flow_id} {node.node_id} {word}  # {why}" for why, word in outcomes.items()]
    return [*said, f"{program} flow resume {flow.flow_id}  # go on"]


def flow_table(flows: Sequence[FlowStatus]) -> Iterator[str]:
    """All flows, one to a line."""
    rows = [(flow.flow_id, flow.state, str(len(flow.plans)), _progress(flow), flow.reason) for flow in flows]
    yield from columns([("flow", "state", "plans", "done", "why"), *rows])


def _progress(flow: FlowStatus) -> str:
    done = sum(node.state in {"done", "skipped"} for node in flow.nodes)
    return f"{done} of {len(flow.nodes)}" if flow.nodes else ""


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
            said = f", {visible(event.body['detail'])}" if event.body["detail"] else ""
            yield f"        {event.body['node']}: {event.body['outcome']}{said}"
