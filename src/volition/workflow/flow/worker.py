"""A worker: a process that stays, and carries on with every flow that waits for nobody but a driver.

It never answers, approves, settles, skips or tries again what takes a person's word. Several may run at once, on one machine
or on many: each flow has one driver at a time, and a worker that comes second leaves it to the first. A flow that cannot go
on, because an executor is not there, is tried again after a pause for that flow alone, so it does not hold up others.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct
from sqlalchemy import select

from volition.core.errors import VolitionError
from volition.core.typed import DataStruct
from volition.workflow.flow.dispatch import open_bridge_door
from volition.workflow.flow.driver import LEASE, FlowDriver
from volition.workflow.law.bindings import parse_bindings
from volition.workflow.law.driving import LostFlow
from volition.workflow.law.members import NotEntitled, WrongSigner
from volition.workflow.law.nodes import may_retry, nodes_of
from volition.workflow.law.states import DRIVEN
from volition.workflow.store.database import StoreUnavailable
from volition.workflow.store.rows import FlowRow
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.store.tables import FLOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from volition.workflow.flow.dispatch import LocalAction, OpenDoor, WorkResult
    from volition.workflow.flow.driver import Claimed, SentOrder
    from volition.workflow.flow.flows import Flows
    from volition.workflow.store.rows import NodeRow

ASKS: Final = 8
"""How often a worker asks an executor for a request that stays unknown, before it leaves that to a person."""
_Seen = tuple[tuple[str, str, int], ...]
"""The nodes of a flow that have not passed: id, state and attempt."""


class BackOff(Struct, frozen=True):
    """How long to wait after failures in a row: twice as long each time, up to a ceiling. Chance takes up to half of it off, so
    that several workers do not come back in the same moment.

    >>> [BackOff(first=1.0, ceiling=60.0).pause(failures, chance=0.0) for failures in (1, 2, 3, 20)]
    [1.0, 2.0, 4.0, 60.0]
    """

    first: float = 1.0
    ceiling: float = 300.0

    def pause(self, failures: int, chance: float) -> float:
        """The seconds to wait after so many failures; `chance` is from 0 up to 1."""
        return float(min(self.ceiling, self.first * 2 ** min(failures - 1, 60)) * (1 - chance / 2))


class WorkerReport(DataStruct, frozen=True):
    """What a worker did with one flow: `driven` as far as it goes, `lost` to another driver, or `failed`, with the reason and the
    seconds until it is tried again. Without a flow it is the registry that cannot be used."""

    flow_id: str
    outcome: Literal["driven", "lost", "failed"]
    state: str
    why: str = ""
    pause: float = 0.0

    def to_data(self) -> dict[str, Any]:
        return super().to_data() | {"pause": round(self.pause, 3)}

    def __str__(self) -> str:
        text = f"{self.flow_id or 'registry'}: {self.outcome}" + (f", {self.state}" if self.state else "")
        later = f"; again in {self.pause:.0f} s" if self.pause else ""
        return text + (f" ({self.why}){later}" if self.why else later)


@dataclass(slots=True)
class _Tries:
    seen: _Seen
    failures: int = 0
    after: float = 0.0
    reachable: bool = True


class _StoppingDriver(FlowDriver):
    """A driver that sends nothing more once it is told to stop; the answers to what is under way are still recorded."""

    stop: Event

    def step(self, claim: Claimed, known: Iterable[tuple[NodeRow, WorkResult]] = (), most: int = 1) -> list[SentOrder]:
        return FlowDriver.step(self, claim, known, 0 if self.stop.is_set() else most)


class Worker:
    """Carries on with flows in the name of `by`. `clock` counts seconds, and `chance` is drawn from 0 up to 1."""

    def __init__(
        self,
        flows: Flows,
        by: str,
        *,
        open_door: OpenDoor = open_bridge_door,
        actions: Mapping[str, LocalAction] | None = None,
        lease: float = LEASE,
        at_once: int = 4,
        name: str = "worker",
        back_off: BackOff | None = None,
        clock: Callable[[], float] = monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.flows, self.team, self.by = flows, flows.team, by
        self._stop = Event()
        self._driver = _StoppingDriver(
            flows, by, open_door=open_door, lease=lease, at_once=at_once, actions=actions, name=name
        )
        self._driver.stop = self._stop
        self._back_off, self._clock, self._chance = back_off or BackOff(), clock, chance
        self._tries: dict[str, _Tries] = {}

    def stop(self) -> None:
        """End soon: what is under way is awaited and recorded, and nothing more is sent. For signals and other threads."""
        self._stop.set()

    def run(self, tell: Callable[[WorkerReport], None], *, poll: float = 1.0) -> None:
        """Work until `stop` is called, with a look every `poll` seconds. A registry that cannot be used is tried again, less and
        less often."""
        failures = 0
        while not self._stop.is_set():
            pause = poll
            try:
                for report in self.work_once():
                    tell(report)
                failures = 0
            except StoreUnavailable as error:
                failures += 1
                pause = self._back_off.pause(failures, self._chance())
                tell(WorkerReport("", "failed", "", error.problems[0].what, pause))
            self._stop.wait(pause)

    def work_once(self) -> Iterator[WorkerReport]:
        """End what the time has ended, and drive every flow that is due, one after the other."""
        with self.team.transaction():
            pass
        for flow_id, seen in self.due().items():
            if not self._stop.is_set():
                yield self._drive(flow_id, seen)

    def due(self) -> dict[str, _Seen]:
        """The flows with something to do for a driver, which nobody drives and whose pause is over, oldest first."""
        due = {}
        for flow, nodes in self._open_flows():
            seen = tuple((node.node_id, node.state, node.attempt) for node in nodes)
            tries = self._tries.get(flow.flow_id)
            if tries is not None and tries.seen != seen:
                tries = self._tries.pop(flow.flow_id) and None
            if not _has_work(flow, nodes, tries) or (tries is not None and tries.after > self._clock()):
                continue
            due[flow.flow_id] = seen
        return due

    def _open_flows(self) -> list[tuple[FlowRow, list[NodeRow]]]:
        wanted = (
            select(FLOW).where(FLOW.c.project == self.team.project, FLOW.c.state.in_(DRIVEN)).order_by(FLOW.c.number)
        )
        with self.team.store.read() as connection:
            now, rows = self.team.store.clock(connection), SqlRows(connection, self.team.project)
            flows = [FlowRow(**row) for row in connection.execute(wanted).mappings().all()]
            return [(flow, nodes_of(rows, flow.flow_id)) for flow in flows if flow.lease_until <= now]

    def _drive(self, flow_id: str, seen: _Seen) -> WorkerReport:
        try:
            driven = self._driver.drive(flow_id)
        except LostFlow as error:
            return WorkerReport(flow_id, "lost", "", error.problems[0].what)
        except (NotEntitled, WrongSigner, StoreUnavailable):
            raise  # about the worker's name or the registry, so no flow would go on
        except VolitionError as error:
            # What was done before the error counts as well: only what is the same afterwards has failed again.
            return self._wait(flow_id, seen, error.problems[0].what, reachable=False)
        after = tuple((node.node_id, node.state, node.attempt) for node in driven.nodes)
        if after == seen:
            return self._wait(flow_id, seen, driven.reason, reachable=True)
        self._tries.pop(flow_id, None)
        return WorkerReport(flow_id, "driven", driven.state, driven.reason)

    def _wait(self, flow_id: str, seen: _Seen, why: str, *, reachable: bool) -> WorkerReport:
        """Leave a flow for a while: twice as long as the last time, if it has not gone on since."""
        state = self.flows.status(flow_id)
        now = tuple((node.node_id, node.state, node.attempt) for node in state.nodes)
        tries = self._tries.get(flow_id)
        if tries is None or tries.seen != now:
            tries = self._tries[flow_id] = _Tries(now)
        tries.failures += 1
        tries.reachable = reachable
        pause = self._back_off.pause(tries.failures, self._chance())
        tries.after = self._clock() + pause
        return WorkerReport(flow_id, "failed", state.state, why, pause)


def _has_work(flow: FlowRow, nodes: Iterable[NodeRow], tries: _Tries | None) -> bool:
    """Whether a driver could do anything: send, notify, try again as bound, or ask what became of what was sent."""
    bindings = parse_bindings(flow.bindings)
    asked_enough = tries is not None and tries.reachable and tries.failures >= ASKS
    for node in nodes:
        action = bindings.by_name(node.binding).action
        if node.state == "ready" or may_retry(flow, node) or (node.state == "sent" and action != "notify"):
            return True
        if node.state == "unknown" and action == "intent" and not asked_enough:
            return True
    return False
