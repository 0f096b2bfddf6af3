"""Workers: processes that stay, and carry on with whatever waits for a driver and for nobody else."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import PATIENCE
from tests.workflow.bodies import Body
from tests.workflow.killing import Site, kill, start
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, flows_of, states
from volition.core.errors import MissingPart
from volition.workflow import NOTIFY_ALL, Flows, Store, Team, parse_store_address, verify_registry
from volition.workflow.flow.worker import ASKS, BackOff, Worker
from volition.workflow.law.members import NotEntitled
from volition.workflow.team.members import Members

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("WF-10")


class Seconds:
    """A clock of a worker that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def flows(tmp_path: Path) -> Iterator[Flows]:
    with Store(parse_store_address(tmp_path / "team.db"), clock=HandClock()) as store:
        yield flows_of(store)


def worker_on(flows: Flows, body: Any, seconds: Seconds | None = None, **given: Any) -> Worker:
    return Worker(
        flows, "worker", open_door=body.door, at_once=1, clock=seconds or Seconds(), chance=lambda: 0.0, **given
    )


def test_a_worker_carries_on_with_what_waits_for_nobody_else(flows: Flows) -> None:
    """Approved flows are driven to their end, holders are notified, and whatever takes a person's word is left as it is."""
    body = Body()
    done = approved(flows)
    flows.team.register(document("bbbbbb", "b.py"), "bob")
    noticed = flows.start(NOTIFY_ALL, "pat", plans=["intent_bbbbbb"])
    flows.team.register(document("cccccc", "c.py", commands=STEPS), "cyd")
    judged = flows.start(BINDINGS, "pat", plans=["intent_cccccc"])
    flows.approve(noticed.flow_id, "pat")
    worker = worker_on(flows, body)
    assert [(each.flow_id, each.outcome, each.state) for each in worker.work_once()] == [
        (done.flow_id, "driven", "done"), (noticed.flow_id, "driven", "running"),
    ]  # fmt: skip
    assert flows.status(judged.flow_id).state == "judged"
    before = flows.team.history()
    assert list(worker.work_once()) == []
    assert flows.team.history() == before
    assert {event.what for event in before if event.actor == "worker"} == {
        "role", "claimed", "running", "node sent", "node done", "node notified", "done", "left",
    }  # fmt: skip


def test_what_is_held_for_a_person_is_left_alone(flows: Flows) -> None:
    """A node that definitely failed is a person's to decide: a worker does not try it again, and writes nothing about it."""
    body = Body(fails={"JUMP": 1})
    flow = approved(flows)
    worker = worker_on(flows, body)
    assert [each.state for each in worker.work_once()] == ["held"]
    before = len(flows.team.history())
    for _ in range(3):
        assert list(worker.work_once()) == []
    assert len(flows.team.history()) == before
    flows.resume(flow.flow_id, "pat")
    assert [each.state for each in worker.work_once()] == ["done"]


def test_an_executor_that_is_not_there_holds_up_nobody_else(flows: Flows) -> None:
    """One executor cannot be reached: the flows of others go on, and its flow is tried again after pauses that double up to a
    ceiling; once it is back, the flow goes on."""
    body, seconds, tried = Body(), Seconds(), list[float]()

    class Town:
        def door(self, address: str, fences: Mapping[str, int]) -> Body:
            if address == "tcp://127.0.0.1:1" and not body.silent:
                tried.append(seconds.now)
                raise MissingPart.of("nobody is there", where=address, expected="an executor", remedy="start it")
            return body

    far = BINDINGS.replace('"embedded"', '"tcp://127.0.0.1:1"')
    lost = approved(flows, document("farfar", "f.py", commands=STEPS), bindings=far)
    flows.team.register(document("nearby", "n.py", commands=STEPS), "ann", lease=1000)
    near = flows.approve(flows.start(BINDINGS, "pat", plans=["intent_nearby"]).flow_id, "pat")
    worker = worker_on(flows, Town(), seconds, back_off=BackOff(first=1.0, ceiling=8.0))
    while seconds.now < 40:
        list(worker.work_once())
        seconds.now += 0.5
    assert flows.status(near.flow_id).state == "done"
    assert tried == [0.0, 1.0, 3.0, 7.0, 15.0, 23.0, 31.0, 39.0]
    body.silent.add("nothing")  # from here on it is there
    seconds.now += 8.0
    assert [each.state for each in worker.work_once()] == ["done"]
    assert flows.status(lost.flow_id).state == "done"
    assert verify_registry(flows.team.store, PROJECT).faults == ()


