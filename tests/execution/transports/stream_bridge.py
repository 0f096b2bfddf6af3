"""What the tests of executors share: a bridge that talks over any stream, and a game that can be looked into."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.processes import PATIENCE
from volition.core.clock import Clock, SystemClock
from volition.execution import IncomingIntent, Stop, make_result
from volition.execution.executor.contract import About, Ended
from volition.execution.wire.frames import StateSchema
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.events import Closed, Ready
from volition.execution.wire.session.link import Timing
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.executor.contract import News
    from volition.execution.transports.stream import Stream
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.session.events import SessionEvent
    from volition.execution.wire.session.handshake import Offer

PATIENT = Timing(handshake=PATIENCE, idle=1.0, dead=PATIENCE, grace=PATIENCE, stop=PATIENCE, opening=PATIENCE)
"""For a real clock: nothing is given up because the machine is busy."""
SCHEMA = StateSchema(name="toy", version="1", hash="7" * 64)


@dataclass
class Toy:
    """A game whose MOVE takes three ticks and whose other intents end at once; `calls` is what was asked of it.

    While it is `mute` only STOP has a result.
    """

    hz: float = 20.0
    tick: int = 0
    episode: int = 1
    alive: bool = True
    calls: list[str] = field(default_factory=list)
    moving: dict[IncomingIntent, int] = field(default_factory=dict)
    mute: bool = False

    @property
    def about(self) -> About:
        return About(name="toy", version="1", state_schema=SCHEMA, tick_hz=self.hz)

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        self.calls.append(attempt.intent.name)
        if self.mute and not isinstance(attempt.intent, Stop):
            return []
        if attempt.intent.name == "MOVE":
            self.moving[attempt] = 3
            return []
        news: list[News] = []
        if isinstance(attempt.intent, Stop):
            news = [Ended(each, make_result("PARTIAL")) for each in self.moving]
            self.moving.clear()
        return [*news, Ended(attempt, make_result())]

    def cancel(self, attempt: IncomingIntent) -> list[News]:
        self.calls.append("cancel")
        self.moving.pop(attempt, None)
        return [] if self.mute else [Ended(attempt, make_result("PARTIAL"))]

    def step(self) -> list[News]:
        self.tick += 1
        self.moving = {attempt: left - 1 for attempt, left in self.moving.items()}
        done = [attempt for attempt, left in self.moving.items() if not left]
        for attempt in done:
            del self.moving[attempt]
        return [Ended(attempt, make_result()) for attempt in done]

    def state(self, *, full: bool) -> Any:
        return {"tick": self.tick, "words": "zażółć 🎭", **({"full": True} if full else {})}

    def stop(self) -> None:
        self.calls.append("stopped")
        self.moving.clear()


class StreamBridge:
    """The bridge's session over a stream; it waits by receiving, on the clock of the stream."""

    def __init__(self, stream: Stream, *, offer: Offer | None = None, clock: Clock | None = None) -> None:
        self.clock = clock or SystemClock()
        self.stream = stream
        timing = PATIENT if clock is None else None
        self.session = Session(offer, now=self.clock.monotonic(), timing=timing)
        self.events: list[SessionEvent] = []

    def until(self, done: Callable[[SessionEvent], bool], *, limit: float = PATIENCE) -> SessionEvent:
        """Go on until an event comes for which `done` holds; it fails after `limit` seconds."""
        ends = self.clock.monotonic() + limit
        while True:
            if out := self.session.take():
                with suppress(ConnectionResetError):  # what was said before may still be there to receive
                    self.stream.send(out)
            for event in self.events:
                if done(event):
                    return event
            now = self.clock.monotonic()
            assert now < ends, f"nothing within {limit} s; events so far: {self.events}"
            wake = self.session.wake_at
            nap = ends - now if wake is None else min(ends - now, max(0.0, wake - now))
            try:
                data = self.stream.receive(nap)
            except ConnectionResetError:
                self.events += self.session.end(self.clock.monotonic(), "reset")
                continue
            now = self.clock.monotonic()
            if data == b"":
                self.events += self.session.end(now)
            elif data:
                self.events += self.session.receive(data, now)
            self.events += self.session.poll(now)

    def ready(self) -> StateFrame:
        """The full state with which the opening ends; what the session shows may soon be a pushed one."""
        event = self.until(lambda event: isinstance(event, Ready | Closed))
        assert isinstance(event, Ready), event
        return event.state

    def closed(self) -> Closed:
        event = self.until(lambda event: isinstance(event, Closed))
        assert isinstance(event, Closed)
        return event

    def send(self, intent: AnyIntent, *, ttl: float = 60.0, based_on: int | None = None) -> int:
        return self.session.send(intent, now=self.clock.monotonic(), ttl=ttl, based_on=based_on)

    def result(self, id: int) -> Outcome:
        event = self.until(lambda event: isinstance(event, Outcome) and event.id == id)
        assert isinstance(event, Outcome)
        return event

    def execute(self, intent: AnyIntent) -> Outcome:
        return self.result(self.send(intent))
