"""What a permit is bound to: one hash over everything that decides what a flow does, and the nodes that follow from it.

Both are functions of exactly the bytes that are stored, and are computed from them before every step. Results for the same
bytes are kept, because a flow of many nodes asks for them at each.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Row, select

from volition.core.canonical import digest
from volition.core.document import parse_json
from volition.core.errors import BrokenRecord, InvalidInput
from volition.governance import read_intent
from volition.workflow.flow.bindings import parse_bindings
from volition.workflow.flow.requests import UNDO, request_id
from volition.workflow.store.tables import FLOW_PLAN
from volition.workflow.team.rules import rules_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def graph_hash(*, graph: Any, merged: str, plans: Mapping[str, str], policy_hash: str, env: str, bindings: str) -> str:
    """The hash of exactly this: the graph, the merged plan, every plan by its checksum, the rules, and the bindings."""
    return digest(
        {
            "graph": graph, "merged": merged, "plans": dict(plans), "policy": policy_hash, "env": env,
            "bindings": bindings,
        }
    )  # fmt: skip


def plans_of(connection: Connection, flow_id: str) -> list[Row[Any]]:
    """The plans of a flow, as they were when it began, by their ids."""
    wanted = select(FLOW_PLAN).where(FLOW_PLAN.c.flow_id == flow_id).order_by(FLOW_PLAN.c.plan_id)
    return list(connection.execute(wanted))


def stored_hash(flow: Row[Any], rows: Iterable[Row[Any]]) -> str:
    """The hash of what is stored now, with the flow's plans: every checksum is computed from its document again."""
    plans = tuple((row.plan_id, row.document) for row in rows)
    try:
        return _hash_of(flow.graph, flow.merged, plans, flow.policy, flow.env, flow.bindings)
    except InvalidInput as error:
        raise flow_changed(flow.flow_id, error.problems[0].what) from error


@lru_cache(maxsize=64)
def _hash_of(graph: str, merged: str, plans: tuple[tuple[str, str], ...], policy: str, env: str, bindings: str) -> str:
    checksums = {name: read_intent(text.encode(), where=name).document.audit.checksum for name, text in plans}
    return graph_hash(
        graph=parse_json(graph, where="graph"),
        merged=read_intent(merged.encode(), where="merged plan").document.audit.checksum,
        plans=checksums,
        policy_hash=rules_of(policy, env)[0].hash,
        env=env,
        bindings=bindings,
    )


class ApprovedNode(NamedTuple):
    """What graph and bindings say of a node: whose it is, what is done for it and to undo it, and what comes before it."""

    plan_id: str
    binding: str
    compensation: str
    waits: str


@lru_cache(maxsize=64)
def approved_nodes(graph: str, bindings: str) -> Mapping[str, ApprovedNode]:
    """The nodes of a graph under some bindings, by their ids."""
    content, table = json.loads(graph), parse_bindings(bindings)
    before: dict[str, set[str]] = {node["node_id"]: set() for node in content["nodes"]}
    for edge in content["edges"]:
        before[edge["after"]].add(edge["before"])
    found = {}
    for node in content["nodes"]:
        bound = table.find(node["command_id"], node["intent_id"], node["effects"])
        names = ("", "") if bound is None else (bound.name, bound.compensation)
        waits = json.dumps(sorted(before[node["node_id"]]))
        found[node["node_id"]] = ApprovedNode(node["intent_id"], *names, waits)
    return found


def node_faults(flow: Row[Any], nodes: Iterable[Row[Any]]) -> list[str]:
    """Everything in the rows of a flow's nodes that the approved graph and bindings do not say: the hash covers those two,
    and not the rows. Only states, attempts, results and the order of undoing are nobody's to approve."""
    approved, found, met = approved_nodes(flow.graph, flow.bindings), list[str](), set[str]()
    for row in nodes:
        met.add(row.node_id)
        undoes = row.kind == "undo"
        node = approved.get(row.node_id.removesuffix(UNDO) if undoes else row.node_id)
        if node is None:
            found.append(f"{row.node_id} is not in the graph")
        elif (row.plan_id, row.binding) != (node.plan_id, node.compensation if undoes else node.binding):
            found.append(f"{row.node_id} is bound to {row.binding} for {row.plan_id}")
        elif not undoes and row.waits != node.waits:
            found.append(f"{row.node_id} waits for others")
        elif row.request != request_id(flow.flow_id, flow.graph_hash, row.node_id, row.attempt):
            found.append(f"{row.node_id} has another request")
    return found + [f"{name} is missing" for name in approved if name not in met]


def flow_changed(flow_id: str, what: str) -> BrokenRecord:
    """The error for a flow whose stored content is not what was approved."""
    return BrokenRecord.of(
        f"the flow is not what was approved: {what}",
        where=flow_id,
        expected="the very bytes that the permit names",
        remedy="find out who changed the database; abandon this flow and start another",
    )
