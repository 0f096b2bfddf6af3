"""A driver that slept while another one took over: the database refuses its writes, and the executor its orders."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from tests.execution.transports.stream_bridge import Toy
from tests.processes import PATIENCE
from tests.workflow.killing import Site, Worker, kill, start
from tests.workflow.plans import document
from tests.workflow.scenes import STEPS, HandClock, approved, flows_of
from volition.execution import ExecutorServer, RequestMemory
from volition.execution.wire.session.link import Timing
from volition.workflow import FlowDriver, Store, WorkOrder, WorkResult, open_bridge_door, parse_store_address

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told


@pytest.mark.req("WF-02", "EX-21")
def test_a_driver_that_slept_is_refused_by_the_executor(tmp_path: Path) -> None:
    """A driver that sleeps between marking a node as sent and sending it is taken over. Awake, what it sends is answered
    with what the other one did, anything else is refused as outdated, and nothing happens twice."""
    clock, site = HandClock(), Site(str(tmp_path / "team.db"), tmp_path)
    with (
        Store(parse_store_address(site.place), clock=clock) as store,
        RequestMemory(tmp_path / "requests") as memory,
        ExecutorServer.listen(site.address, Worker(tmp_path / "log", 0.0), requests=memory).running() as address,
    ):
        flows = flows_of(store)
        flow = approved(flows, bindings=site.bindings())
        sleeper = FlowDriver(flows, "sleeper")
        claim = sleeper.claim(flow.flow_id)
        (sent,) = sleeper.step(claim)
        order, early = sent.order, sent.door
        early.close()
        clock.now += 60_000
        assert FlowDriver(flows, "other").drive(flow.flow_id).state == "done"
        door = open_bridge_door(str(address), {})
        assert door.act(order).outcome == "done"
        late = door.act(replace(order, request="never asked for"))
        door.close()
        assert FlowDriver(flows, "sleeper").step(claim) == []
    assert (late.outcome, "STALE_TOKEN" in late.detail) == ("unknown", True)
    assert len(site.effects()) == len(flow.nodes) == 2


@pytest.mark.req("WF-02", "WF-05")
def test_a_driver_that_is_stopped_past_its_lease_does_nothing_more(place: str, tmp_path: Path) -> None:
    """A process is stopped with SIGSTOP while its executor acts. Another one takes over when the lease is over, and does
    the rest; the first one, awake again, finds everything done. Every effect happens once."""
    site = Site(place, tmp_path, pause=0.2, timing=Timing(idle=0.2, dead=0.6))
    site.prepare(1)
    executor, first = start(site.serve), start(site.work, 1)
    assert first.pid is not None
    try:
        site.wait_for_effects(first, 1)
        # The driver waits for the answer, so it is in no transaction.
        os.kill(first.pid, signal.SIGSTOP)
        site.work(2)
        done = sorted(site.effects())
    finally:
        os.kill(first.pid, signal.SIGCONT)
        first.join(PATIENCE)
        kill(first)
        kill(executor)
    assert first.exitcode == 0
    assert sorted(site.effects()) == done == site.requests()


def test_without_a_memory_the_sleeper_would_act_again(tmp_path: Path) -> None:
    """The control: an executor that remembers nothing does what the sleeper sends a second time."""
    clock, site = HandClock(), Site(str(tmp_path / "team.db"), tmp_path)
    worker = Worker(tmp_path / "log", 0.0, forgets=True)
    with (
        Store(parse_store_address(site.place), clock=clock) as store,
        ExecutorServer.listen(site.address, worker).running() as address,
    ):
        flows = flows_of(store)
        flow = approved(flows, bindings=site.bindings())
        driver = FlowDriver(flows, "driver", at_once=1)
        claim = driver.claim(flow.flow_id)
        (sent,) = driver.step(claim)
        node, order, first = sent.node, sent.order, sent.door
        driver.step(claim, [(node, WorkResult("unsent", None, "it has not left"))], 0)
        first.close()
        assert FlowDriver(flows, "driver", at_once=1).drive(flow.flow_id).state == "done"
        door = open_bridge_door(str(address), {})
        assert not door.once_only
        assert door.act(order).outcome == "done"
        door.close()
    assert len(site.effects()) == 3


@pytest.mark.req("EX-23")
def test_an_executor_that_loses_its_memory_gets_nothing_more(tmp_path: Path, told: Told) -> None:
    """A door decides once whether its executor remembers. One that comes back without its memory is not sent what was meant
    for one with it, however often it is asked; STOP, which needs no memory, is still carried out."""
    order = WorkOrder("r1", 1, "arm", "JUMP", {}, None, PATIENCE)
    place, toy, forgetful = f"unix:{tmp_path}/arm.sock", Toy(), Toy()
    with RequestMemory(tmp_path / "requests") as memory:
        with ExecutorServer.listen(place, toy, requests=memory).running() as address:
            door = open_bridge_door(str(address), {})
            assert door.once_only
            assert [door.act(order).outcome for _ in range(2)] == ["done", "done"]
            assert door.act(replace(order, intent="STOP")).outcome == "done"
        with ExecutorServer.listen(place, forgetful).running():
            door.act(replace(order, request="r2"))  # perhaps to the old connection, whose end is noticed by it
            results = [door.act(replace(order, request="r2")) for _ in range(2)]
            assert [result.outcome for result in results] == ["unsent"] * 2
            told(*(result.detail for result in results))
            assert door.once_only
            assert door.act(replace(order, intent="STOP")).outcome == "done"
            door.close()
    assert toy.calls.count("JUMP") == 1
    assert "JUMP" not in forgetful.calls


@pytest.mark.req("EX-23")
def test_an_executor_that_comes_to_remember_gets_marks(tmp_path: Path) -> None:
    """A door that was opened without a memory at the other end does not count on one later, but sends what it can: another
    driver that asks for the same request finds what was done."""
    order = WorkOrder("r1", 1, "arm", "JUMP", {}, None, PATIENCE)
    place, toy = f"unix:{tmp_path}/arm.sock", Toy()
    with RequestMemory(tmp_path / "requests") as memory:
        with ExecutorServer.listen(place, Toy()).running() as address:
            early = open_bridge_door(str(address), {})
        with ExecutorServer.listen(place, toy, requests=memory).running():
            early.act(replace(order, intent="STOP"))  # perhaps to the old connection, whose end is noticed by it
            early.act(replace(order, intent="STOP"))
            assert early.act(order).outcome == "done"
            assert not early.once_only
            early.close()
            late = open_bridge_door(place, {})
            assert late.act(order).outcome == "done"
            late.close()
    assert toy.calls.count("JUMP") == 1


@pytest.mark.req("WF-02")
def test_drivers_of_two_flows_do_not_compete(tmp_path: Path) -> None:
    """A driver that claims another flow at the same executor takes nothing from the first: each flow has its own newest driver."""
    site = Site(str(tmp_path / "team.db"), tmp_path)
    with (
        Store(parse_store_address(site.place)) as store,
        RequestMemory(tmp_path / "requests") as memory,
        ExecutorServer.listen(site.address, Worker(tmp_path / "log", 0.0), requests=memory).running(),
    ):
        flows = flows_of(store)
        first = approved(flows, bindings=site.bindings())
        claim = (one := FlowDriver(flows, "one", at_once=1)).claim(first.flow_id)
        flows.team.register(document("another", "b.py", commands=STEPS), "ann", lease=1000)
        second = flows.start(site.bindings(), "pat", plans=["intent_another"])
        flows.approve(second.flow_id, "pat")
        assert FlowDriver(flows, "two", at_once=1).drive(second.flow_id).state == "done"
        (sent,) = one.step(claim)
        order, door = sent.order, sent.door
        assert door.act(order).outcome == "done"
        door.close()
