"""What a permit is bound to: one hash over everything that decides what a flow does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from volition.core.canonical import digest
from volition.core.document import parse_json
from volition.core.errors import BrokenRecord, InvalidInput, Problem
from volition.governance import read_intent
from volition.workflow.store.tables import FLOW_PLAN
from volition.workflow.team.rules import rules_of

if TYPE_CHECKING:
    from collections.abc import Mapping

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
