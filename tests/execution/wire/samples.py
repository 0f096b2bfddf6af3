"""What the tests of the protocol share: a welcome, payloads, and two sessions with a wire between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from volition.execution import make_result
from volition.execution.wire.codec import decode, encode
from volition.execution.wire.frames import (
    EngineClock,
    Frame,
    Limits,
    Party,
    ResultFrame,
    StateFrame,
    StateRequest,
    StateSchema,
    Welcome,
)
from volition.execution.wire.intents import CANONICAL
from volition.execution.wire.session.executor import ExecutorSession
from volition.execution.wire.session.handshake import Offer
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.execution.wire.session.events import SessionEvent
    from volition.execution.wire.session.incoming import ExecutorEvent

T = TypeVar("T")

SCHEMA = StateSchema(name="arena", version="1", hash="a1" * 32)
WELCOME = Welcome(
    spec="1.0.0",
    session="s-1",
    executor=Party(name="test", version="0"),
    engine="none",
    tick_hz=20.0,
    clock=EngineClock(unit="ms", epoch="engine_start"),
    intents=tuple(CANONICAL),
    hold_supported=True,
    double_jump=False,
    move_frame="relative",
    state_schema=SCHEMA,
    limits=Limits(max_inflight=4),
    features=("events", "next_state", "progress", "state_push"),
)


def state(seq: int = 0, **changes: Any) -> StateFrame:
    usual: dict[str, Any] = {"tick": seq, "episode": 0, "full": True, "data": {"health": 10}}
    return StateFrame(seq=seq, **(usual | changes))


def payload(**changes: Any) -> dict[str, Any]:
    """A good payload with some fields of the top replaced."""
    return make_result().to_data() | changes


def answer(id: int, intent: str = "STOP", result: Any = None, **more: Any) -> bytes:
    return encode(ResultFrame(id=id, intent=intent, result=payload() if result is None else result, **more))


def lines(data: bytes) -> list[Frame]:
    return [decode(line) for line in data.splitlines()]


def of(kind: type[T], events: Iterable[object]) -> list[T]:
    return [event for event in events if isinstance(event, kind)]


def opened(now: float = 0.0, *, welcome: Welcome = WELCOME, strict: bool = True) -> Session:
    """A session that is ready: its opening took the ids 1 (state) and 2 (STOP)."""
    session = Session(now=now, strict=strict)
    session.receive(encode(welcome) + encode(state(0, id=1)) + answer(2), now)
    assert session.phase == "ready"
    session.take()
    return session


def serving(now: float = 0.0, *, welcome: Welcome = WELCOME) -> ExecutorSession:
    """An executor's session after the greeting."""
    executor = ExecutorSession(welcome, now=now)
    executor.receive(encode(Offer().hello()), now)
    assert executor.phase == "open"
    executor.take()
    return executor


def limited(**limits: int) -> Welcome:
    return msgspec.structs.replace(WELCOME, limits=Limits(**limits))


@dataclass
class Pair:
    """Both sides, a perfect wire, and a game that answers states and does at once what it is asked."""

    session: Session = field(default_factory=lambda: Session(now=0.0))
    executor: ExecutorSession = field(default_factory=lambda: ExecutorSession(WELCOME, now=0.0))
    now: float = 0.0
    told: list[SessionEvent] = field(default_factory=list)
    heard: list[ExecutorEvent] = field(default_factory=list)

    def exchange(self, *, play: bool = True) -> list[SessionEvent]:
        """Carry bytes both ways until nothing moves; what the bridge's side told meanwhile."""
        before = len(self.told)
        while True:
            out = self.session.take()
            events = self.executor.receive(out, self.now) if out else []
            self.heard += events
            for asked in of(StateRequest, events):
                self.executor.show_state(state(self.executor.tick, id=asked.id))
            while play and (attempt := self.executor.take_attempt(self.now)):
                self.executor.finish(attempt.id, make_result())
            back = self.executor.take()
            self.told += self.session.receive(back, self.now) if back else []
            if not out and not back:
                return self.told[before:]

    def wait(self, seconds: float) -> None:
        """Let time pass on both sides."""
        self.now += seconds
        self.heard += self.executor.poll(self.now)
        self.told += self.session.poll(self.now)
