"""Runs one case of the matrix of faults: processes, the fault, a person who does what the status asks for, and what came of it.

The person is careful: a node of unknown fate is settled only when no driver runs and the target has been restarted, so that
nothing could still happen, and by what the log of effects says. A node that failed is tried again without looking, because
`failed` is promised to be what the executor said.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from tests.processes import PATIENCE
from tests.workflow.fault_cases import DEADLINE, LEASE, NODES
from tests.workflow.fault_targets import FaultLog, Work, function_of, serve_target
from tests.workflow.fault_verdicts import Verdict, tell
from tests.workflow.http_door import open_http_door
from tests.workflow.killing import kill, start
from volition.core.errors import VolitionError
from volition.governance import Plan
from volition.workflow import (
    FlowDriver,
    Flows,
    Store,
    Team,
    open_bridge_door,
    parse_store_address,
    verify_registry,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.context import ForkProcess

    from tests.workflow.clusters import Cluster
    from tests.workflow.fault_cases import FaultCase

COMMANDS: Final = ("first_step: read: look there", "second_step: read: look here", "third_step: deploy: act on it")
"""Two that are free of each other, and one that waits for both."""
DRIVEN: Final = {"approved", "running"}
TRIES: Final = 150
"""How often a driver tries before it gives up; each time it waits a little for a lease or an executor."""
ROUNDS: Final = 12
"""How often the person does what the status asks for before the flow counts as stuck."""


@dataclass
class FaultRun:
    """One case under way. `forgets` is the control: an HTTP service that promises to remember keys, and does not."""

    case: FaultCase
    place: str
    folder: Path
    cluster: Cluster | None = None
    forgets: bool = False
    flow_id: str = ""
    target: ForkProcess | None = None
    drivers: list[ForkProcess] = field(default_factory=list)
    asked: int = 0

    def __post_init__(self) -> None:
        self.project = f"faults_{self.case.seed}"
        self.log = FaultLog(self.folder / "log")
        # Bound and never listened to: the port stays ours while the target is away, and connections are refused.
        self._port = socket.socket()
        self._port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._port.bind(("127.0.0.1", 0))

    @property
    def port(self) -> int:
        return int(self._port.getsockname()[1])

    def run(self) -> Verdict:
        """The whole case."""
        try:
            with Store(parse_store_address(self.place)) as store:
                flows = Flows(Team(store, self.project))
                self.prepare(flows)
                self.start_target()
                self.start_drivers(flows)
                self.strike(flows)
                self.join_drivers()
                self.come_to_an_end(flows)
                return self.judge(store, flows)
        finally:
            for process in [*self.drivers, *([self.target] if self.target else [])]:
                kill(process)
            self._port.close()

    # The flow, the target and the drivers.

    def bindings(self) -> str:
        entries = []
        for name, intent in NODES.items():
            action = f'executor = "tcp://127.0.0.1:{self.port}"\nintent = "{intent}"\n'
            if self.case.target == "function":
                action = f'action = "call"\ncall = "act"\nparameters = {{node = "{name}"}}\n'
            limits = f"deadline = {DEADLINE}\nretries = {self.case.retries}\n"
            entries.append(f'[[bind]]\nname = "{name}"\ncommand = "{name}_*"\n{action}{limits}')
        return "\n".join(entries)

    def prepare(self, flows: Flows) -> None:
        """Register and approve a flow of three nodes."""
        plan = Plan("Look and act", id="intent_walker", files=["a.py"], commands=COMMANDS, project=self.project)
        flows.team.register(msgspec.json.encode(plan.intent), "ann", lease=10**6)
        self.flow_id = flows.start(self.bindings(), "pat").flow_id
        flows.approve(self.flow_id, "pat")

    def start_target(self) -> None:
        if self.case.target == "function":
            return
        before = self.log.count("up")
        self.target = start(partial(serve_target, self.case, self.folder, self.port, forgets=self.forgets))
        self.wait_for(lambda: self.log.count("up") > before)

    def kill_target(self, who: str = "fault") -> None:
        if self.target is not None:
            kill(self.target)
            self.log.note(who, "the target is killed")

    def start_drivers(self, flows: Flows) -> None:
        """Start the first driver and its rival; where the first is the victim, it has claimed the flow by then."""
        first = self.start_driver("driver A")
        if self.case.rival:
            if self.case.fault in {"kill driver", "stop driver", "full disk"}:
                self.wait_for(lambda: not first.is_alive() or self.has_acted(flows, "driver A"))
            self.start_driver("driver B")

    def has_acted(self, flows: Flows, name: str) -> bool:
        return any(event.actor == name for event in flows.team.history(self.flow_id))

    def start_driver(self, name: str) -> ForkProcess:
        process = start(self.drive, name)
        self.drivers.append(process)
        return process

    def join_drivers(self) -> None:
        for process in self.drivers:
            process.join(PATIENCE)
            kill(process)
        self.drivers.clear()

    def drive(self, name: str) -> None:
        """Be a driver, until the flow is over or waits for a person."""
        try:
            for _ in range(TRIES):
                try:
                    # Impatient, so that a rival that was stopped within a transaction does not take up the whole case.
                    with Store(parse_store_address(self.place), patience=1.0) as store:
                        self.drive_on(Flows(Team(store, self.project)), name)
                        return
                except VolitionError as error:
                    self.wait_after(name, error)
        except BaseException as error:  # noqa: BLE001  whatever it is, the matrix goes on and tells of it
            self.log.note(name, "crashes", "", f"{type(error).__name__}: {error}")
            os._exit(1)

    def drive_on(self, flows: Flows, name: str) -> None:
        """Drive at least once, for what is unknown may be asked for again."""
        open_door = open_http_door if self.case.target == "http" else open_bridge_door
        actions = {"act": function_of(Work(self.case, self.folder, self.log, name))}
        at_once = self.case.at_once
        driver = FlowDriver(flows, name, open_door=open_door, lease=LEASE, at_once=at_once, actions=actions)
        state = "approved"
        for _ in range(TRIES):
            try:
                state = driver.drive(self.flow_id).state
            except VolitionError as error:  # another driver's lease, or something that is away
                self.wait_after(name, error)
                state = flows.status(self.flow_id).state
            if state not in DRIVEN:
                return

    def wait_after(self, name: str, error: VolitionError) -> None:
        self.log.note(name, "cannot go on", "", str(error).splitlines()[0])
        time.sleep(0.02)

    # The fault.

    def strike(self, flows: Flows) -> None:
        """Wait for the moment, and do what the case says. Slow effects and lost connections happen at the target."""
        if self.case.fault in {"slow effect", "lost connection"}:
            return
        victim = self.drivers[0]
        self.wait_for(lambda: self.log.count("begin") >= self.case.begun or not self.any_driver())
        time.sleep(self.case.delay)
        if self.case.fault == "kill driver":
            self.log.note("fault", "driver A is killed" if victim.is_alive() else "driver A had ended")
            kill(victim)
        elif self.case.fault == "kill executor":
            self.kill_target()
            time.sleep(self.case.away)
            self.start_target()
        elif self.case.fault == "stop driver":
            self.stop_for_a_while(flows, victim)
        elif self.case.fault == "stop server":
            self.stop_server()
        else:
            self.fill_disk(victim)

    def stop_for_a_while(self, flows: Flows, victim: ForkProcess) -> None:
        """Stop the first driver until the second one has taken over, or cannot, because the first is in a transaction."""
        assert victim.pid is not None
        if not victim.is_alive():
            return
        self.log.note("fault", "driver A is stopped")
        os.kill(victim.pid, signal.SIGSTOP)
        try:
            until = time.monotonic() + 2.5
            while self.drivers[1].is_alive() and not self.has_acted(flows, "driver B") and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(self.case.away)
        finally:
            self.log.note("fault", "driver A goes on")
            os.kill(victim.pid, signal.SIGCONT)

    def stop_server(self) -> None:
        assert self.cluster is not None
        self.log.note("fault", "the database server is killed")
        self.cluster.stop()
        time.sleep(self.case.away)
        self.cluster.start()
        self.log.note("fault", "the database server runs again")

    def fill_disk(self, victim: ForkProcess) -> None:
        """Let the first driver write no further than a little beyond the end of the registry's log; later it may again.

        The limit is one of the process, so the files of the target and of other drivers are not affected.
        """
        assert victim.pid is not None
        written = Path(f"{self.place}-wal")
        room = (written.stat().st_size if written.exists() else 0) + self.case.room
        endless = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        with suppress(ProcessLookupError):
            resource.prlimit(victim.pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
            self.log.note("fault", "the disk of driver A is full")
            time.sleep(0.1 + self.case.away)
            resource.prlimit(victim.pid, resource.RLIMIT_FSIZE, endless)
            self.log.note("fault", "the disk of driver A has room again")

    def any_driver(self) -> bool:
        return any(process.is_alive() for process in self.drivers)

    @staticmethod
    def wait_for(happened: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not happened() and time.monotonic() < until:
            time.sleep(0.003)

    # The person.

    def come_to_an_end(self, flows: Flows) -> None:
        """Drive on, and do what the status asks for, until the flow is over or there have been enough rounds."""
        for number in range(ROUNDS):
            if flows.status(self.flow_id).state == "done":
                return
            self.start_driver(f"driver {number + 1}")
            self.join_drivers()
            with suppress(VolitionError):
                self.decide(flows)

    def decide(self, flows: Flows) -> None:
        """Settle what is unknown by looking, and have tried again what failed."""
        flow = flows.status(self.flow_id)
        if unknown := [node for node in flow.nodes if node.state == "unknown"]:
            if self.case.target != "function":
                self.wait_for(self.log.is_idle)
                self.kill_target("pat")
                self.start_target()
            seen = self.log.effects()
            for node in unknown:
                self.asked += 1
                outcome = "done" if node.binding in seen else "failed"
                flow = flows.settle(self.flow_id, node.node_id, outcome, "pat")
        if flow.state == "held" and any(node.state == "failed" for node in flow.nodes):
            self.asked += 1
            flows.resume(self.flow_id, "pat")

    # The end.

    def judge(self, store: Store, flows: Flows) -> Verdict:
        """Count what happened, and compare it with what is recorded."""
        flow = flows.status(self.flow_id)
        counts = Counter(self.log.effects())
        nodes = ", ".join(f"{node.binding} {node.state}" for node in flow.nodes)
        crashes = tuple(f"{line.who}: {line.detail}" for line in self.log.lines() if line.what == "crashes")
        return Verdict(
            self.case,
            counts.total(),
            tuple(name for name in NODES for _ in range(counts[name] - 1)),
            tuple(node.binding for node in flow.nodes if node.state == "done" and not counts[node.binding]),
            "" if flow.state == "done" else f"the flow is {flow.state} ({nodes})",
            verify_registry(store, self.project).faults,
            crashes,
            self.asked,
            tell(flow, flows.team.history(self.flow_id), self.log),
        )
