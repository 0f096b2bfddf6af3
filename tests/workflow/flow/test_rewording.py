"""A plan in other words keeps its permit; a plan that does something else loses it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.workflow.bodies import Body
from tests.workflow.plans import document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, drive, flows_of
from volition.governance import IntentDocument, parse_document
from volition.governance.documents.checksums import seal
from volition.workflow import NOTIFY_ALL, Flows, Store, parse_store_address, verify_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from volition.workflow.flow.status import FlowStatus

pytestmark = pytest.mark.req("WF-09")


@pytest.fixture
def flows(tmp_path: Path) -> Iterator[Flows]:
    with Store(parse_store_address(tmp_path / "team.db"), clock=HandClock()) as store:
        yield flows_of(store)


def reworded(plan: bytes, **changes: Any) -> bytes:
    """A plan with another title, another description, and other words for its commands; or with other changes, too."""
    data = json.loads(plan)
    for command in data["planned_commands"]:
        command["intent"] = "said otherwise"
    words = {"title": "Another title", "description": "Other words."}
    return json.dumps(seal("intent", {**data, **words, **changes})).encode()


def revise(flows: Flows, plan: bytes) -> str:
    token = flows.team.show(parse_document(plan, IntentDocument).id).token
    return flows.team.revise(plan, token).outcome


WALKER = document("walker", "a.py", commands=STEPS)


@pytest.mark.parametrize("bindings", [BINDINGS, NOTIFY_ALL], ids=["executor", "notice"])
@pytest.mark.parametrize("when", ["judged", "approved"])
def test_a_reworded_plan_keeps_its_flow(flows: Flows, bindings: str, when: str) -> None:
    """With another title, description and words for its commands, a flow stays judged or approved under the same hash, shows
    the new words, and what was permitted is carried out."""
    flows.team.register(WALKER, "ann", lease=1000)
    flow = flows.start(bindings, "pat")
    if when == "approved":
        flow = flows.approve(flow.flow_id, "pat")
    assert revise(flows, reworded(WALKER)) == "granted"
    after = flows.status(flow.flow_id)
    assert (after.state, after.graph_hash) == (when, flow.graph_hash)
    assert [(one.title, one.description) for one in after.actions] == [("Another title", "said otherwise")] * 2
    assert [one.action for one in after.actions] == [one.action for one in flow.actions]
    if when == "judged":
        flows.approve(flow.flow_id, "pat", exactly=flow.graph_hash)
    body = Body()
    after = drive(flows, flow.flow_id, body)
    if bindings == BINDINGS:
        assert (after.state, len(body.effects)) == ("done", 2)
    assert verify_registry(flows.team.store, flows.team.project).faults == ()


CHANGES = {
    "a command more": document("walker", "a.py", commands=(*STEPS, "jump_again: write: once more")),
    "another order": document("walker", "a.py", commands=STEPS[::-1]),
    "another command": document("walker", "a.py", commands=(STEPS[0], "strike_it: write: strike")),
    "another file": document("walker", "b.py", commands=STEPS),
    "another effect": document("walker", "a.py", commands=(STEPS[0], "jump_over: deploy: jump over it")),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("bindings", [BINDINGS, NOTIFY_ALL], ids=["executor", "notice"])
@pytest.mark.parametrize("when", ["judged", "approved"])
def test_a_plan_that_does_something_else_loses_its_flow(flows: Flows, bindings: str, when: str, what: str) -> None:
    """Another command, order, effect or file, also where the holder does the work: the flow is void, the reason says so, and
    nothing is sent."""
    flows.team.register(WALKER, "ann", lease=1000)
    flow = flows.start(bindings, "pat")
    if when == "approved":
        flows.approve(flow.flow_id, "pat")
    assert revise(flows, CHANGES[what]) == "granted"
    after = flows.status(flow.flow_id)
    assert after.state == "void"
    assert after.reason.startswith("intent_walker was revised: ")
    assert after.permit is None or after.permit["state"] == "void"
    assert verify_registry(flows.team.store, flows.team.project).faults == ()


def contested(flows: Flows, mine: bytes) -> FlowStatus:
    """Two plans that collide; the second is in line; and the question about them."""
    flows.team.register(document("aaaaaa", "a.py", commands=STEPS[1:], priority=3), "ann", lease=1000)
    flows.team.register(mine, "bob", lease=1000, wait=True)
    return flows.start(BINDINGS, "pat")


def choose(flow: FlowStatus, words: str) -> dict[str, str]:
    assert flow.pack is not None
    (question,) = flow.pack.questions
    return {question.question_id: next(each.option_id for each in question.options if words in each.label)}


MINE = document("bbbbbb", "a.py", commands=STEPS, priority=3)


def test_an_answer_counts_for_the_same_question_in_other_words(flows: Flows) -> None:
    """Where a plan is reworded after the answer, the answer is taken only for the same questions with the same options; then
    the flow stays judged, and is carried out as it was chosen."""
    flow = contested(flows, MINE)
    flow = flows.answer(flow.flow_id, choose(flow, "One after the other: intent_bbbbbb"), "pat")
    assert revise(flows, reworded(MINE)) == "waiting"
    after = flows.status(flow.flow_id)
    assert (after.state, after.graph_hash) == ("judged", flow.graph_hash)
    flows.approve(flow.flow_id, "pat", exactly=flow.graph_hash)
    assert drive(flows, flow.flow_id, Body()).state == "done"
    assert verify_registry(flows.team.store, flows.team.project).faults == ()


def test_an_answer_does_not_count_for_another_question(flows: Flows) -> None:
    """A plan whose new version raises another question than the one that was answered voids the flow, and the reason says so."""
    flow = contested(flows, MINE)
    flow = flows.answer(flow.flow_id, choose(flow, "One after the other: intent_bbbbbb"), "pat")
    assert revise(flows, reworded(MINE, metadata={"priority": 5})) == "waiting"
    after = flows.status(flow.flow_id)
    assert (after.state, after.reason) == (
        "void",
        "intent_bbbbbb was revised: it leads to other questions than those that were answered",
    )


def test_an_answer_is_not_moved_to_the_question_of_others(flows: Flows) -> None:
    """Of two questions the first is settled by a new priority, so that the second has its number: the answer to the first is not
    taken for it, and the flow is void."""
    plans = {"aaaaaa": "a.py", "bbbbbb": "a.py", "cccccc": "c.py", "dddddd": "c.py"}
    documents = {name: document(name, file, commands=STEPS[1:], priority=3) for name, file in plans.items()}
    for name, plan in documents.items():
        flows.team.register(plan, name, lease=1000, wait=True)
    flow = flows.start(BINDINGS, "pat")
    assert flow.pack is not None
    wanted = ("Keep intent_bbbbbb", "Keep intent_cccccc")
    choices = {
        question.question_id: option.option_id
        for question in flow.pack.questions
        for option in question.options
        if option.label in wanted
    }
    assert len(choices) == 2
    flow = flows.answer(flow.flow_id, choices, "pat")
    assert revise(flows, reworded(documents["bbbbbb"], metadata={"priority": 9})) == "waiting"
    after = flows.status(flow.flow_id)
    assert (after.state, after.reason) == (
        "void",
        "intent_bbbbbb was revised: it leads to other questions than those that were answered",
    )


def test_an_open_question_is_about_the_plans_as_they_were(flows: Flows) -> None:
    """While a question is open even a reworded plan voids it: whoever answers has read the other words."""
    flow = contested(flows, MINE)
    revise(flows, reworded(MINE))
    after = flows.status(flow.flow_id)
    assert (after.state, after.reason, after.pack) == (
        "void",
        "intent_bbbbbb was revised: its question was about the plan as it was",
        None,
    )


def test_an_approved_flow_names_only_its_plans(flows: Flows) -> None:
    """Rewording one plan of several leaves what the others do as it was approved."""
    other = document("runner", "b.py", commands=STEPS)
    flow = approved(flows, WALKER, other)
    revise(flows, reworded(WALKER))
    revise(flows, reworded(other, title="A third title"))
    after = flows.status(flow.flow_id)
    assert {(one.plan_id, one.title) for one in after.actions} == {
        ("intent_walker", "Another title"), ("intent_runner", "A third title"),
    }  # fmt: skip
    body = Body()
    assert drive(flows, flow.flow_id, body).state == "done"
    assert len(body.effects) == 4
