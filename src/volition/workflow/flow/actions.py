"""What a person approves, in words: for each command of a flow what is asked of whom, with which parameters.

The data is what the permit is bound to (`planned_nodes` and `action_of` of the law), and the words say all of it: two
actions are described alike if and only if they are hashed alike. Titles and descriptions are shown beside it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.canonical import canonical
from volition.core.document import parse_json
from volition.core.errors import VolitionError
from volition.core.typed import DataStruct
from volition.workflow.law.bindings import Binding, parse_bindings
from volition.workflow.law.judgement import read_plan
from volition.workflow.law.permit import action_of, planned_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from volition.workflow.store.rows import FlowPlanRow, FlowRow

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_ADDRESS: Final = re.compile(r"[A-Za-z0-9_:/.\[\]-]+")
_USUAL: Final = Binding(name="usual")
NOT_BOUND: Final = "nothing: no binding fits it, so an answer that keeps it is refused"


class PlannedAction(DataStruct, frozen=True):
    """What is done for one command of a plan. `action` is the data that the permit is bound to; None if nothing is bound."""

    node_id: str
    """The node of the graph; empty while questions are open, and there is no graph."""
    plan_id: str
    title: str
    command_id: str
    description: str
    """The command in the words of its plan. Nothing of it is carried out."""
    waits: tuple[str, ...]
    action: Mapping[str, Any] | None

    @property
    def words(self) -> str:
        """What is done, in words."""
        return NOT_BOUND if self.action is None else describe_action(self.action)

    def to_data(self) -> dict[str, Any]:
        return super().to_data() | {"words": self.words}


def actions_of(flow: FlowRow, parts: Iterable[FlowPlanRow]) -> tuple[PlannedAction, ...]:
    """What a flow does, in the order of its graph; while it is asked about, what every command of its plans is bound to. Empty
    where what is stored cannot be read: then nothing of it can be approved either."""
    try:
        return tuple(_actions_of_graph(flow, parts) if flow.graph else _actions_of_plans(flow, parts))
    except (VolitionError, KeyError, TypeError):
        return ()


def _actions_of_graph(flow: FlowRow, parts: Iterable[FlowPlanRow]) -> Iterator[PlannedAction]:
    plans = {part.plan_id: read_plan(part.document) for part in parts}
    descriptions = {
        (plan.id, command.command_id): command.intent for plan in plans.values() for command in plan.planned_commands
    }
    for node in planned_nodes(flow.graph, flow.bindings):
        plan_id, command_id = node["plan"], node["command"]
        title = plans[plan_id].title if plan_id in plans else ""
        waits, description = tuple(node["waits"]), descriptions.get((plan_id, command_id), "")
        yield PlannedAction(node["node"], plan_id, title, command_id, description, waits, node["action"])


def _actions_of_plans(flow: FlowRow, parts: Iterable[FlowPlanRow]) -> Iterator[PlannedAction]:
    table = parse_bindings(flow.bindings)
    for part in sorted(parts, key=lambda part: part.plan_id):
        plan = read_plan(part.document)
        for command in plan.planned_commands:
            bound = table.find(command.command_id, plan.id, command.effects)
            action = None if bound is None else action_of(table, bound)
            yield PlannedAction("", plan.id, plan.title, command.command_id, command.intent, (), action)


def describe_action(action: Mapping[str, Any]) -> str:
    """An action in words: every value that is hashed is in them, unless it is the usual one.

    >>> table = parse_bindings('[[bind]]\\nname="go"\\nexecutor="embedded"\\nintent="MOVE"\\nparameters={vector=[1, 0, 0]}')
    >>> describe_action(action_of(table, table.by_name("go")))
    'MOVE to embedded with vector [1, 0, 0], deadline 5 s'
    """
    return ", ".join(_clauses(action))


def _clauses(action: Mapping[str, Any]) -> Iterator[str]:
    parameters = [
        f"{_word(name, _PLAIN_KEY)} {format_value(value)}" for name, value in sorted(action["parameters"].items())
    ]
    head = _HEADS[action["action"]].format(
        intent=action["intent"], executor=_word(action["executor"]), call=format_value(action["call"])
    )
    yield f"{head} with {', '.join(parameters)}" if parameters else head
    if action["agent"] is not None:
        yield f"as {format_value(action['agent'])}"
    if action["resource"]:
        yield f"guarding {format_value(action['resource'])}"
    if action["action"] != "notify" or action["deadline"] != _USUAL.deadline:
        yield f"deadline {format_value(action['deadline'])} s"
    if action["retries"]:
        more = "once more" if action["retries"] == 1 else f"{action['retries']} times more"
        yield f"tried {more} if it fails"
    if action["failure"] != _USUAL.failure:
        yield _FAILURES[action["failure"]]
    if action["undo"] is not None:
        yield f"undone by ({describe_action(action['undo'])})"


_HEADS: Final = {
    "intent": "{intent} to {executor}",
    "call": "a call of {call}",
    "notify": "left to the holder of the plan",
}
_FAILURES: Final = {
    "ignore": "a failure is ignored",
    "compensate": "a failure undoes what its plan has done",
}


def _word(text: str, plain: re.Pattern[str] = _PLAIN_ADDRESS) -> str:
    """A text as it is if it cannot be taken for anything else, or quoted."""
    return text if plain.fullmatch(text) else format_value(text)


def format_value(value: Any) -> str:
    """A value as JSON, as it is hashed: 7 for 7.0, keys in order, and no character that a terminal would act upon.

    >>> format_value({"b": 7.0, "a": ["\\x1b[2J"]})
    '{"a": ["\\\\u001b[2J"], "b": 7}'
    """
    written = canonical(msgspec.to_builtins(value)).decode()
    return visible(json.dumps(parse_json(written), ensure_ascii=False))


def visible(text: str) -> str:
    """A text without characters that a terminal would act upon, or that would change the order in which it is read.

    >>> visible("two\\nlines")
    'two\\\\u000alines'
    """
    return "".join(each if each.isprintable() else _escape(each) for each in text)


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) > 0xFF else f"\\u{ord(character):04x}"
