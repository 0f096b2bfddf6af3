"""What a person looks at before deciding: what was chosen, what is known of a node that nobody answered for, and what has changed
since the last permit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import select

from volition.core.canonical import canonical
from volition.core.typed import DataStruct
from volition.governance import parse_document
from volition.governance.documents.packs import QuestionPack
from volition.workflow.flow.actions import PlannedAction, actions_of, format_value
from volition.workflow.flow.status import find_flow
from volition.workflow.store.rows import FlowPlanRow, FlowRow
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.store.tables import FLOW, FLOW_PLAN, PERMIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from volition.workflow.flow.flows import Flows
    from volition.workflow.flow.status import FlowStatus
    from volition.workflow.store.events import RecordedEvent


_ASKED: Final = ("node sent", "node asked")
"""The events after which an effect may have happened."""


class ChosenOption(DataStruct, frozen=True):
    """What a person chose in one question."""

    question_id: str
    question: str
    option_id: str
    label: str


def chosen_options(event: RecordedEvent, events: Sequence[RecordedEvent]) -> list[ChosenOption]:
    """The options that an `answered` event chose, in the words of the question that it answered; none for another event."""
    if event.what != "answered":
        return []
    packs = [parse_document(each.body["pack"].encode(), QuestionPack) for each in events if each.what == "asked"]
    questions = [question for pack in packs if pack.checksum == event.body["question"] for question in pack.questions]
    return [
        ChosenOption(question.question_id, question.question_text, option.option_id, option.label)
        for question in questions
        for option in question.options
        if event.body["choices"].get(question.question_id) == option.option_id
    ]


class UnansweredNode(DataStruct, frozen=True):
    """A node that may have happened, and of which no outcome is known. Times are milliseconds since 1970."""

    node_id: str
    words: str
    """What was asked for."""
    request: str
    sent_at: int
    """When it was first sent; 0 if that is in an archive."""
    sent_by: str
    asked_again: tuple[tuple[int, str], ...]
    """When it was asked for again under the same request, and by whom."""
    silent_since: int
    """When it was last asked for."""
    silence: str
    """What came instead of an answer."""


def unanswered_nodes(flow: FlowStatus, events: Sequence[RecordedEvent]) -> Iterator[UnansweredNode]:
    """The unknown nodes of a flow, with everything that its events say of their requests."""
    for node in flow.nodes:
        if node.state != "unknown":
            continue
        asked = [each for each in events if each.what in _ASKED and each.body["request"] == node.request]
        yield UnansweredNode(
            node.node_id,
            node.words,
            node.request,
            asked[0].at if asked else 0,
            asked[0].actor if asked else "",
            tuple((each.at, each.actor) for each in asked[1:]),
            asked[-1].at if asked else 0,
            node.detail or "there was no answer",
        )


class ActionChange(DataStruct, frozen=True):
    """One command whose action was added, removed or changed. `fields` says of each value what it was and what it is."""

    plan_id: str
    command_id: str
    kind: Literal["added", "removed", "changed"]
    fields: Mapping[str, tuple[Any, Any]]
    words: str
    """What is done for it, or what was."""

    def to_data(self) -> dict[str, Any]:
        return super().to_data() | {"fields": _was_and_is(self.fields)}

    def __str__(self) -> str:
        head = f"{self.kind}: {self.command_id} of {self.plan_id}"
        if self.kind != "changed":
            return f"{head}: {self.words}"
        changes = (f"{name} {format_value(old)} -> {format_value(new)}" for name, (old, new) in self.fields.items())
        return f"{head}: {'; '.join(changes)}"


class PermitDifference(DataStruct, frozen=True):
    """A flow beside the newest one before it that had a permit for some of its plans."""

    flow_id: str
    permitted: str
    """The flow that had the permit."""
    by: str
    at: int
    changes: tuple[ActionChange, ...]
    rules: Mapping[str, tuple[str, str]]
    """The policy (its hash) and the environment, where they are others: what it was and what it is."""

    def to_data(self) -> dict[str, Any]:
        changes = [change.to_data() for change in self.changes]
        return super().to_data() | {"changes": changes, "rules": _was_and_is(self.rules)}


def _was_and_is(values: Mapping[str, tuple[Any, Any]]) -> dict[str, dict[str, Any]]:
    return {name: {"was": old, "is": new} for name, (old, new) in values.items()}


def difference_since_permit(flows: Flows, flow_id: str) -> PermitDifference | None:
    """What a flow does otherwise than the newest one before it that had a permit for some of its plans; None if there is none."""
    with flows.team.store.read() as connection:
        flow = find_flow(connection, flows.team.project, flow_id)
        permit = connection.execute(_last_permit(flow)).first()
        if permit is None:
            return None
        before = find_flow(connection, flows.team.project, permit.flow_id)
        was, now = _actions(connection, before), _actions(connection, flow)
    judged = bool(flow.graph)
    rules = {"policy": (before.policy_hash, flow.policy_hash), "env": (before.env, flow.env)}
    return PermitDifference(
        flow.flow_id,
        before.flow_id,
        permit.actor,
        permit.at,
        tuple(compare_actions(was, now, ordered=judged)),
        {name: (old, new) for name, (old, new) in rules.items() if old != new},
    )


def _last_permit(flow: FlowRow) -> Any:
    """The newest permit of an earlier flow with a plan of this one that it carried out."""
    mine = select(FLOW_PLAN.c.plan_id).where(FLOW_PLAN.c.flow_id == flow.flow_id)
    shared = select(FLOW_PLAN.c.flow_id).where(FLOW_PLAN.c.plan_id.in_(mine), FLOW_PLAN.c.fate == "kept")
    return (
        select(PERMIT)
        .join(FLOW, FLOW.c.flow_id == PERMIT.c.flow_id)
        .where(FLOW.c.project == flow.project, FLOW.c.number < flow.number, FLOW.c.flow_id.in_(shared))
        .order_by(FLOW.c.number.desc())
        .limit(1)
    )


def _actions(connection: Connection, flow: FlowRow) -> tuple[PlannedAction, ...]:
    return actions_of(flow, SqlRows(connection, flow.project).all(FlowPlanRow, flow_id=flow.flow_id))


def compare_actions(
    was: Sequence[PlannedAction], now: Sequence[PlannedAction], *, ordered: bool = True
) -> Iterator[ActionChange]:
    """The commands whose actions were added, removed or changed, by plan and command; where it is `ordered`, what a command
    waits for counts too."""
    before, after = (_by_command(actions, ordered=ordered) for actions in (was, now))
    words = {key: action.words for actions in (was, now) for key, action in _key_by_command(actions)}
    for key in sorted({*before, *after}):
        old, new = before.get(key), after.get(key)
        if old is None or new is None:
            yield ActionChange(key[0], key[1], "added" if old is None else "removed", {}, words[key])
            continue
        names = [name for name in {**old, **new} if canonical(old.get(name)) != canonical(new.get(name))]
        if names:
            yield ActionChange(
                key[0], key[1], "changed", {name: (old.get(name), new.get(name)) for name in names}, words[key]
            )


def _key_by_command(actions: Sequence[PlannedAction]) -> Iterator[tuple[tuple[str, str, int], PlannedAction]]:
    """Actions by plan, command, and how often that command came before: nodes are numbered otherwise in another graph."""
    met: dict[tuple[str, str], int] = {}
    for action in actions:
        key = (action.plan_id, action.command_id)
        met[key] = met.get(key, 0) + 1
        yield (*key, met[key]), action


def _by_command(actions: Sequence[PlannedAction], *, ordered: bool) -> dict[tuple[str, str, int], dict[str, Any]]:
    names = {action.node_id: f"{action.command_id} of {action.plan_id}" for action in actions}
    values = {}
    for key, action in _key_by_command(actions):
        waits = {"waits": sorted(names.get(node, node) for node in action.waits)} if ordered else {}
        values[key] = {**dict(_flat(action.action or {})), **waits}
    return values


def _flat(action: Mapping[str, Any], inside: str = "") -> Iterator[tuple[str, Any]]:
    """The values of an action by their names, those of parameters and of what undoes it one by one."""
    for name, value in action.items():
        if name == "undo" and value is not None:
            yield from _flat(value, f"{inside}undo.")
        elif name == "parameters":
            yield from ((f"{inside}parameters.{each}", entry) for each, entry in value.items())
        elif name != "undo":
            yield f"{inside}{name}", value
