"""The account that events give of everything else: what the tables should hold, and what was sent under which request."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from volition.workflow.flow.states import NEXT_OF_FLOW
from volition.workflow.team.registration import NEXT_OF_PLAN


@dataclass(frozen=True, slots=True)
class PlanAccount:
    """A plan as the events say that it is."""

    state: str
    token: int
    checksum: str
    holder: str


@dataclass(frozen=True, slots=True)
class NodeAccount:
    """A node as the events say that it is; no state where none tells of it."""

    state: str = ""
    attempt: int = 1
    result: str = ""


@dataclass(frozen=True, slots=True)
class RequestAccount:
    """What was sent for a node under one request, and what the last event says of it."""

    flow_id: str
    node_id: str
    state: str
    result: str = ""


@dataclass(slots=True)
class Account:
    """Everything that the events tell of the tables. A flow is named by its id, a question by its flow and its checksum."""

    plans: dict[str, PlanAccount] = field(default_factory=dict)
    flows: dict[str, str] = field(default_factory=dict)
    rules: tuple[str, str] = ("", "")
    judged: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)
    """The hash of the graph of a flow, and the outcome for each of its plans."""
    claims: dict[str, set[int]] = field(default_factory=dict)
    questions: set[tuple[str, str]] = field(default_factory=set)
    answers: dict[tuple[str, str], tuple[str, dict[str, str]]] = field(default_factory=dict)
    permits: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    nodes: dict[tuple[str, str], NodeAccount] = field(default_factory=dict)
    requests: dict[str, RequestAccount] = field(default_factory=dict)

    def hear(self, what: str, subject: str, actor: str, body: dict[str, Any]) -> None:
        """Take the next event into account."""
        if subject.startswith("flow_"):
            self._hear_of_flow(what, subject, actor, body)
        elif what in {"granted", "waiting"}:
            # A plan that a flow grants keeps its holder: the actor is who approved the flow.
            holder = self.plans[subject].holder if "flow" in body else actor
            state = "active" if what == "granted" else "waiting"
            self.plans[subject] = PlanAccount(state, body["token"], body["checksum"], holder)
        elif what == "rules":
            self.rules = body["policy_hash"], body["env"]
        elif what in NEXT_OF_PLAN and subject in self.plans:
            self.plans[subject] = replace(self.plans[subject], state=what)

    def _hear_of_flow(self, what: str, flow_id: str, actor: str, body: dict[str, Any]) -> None:
        if what.startswith("node "):
            self._hear_of_node(what.removeprefix("node "), flow_id, body)
        elif what == "started":
            self.flows[flow_id] = "asked"
        elif what == "asked":
            self.questions.add((flow_id, body["pack"]))
        elif what in NEXT_OF_FLOW:
            self.flows[flow_id] = what
            if what == "judged":
                self.judged[flow_id] = body["graph_hash"], body["plans"]
        elif what == "answered":
            self.answers[flow_id, body["pack"]] = actor, body["choices"]
        elif what == "permit":
            self.permits[flow_id] = body["graph_hash"], actor, body["expires_at"]
        elif what == "claimed":
            self.claims.setdefault(flow_id, set()).add(body["fence"])

    def _hear_of_node(self, state: str, flow_id: str, body: dict[str, Any]) -> None:
        before = self.nodes.get((flow_id, body["node"]), NodeAccount())
        if state == "made":
            self.nodes[flow_id, body["node"]] = before
            return
        kept = {"skipped": before.result, "ready": ""}
        result = kept.get(state, body.get("result", ""))
        self.nodes[flow_id, body["node"]] = NodeAccount(state, body.get("attempt", before.attempt), result)
        request = body["request"]
        if state == "sent" or request in self.requests:
            self.requests[request] = RequestAccount(flow_id, body["node"], state, body.get("result", ""))
