"""A door with a record of everything, and a scripted game at the other end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.execution.door.door_laws import Asked, Entry, Sent
from tests.execution.wire.samples import WELCOME, answer, lines, of, state
from volition.execution.door.door import Door
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import Frame, IntentFrame, StateRequest, Welcome
from volition.execution.wire.request import Outcome

if TYPE_CHECKING:
    from volition.execution.door.events import DoorEvent


class Doorway:
    """Drives a door by hand: every call leaves what it told and sent in `record`, and the new frames in `out`."""

    def __init__(self, **terms: Any) -> None:
        self.record: list[Entry] = []
        self.door = Door(now=0.0, tell=self.record.append, **terms)
        self.now = 0.0
        self.out: list[Frame] = []

    def ready(self, welcome: Welcome = WELCOME) -> Doorway:
        """Connect and open: the ids 1 (state) and 2 (STOP) are used."""
        self.door.connection_made(self.now)
        self.receive(encode(welcome))
        self.receive(encode(state(0, id=1)) + answer(2))
        assert self.door.phase == "ready"
        return self

    def ask(self, intent: Any, parameters: Any = None, **terms: Any) -> int:
        ticket = self.door.request(intent, parameters, now=self.now, **terms)
        self.record.append(Asked(ticket))
        self.flush()
        return ticket

    def receive(self, data: bytes) -> None:
        self.door.receive(data, self.now)
        self.flush()

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.door.poll(self.now)
        self.flush()

    def refresh(self) -> None:
        self.door.refresh(self.now)
        self.flush()

    def end(self) -> None:
        self.door.connection_lost(self.now)
        self.flush()

    def close(self) -> None:
        self.door.close(self.now)
        self.flush()

    def flush(self) -> None:
        """Take what the door wants to send."""
        self.out = lines(self.door.take())
        self.record += [Sent(self.door.connection, frame) for frame in self.out]

    @property
    def told(self) -> list[DoorEvent]:
        return [entry for entry in self.record if not isinstance(entry, Asked | Sent)]

    @property
    def outcomes(self) -> list[Outcome]:
        return of(Outcome, self.record)

    @property
    def sent(self) -> list[str]:
        """The names of all intents that were sent, in order, those of the openings among them."""
        return [e.frame.intent for e in of(Sent, self.record) if isinstance(e.frame, IntentFrame)]

    @property
    def last_id(self) -> int:
        """The newest id on the wire."""
        framed = [e.frame for e in of(Sent, self.record) if isinstance(e.frame, IntentFrame | StateRequest)]
        return framed[-1].id

    def the(self, ticket: int) -> Outcome:
        """The outcome of a ticket, which must be there."""
        outcome = self.door.outcome(ticket)
        assert outcome is not None
        return outcome
