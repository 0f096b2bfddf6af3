"""What a permit is bound to: one hash over everything that a flow does, and nothing of how that is described.

It covers every node with its plan, its command, what comes before it, and the exact action: where to, what, with which
parameters, and what happens if it fails; and the policy and the environment. Values are canonical, so 7 and 7.0 are one number. Titles,
descriptions, reasons and the layout of files are not in it: a plan that is reworded keeps its permit, and one changed
parameter loses it.

It is computed from what is stored, before every step. Results for the same bytes are kept, because a flow of many nodes
asks for them at each.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, to_builtins

from volition.core.canonical import digest
from volition.core.document import parse_json
from volition.core.errors import BrokenRecord, InvalidInput, NotPossible, Problem
from volition.workflow.law.bindings import Binding, Bindings, parse_bindings
from volition.workflow.law.judgement import read_plan, rules_of
from volition.workflow.law.states import OPEN_PLANS
from volition.workflow.store.rows import FlowPlanRow, NodeRow, PermitRow, RegisteredPlan

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from volition.workflow.store.rows import FlowRow, Rows


UNDO: Final = "_undo"
"""How the id of a node that compensates another one ends."""


def request_id(flow_id: str, approved: str, node_id: str, attempt: int) -> str:
    """The id under which an executor remembers a node: the same for the same attempt at the same thing, permanently.

    `attempt` rises only after a definite failure or a person's word, never after silence.
    """
    return sha256(f"{flow_id} {approved} {node_id} {attempt}".encode()).hexdigest()


class WorldMoved(NotPossible):
    """What was asked or approved is no longer what is: a plan ended or changed, or the time is over."""


def world_moved(what: str, where: str) -> WorldMoved:
    """The error for a world that has moved on."""
    return WorldMoved.of(
        what,
        where=where,
        expected="plans, questions and permits that are as they were",
        remedy="see volition flow status, and start another flow with the plans as they are now",
    )


def flow_changed(flow_id: str, what: str) -> BrokenRecord:
    """The error for a flow whose stored content is not what was approved."""
    return BrokenRecord.of(
        f"the flow is not what was approved: {what}",
        where=flow_id,
        expected="the very actions that the permit names",
        remedy="find out who changed the database; abandon this flow and start another",
    )


# What is done.


def action_of(bindings: Bindings, binding: Binding) -> dict[str, Any]:
    """What is done for a command, and what happens if it fails, without its name in the file."""
    undoing = bindings.by_name(binding.compensation) if binding.compensation else None
    return {
        "action": binding.action, "executor": binding.executor, "intent": binding.intent, "call": binding.call,
        "parameters": binding.parameters, "agent": binding.agent, "resource": binding.resource,
        "deadline": binding.deadline, "retries": binding.retries, "failure": binding.failure,
        "undo": undoing and action_of(bindings, undoing),
    }  # fmt: skip


class ApprovedNode(Struct, frozen=True):
    """What graph and bindings say of a node: whose it is, what is done for it and to undo it, and what comes before it."""

    plan_id: str
    command_id: str
    binding: str
    compensation: str
    waits: str


@lru_cache(maxsize=64)
def approved_nodes(graph: str, bindings: str) -> Mapping[str, ApprovedNode]:
    """The nodes of a graph under some bindings, by their ids, in the order of the graph."""
    content, table = parse_json(graph, where="graph"), parse_bindings(bindings)
    before: dict[str, set[str]] = {node["node_id"]: set() for node in content["nodes"]}
    for edge in content["edges"]:
        before[edge["after"]].add(edge["before"])
    nodes = {}
    for node in content["nodes"]:
        bound = table.find(node["command_id"], node["intent_id"], node["effects"])
        names = ("", "") if bound is None else (bound.name, bound.compensation)
        waits = json.dumps(sorted(before[node["node_id"]]))
        nodes[node["node_id"]] = ApprovedNode(node["intent_id"], node["command_id"], *names, waits)
    return nodes


@lru_cache(maxsize=64)
def planned_nodes(graph: str, bindings: str) -> tuple[Mapping[str, Any], ...]:
    """What a graph does under some bindings, node by node: this is what people are shown, and this is what is hashed."""
    table = parse_bindings(bindings)
    return tuple(
        {
            "node": name, "plan": node.plan_id, "command": node.command_id, "waits": json.loads(node.waits),
            "action": action_of(table, table.by_name(node.binding)),
        }
        for name, node in approved_nodes(graph, bindings).items()
    )  # fmt: skip


@lru_cache(maxsize=64)
def hash_of_actions(graph: str, bindings: str, policy: str, env: str) -> str:
    """The hash of everything that is done by a graph under some bindings, in an environment, by the policy of a text."""
    return digest({"policy": rules_of(policy, env)[0].hash, "env": env, "nodes": planned_nodes(graph, bindings)})


def work_of(document: str) -> dict[str, Any]:
    """What the work of a plan is, without how it is described: what it claims and locks, its commands with their effects, and
    what it depends on. A plan with the same work is the same plan in other words: that matters where a command is left to the
    holder, who acts on the plan and not on a binding."""
    plan = read_plan(document)
    scope = plan.scope
    return {
        "plan": plan.id,
        "scope": to_builtins([scope.repo_root, scope.targets, plan.constraints.lock_scope]),
        "commands": [[command.command_id, sorted(command.effects)] for command in plan.planned_commands],
        "depends_on": sorted(plan.metadata.depends_on) if plan.metadata else [],
    }


def stored_hash(flow: FlowRow, parts: Iterable[FlowPlanRow]) -> str:
    """The hash of what is stored now; every document must fit its checksum."""
    try:
        for part in parts:
            plan = read_plan(part.document)
            if (plan.id, plan.audit.checksum) != (part.plan_id, part.checksum):
                raise flow_changed(flow.flow_id, f"the document of {part.plan_id} is another one")
        read_plan(flow.merged)
        return hash_of_actions(flow.graph, flow.bindings, flow.policy, flow.env)
    except (InvalidInput, KeyError, TypeError) as error:
        what = error.problems[0].what if isinstance(error, InvalidInput) else "its graph cannot be read"
        raise flow_changed(flow.flow_id, what) from error


# Whether it may be done.


def check_permit(rows: Rows, flow: FlowRow, now: int) -> None:
    """Check that a flow may act now, exactly as it was approved.

    Nothing is taken on trust: the permit must be valid and not over, every plan active under the same token, or finished with
    no node left to send, the hash of what is stored the one that was approved, and every node what the graph says.
    """
    permit = rows.find(PermitRow, flow.flow_id)
    if permit is None or permit.state != "valid":
        raise _not_permitted(flow.flow_id, "there is no valid permit")
    if permit.expires_at <= now:
        raise _not_permitted(flow.flow_id, "the permit is over")
    parts, nodes = rows.all(FlowPlanRow, flow_id=flow.flow_id), rows.all(NodeRow, flow_id=flow.flow_id)
    if not permit.graph_hash == flow.graph_hash == stored_hash(flow, parts):
        raise flow_changed(flow.flow_id, "the hash of what is stored is another one")
    if faults := node_faults(flow, nodes):
        raise flow_changed(flow.flow_id, faults[0])
    check_given_way(rows, parts, flow.flow_id)
    kept = [part for part in parts if part.fate == "kept"]
    waiting = {node.plan_id for node in nodes if node.state == "ready"}
    for plan_id, plan in check_unchanged(rows, kept, flow.flow_id, states=(*OPEN_PLANS, "finished")).items():
        if plan.state == "waiting" or (plan.state == "finished" and plan_id in waiting):
            raise world_moved(f"{plan_id} is {plan.state}", flow.flow_id)


def check_given_way(rows: Rows, parts: Iterable[FlowPlanRow], flow_id: str) -> None:
    """Check that the plans which were to give way have done so: their claims would be held twice."""
    for part in parts:
        plan = rows.find(RegisteredPlan, part.plan_id)
        if part.fate == "superseded" and plan is not None and plan.token == part.token and plan.state in OPEN_PLANS:
            raise flow_changed(flow_id, f"{part.plan_id} was to give way, and is {plan.state}")


def check_unchanged(
    rows: Rows, parts: Iterable[FlowPlanRow], flow_id: str, *, states: Collection[str] = OPEN_PLANS
) -> dict[str, RegisteredPlan]:
    """The plans of a flow, in one of some states; WorldMoved if one is not as it was judged."""
    plans: dict[str, RegisteredPlan] = {}
    for part in parts:
        plan = rows.find(RegisteredPlan, part.plan_id)
        if plan is None or plan.state not in states:
            raise world_moved(f"{part.plan_id} is {plan.state if plan else 'missing'}", flow_id)
        if (plan.checksum, plan.token) != (part.checksum, part.token):
            raise world_moved(f"{part.plan_id} was revised or granted again", flow_id)
        plans[part.plan_id] = plan
    return plans


def node_faults(flow: FlowRow, nodes: Iterable[NodeRow]) -> list[str]:
    """Everything in the rows of a flow's nodes that the approved graph and bindings do not say: the hash covers those two,
    and not the rows. Only states, attempts, results and the order of undoing are nobody's to approve."""
    approved, faults, met = approved_nodes(flow.graph, flow.bindings), list[str](), set[str]()
    for row in nodes:
        met.add(row.node_id)
        undoes = row.kind == "undo"
        node = approved.get(row.node_id.removesuffix(UNDO) if undoes else row.node_id)
        if node is None:
            faults.append(f"{row.node_id} is not in the graph")
        elif (row.plan_id, row.binding) != (node.plan_id, node.compensation if undoes else node.binding):
            faults.append(f"{row.node_id} is bound to {row.binding} for {row.plan_id}")
        elif not undoes and row.waits != node.waits:
            faults.append(f"{row.node_id} waits for others")
        elif row.request != request_id(flow.flow_id, flow.graph_hash, row.node_id, row.attempt):
            faults.append(f"{row.node_id} has another request")
    return faults + [f"{name} is missing" for name in approved if name not in met]


def _not_permitted(flow_id: str, what: str) -> NotPossible:
    return NotPossible(
        Problem(what, flow_id, "a permit for exactly this flow", "abandon the flow, start it again, and approve it")
    )
