"""What runs in the processes: an executor, and a policy that records."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tests.execution.bridge.bridges import EAST, PATIENT, QUICK, Stamping
from volition.execution import Timing
from volition.execution.bridge.connect import connect
from volition.execution.executor.server import ExecutorServer
from volition.execution.journal import Journal

if TYPE_CHECKING:
    from ctypes import c_ulong
    from multiprocessing.sharedctypes import Synchronized

    from volition.execution.journal import Durable


def serve(address: str, idle: float, dead: float) -> None:
    """An executor whose MOVE takes three ticks."""
    timing = Timing(idle=idle, dead=dead)
    with ExecutorServer.listen(address, Stamping(hz=200), timing=timing) as server:
        server.serve()


def decide(address: str, journal: str, seed: int, written: Synchronized[c_ulong], asked: Synchronized[c_ulong]) -> None:
    """Drive for ever, and say how many attempts are with the operating system."""
    random, records = Random(seed), Journal(journal)
    with connect(address, journal=records, timing=PATIENT) as bridge:
        while True:
            for outcome in bridge.execute_many([random.choice([*QUICK, EAST]) for _ in range(6)], deadline=1.0):
                asked.value = outcome.ticket  # type: ignore[assignment]
            written.value = records.written  # type: ignore[assignment]


def walk(address: str, under_way: Synchronized[c_ulong]) -> None:
    """Walk back and forth in an arena, and say when the actor is moving."""
    with connect(address, timing=PATIENT) as bridge:
        while True:
            state = bridge.next_state()
            if state is None:
                continue
            actor = state.data["actor"]
            if not state.data["open"]:
                bridge.submit("MOVE", {"vector": [2.5 if actor["x"] < 4000 else -2.5, 0, 0]}, deadline=5.0)
            elif any(actor["velocity"]):
                under_way.value = 1  # type: ignore[assignment]


def keep_promises(
    address: str, journal: str, durable: Durable | None, written: Synchronized[c_ulong], returned: Synchronized[c_ulong]
) -> None:
    """Drive for ever, one intent at a time and several, and say what was written and which ticket was given back."""
    records = Journal(journal, durable=durable)
    with connect(address, journal=records, timing=PATIENT) as bridge:
        while True:
            returned.value = bridge.execute(QUICK[0], deadline=5.0).ticket  # type: ignore[assignment]
            for outcome in bridge.execute_many([EAST, *QUICK], deadline=5.0):
                returned.value = outcome.ticket  # type: ignore[assignment]
            written.value = records.written  # type: ignore[assignment]
