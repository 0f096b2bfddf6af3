"""Drivers and an executor as real processes that are killed at random moments, and what came of it all."""

from __future__ import annotations

import os
import signal
import time
import warnings
from dataclasses import dataclass
from multiprocessing import get_context
from random import Random
from typing import TYPE_CHECKING, Any

from tests.processes import PATIENCE
from tests.workflow.plans import PROJECT, document
from volition.core.errors import VolitionError
from volition.execution import About, Ended, ExecutorServer, RequestMemory, make_result
from volition.execution.wire.frames import StateSchema
from volition.workflow import FlowDriver, Flows, Store, Team, parse_store_address

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess
    from pathlib import Path

    from volition.execution.wire.session.link import Timing

STEPS = ("look_first: read: look", "jump_over: write: jump", "strike_it: deploy: strike")


class Worker:
    """A game that does everything at once, and writes what it did to a file, durably."""

    about = About(name="worker", version="1", state_schema=StateSchema(name="w", version="1", hash="w-1"), tick_hz=0)
    tick, episode, alive = 0, 1, True

    def __init__(self, log: Path, pause: float, *, forgets: bool = False) -> None:
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.pause = pause
        self.forgets = forgets

    def attempt(self, attempt: Any) -> list[Any]:
        if attempt.mark is not None or (self.forgets and attempt.intent.name != "STOP"):
            os.write(self.log, f"{attempt.mark.request if attempt.mark else attempt.intent.name}\n".encode())
            os.fsync(self.log)
            time.sleep(self.pause)
        return [Ended(attempt, make_result())]

    def cancel(self, attempt: Any) -> list[Any]:
        return [Ended(attempt, make_result("PARTIAL"))]

    def step(self) -> list[Any]:
        return []

    def state(self, *, full: bool) -> Any:
        return {}

    def stop(self) -> None:
        """Nothing lasts."""


@dataclass
class Site:
    """A registry, an executor's memory and log, and the processes that use them."""

    place: str
    folder: Path
    pause: float = 0.004
    timing: Timing | None = None

    @property
    def address(self) -> str:
        return f"unix:{self.folder}/worker.sock"

    def bindings(self) -> str:
        """Bindings with short deadlines, so that the lease of a driver that was killed ends soon."""
        pairs = (("look", "HOLD"), ("jump", "JUMP"), ("strike", "EVADE"))
        return "".join(
            f'[[bind]]\nname = "{name}"\ncommand = "{name}_*"\nexecutor = "{self.address}"\nintent = "{intent}"\n'
            "deadline = 0.5\n\n"
            for name, intent in pairs
        )

    def prepare(self, flows: int) -> None:
        """Approve some flows of one plan each."""
        with Store(parse_store_address(self.place)) as store:
            made = Flows(Team(store, PROJECT))
            for number in range(flows):
                plan = document(f"walker_{number}", f"{number}.py", commands=STEPS)
                made.team.register(plan, "ann", lease=10**6)
                flow = made.start(self.bindings(), "pat", plans=[f"intent_walker_{number}"])
                made.approve(flow.flow_id, "pat")

    def serve(self) -> None:
        """Be the executor, for ever."""
        (self.folder / "worker.sock").unlink(missing_ok=True)
        with RequestMemory(self.folder / "requests") as memory:
            worker = Worker(self.folder / "log", self.pause)
            ExecutorServer.listen(self.address, worker, requests=memory, timing=self.timing).serve()

    def work(self, number: int) -> None:
        """Be a driver, until every flow is done."""
        with Store(parse_store_address(self.place)) as store:
            flows = Flows(Team(store, PROJECT))
            driver = FlowDriver(flows, f"driver {number}", lease=0.2, at_once=1)
            while open_flows := [flow for flow in flows.list() if flow.state != "done"]:
                for flow in open_flows:
                    try:
                        self.look_after(flows, flow.flow_id)
                        driver.drive(flow.flow_id)
                    except VolitionError:  # another driver's lease, or an executor that is not there yet
                        time.sleep(0.02)

    def look_after(self, flows: Flows, flow_id: str) -> None:
        """A person looks into the executor's log what became of a node of unknown fate, and says so; what failed, because
        this machine was too busy for its deadline, is tried again."""
        for node in flows.status(flow_id).nodes:
            if node.state == "unknown" and node.request in self.effects():
                flows.settle(flow_id, node.node_id, "done", "pat")
            elif node.state in {"unknown", "failed"}:
                if node.state == "unknown":
                    flows.settle(flow_id, node.node_id, "failed", "pat")
                flows.resume(flow_id, "pat", node=node.node_id)

    def effects(self) -> list[str]:
        log = self.folder / "log"
        return log.read_text().split() if log.exists() else []

    def run(self, kills: int, seed: int, *, kill_executor: bool = False) -> int:
        """Start processes and kill them at random points of the work, then let the last one finish; how many kills hit work."""
        chance = Random(seed)
        executor = start(self.serve)
        hits = 0
        for number in range(kills):
            victim = start(self.work, number)
            self.wait_for_effects(victim, len(self.effects()) + chance.randrange(3))
            victim.join(chance.uniform(0.0, 0.02))
            hits += victim.is_alive()
            kill(victim)
            if kill_executor and number % 2:
                kill(executor)
                executor = start(self.serve)
        last = start(self.work, kills)
        last.join(PATIENCE)
        alive = last.is_alive()
        kill(last)
        kill(executor)
        assert not alive, self.describe()
        return hits

    def wait_for_effects(self, victim: ForkProcess, count: int) -> None:
        """Wait until there are so many effects, or the process has ended: a fast machine leaves nothing to kill after a time."""
        until = time.monotonic() + PATIENCE
        while victim.is_alive() and len(self.effects()) < count and time.monotonic() < until:
            time.sleep(0.002)

    def describe(self) -> str:
        """What is not finished, for whoever looks for the reason."""
        with Store(parse_store_address(self.place)) as store:
            flows = Flows(Team(store, PROJECT)).list()
        open_nodes = [f"{node.state}: {node.detail}" for flow in flows for node in flow.nodes if node.state != "done"]
        return f"not finished after {PATIENCE} s: {open_nodes}"

    def requests(self) -> list[str]:
        """The requests of all nodes, which must all be done."""
        with Store(parse_store_address(self.place)) as store:
            flows = Flows(Team(store, PROJECT)).list()
        assert {node.state for flow in flows for node in flow.nodes} == {"done"}
        return sorted(node.request for flow in flows for node in flow.nodes)


def start(act: Any, *arguments: Any) -> ForkProcess:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        process = get_context("fork").Process(target=act, args=arguments)
        process.start()
    return process


def kill(process: ForkProcess) -> None:
    if process.is_alive() and process.pid is not None:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
