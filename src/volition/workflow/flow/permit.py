"""What a permit is bound to: one hash over everything that decides what a flow does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from volition.core.canonical import digest
from volition.core.document import parse_json
from volition.core.errors import BrokenRecord, InvalidInput, Problem
from volition.governance import read_intent
from volition.workflow.flow.bindings import parse_bindings
from volition.workflow.flow.requests import UNDO, request_id
from volition.workflow.store.tables import FLOW_PLAN
from volition.workflow.team.rules import rules_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection, Row


def graph_hash(*, graph: Any, merged: str, plans: Mapping[str, str], policy_hash: str, env: str, bindings: str) -> str:
    """The hash of exactly this: the graph, the merged plan, every plan by its checksum, the rules, and the bindings."""
    return digest(
        {
            "graph": graph, "merged": merged, "plans": dict(plans), "policy": policy_hash, "env": env,
            "bindings": bindings,
        }
    )  # fmt: skip


def stored_hash(connection: Connection, flow: Row[Any]) -> str:
    """The hash of what is stored now: every checksum is computed from its document again, nothing is believed."""
    try:
        plans = {
            row.plan_id: read_intent(row.document.encode(), where=row.plan_id).document.audit.checksum
            for row in connection.execute(select(FLOW_PLAN).where(FLOW_PLAN.c.flow_id == flow.flow_id))
        }
        merged = read_intent(flow.merged.encode(), where="merged plan").document.audit.checksum
        graph = parse_json(flow.graph, where="graph")
        policy = rules_of(flow.policy, flow.env)[0].hash
    except InvalidInput as error:
        raise changed(flow.flow_id, error.problems[0].what) from error
    return graph_hash(graph=graph, merged=merged, plans=plans, policy_hash=policy, env=flow.env, bindings=flow.bindings)


def node_faults(flow: Row[Any], nodes: Iterable[Row[Any]]) -> list[str]:
    """Everything in the rows of a flow's nodes that the approved graph and bindings do not say: the hash covers those two,
    and not the rows. Only states, attempts, results and the order of undoing are nobody's to approve."""
    graph, bindings, found = json.loads(flow.graph), parse_bindings(flow.bindings), list[str]()
    commands = {node["node_id"]: node for node in graph["nodes"]}
    rows = {row.node_id: row for row in nodes}
    for row in rows.values():
        command = commands.get(row.node_id.removesuffix(UNDO) if row.kind == "undo" else row.node_id)
        if command is None:
            found.append(f"{row.node_id} is not in the graph")
            continue
        bound = bindings.find(command["command_id"], command["intent_id"], command["effects"])
        name = "" if bound is None else bound.compensation if row.kind == "undo" else bound.name
        waits = sorted({edge["before"] for edge in graph["edges"] if edge["after"] == row.node_id})
        if (row.plan_id, row.binding) != (command["intent_id"], name):
            found.append(f"{row.node_id} is bound to {row.binding} for {row.plan_id}")
        elif row.kind == "command" and row.waits != json.dumps(waits):
            found.append(f"{row.node_id} waits for others")
        elif row.request != request_id(flow.flow_id, flow.graph_hash, row.node_id, row.attempt):
            found.append(f"{row.node_id} has another request")
    return found + [f"{name} is missing" for name in commands if name not in rows]


def changed(flow_id: str, what: str) -> BrokenRecord:
    """The error for a flow whose stored content is not what was approved."""
    return BrokenRecord(
        Problem(
            f"the flow is not what was approved: {what}",
            flow_id,
            "the very bytes that the permit names",
            "find out who changed the database; abandon this flow and start another",
        )
    )
