"""What runs in the processes: an executor, and a policy that records."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tests.execution.client.bridges import EAST, PATIENT, QUICK, Stamping
from volition.execution.connecting.connect import connect
from volition.execution.executor.server import ExecutorServer
from volition.execution.journal.journal import Journal
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from ctypes import c_ulong
    from multiprocessing.sharedctypes import Synchronized

    from volition.execution.journal.journal import Durable


def serve(address: str, idle: float, dead: float) -> None:
    """An executor whose MOVE takes three ticks."""
    timing = Timing(idle=idle, dead=dead)
    with ExecutorServer.listen(address, Stamping(hz=200), timing=timing) as server:
        server.serve()


def decide(address: str, journal: str, seed: int, written: Synchronized[c_ulong], asked: Synchronized[c_ulong]) -> None:
    """Drive forever, and report how many attempts are with the operating system."""
    random, records = Random(seed), Journal(journal)
    with connect(address, journal=records, timing=PATIENT) as bridge:
        while True:
            for outcome in bridge.execute_many([random.choice([*QUICK, EAST]) for _ in range(6)], deadline=1.0):
                asked.value = outcome.ticket  # type: ignore[assignment]
            written.value = records.written  # type: ignore[assignment]


def walk(address: str, under_way: Synchronized[c_ulong]) -> None:
    """Walk back and forth in an arena, and say when the actor is moving."""
    step = 2.5
    with connect(address, timing=PATIENT) as bridge:
        while True:
            state = bridge.next_state()
            if state is None:
                continue
            actor = state.data["actor"]
            if not state.data["open"]:
                # There and back: steps in one direction that fail would be refused after a while.
                bridge.submit("MOVE", {"vector": [step, 0, 0]}, deadline=3600.0)
                step = -step
            elif any(actor["velocity"]):
                under_way.value = 1  # type: ignore[assignment]


def keep_promises(
    address: str, journal: str, durable: Durable | None, written: Synchronized[c_ulong], returned: Synchronized[c_ulong]
) -> None:
    """Drive forever, one intent at a time and several, and report what was written and which ticket was returned."""
    records = Journal(journal, durable=durable)
    with connect(address, journal=records, timing=PATIENT) as bridge:
        while True:
            returned.value = bridge.execute(QUICK[0], deadline=60.0).ticket  # type: ignore[assignment]
            for outcome in bridge.execute_many([EAST, *QUICK], deadline=60.0):
                returned.value = outcome.ticket  # type: ignore[assignment]
            written.value = records.written  # type: ignore[assignment]
