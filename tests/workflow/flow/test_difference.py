"""What has changed since the last permit is listed, value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workflow.plans import document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, flows_of
from volition.workflow import Flows, Store, parse_bindings, parse_store_address
from volition.workflow.flow.actions import PlannedAction
from volition.workflow.flow.review import compare_actions, difference_since_permit
from volition.workflow.law.permit import action_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("WF-09")


@pytest.fixture
def flows(tmp_path: Path) -> Iterator[Flows]:
    with Store(parse_store_address(tmp_path / "team.db"), clock=HandClock()) as store:
        yield flows_of(store)


def test_nodes_that_were_added_removed_and_changed_are_listed(flows: Flows, told: Told) -> None:
    """Beside the last permit for one of its plans, a flow lists each action more, each less, and for each other value what it
    was and what it is; the renumbering of nodes is no change."""
    first = approved(flows)
    assert difference_since_permit(flows, first.flow_id) is None
    flows.abandon(first.flow_id, "pat")
    token = flows.team.show("intent_walker").token
    commands = ("look_around: read: look", STEPS[1])
    flows.team.revise(document("walker", "a.py", commands=commands), token)
    changed = BINDINGS.replace('intent = "JUMP"', 'intent = "JUMP"\ndeadline = 9\nretries = 2')
    flow = flows.start(changed, "pat")
    found = difference_since_permit(flows, flow.flow_id)
    assert found is not None
    assert (found.permitted, found.by, dict(found.rules)) == (first.flow_id, "pat", {})
    assert [(one.command_id, one.kind, dict(one.fields)) for one in found.changes] == [
        (
            "jump_over",
            "changed",
            {
                "deadline": (5.0, 9.0),
                "retries": (0, 2),
                "waits": (["look_first of intent_walker"], ["look_around of intent_walker"]),
            },
        ),
        ("look_around", "added", {}),
        ("look_first", "removed", {}),
    ]
    assert str(found.changes[0]).startswith(
        "changed: jump_over of intent_walker: deadline 5 -> 9; retries 0 -> 2; waits "
    )
    told(found.changes[1])


def test_an_unchanged_flow_has_no_changes(flows: Flows) -> None:
    """Started again over the same plans and bindings, nothing that is done has changed; plans that never had a permit have no
    difference."""
    first = approved(flows)
    flows.abandon(first.flow_id, "pat")
    again = flows.start(BINDINGS + "\n# the same\n", "pat", plans=["intent_walker"])
    found = difference_since_permit(flows, again.flow_id)
    assert found is not None
    assert (found.permitted, found.changes) == (first.flow_id, ())
    flows.team.register(document("runner", "b.py", commands=STEPS), "ann")
    other = flows.start(BINDINGS, "pat", plans=["intent_runner"])
    assert difference_since_permit(flows, other.flow_id) is None


def test_a_question_is_compared_too(flows: Flows) -> None:
    """While a question is open there is no order yet: what each command is bound to is compared."""
    flows.abandon(approved(flows).flow_id, "pat")
    flows.team.register(document("runner", "a.py", commands=STEPS[1:]), "bob", wait=True)
    flow = flows.start(BINDINGS.replace("HOLD", "STOP"), "pat")
    assert flow.state == "asked"
    found = difference_since_permit(flows, flow.flow_id)
    assert found is not None
    assert [(one.plan_id, one.command_id, one.kind, dict(one.fields)) for one in found.changes] == [
        ("intent_runner", "jump_over", "added", {}),
        ("intent_walker", "look_first", "changed", {"intent": ("HOLD", "STOP")}),
    ]


CALLS = parse_bindings('[[bind]]\nname = "go"\naction = "call"\ncall = "go"\n')
CALL = action_of(CALLS, CALLS.by_name("go"))
ACTIONS = st.lists(
    st.builds(
        lambda command, number, waits: PlannedAction(
            "", "intent_walker", "", command, "", waits, {**CALL, "parameters": {"n": number}}
        ),
        st.sampled_from("abc"),
        st.sampled_from([1, 1.0, 2, "1"]),
        st.sampled_from([(), ("x",)]),
    ),
    max_size=3,
    unique_by=lambda action: action.command_id,
)


@given(ACTIONS, ACTIONS)
def test_a_difference_is_exact(was: list[PlannedAction], now: list[PlannedAction]) -> None:
    """Applied to what was, the changes give what is; and there are none exactly if both do the same."""

    def values(actions: list[PlannedAction]) -> dict[str, dict[str, object]]:
        return {
            one.command_id: {"parameters.n": (one.action or {})["parameters"]["n"], "waits": list(one.waits)}
            for one in actions
        }

    changes, made = list(compare_actions(was, now)), values(was)
    for change in changes:
        if change.kind == "removed":
            del made[change.command_id]
        elif change.kind == "added":
            made[change.command_id] = values(now)[change.command_id]
        else:
            assert all(made[change.command_id][name] == old for name, (old, _) in change.fields.items())
            made[change.command_id] |= {name: new for name, (_, new) in change.fields.items()}
    assert made == values(now)
    assert (not changes) == (values(was) == values(now))
