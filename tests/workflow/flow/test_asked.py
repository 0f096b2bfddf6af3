"""Every question of a project is found with what became of it, and with what each of its options would lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import HandClock, flows_of
from volition.workflow import NOTIFY_ALL, Flows, Members, Store, parse_store_address
from volition.workflow.flow.asked import AskedQuestion, asked_questions, preview_flow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from volition.workflow.flow.status import FlowStatus

pytestmark = pytest.mark.req("WF-09")


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def flows(tmp_path: Path, clock: HandClock) -> Iterator[Flows]:
    with Store(parse_store_address(tmp_path / "team.db"), clock=clock) as store:
        yield flows_of(store)


def ask(flows: Flows, *, patience: float = 3600.0) -> FlowStatus:
    """Two plans that collide, and a person who is asked."""
    flows.team.register(document("aaaaaa", "a.py"), "ann", lease=86400)
    flows.team.register(document("bbbbbb", "a.py"), "bob", lease=86400, wait=True)
    return flows.start(NOTIFY_ALL, "pat", patience=patience)


def only_question(flows: Flows) -> AskedQuestion:
    (question,) = asked_questions(flows.team, most=10)
    return question


def test_an_open_question_says_who_waits_for_whom(flows: Flows) -> None:
    """The holders of the plans wait; whoever may approve and holds none of them may answer, unless the project allows more."""
    flow = ask(flows)
    question = only_question(flows)
    assert flow.pack is not None
    assert (question.state, question.pack.checksum, question.answer) == ("open", flow.pack.checksum, None)
    assert (question.holders, question.answerers) == (("ann", "bob"), ("pat",))
    assert question.left == question.expires_at - question.asked_at == 3_600_000
    assert question.titles == {"intent_aaaaaa": "Plan of aaaaaa", "intent_bbbbbb": "Plan of bbbbbb"}
    members = Members(flows.team)
    members.give_role("low", "member", "ann")
    assert only_question(flows).answerers == ("pat",)
    members.change_settings("ann", own_approval="allow")
    assert only_question(flows).answerers == ("ann", "bob", "pat")


def test_an_answered_question_says_who_chose_what(flows: Flows, clock: HandClock) -> None:
    """The answer has its name, its time and its choices, and the question is not open any more."""
    flow = ask(flows)
    clock.now += 5000
    flows.answer(flow.flow_id, {"question_0001": "option_0001"}, "pat")
    question = only_question(flows)
    assert question.answer is not None
    assert (question.state, question.left, question.flow_state) == ("answered", 0, "judged")
    assert (question.answer.actor, question.answer.choices) == ("pat", {"question_0001": "option_0001"})
    assert question.answer.at - question.asked_at == 5000


def test_a_question_that_nobody_answered_is_expired(flows: Flows, clock: HandClock) -> None:
    """It is expired as soon as its time is over, before anybody has noticed and afterwards, and says what became of its flow."""
    ask(flows)
    clock.now += 3_600_000
    assert only_question(flows).state == "expired"
    flows.team.register(document("cccccc", "c.py"), "cat")
    question = only_question(flows)
    assert (question.state, question.flow_state, question.flow_reason) == ("expired", "void", "nobody answered in time")


def test_a_question_whose_flow_ended_is_closed(flows: Flows) -> None:
    """A question that was still waiting when its flow was given up is closed, with the reason."""
    flow = ask(flows)
    flows.abandon(flow.flow_id, "pat", why="not needed")
    question = only_question(flows)
    assert (question.state, question.flow_state, question.flow_reason) == ("closed", "abandoned", "not needed")


def test_open_questions_are_always_listed(flows: Flows) -> None:
    """However few of the ended ones are wanted, all open ones are listed."""
    flow = ask(flows)
    flows.abandon(flow.flow_id, "pat")
    flows.start(NOTIFY_ALL, "pat")
    assert [one.state for one in asked_questions(flows.team, most=0)] == ["open"]
    assert sorted(one.state for one in asked_questions(flows.team, most=1)) == ["closed", "open"]


def test_a_preview_is_what_answering_does(flows: Flows) -> None:
    """For each option, the plans that the preview keeps are those that the flow keeps once the option is chosen."""
    kept = []
    for number in range(4):
        flow = ask(flows) if number == 0 else flows.start(NOTIFY_ALL, "pat")
        preview = preview_flow(flows.team, flow.flow_id)[number]
        answered = flows.answer(flow.flow_id, {preview.question_id: preview.option_id}, "pat")
        assert {plan for plan, fate in answered.plans.items() if fate == "kept"} == set(preview.kept)
        assert preview_flow(flows.team, flow.flow_id) == ()
        kept.append(len(preview.kept))
        flows.abandon(flow.flow_id, "pat")
    assert kept == [1, 1, 2, 2]
    assert flows.team.project == PROJECT
