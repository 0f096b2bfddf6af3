"""The nodes of a flow: made when it is approved, freed when those before them have passed, and undone where that was bound."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec.structs import replace

from volition.workflow.law.bindings import parse_bindings
from volition.workflow.law.permit import UNDO, approved_nodes, request_id
from volition.workflow.store.rows import NodeRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.workflow.store.rows import FlowRow, Rows


def nodes_of(rows: Rows, flow_id: str) -> list[NodeRow]:
    """All nodes of a flow, in the order of its graph."""
    return sorted(rows.all(NodeRow, flow_id=flow_id), key=lambda node: (node.place, node.node_id))


def make_nodes(rows: Rows, flow: FlowRow) -> None:
    """Make the nodes of a flow that is approved; those that wait for nobody are ready."""
    for place, (node_id, node) in enumerate(approved_nodes(flow.graph, flow.bindings).items()):
        _make_node(rows, flow, node_id, node.plan_id, place, "command", node.binding, json.loads(node.waits))


def _make_node(
    rows: Rows, flow: FlowRow, node_id: str, plan_id: str, place: int, kind: str, binding: str, waits: Sequence[str]
) -> None:
    rows.put(
        NodeRow(
            flow_id=flow.flow_id, node_id=node_id, plan_id=plan_id, place=place, kind=kind, binding=binding,
            state="blocked" if waits else "ready", waits=json.dumps(list(waits)), attempt=1,
            request=request_id(flow.flow_id, flow.graph_hash, node_id, 1), result="", detail="", asked_by="[]",
            retry=0,
        )
    )  # fmt: skip


def passed_nodes(rows: Rows, flow: FlowRow) -> set[str]:
    """The nodes of a flow for which nobody has to wait."""
    bindings = parse_bindings(flow.bindings)
    return {
        node.node_id
        for node in nodes_of(rows, flow.flow_id)
        if node.state in {"done", "skipped"}
        or (node.state == "failed" and bindings.by_name(node.binding).failure == "ignore")
    }


def free_nodes(rows: Rows, flow: FlowRow) -> None:
    """Make those nodes ready whose predecessors have all passed."""
    passed = passed_nodes(rows, flow)
    for node in nodes_of(rows, flow.flow_id):
        if node.state == "blocked" and passed.issuperset(json.loads(node.waits)):
            rows.put(replace(node, state="ready"))


def may_retry(flow: FlowRow, node: NodeRow) -> bool:
    """Whether a definite failure is tried again without asking anybody, as its binding allows."""
    return (
        node.state == "failed"
        and node.retry > 0
        and node.attempt <= parse_bindings(flow.bindings).by_name(node.binding).retries
    )


def goes_on(rows: Rows, flow: FlowRow) -> bool:
    """Whether something of a flow can be done, or is under way, without a person's word."""
    return any(node.state in {"ready", "sent"} or may_retry(flow, node) for node in nodes_of(rows, flow.flow_id))


def why_held(rows: Rows, flow: FlowRow) -> str:
    """What a person has to decide."""
    passed = passed_nodes(rows, flow)
    stuck = [
        f"{node.node_id} {node.state}"
        for node in nodes_of(rows, flow.flow_id)
        if node.state in {"failed", "unknown"} and node.node_id not in passed
    ]
    return f"a person has to decide: {', '.join(stuck)}"


def compensate(rows: Rows, flow: FlowRow, failed: NodeRow) -> None:
    """Undo what the plan of a failed node has done, newest first, and skip the rest of it, where its binding says so.

    An undo is a node like any other.
    """
    bindings = parse_bindings(flow.bindings)
    if bindings.by_name(failed.binding).failure != "compensate" or failed.kind != "command" or may_retry(flow, failed):
        return
    nodes = [node for node in nodes_of(rows, flow.flow_id) if node.plan_id == failed.plan_id]
    for node in nodes:
        if node.state in {"blocked", "ready"}:
            rows.put(replace(node, state="skipped", detail=f"{failed.node_id} failed"))
    done = [node for node in nodes if node.state == "done" and bindings.by_name(node.binding).compensation]
    before: list[str] = []
    for node in reversed(done):
        name = node.node_id + UNDO
        _make_node(
            rows, flow, name, node.plan_id, node.place, "undo", bindings.by_name(node.binding).compensation, before
        )
        before = [name]
