"""A flow as its commands answer: with what a person needs to decide about it; and the question whether a node happened."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from volition.cli.common import CommandAnswer
from volition.cli.entitled import agent_at
from volition.cli.exits import DONE, NEEDS_A_PERSON

if TYPE_CHECKING:
    from volition.workflow import Flows, FlowStatus


def full_answer(flows: Flows, found: FlowStatus) -> CommandAnswer:
    """A flow with what has changed since the last permit, while another one may be given; and with what is known of nodes
    that nobody answered for."""
    from volition.cli.flow_view import difference_lines, status_text, unanswered_lines, ways_to_settle
    from volition.workflow.flow.review import difference_since_permit, unanswered_nodes

    is_agent = agent_at(flows.team.store.address.place) is not None
    data, text = found.to_data() | {"granted": list(found.granted)}, [status_text(found, to_agent=is_agent)]
    changed = difference_since_permit(flows, found.flow_id) if found.state in {"asked", "judged"} else None
    if changed is not None:
        text += ["", *difference_lines(changed)]
    unknown = any(node.state == "unknown" for node in found.nodes)
    nodes = list(unanswered_nodes(found, flows.team.history(found.flow_id))) if unknown else []
    ways = {node.node_id: [] if is_agent else ways_to_settle(found, node) for node in nodes}
    for node in nodes:
        who = "a person looks whether it happened, and says so" if is_agent else "look whether it happened, and say so:"
        text += ["", *unanswered_lines(node), f"  {who}", *(f"    {way}" for way in ways[node.node_id])]
    data["since_permit"] = None if changed is None else changed.to_data()
    data["unanswered"] = [node.to_data() | {"commands": ways[node.node_id]} for node in nodes]
    return CommandAnswer(data, "\n".join(text), DONE if found.state == "done" else NEEDS_A_PERSON)


def ask_whether_it_happened(flows: Flows, found: FlowStatus, node: str, by: str) -> tuple[FlowStatus, bool]:
    """Ask whoever is at the terminal what became of an unknown node, and record it; and say whether anything was recorded.

    One that did not happen is tried again, unless its failure undoes what its plan has done.
    """
    from volition.cli.flow_view import unanswered_lines
    from volition.workflow.flow.review import unanswered_nodes

    if not sys.stdin.isatty() or click.get_current_context().params.get("as_json"):
        return found, False
    events = flows.team.history(found.flow_id)
    known = next(each for each in unanswered_nodes(found, events) if each.node_id == node)
    click.echo("\n".join(unanswered_lines(known)), err=True)
    said = click.prompt("Did it happen?", type=click.Choice(["yes", "no", "leave"]), err=True)
    if said == "leave":
        return found, False
    outcome = "done" if said == "yes" else "failed"
    after = flows.settle(found.flow_id, node, outcome, by, detail=f"{by} has looked: {said}")
    (settled,) = (each for each in after.nodes if each.node_id == node)
    if said == "no" and after.state == "held" and settled.does["failure"] == "hold":
        after = flows.resume(found.flow_id, by, node=node)
    return after, True
