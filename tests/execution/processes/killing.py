"""What the tests with real processes share: executors that are killed and come back, and what a bridge saw of it.

Processes come from one that has everything imported and forks: each is a real one, and is there in milliseconds.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.execution.client.bridges import EAST, QUICK, Listening, eventually
from tests.execution.wire.samples import of
from volition.execution.door.events import Connected, Lost
from volition.execution.wire.frames import Hello, IntentFrame, StateRequest
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.context import ForkServerContext
    from random import Random

    from volition.execution.client.bridge import Bridge, Dial
    from volition.execution.door.events import DoorEvent
    from volition.execution.transports.stream import Stream

KILLS = 6
BRIEF = Timing(handshake=60.0, idle=0.1, dead=0.5, grace=0.1, stop=0.5, opening=60.0)


def forking() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.execution.processes.programs"])
    return context


@dataclass
class Witness:
    """Records all events of a door, and everything written to its connections."""

    told: list[DoorEvent] = field(default_factory=list)
    streams: list[Listening] = field(default_factory=list)

    def tell(self, event: DoorEvent) -> None:
        self.told.append(event)

    def dialling(self, dial: Dial) -> Dial:
        def listened(timeout: float) -> Stream:
            self.streams.append(Listening(dial(timeout)))
            return self.streams[-1]

        return listened

    def check(self, asked: Counter[int]) -> None:
        """Exactly one outcome for every ticket, and each connection from its beginning."""
        outcomes = of(Outcome, self.told)
        tickets = Counter(outcome.ticket for outcome in outcomes)
        assert set(tickets.values()) == {1}
        assert set(asked) <= set(tickets)
        assert set(asked.values()) == {1}
        answered = Counter((outcome.connection, outcome.id) for outcome in outcomes if outcome.answered)
        assert set(answered.values()) == {1}
        for stream in self.streams:
            frames = stream.frames
            assert isinstance(frames[0], Hello)
            assert len(of(Hello, frames)) == 1
            if intents := of(IntentFrame, frames):
                assert intents[0].intent == "STOP"
                assert of(StateRequest, frames)[0].full
                assert of(StateRequest, frames)[0].id < intents[0].id
        # The policy's first intent of a connection follows the answer to the STOP of its opening.
        last = 0
        for event in self.told:
            if isinstance(event, Outcome) and event.purpose == "opening" and event.answered:
                last = event.connection
            if isinstance(event, Outcome) and event.purpose == "policy" and event.sent is not None:
                assert event.connection <= last


@contextmanager
def killing(kill: Callable[[], None], witness: Witness, random: Random) -> Iterator[threading.Event]:
    """Kill in a separate thread, `KILLS` times, each soon after a new connection; the event says that it is over."""
    over = threading.Event()

    def work() -> None:
        try:
            for n in range(1, KILLS + 1):
                eventually(lambda n=n: len(of(Connected, witness.told)) >= n)  # type: ignore[misc]
                time.sleep(random.uniform(0.01, 0.1))
                kill()
            eventually(lambda: len(of(Connected, witness.told)) > KILLS)
        finally:
            over.set()

    killer = threading.Thread(target=work)
    killer.start()
    yield over
    killer.join()


def keep_asking(bridge: Bridge, random: Random, enough: Callable[[], bool]) -> Counter[int]:
    """Drive until it is enough, sometimes one at a time and sometimes many; the tickets whose outcomes came back."""
    asked: Counter[int] = Counter()
    while not enough():
        if random.random() < 0.5:
            asked[bridge.execute(random.choice([*QUICK, EAST]), deadline=0.5).ticket] += 1
        else:
            many = [random.choice([*QUICK, EAST]) for _ in range(12)]
            asked.update(outcome.ticket for outcome in bridge.execute_many(many, deadline=0.5))
    return asked


def losses(told: list[DoorEvent]) -> tuple[int, int, int]:
    """How many connections held, how many were lost, and how many intents were open when that happened."""
    lost = [each for each in of(Outcome, told) if each.label == "unknown" and not each.answered and each.id]
    return len(of(Connected, told)), len(of(Lost, told)), len(lost)
