"""A flow in words: its state, its questions, its graph and its nodes, and what to type next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.cli.common import columns, program_name
from volition.cli.team_view import event_line, shown_moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.workflow import FlowStatus, RecordedEvent

_NEXT: Final = {
    "judged": "approve {flow} --exactly {hash}",
    "approved": "resume {flow}",
    "running": "status {flow}",
    "held": "resume {flow}",
}


def status_text(flow: FlowStatus) -> str:
    """Everything about a flow, and the next step."""
    why = f": {flow.reason}" if flow.reason else ""
    lines = [f"{flow.flow_id} is {flow.state}{why}"]
    lines += [f"  {plan}: {fate}" for plan, fate in flow.plans.items()]
    if flow.pack:
        lines.append(f"question pack {flow.pack.checksum}")
    for question in flow.pack.questions if flow.pack else ():
        lines += ["", f"{question.question_id}: {question.question_text}"]
        lines += [f"  {option.option_id}: {option.label}" for option in question.options]
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
    return "\n".join([*lines, *_next_step(flow)])


def _next_step(flow: FlowStatus) -> Iterator[str]:
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


def flow_table(flows: Sequence[FlowStatus]) -> Iterator[str]:
    """All flows, one to a line."""
    rows = [(flow.flow_id, flow.state, str(len(flow.plans)), _progress(flow), flow.reason) for flow in flows]
    yield from columns([("flow", "state", "plans", "done", "why"), *rows])


def _progress(flow: FlowStatus) -> str:
    done = sum(node.state in {"done", "skipped"} for node in flow.nodes)
    return f"{done} of {len(flow.nodes)}" if flow.nodes else ""


def graph_lines(flow: FlowStatus) -> Iterator[str]:
    """The graph of a flow, node by node, with the reasons of its order."""
    assert flow.graph is not None
    yield f"graph {flow.graph_hash}"
    for node in flow.graph["nodes"]:
        after = f"  after {'; '.join(node['waits'])}" if node["waits"] else ""
        yield f"{node['node_id']}  {node['intent_id']}  {node['command_id']} [{', '.join(node['effects'])}]{after}"


def why_lines(flow: FlowStatus, events: Sequence[RecordedEvent]) -> Iterator[str]:
    """The state of a flow, and everything that led there."""
    yield f"{flow.flow_id} is {flow.state}" + (f": {flow.reason}" if flow.reason else "")
    yield from map(event_line, events)
