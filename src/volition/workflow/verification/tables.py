"""Whether the tables are what the events say: every row that is not, and every row that is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, select

from volition.core.errors import BrokenRecord, InvalidInput
from volition.governance import read_answer_pack, read_intent, read_question_pack
from volition.workflow.flow.nodes import nodes_of
from volition.workflow.flow.permit import node_faults, plans_of, stored_hash
from volition.workflow.store.tables import ANSWER, FLOW, PERMIT, PLAN, PROJECT, QUESTION
from volition.workflow.team.rules import rules_of
from volition.workflow.verification.account import Account, NodeAccount, PlanAccount

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_CLOSED = frozenset({"void", "abandoned"})


def table_faults(connection: Connection, project: str, account: Account) -> list[str]:
    """What is wrong with plans, flows, questions, answers, permits and nodes; documents are read again, not trusted."""
    flows = {row.flow_id: row for row in connection.execute(select(FLOW).where(FLOW.c.project == project))}
    states = {flow_id: row.state for flow_id, row in flows.items()}
    found = _rule_faults(connection, project, account) + _plan_faults(connection, project, account)
    found += _differences("flow", account.flows, states)
    found += _question_faults(connection, flows, account) + _permit_faults(connection, flows, account)
    for flow in flows.values():
        found += _content_faults(connection, flow, account) or _node_faults(
            flow, nodes_of(connection, flow.flow_id), account
        )
    gone = sorted(key for key in account.nodes if key[0] not in flows)
    return found + [f"{node} of {flow_id} is missing" for flow_id, node in gone]


def _rule_faults(connection: Connection, project: str, account: Account) -> list[str]:
    row = connection.execute(select(PROJECT).where(PROJECT.c.project == project)).one()
    same = (row.policy_hash, row.env) == account.rules and _rules_hash(row) == row.policy_hash
    return [] if same else ["the rules of the project are not those of the events"]


def _rules_hash(row: Row[Any]) -> str:
    """The hash of the rules that are stored in a row; empty where nobody has set any, or where they are no rules."""
    try:
        return rules_of(row.policy, row.env)[0].hash if row.policy_hash else ""
    except InvalidInput:
        return ""


def _plan_faults(connection: Connection, project: str, account: Account) -> list[str]:
    rows = connection.execute(select(PLAN).where(PLAN.c.project == project)).all()
    stored = {row.plan_id: PlanAccount(row.state, row.token, row.checksum, row.holder) for row in rows}
    found = _differences("plan", account.plans, stored)
    for row in rows:
        try:
            checksum = read_intent(row.document.encode(), where=row.plan_id).document.audit.checksum
        except InvalidInput as error:
            checksum = error.problems[0].what
        if checksum != row.checksum:
            found.append(f"the document of {row.plan_id} is not the one that was registered: {checksum}")
    return found


def _question_faults(connection: Connection, flows: Mapping[str, Row[Any]], account: Account) -> list[str]:
    """Questions are open, answered or void as the events say, and answers say what was answered."""
    asked = connection.execute(select(QUESTION).where(QUESTION.c.flow_id.in_(flows))).all()
    said = {
        key: "answered" if key in account.answers else "void" if account.flows.get(key[0]) in _CLOSED else "open"
        for key in account.questions
    }
    found = _differences("question", said, {(row.flow_id, row.checksum): row.state for row in asked})
    for row in asked:
        try:
            same = read_question_pack(row.pack.encode()).document.checksum == row.checksum
        except InvalidInput:
            same = False
        if not same:
            found.append(f"the question pack of {row.flow_id} is not the one that was asked")
    answers = {}
    for row in connection.execute(select(ANSWER).where(ANSWER.c.flow_id.in_(flows))):
        try:
            pack = read_answer_pack(row.pack.encode()).document
            choices = {each.question_id: each.answer_text for each in pack.answers}
            same = pack.question_pack_checksum == row.checksum
        except InvalidInput:
            choices, same = {}, False
        answers[row.flow_id, row.checksum] = row.actor, choices if same else {}
    return found + _differences("answer", account.answers, answers)


def _permit_faults(connection: Connection, flows: Mapping[str, Row[Any]], account: Account) -> list[str]:
    rows = connection.execute(select(PERMIT).where(PERMIT.c.flow_id.in_(flows))).all()
    found = _differences("permit", account.permits, {r.flow_id: (r.graph_hash, r.actor, r.expires_at) for r in rows})
    for row in rows:
        said = "void" if account.flows.get(row.flow_id) in _CLOSED else "valid"
        if row.state != said:
            found.append(f"the permit of {row.flow_id} is {row.state}, and the events say {said}")
        if flows[row.flow_id].graph_hash != row.graph_hash:
            found.append(f"the permit of {row.flow_id} is for another graph")
    return found


def _content_faults(connection: Connection, flow: Row[Any], account: Account) -> list[str]:
    """Whether what is stored, and the outcome for each plan, is what was judged."""
    if flow.policy_hash != _rules_hash(flow):
        return [f"the rules of {flow.flow_id} are not those by which it was judged"]
    if flow.flow_id not in account.judged and not flow.graph:
        return []
    rows = plans_of(connection, flow.flow_id)
    if account.judged.get(flow.flow_id) != (flow.graph_hash, {row.plan_id: row.fate for row in rows}):
        return [f"graph or plans of {flow.flow_id} are not those of its judgement"]
    try:
        same = stored_hash(flow, rows) == flow.graph_hash
    except BrokenRecord as error:
        return [f"{flow.flow_id}: {error.problems[0].what}"]
    return [] if same else [f"what is stored of {flow.flow_id} has another hash"]


def _node_faults(flow: Row[Any], nodes: Sequence[Row[Any]], account: Account) -> list[str]:
    found = [f"{fault} ({flow.flow_id})" for fault in (node_faults(flow, nodes) if nodes else ())]
    for node in nodes:
        said = account.nodes.get((flow.flow_id, node.node_id), NodeAccount())
        untouched = said.state in {"", "ready"}
        # A flow that is closed skips what was not sent, in one event; and one that is approved makes its nodes.
        closed = flow.state in _CLOSED and node.state == "skipped"
        expected = untouched and (closed or (not said.state and node.state in {"blocked", "ready"}))
        if node.state != said.state and not expected:
            told = f"and the events say {said.state or 'nothing'}"
            found.append(f"{node.node_id} of {flow.flow_id} is {node.state}, {told}")
        elif (node.attempt, node.result) != (said.attempt, said.result):
            found.append(f"attempt or result of {node.node_id} of {flow.flow_id} are not those of the events")
    rows = {node.node_id for node in nodes}
    told_of = sorted(name for flow_id, name in account.nodes if flow_id == flow.flow_id)
    return found + [f"{name} of {flow.flow_id} is missing" for name in told_of if name not in rows]


def _differences(kind: str, said: Mapping[Any, Any], stored: Mapping[Any, Any]) -> list[str]:
    """Everything that is not the same in both, by its name."""
    names = sorted(said.keys() | stored.keys())
    return [
        f"the {kind} {_name(name)} is {_text(stored.get(name, 'missing'))}, and the events say"
        f" {_text(said.get(name, 'nothing'))}"
        for name in names
        if said.get(name) != stored.get(name)
    ]


def _name(name: Any) -> str:
    return name if isinstance(name, str) else f"{name[1][:12]} of {name[0]}"


def _text(value: Any) -> str:
    if isinstance(value, PlanAccount):
        return f"{value.state}, token {value.token}, held by {value.holder}, {value.checksum[:12]}"
    return str(value)