def test_an_unknown_node_is_asked_for_and_then_left_to_a_person(flows: Flows) -> None:
    """What became of a request is asked again under the same id, a few times and with pauses; then it is a person's to say. Once
    the person has said it, the worker goes on."""
    seconds = Seconds()
    body = Body(remembers=False, claims_to=False, silent={"JUMP"})
    flow = approved(flows)
    worker = worker_on(flows, body, seconds)
    for _ in range(3 * ASKS):
        list(worker.work_once())
        seconds.now += 1000.0
    assert states(flows.status(flow.flow_id)) == ["done", "unknown"]
    claims = [event for event in flows.team.history() if event.what == "claimed"]
    assert len(claims) == 1 + ASKS
    flows.settle(flow.flow_id, "node_0002", "done", "pat")
    assert list(worker.work_once()) == []
    assert flows.status(flow.flow_id).state == "done"


def test_a_lost_race_is_no_error(flows: Flows) -> None:
    """A flow that another driver has taken in the meantime is left to that one."""
    body = Body()
    flow = approved(flows)
    one, other = worker_on(flows, body, name="one"), worker_on(flows, body, name="other")
    due = other.due()
    one._driver.claim(flow.flow_id)
    assert other._drive(flow.flow_id, due[flow.flow_id]).outcome == "lost"
    assert body.effects == []


def test_a_worker_without_a_right_to_act_says_so(flows: Flows, told: Told) -> None:
    """A name that may not join ends the worker with the reason: no flow would go on."""
    approved(flows)
    Members(flows.team).change_settings("ann", newcomers="refused")
    with told.raises(NotEntitled):
        list(worker_on(flows, Body()).work_once())


def test_a_worker_that_is_told_to_stop_records_what_is_under_way(flows: Flows) -> None:
    """Stopped in the middle of a flow, a worker waits for the answer, records it, sends nothing more, and leaves its claim."""
    body = Body()
    flow = approved(flows)
    worker = worker_on(flows, body)
    body.boundary = lambda name: worker.stop()
    list(worker.work_once())
    assert states(flows.status(flow.flow_id)) == ["done", "ready"]
    assert flows.team.history()[-1].what == "left"
    assert [each.state for each in worker_on(flows, body).work_once()] == ["done"]


def test_the_pause_doubles_up_to_a_ceiling_and_chance_shortens_it() -> None:
    """No pause is above the ceiling or below half of its length, after however many failures."""
    back_off = BackOff(first=0.5, ceiling=30.0)
    for failures in (1, 2, 5, 100, 10**6):
        whole = back_off.pause(failures, 0.0)
        assert whole == min(30.0, 0.5 * 2 ** min(failures - 1, 60))
        assert whole / 2 <= back_off.pause(failures, 0.999) <= whole


def work(place: str, number: int) -> None:
    """Be a worker, until somebody ends it."""
    with Store(parse_store_address(place)) as store:
        worker = Worker(
            Flows(Team(store, PROJECT)), f"worker {number}", lease=0.2, at_once=1, back_off=BackOff(0.01, 0.1)
        )
        signal.signal(signal.SIGTERM, lambda *_: worker.stop())
        worker.run(lambda _report: None, poll=0.01)


def test_killed_workers_leave_everything_to_the_others(place: str, tmp_path: Path) -> None:
    """Two workers at once; one is killed with SIGKILL in the middle of the work, again and again. What remains is finished by the
    other, every effect happens once, and both end cleanly when they are told to."""
    site = Site(place, tmp_path)
    site.prepare(4)
    executor, steady = start(site.serve), start(work, place, 0)
    try:
        for number in (1, 2):
            victim = start(work, place, number)
            site.wait_for_effects(victim, min(len(site.effects()) + 2, 12))
            kill(victim)
        until = time.monotonic() + PATIENCE
        while len(set(site.effects())) < 12 and time.monotonic() < until:
            time.sleep(0.01)
        while time.monotonic() < until and not _all_done(place):
            time.sleep(0.01)
        assert steady.pid is not None
        os.kill(steady.pid, signal.SIGTERM)
        steady.join(PATIENCE)
        assert steady.exitcode == 0
    finally:
        kill(steady)
        kill(executor)
    assert sorted(site.effects()) == site.requests()
    with Store(parse_store_address(place)) as store:
        assert verify_registry(store, PROJECT).faults == ()


def _all_done(place: str) -> bool:
    with Store(parse_store_address(place)) as store:
        return {flow.state for flow in Flows(Team(store, PROJECT)).list()} == {"done"}
