"""Verification of a registry: the chain of events is whole, and the tables are what the events say.

Whoever can write to the database can also rewrite the whole chain with new hashes. To notice that, keep an anchor (the
number and hash of the last event) where they cannot reach it, and give it here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from volition.core.document import parse_json
from volition.workflow.flow.states import NEXT_OF_FLOW
from volition.workflow.store.tables import ANSWER, EVENT, FLOW, NODE, PLAN, PROJECT
from volition.workflow.store.turn import ORIGIN, event_hash
from volition.workflow.team.registration import NEXT_OF_PLAN

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

    from volition.core.ledger import Anchor
    from volition.workflow.store.database import Store


@dataclass(frozen=True, slots=True)
class RegistryVerification:
    """What was found: the number of events, the hash of the last one, and everything that does not fit."""

    project: str
    count: int
    head: str
    faults: tuple[str, ...]

    @property
    def intact(self) -> bool:
        return not self.faults

    def to_data(self) -> dict[str, Any]:
        return {
            "project": self.project, "intact": self.intact, "count": self.count, "head": self.head,
            "faults": list(self.faults),
        }  # fmt: skip

    def __str__(self) -> str:
        found = "\n".join(f"broken: {fault}" for fault in self.faults) or "intact"
        return f"{found}\n  events: {self.count}\n  anchor: {self.count}:{self.head}"


@dataclass(slots=True)
class _Told:
    """What the events tell of the tables."""

    plans: dict[str, tuple[str, int]] = field(default_factory=dict)
    flows: dict[str, str] = field(default_factory=dict)
    nodes: dict[tuple[str, str], str] = field(default_factory=dict)
    answers: set[tuple[str, str]] = field(default_factory=set)

    def hear(self, what: str, subject: str, body: dict[str, Any]) -> None:
        """Take the next event into account."""
        if subject.startswith("flow_"):
            self._hear_of_flow(what, subject, body)
        elif what in {"granted", "waiting"}:
            self.plans[subject] = ("active" if what == "granted" else "waiting", body["token"])
        elif what in NEXT_OF_PLAN and subject in self.plans:
            self.plans[subject] = (what, self.plans[subject][1])

    def _hear_of_flow(self, what: str, flow_id: str, body: dict[str, Any]) -> None:
        if what == "started":
            self.flows[flow_id] = "asked"
        elif what in NEXT_OF_FLOW:
            self.flows[flow_id] = what
        elif what == "answered":
            self.answers.add((flow_id, body["pack"]))
        elif what.startswith("node "):
            self.nodes[flow_id, body["node"]] = "" if what == "node made" else what.removeprefix("node ")


def verify_registry(store: Store, project: str, anchor: Anchor | None = None) -> RegistryVerification:
    """Compute every hash again, and compare plans, flows, nodes and answers with what the events say."""
    with store.read() as connection:
        row = connection.execute(select(PROJECT).where(PROJECT.c.project == project)).one()
        told, faults = _Told(), list[str]()
        seq, head = 0, ORIGIN
        for event in connection.execute(select(EVENT).where(EVENT.c.project == project).order_by(EVENT.c.seq)):
            seq += 1
            head = event_hash(head, project, event.seq, event.at, event.actor, event.what, event.subject, event.body)
            if event.seq != seq or event.hash != head:
                faults.append(f"event {seq} is missing" if event.seq != seq else f"event {seq} was changed")
                break
            if anchor is not None and anchor.count == seq and anchor.hash != head:
                faults.append(f"event {seq}, or one before it, was rewritten: the anchor has another hash")
            told.hear(event.what, event.subject, parse_json(event.body))
        if not faults:
            faults += _end_faults(row, seq, head, anchor)
            faults += _table_faults(connection, project, told)
    return RegistryVerification(project, seq, head, tuple(faults))


def _end_faults(row: Row[Any], seq: int, head: str, anchor: Anchor | None) -> list[str]:
    found = []
    if (row.seq, row.head) != (seq, head):
        found.append(f"the project counts {row.seq} events, and {seq} are here")
    if anchor is not None and anchor.count > seq:
        found.append(f"the anchor counts {anchor.count} events, and {seq} are here")
    return found


def _table_faults(connection: Connection, project: str, told: _Told) -> list[str]:
    """Every row that is not what the events say, and every row that is missing."""
    plans = {
        plan.plan_id: (plan.state, plan.token)
        for plan in connection.execute(select(PLAN).where(PLAN.c.project == project))
    }
    flows = {flow.flow_id: flow.state for flow in connection.execute(select(FLOW).where(FLOW.c.project == project))}
    found = _differences("plan", told.plans, plans) + _differences("flow", told.flows, flows)
    answers = {
        (answer.flow_id, answer.checksum)
        for answer in connection.execute(select(ANSWER).where(ANSWER.c.flow_id.in_(flows)))
    }
    found += [f"the answer to {flow_id} is not in both" for flow_id, _ in sorted(answers ^ told.answers)]
    for node in connection.execute(select(NODE).where(NODE.c.flow_id.in_(flows))):
        said = told.nodes.pop((node.flow_id, node.node_id), "")
        untouched = said in {"", "ready"}
        # A flow that is closed skips what was not sent, in one event.
        closed = flows[node.flow_id] in {"void", "abandoned"} and node.state == "skipped"
        if node.state != said and not (untouched and (closed or (not said and node.state in {"blocked", "ready"}))):
            found.append(f"{node.node_id} of {node.flow_id} is {node.state}, and the events say {said or 'nothing'}")
    found += [f"{node} of {flow_id} is missing" for flow_id, node in sorted(told.nodes)]
    return found


def _differences(kind: str, said: dict[str, Any], stored: dict[str, Any]) -> list[str]:
    names = sorted(said.keys() | stored.keys())
    return [
        f"the {kind} {name} is {stored.get(name, 'missing')}, and the events say {said.get(name, 'nothing')}"
        for name in names
        if said.get(name) != stored.get(name)
    ]
