"""What has expired says so everywhere, before anybody has swept it; and bindings that were edited void the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflow.bodies import Body
from tests.workflow.plans import document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, drive, flows_of
from volition.core.errors import BrokenRecord, NotPossible
from volition.workflow import Flows, Store, parse_store_address, verify_registry
from volition.workflow.law.permit import hash_of_actions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told
    from volition.workflow.flow.status import FlowStatus

DAY = 86_400_000


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def flows(place: str, clock: HandClock) -> Iterator[Flows]:
    with Store(parse_store_address(place), clock=clock) as store:
        yield flows_of(store)


def asked(flows: Flows, lease: float) -> FlowStatus:
    flows.team.register(document("aaaaaa", "a.py", commands=STEPS[1:]), "ann", lease=lease)
    flows.team.register(document("bbbbbb", "a.py", commands=STEPS), "bob", lease=lease, wait=True)
    return flows.start(BINDINGS, "pat")


def judged(flows: Flows, lease: float) -> FlowStatus:
    flows.team.register(document("walker", "a.py", commands=STEPS), "ann", lease=lease)
    return flows.start(BINDINGS, "pat")


def held(flows: Flows) -> FlowStatus:
    return drive(flows, approved(flows).flow_id, Body(fails={"JUMP": 1}))


def sweep(flows: Flows) -> None:
    """Let somebody do something: what is over is recorded first."""
    with flows.team.transaction():
        pass


@pytest.mark.req("WF-10")
@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("question", "nobody answered in time"),
        ("lease of an asked flow", "intent_aaaaaa is expired"),
        ("lease of a judged flow", "intent_walker is expired"),
        ("permit", "the permit is over"),
    ],
)
def test_a_flow_that_is_over_shows_as_void(flows: Flows, clock: HandClock, case: str, reason: str) -> None:
    """A flow whose question, permit or plan is over is void with the reason in `status` and `list`, with no open question and
    no valid permit; and it looks the same after somebody swept it."""
    if case == "question":
        flow = asked(flows, 10 * 86400)
        clock.now += 7 * DAY
    elif case == "permit":
        flow = held(flows)
        clock.now += 7 * DAY
    else:
        flow = asked(flows, 60) if "asked" in case else judged(flows, 60)
        clock.now += 60_000
    before = len(flows.team.history())
    seen = flows.status(flow.flow_id)
    assert (seen.state, seen.reason, seen.pack) == ("void", reason, None)
    assert seen.permit is None or seen.permit["state"] == "void"
    assert flows.list(state="void") == flows.list() == (seen,)
    assert flows.list(state=flow.state) == ()
    assert len(flows.team.history()) == before
    sweep(flows)
    assert len(flows.team.history()) > before
    assert flows.status(flow.flow_id) == seen


@pytest.mark.req("WF-10")
def test_a_flow_is_open_until_its_last_millisecond(flows: Flows, clock: HandClock) -> None:
    """A moment before the end nothing is over; and a lease does not end a plan that an approved flow keeps."""
    flow = judged(flows, 60)
    clock.now += 59_999
    assert flows.status(flow.flow_id).state == "judged"
    flows.approve(flow.flow_id, "pat")
    clock.now += DAY
    assert flows.status(flow.flow_id).state == "approved"
    assert drive(flows, flow.flow_id, Body()).state == "done"


def edit(flows: Flows, **columns: str) -> None:
    """Change the row of the flow behind the registry's back."""
    with flows.team.store.write() as connection:
        for name, text in columns.items():
            escaped = text.replace("'", "''").replace("%", "%%")
            connection.exec_driver_sql(f"UPDATE flow SET {name} = '{escaped}'")


@pytest.mark.req("WF-09")
@pytest.mark.parametrize("edited", [BINDINGS.replace("JUMP", "STOP"), "this is no table"])
def test_bindings_edited_while_asked_void_the_question(flows: Flows, edited: str) -> None:
    """Somebody who may UPDATE changes the bindings while a person thinks: whoever looks sees a void flow with the reason at
    once, whoever answers is refused, and the event says why."""
    flow = asked(flows, 1000)
    assert flow.pack is not None
    choice = {flow.pack.questions[0].question_id: flow.pack.questions[0].options[-1].option_id}
    edit(flows, bindings=edited)
    why = "its bindings were changed after it was asked about"
    assert (flows.status(flow.flow_id).state, flows.status(flow.flow_id).reason) == ("void", why)
    assert flows.list()[0].state == "void"
    with pytest.raises(NotPossible, match=why):
        flows.answer(flow.flow_id, choice, "pat")
    assert (flows.status(flow.flow_id).state, flows.status(flow.flow_id).reason) == ("void", why)
    last = flows.team.history(flow.flow_id)[-1]
    assert (last.what, last.actor, last.body["why"]) == ("void", "pat", why)
    assert [event.what for event in flows.team.history(flow.flow_id)] == ["started", "asked", "void"]


@pytest.mark.req("WF-09")
@pytest.mark.parametrize("with_hash", [False, True])
def test_bindings_edited_before_the_permit_are_not_approved(flows: Flows, with_hash: bool, told: Told) -> None:
    """Edited bindings are not approved, though the attacker changes the hash in the row with them; nor is anything granted."""
    flow = judged(flows, 1000)
    edited = BINDINGS.replace("JUMP", "STOP")
    edit(flows, bindings=edited)
    if with_hash:
        with flows.team.store.read() as connection:
            graph = connection.exec_driver_sql("SELECT graph FROM flow").scalar_one()
        edit(flows, graph_hash=hash_of_actions(graph, edited, "", "local"))
    with told.raises(BrokenRecord):
        flows.approve(flow.flow_id, "pat")
    assert flows.status(flow.flow_id).permit is None
    assert verify_registry(flows.team.store, flows.team.project).faults
