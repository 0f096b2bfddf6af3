"""Finished plans: their flows end with their last node, others go on, and nothing of a finished plan is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, drive, flows_of, states
from volition.workflow import NOTIFY_ALL, FlowDriver, Store, WorldMoved, parse_store_address, verify_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told
    from volition.workflow import Flows

pytestmark = pytest.mark.req("WF-03")


@pytest.fixture
def flows(tmp_path: Path) -> Iterator[Flows]:
    with Store(parse_store_address(tmp_path / "team.db"), clock=HandClock()) as store:
        yield flows_of(store)


def finish(flows: Flows, *plans: str) -> None:
    for plan in plans:
        flows.team.finish(plan, flows.team.show(plan).token)


@pytest.mark.parametrize("driven", [False, True])
def test_a_flow_is_done_when_the_holders_have_finished_their_plans(flows: Flows, driven: bool) -> None:
    """Holders who finish their plans without reporting have done what they were notified of; what they were not notified of
    is skipped. With the last of them the flow is done, and does not wait for the end of its permit."""
    flows.team.register(document("aaaaaa", "a.py"), "ann", lease=1000)
    flows.team.register(document("bbbbbb", "b.py", depends_on=["intent_aaaaaa"]), "bob", lease=1000)
    flow = flows.approve(flows.start(NOTIFY_ALL, "pat").flow_id, "pat")
    if driven:
        FlowDriver(flows, "driver").drive(flow.flow_id)
    finish(flows, "intent_aaaaaa")
    assert states(flows.status(flow.flow_id)) == ["done" if driven else "skipped", "ready"]
    finish(flows, "intent_bbbbbb")
    assert flows.status(flow.flow_id).state == "done"
    assert verify_registry(flows.team.store, PROJECT).faults == ()


def test_others_go_on_when_a_plan_is_finished(flows: Flows) -> None:
    """What another plan has left to do is sent under the same permit; nothing of the finished plan is."""
    after = document("bbbbbb", "b.py", commands=("strike_it: write: strike",), depends_on=["intent_aaaaaa"])
    flow = approved(flows, document("aaaaaa", "a.py", commands=STEPS), after)
    finish(flows, "intent_aaaaaa")
    body = Body()
    assert drive(flows, flow.flow_id, body).state == "done"
    assert [intent for _, intent in body.effects] == ["PRIMARY_ATTACK"]
    assert verify_registry(flows.team.store, PROJECT).faults == ()


def test_a_flow_without_a_permit_is_void_when_its_plan_is_finished(flows: Flows) -> None:
    """What was judged, and what a person was asked, is about work that is over."""
    flows.team.register(document("aaaaaa", "a.py", commands=STEPS), "ann")
    flow = flows.start(BINDINGS, "pat")
    finish(flows, "intent_aaaaaa")
    flow = flows.status(flow.flow_id)
    assert (flow.state, flow.reason) == ("void", "intent_aaaaaa is finished")


def test_what_failed_is_not_tried_again_for_a_finished_plan(flows: Flows, told: Told) -> None:
    """A finished plan has no claim any more, so nothing is sent for it, whoever asks; its failed node can be skipped."""
    body = Body(fails={"JUMP": 1})
    flow = drive(flows, approved(flows).flow_id, body)
    finish(flows, "intent_walker")
    assert flows.status(flow.flow_id).state == "held"
    with told.raises(WorldMoved):
        flows.resume(flow.flow_id, "pat")
    assert drive(flows, flow.flow_id, body).state == "held"
    assert [intent for _, intent in body.effects] == ["HOLD"]
    assert flows.skip(flow.flow_id, "node_0002", "pat").state == "done"
