"""What a person sees of a flow: its state, its plans, its questions, its permit, and every node."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from volition.core.errors import did_you_mean, refuse
from volition.core.typed import DataStruct
from volition.governance import parse_document
from volition.governance.documents.packs import QuestionPack
from volition.workflow.flow.actions import PlannedAction, actions_of, describe_action
from volition.workflow.law.bindings import parse_bindings
from volition.workflow.law.flows import why_void
from volition.workflow.law.judgement import read_plan
from volition.workflow.law.nodes import nodes_of
from volition.workflow.law.permit import UNDO, action_of, approved_nodes
from volition.workflow.law.plans import flows_relying_on
from volition.workflow.law.states import DRIVEN, OPEN_FLOWS, OPEN_PLANS
from volition.workflow.store.rows import FlowPlanRow, FlowRow, PermitRow, QuestionRow, RegisteredPlan
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.store.tables import FLOW

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from volition.governance.documents.packs import PackQuestion
    from volition.workflow.law.transaction import ProjectTransaction
    from volition.workflow.store.rows import Rows


_FIND: Final = select(FLOW).where(FLOW.c.project == bindparam("of"), FLOW.c.flow_id == bindparam("flow"))


class NodeStatus(DataStruct, frozen=True):
    """One node: what it does, where it is, and what is known of it."""

    node_id: str
    plan_id: str
    command_id: str
    title: str
    """The title of its plan."""
    state: str
    kind: str
    binding: str
    action: str
    does: Mapping[str, Any]
    """The action as data, exactly as the permit is bound to it."""
    waits: tuple[str, ...]
    attempt: int
    request: str
    result: Any
    detail: str

    @property
    def words(self) -> str:
        """What it does, in words."""
        return describe_action(self.does)

    def to_data(self) -> dict[str, Any]:
        return super().to_data() | {"words": self.words}


class FlowStatus(Struct, frozen=True):
    """A flow at one moment, by the database's clock: one whose question, permit or plan is over shows as void, whether
    anybody has noticed yet or not. `plans` says of each plan whether it is kept; `pack` is the open question, if there is one.
    """

    flow_id: str
    state: str
    reason: str
    graph_hash: str
    policy_hash: str
    env: str
    plans: dict[str, str]
    pack: QuestionPack | None
    permit: dict[str, Any] | None
    actions: tuple[PlannedAction, ...]
    """What is to be approved, or was: the permit is bound to exactly this, by `graph_hash`."""
    nodes: tuple[NodeStatus, ...]
    graph: dict[str, Any] | None
    granted: dict[str, int] = {}
    """Of an approval: the plans that it granted, with their tokens."""
    asked_until: int = 0
    """How long the question that nobody has answered waits, or waited, by the database's clock; 0 if there is none."""

    def to_data(self) -> dict[str, Any]:
        return {
            "flow_id": self.flow_id,
            "state": self.state,
            "reason": self.reason,
            "graph_hash": self.graph_hash,
            "policy_hash": self.policy_hash,
            "env": self.env,
            "plans": self.plans,
            "question_pack": self.pack and self.pack.pack_id,
            "question_checksum": self.pack and self.pack.checksum,
            "questions": [_question_data(each) for each in self.pack.questions] if self.pack else [],
            "permit": self.permit,
            "granted": self.granted,
            "actions": [action.to_data() for action in self.actions],
            "nodes": [node.to_data() for node in self.nodes],
        }


def find_flow(connection: Connection, project: str, flow_id: str) -> FlowRow:
    """The row of a flow; InvalidInput if there is none. A unique beginning of its id is enough."""
    mine = FLOW.c.project == project
    row = connection.execute(_FIND, {"of": project, "flow": flow_id}).mappings().first()
    if row is not None:
        return FlowRow(**row)
    known = list(connection.execute(select(FLOW.c.flow_id).where(mine)).scalars())
    matching = [name for name in known if name.startswith(flow_id)]
    if len(matching) != 1 or not flow_id:
        refuse(
            f"{len(matching)} flows begin with {flow_id!r}" if matching else f"there is no flow {flow_id!r}",
            where=f"project {project}",
            expected="one flow of this project",
            remedy=did_you_mean(flow_id, known),
        )
    return find_flow(connection, project, matching[0])


