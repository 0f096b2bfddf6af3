"""The nodes of a flow: made when it is approved, moved on within a turn, one transition at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from volition.workflow.flow.bindings import Binding, parse_bindings
from volition.workflow.flow.requests import UNDO, request_id
from volition.workflow.flow.states import NEXT_OF_FLOW, NEXT_OF_NODE
from volition.workflow.store.tables import FLOW, NODE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.governance import ExecutionGraph
    from volition.workflow.store.turn import Turn


_ALL: Final = select(NODE).where(NODE.c.flow_id == bindparam("of")).order_by(NODE.c.place, NODE.c.node_id)


def make_nodes(turn: Turn, flow: Row[Any], graph: ExecutionGraph, bound: Mapping[str, Binding]) -> None:
    """Insert the nodes of an approved graph; those that wait for nobody are ready."""
    for place, node in enumerate(graph.nodes):
        waits = sorted({edge.before for edge in graph.edges if edge.after == node.node_id})
        _insert(turn, flow, node.node_id, node.intent_id, place, "command", bound[node.node_id].name, waits)


def _insert(
    turn: Turn, flow: Row[Any], node_id: str, plan_id: str, place: int, kind: str, binding: str, waits: Sequence[str]
) -> None:
    turn.connection.execute(
        insert(NODE).values(
            flow_id=flow.flow_id, node_id=node_id, plan_id=plan_id, place=place, kind=kind, binding=binding,
            state="blocked" if waits else "ready", waits=json.dumps(list(waits)), attempt=1,
            request=request_id(flow.flow_id, flow.graph_hash, node_id, 1), result="", detail="",
        )
    )  # fmt: skip


def nodes_of(connection: Connection, flow_id: str) -> list[Row[Any]]:
    """All nodes of a flow, in the order of its graph."""
    return list(connection.execute(_ALL, {"of": flow_id}))


def move_node(turn: Turn, node: Row[Any], state: str, by: str, **values: Any) -> None:
    """One transition of a node, recorded."""
    assert state in NEXT_OF_NODE[node.state], (node.state, state)
    turn.connection.execute(
        update(NODE).where(NODE.c.flow_id == node.flow_id, NODE.c.node_id == node.node_id).values(state=state, **values)
    )
    said = {key: values[key] for key in ("attempt", "detail", "result") if values.get(key)}
    turn.record(f"node {state}", node.flow_id, by, node=node.node_id, was=node.state, request=node.request, **said)


def move_flow(turn: Turn, flow: Row[Any], state: str, by: str, reason: str = "", **said: Any) -> None:
    """One transition of a flow, recorded."""
    assert state in NEXT_OF_FLOW[flow.state], (flow.state, state)
    turn.connection.execute(update(FLOW).where(FLOW.c.flow_id == flow.flow_id).values(state=state, reason=reason))
    turn.record(state, flow.flow_id, by, **({"why": reason} if reason else {}), **said)


def advance(turn: Turn, flow_id: str, by: str) -> None:
    """After a change: let those go on whose predecessors have passed, and see whether the flow is done or held."""
    flow = turn.connection.execute(select(FLOW).where(FLOW.c.flow_id == flow_id)).one()
    nodes = nodes_of(turn.connection, flow_id)
    bindings = parse_bindings(flow.bindings)
    passed = {node.node_id for node in nodes if has_passed(node, bindings.by_name(node.binding))}
    freed = [node for node in nodes if node.state == "blocked" and passed.issuperset(json.loads(node.waits))]
    for node in freed:
        move_node(turn, node, "ready", by)
    goes_on = bool(freed) or any(node.state in {"ready", "sent"} for node in nodes)
    if all(node.node_id in passed for node in nodes):
        move_flow(turn, flow, "done", by)
    elif flow.state == "running" and not goes_on:
        move_flow(turn, flow, "held", by, _why_held(nodes, passed))
    elif flow.state == "held" and goes_on:
        move_flow(turn, flow, "running", by)


def has_passed(node: Row[Any], binding: Binding) -> bool:
    """Whether what waits for a node need not wait any more."""
    return node.state in {"done", "skipped"} or (node.state == "failed" and binding.failure == "ignore")


def _why_held(nodes: Sequence[Row[Any]], passed: set[str]) -> str:
    stuck = [
        f"{node.node_id} {node.state}"
        for node in nodes
        if node.state in {"failed", "unknown"} and node.node_id not in passed
    ]
    return f"a person has to decide: {', '.join(stuck)}"


def compensate(turn: Turn, flow: Row[Any], failed: Row[Any], by: str) -> None:
    """Undo what a plan has done, newest first, and skip the rest of it. An undo is a node like any other."""
    bindings = parse_bindings(flow.bindings)
    nodes = [node for node in nodes_of(turn.connection, flow.flow_id) if node.plan_id == failed.plan_id]
    for node in nodes:
        if node.state in {"blocked", "ready"}:
            move_node(turn, node, "skipped", by, detail=f"{failed.node_id} failed")
    done = [node for node in nodes if node.state == "done" and bindings.by_name(node.binding).compensation]
    before: list[str] = []
    for node in reversed(done):
        name = node.node_id + UNDO
        _insert(turn, flow, name, node.plan_id, node.place, "undo", bindings.by_name(node.binding).compensation, before)
        turn.record("node made", flow.flow_id, by, node=name, undoes=node.node_id)
        before = [name]
