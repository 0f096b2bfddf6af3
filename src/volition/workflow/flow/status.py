"""What a person sees of a flow: its state, its plans, its questions, its permit, and every node."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, bindparam, select

from volition.core.errors import did_you_mean, refuse
from volition.governance import QuestionPack, read_question_pack
from volition.workflow.law.bindings import parse_bindings
from volition.workflow.store.rows import FlowRow
from volition.workflow.store.tables import FLOW, FLOW_PLAN, NODE, PERMIT, QUESTION

if TYPE_CHECKING:
    from volition.workflow.store.turn import Turn


_FIND: Final = select(FLOW).where(FLOW.c.project == bindparam("of"), FLOW.c.flow_id == bindparam("flow"))
_NODES: Final = select(NODE).where(NODE.c.flow_id == bindparam("of")).order_by(NODE.c.place, NODE.c.node_id)


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """One node: what it does, where it is, and what is known of it."""

    node_id: str
    plan_id: str
    state: str
    kind: str
    binding: str
    action: str
    waits: tuple[str, ...]
    attempt: int
    request: str
    result: Any
    detail: str

    def to_data(self) -> dict[str, Any]:
        return {**asdict(self), "waits": list(self.waits)}


@dataclass(frozen=True, slots=True)
class FlowStatus:
    """A flow at one moment. `plans` says of each plan whether it is kept; `pack` is the open question, if there is one."""

    flow_id: str
    state: str
    reason: str
    graph_hash: str
    plans: dict[str, str]
    pack: QuestionPack | None
    permit: dict[str, Any] | None
    nodes: tuple[NodeStatus, ...]
    graph: dict[str, Any] | None

    def to_data(self) -> dict[str, Any]:
        return {
            "flow_id": self.flow_id,
            "state": self.state,
            "reason": self.reason,
            "graph_hash": self.graph_hash,
            "plans": self.plans,
            "question_pack": self.pack and self.pack.pack_id,
            "question_checksum": self.pack and self.pack.checksum,
            "questions": [_question_data(each) for each in self.pack.questions] if self.pack else [],
            "permit": self.permit,
            "nodes": [node.to_data() for node in self.nodes],
        }


def find_flow(connection: Connection, project: str, flow_id: str) -> FlowRow:
    """The row of a flow; InvalidInput if there is none. A unique beginning of its id is enough."""
    mine = FLOW.c.project == project
    found = connection.execute(_FIND, {"of": project, "flow": flow_id}).mappings().first()
    if found is not None:
        return FlowRow(**found)
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


def find_in_turn(turn: Turn, flow_id: str) -> FlowRow:
    """The row of a flow within a turn; InvalidInput if there is none. A unique beginning of its id is enough."""
    found = turn.rows.find(FlowRow, flow_id)
    return found if found is not None else find_flow(turn.connection, turn.project, flow_id)


def status_now(turn: Turn, flow_id: str) -> FlowStatus:
    """The status of a flow within a turn."""
    turn.flush()
    return status_of(turn.connection, find_flow(turn.connection, turn.project, flow_id))


def status_of(connection: Connection, flow: FlowRow) -> FlowStatus:
    """The status of a flow, read in one transaction."""
    asked = connection.execute(
        select(QUESTION).where(QUESTION.c.flow_id == flow.flow_id, QUESTION.c.state == "open")
    ).first()
    permit = connection.execute(select(PERMIT).where(PERMIT.c.flow_id == flow.flow_id)).first()
    plans = connection.execute(
        select(FLOW_PLAN.c.plan_id, FLOW_PLAN.c.fate)
        .where(FLOW_PLAN.c.flow_id == flow.flow_id)
        .order_by(FLOW_PLAN.c.plan_id)
    )
    bindings = parse_bindings(flow.bindings)
    return FlowStatus(
        flow.flow_id,
        flow.state,
        flow.reason,
        flow.graph_hash,
        {row.plan_id: row.fate for row in plans},
        read_question_pack(asked.pack.encode()).document if asked else None,
        {"by": permit.actor, "at": permit.at, "expires_at": permit.expires_at, "state": permit.state}
        if permit
        else None,
        tuple(
            NodeStatus(
                node.node_id,
                node.plan_id,
                node.state,
                node.kind,
                node.binding,
                bindings.by_name(node.binding).action,
                tuple(json.loads(node.waits)),
                node.attempt,
                node.request,
                json.loads(node.result) if node.result else None,
                node.detail,
            )
            for node in connection.execute(_NODES, {"of": flow.flow_id})
        ),
        json.loads(flow.graph) if flow.graph else None,
    )


def _question_data(question: Any) -> dict[str, Any]:
    return {
        "question_id": question.question_id,
        "text": question.question_text,
        "options": {option.option_id: option.label for option in question.options},
    }