def find_in_transaction(transaction: ProjectTransaction, flow_id: str) -> FlowRow:
    """The row of a flow within a transaction; InvalidInput if there is none. A unique beginning of its id is enough."""
    flow = transaction.rows.find(FlowRow, flow_id)
    return flow if flow is not None else find_flow(transaction.connection, transaction.project, flow_id)


def status_now(transaction: ProjectTransaction, flow_id: str) -> FlowStatus:
    """The status of a flow within a transaction."""
    transaction.flush()
    return status_of(
        transaction.connection, find_flow(transaction.connection, transaction.project, flow_id), transaction.now
    )


def status_of(connection: Connection, flow: FlowRow, now: int) -> FlowStatus:
    """The status of a flow at a time, read in one transaction."""
    rows = SqlRows(connection, flow.project)
    over = why_over(rows, flow, now)
    parts = rows.all(FlowPlanRow, flow_id=flow.flow_id)
    unanswered = [row for row in rows.all(QuestionRow, flow_id=flow.flow_id) if row.state != "answered"]
    asked = [row for row in unanswered if row.state == "open" and not over]
    permit = rows.find(PermitRow, flow.flow_id)
    return FlowStatus(
        flow_id=flow.flow_id,
        state="void" if over else flow.state,
        reason=over or flow.reason,
        graph_hash=flow.graph_hash,
        policy_hash=flow.policy_hash,
        env=flow.env,
        plans={part.plan_id: part.fate for part in parts},
        pack=parse_document(asked[0].pack.encode(), QuestionPack) if asked else None,
        permit=None if permit is None else _permit_data(permit, over),
        actions=actions_of(flow, parts),
        nodes=tuple(_node_statuses(rows, flow, parts, over)),
        graph=json.loads(flow.graph) if flow.graph else None,
        asked_until=max((row.expires_at for row in unanswered), default=0),
    )


def why_over(rows: Rows, flow: FlowRow, now: int) -> str:
    """Why an open flow is void by the clock, though no event says so yet; empty if it goes on. A lease ends a plan unless an
    approved flow keeps it."""
    if flow.state not in OPEN_FLOWS:
        return ""
    for part in rows.all(FlowPlanRow, flow_id=flow.flow_id):
        plan = rows.find(RegisteredPlan, part.plan_id)
        ended = plan is not None and plan.state in OPEN_PLANS and plan.lease_until <= now
        if part.fate == "kept" and ended and not flows_relying_on(rows, part.plan_id, DRIVEN):
            return f"{part.plan_id} is expired"
    return why_void(rows, flow, now)


def _permit_data(permit: PermitRow, over: str) -> dict[str, Any]:
    state = "void" if over and permit.state == "valid" else permit.state
    return {"by": permit.actor, "at": permit.at, "expires_at": permit.expires_at, "state": state}


def _node_statuses(rows: Rows, flow: FlowRow, parts: Iterable[FlowPlanRow], over: str) -> Iterator[NodeStatus]:
    nodes = nodes_of(rows, flow.flow_id)
    if not nodes:
        return
    bindings, approved = parse_bindings(flow.bindings), approved_nodes(flow.graph, flow.bindings)
    titles = {part.plan_id: read_plan(part.document).title for part in parts}
    for node in nodes:
        binding, planned = bindings.by_name(node.binding), approved.get(node.node_id.removesuffix(UNDO))
        left = bool(over) and node.state in {"blocked", "ready"}
        yield NodeStatus(
            node_id=node.node_id,
            plan_id=node.plan_id,
            command_id=planned.command_id if planned else "",
            title=titles.get(node.plan_id, ""),
            state="skipped" if left else node.state,
            kind=node.kind,
            binding=node.binding,
            action=binding.action,
            does=action_of(bindings, binding),
            waits=tuple(json.loads(node.waits)),
            attempt=node.attempt,
            request=node.request,
            result=json.loads(node.result) if node.result else None,
            detail=over if left else node.detail,
        )


def _question_data(question: PackQuestion) -> dict[str, Any]:
    return {
        "question_id": question.question_id,
        "text": question.question_text,
        "options": {option.option_id: option.label for option in question.options},
    }
