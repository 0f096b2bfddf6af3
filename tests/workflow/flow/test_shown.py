"""What a person approves is shown in words, and the permit is bound to exactly what is shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workflow.bodies import Body
from tests.workflow.plans import document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, drive, flows_of
from volition.workflow import NOTIFY_ALL, Flows, Store, parse_bindings, parse_store_address
from volition.workflow.flow.actions import describe_action, visible
from volition.workflow.law.permit import action_of, hash_of_actions, planned_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.req("WF-09")


@pytest.fixture
def flows(tmp_path: Path) -> Iterator[Flows]:
    with Store(parse_store_address(tmp_path / "team.db"), clock=HandClock()) as store:
        yield flows_of(store)


CROSSING = """
[[bind]]
name = "cross"
command = "*_*"
executor = "tcp://127.0.0.1:7777"
intent = "MOVE"
parameters = {vector = [1, 0, 0]}
deadline = 2.0
retries = 1
failure = "compensate"
compensation = "go back"

[[bind]]
name = "go back"
only_compensates = true
executor = "tcp://127.0.0.1:7777"
intent = "MOVE"
parameters = {vector = [-1, 0, 0]}
"""
CROSSED = (
    "MOVE to tcp://127.0.0.1:7777 with vector [1, 0, 0], deadline 2 s, tried once more if it fails, a failure undoes what its"
    " plan has done, undone by (MOVE to tcp://127.0.0.1:7777 with vector [-1, 0, 0], deadline 5 s)"
)


def test_every_node_is_shown_before_it_is_approved(flows: Flows) -> None:
    """Whoever approves sees for each node its plan, the title, the command, where, what, with which parameters, and what
    happens if it fails; afterwards every node says the same of itself."""
    flows.team.register(document("walker", "a.py", commands=STEPS), "ann")
    judged = flows.start(CROSSING, "pat")
    assert [(one.node_id, one.plan_id, one.title, one.command_id, one.waits, one.words) for one in judged.actions] == [
        ("node_0001", "intent_walker", "Plan of walker", "look_first", (), CROSSED),
        ("node_0002", "intent_walker", "Plan of walker", "jump_over", ("node_0001",), CROSSED),
    ]
    permitted = flows.approve(judged.flow_id, "pat", exactly=judged.graph_hash)
    assert permitted.actions == judged.actions
    assert [(one.command_id, one.title, one.does, one.words) for one in permitted.nodes] == [
        (one.command_id, one.title, one.action, one.words) for one in judged.actions
    ]
    data = json.loads(json.dumps(permitted.to_data()))
    assert data["actions"][0]["action"]["parameters"] == data["nodes"][0]["does"]["parameters"] == {"vector": [1, 0, 0]}
    assert data["nodes"][0]["words"] == CROSSED


def test_who_answers_sees_what_each_plan_would_do(flows: Flows) -> None:
    """While a question is open, every command of every plan is shown with what it is bound to, or that nothing is."""
    flows.team.register(document("aaaaaa", "a.py", commands=STEPS[1:]), "ann")
    unbound = ("sell_it: write: sell it",)
    flows.team.register(document("bbbbbb", "a.py", commands=unbound), "bob", wait=True)
    flow = flows.start(BINDINGS, "pat")
    assert (flow.state, flow.graph) == ("asked", None)
    shown = [(one.plan_id, one.command_id, one.words) for one in flow.actions]
    assert shown[0] == ("intent_aaaaaa", "jump_over", "JUMP to embedded, deadline 5 s")
    assert shown[1][:2] == ("intent_bbbbbb", "sell_it")
    assert shown[1][2].startswith("nothing: no binding fits it")


def test_what_is_shown_is_what_is_sent(flows: Flows) -> None:
    """Every order that leaves is the action that was shown for its node."""
    body, flow = Body(), approved(flows)
    shown = {node.request: node.does for node in flow.nodes}
    drive(flows, flow.flow_id, body)
    assert len(body.orders) == len(shown)
    for order in body.orders:
        does = shown[order.request]
        assert (order.intent, dict(order.parameters), order.agent, order.deadline) == (
            does["intent"], does["parameters"], does["agent"], does["deadline"],
        )  # fmt: skip


NUMBERS = st.integers(-3, 3) | st.sampled_from([0.5, -2.0, 1e-7, 7.0])
VALUES = st.recursive(
    NUMBERS | st.booleans() | st.text(alphabet='ab", :1\u202e\n', max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(["vector", "deadline", "tried", "a b", "x 1, y", "as"])
CALLS = st.fixed_dictionaries(
    {"action": st.just("call"), "call": st.sampled_from(["go", 'go with x 1, "y"', "stop"])},
    optional={"parameters": st.dictionaries(KEYS, VALUES, max_size=3)},
)
INTENTS = st.fixed_dictionaries(
    {
        "executor": st.sampled_from(["embedded", "tcp://127.0.0.1:7777", "tcp://127.0.0.1:7778"]),
        "intent": st.sampled_from(["JUMP", "HOLD", "STOP"]),
    },
    optional={"agent": st.sampled_from(["ann", 'ann", guarding "x']), "resource": st.sampled_from(["x", "actor"])},
)
NOTICES = st.just({"action": "notify"})
ENDS = st.fixed_dictionaries(
    {},
    optional={
        "deadline": st.sampled_from([5, 5.0, 2, 2.5]),
        "retries": st.integers(0, 2),
        "failure": st.sampled_from(["hold", "ignore", "compensate"]),
    },
)
ENTRIES = st.builds(lambda one, two: {**one, **two}, CALLS | INTENTS | NOTICES, ENDS)


def toml(entry: dict[str, Any]) -> str:
    """One entry of a file of bindings."""
    return "[[bind]]\n" + "".join(f"{name} = {_toml(value)}\n" for name, value in entry.items())


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def bindings(entry: dict[str, Any], undo: dict[str, Any] | None, name: str = "main") -> str:
    """A file in which every command has one action, and perhaps something that undoes it."""
    after = {} if undo is None else {"compensation": "back"}
    texts = [toml({"name": name, **entry, **after})]
    if undo is not None:
        texts.append(toml({"name": "back", "only_compensates": True, **undo}))
    return "\n".join(texts)


def graph(waits: bool) -> str:
    """A graph of two commands, in an order or not."""
    nodes = [{"node_id": f"node_000{n}", "command_id": f"do_{n}", "intent_id": "intent_walker", "effects": ["write"]} for n in (1, 2)]  # fmt: skip
    edges = [{"before": "node_0001", "after": "node_0002", "reason": "because"}] if waits else []
    return json.dumps({"nodes": nodes, "edges": edges})


def shown(order: str, table: str) -> list[tuple[Any, ...]]:
    """Everything that a person is shown of what is done."""
    return [
        (node["node"], node["plan"], node["command"], tuple(node["waits"]), describe_action(node["action"]))
        for node in planned_nodes(order, table)
    ]


FLOWS = st.tuples(st.booleans(), ENTRIES, st.none() | ENTRIES)


@given(FLOWS, FLOWS)
@settings(max_examples=100)
def test_two_flows_are_shown_alike_if_and_only_if_they_are_hashed_alike(one: Any, two: Any) -> None:
    """Any change to what is shown of an action changes the hash, and any change of the hash is shown."""
    (a, b) = ((graph(order), bindings(entry, undo)) for order, entry, undo in (one, two))
    same = hash_of_actions(*a, "", "local") == hash_of_actions(*b, "", "local")
    assert (shown(*a) == shown(*b)) == same


@given(FLOWS, st.data())
@settings(max_examples=100)
def test_one_changed_value_is_shown_and_loses_the_permit(one: Any, data: st.DataObject) -> None:
    """Whichever single value of an action, or of what undoes it, is added, removed or replaced: words and hash change together."""
    order, entry, undo = one
    place = data.draw(st.sampled_from([entry] if undo is None else [entry, undo]))
    other = data.draw(ENTRIES.filter(lambda made: made.get("action") == place.get("action")))
    key = data.draw(st.sampled_from(sorted({*place, *other})))
    changed = {name: value for name, value in {**place, key: other.get(key)}.items() if value is not None}
    after = (changed, undo) if place is entry else (entry, changed)
    a, b = (graph(order), bindings(entry, undo)), (graph(order), bindings(*after))
    same = hash_of_actions(*a, "", "local") == hash_of_actions(*b, "", "local")
    assert (shown(*a) == shown(*b)) == same


@given(FLOWS, st.sampled_from(["main", "another name"]), st.randoms())
def test_layout_and_names_of_bindings_are_nobodys_to_approve(one: Any, name: str, random: Any) -> None:
    """The order of keys, comments, blank lines, the names of entries, and 7 or 7.0 change neither words nor hash."""
    order, entry, undo = one
    keys = list(entry)
    random.shuffle(keys)
    again = {key: _other_numbers(entry[key]) if key == "parameters" else entry[key] for key in keys}
    text = "# a comment\n\n" + bindings(again, undo, name).replace("\n", "  # and more\n\n")
    a, b = (graph(order), bindings(entry, undo)), (graph(order), text)
    assert shown(*a) == shown(*b)
    assert hash_of_actions(*a, "", "local") == hash_of_actions(*b, "", "local")


def _other_numbers(value: Any) -> Any:
    """The same numbers, whole ones written the other way; and keys in another order."""
    if isinstance(value, dict):
        return {key: _other_numbers(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return [_other_numbers(each) for each in value]
    if type(value) is int:
        return float(value)
    return int(value) if type(value) is float and value.is_integer() else value


def test_a_whole_number_is_one_number() -> None:
    """7 and 7.0 are shown alike and hashed alike."""
    texts = [toml({"name": "go", "action": "call", "call": "go", "parameters": {"n": n}}) for n in (7, 7.0)]
    assert texts[0] != texts[1]
    tables = [parse_bindings(text) for text in texts]
    assert {describe_action(action_of(table, table.by_name("go"))) for table in tables} == {
        'a call of "go" with n 7, deadline 5 s'
    }
    assert len({hash_of_actions(graph(False), text, "", "local") for text in texts}) == 1


def test_words_cannot_move_the_cursor() -> None:
    """No text of a plan or a binding can repaint a terminal, or be read in another order than it is stored."""
    text = toml({"name": "go", "action": "call", "call": "go\u001b[2J", "parameters": {"\u202ex": "\u009b1A"}})
    table = parse_bindings(text)
    words = describe_action(action_of(table, table.by_name("go")))
    assert words.isprintable()
    assert words == 'a call of "go\\u001b[2J" with "\\u202ex" "\\u009b1A", deadline 5 s'
    assert visible("a\nb").isprintable()


def test_a_notice_says_whose_it_is(flows: Flows) -> None:
    """What nobody but the holder does is shown as such."""
    flows.team.register(document("walker", "a.py", commands=STEPS[1:]), "ann")
    assert [one.words for one in flows.start(NOTIFY_ALL, "pat").actions] == ["left to the holder of the plan"]
