"""The events of a door, in order: everything worth recording."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from volition.execution.door.outcome import Outcome
from volition.execution.wire.session.events import Breach, Complaint, Happened, LateAnswer, Stalled, StateArrived

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.door.request import Request
    from volition.execution.wire.frames import StateFrame, Welcome
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.session.events import Ending
    from volition.execution.wire.session.refusals import HandshakeFailed


class Connected(Struct, frozen=True):
    """A handshake succeeded; full state and STOP were requested. Connections are numbered from 1."""

    connection: int
    welcome: Welcome
    features: frozenset[str]


class Sending(Struct, frozen=True, gc=False):
    """A request is about to be sent. This event, and all before it, are told before its bytes leave."""

    connection: int
    ticket: int
    id: int
    requested: Request
    intent: AnyIntent
    state: StateFrame | None


class Resetting(Struct, frozen=True):
    """The executor is asked to begin a new episode with this seed; told before its bytes leave."""

    connection: int
    ticket: int
    id: int
    seed: int


class Lost(Struct, frozen=True):
    """A connection was lost; the outcomes of its requests were told before. `error` if the session never became
    ready."""

    connection: int
    reason: Ending
    error: HandshakeFailed | None = None


DoorEvent: TypeAlias = (
    Connected | Sending | Resetting | Outcome | LateAnswer | StateArrived | Breach | Complaint | Stalled | Happened | Lost
)  # fmt: skip
"""Events without a `connection` belong to the newest one; the ticket of a late answer is in its `request`."""


class EventBuffer:
    """Passes events to a listener in order, and retries an event for which the listener raised."""

    def __init__(self, tell: Callable[[DoorEvent], None] | None) -> None:
        self._tell = tell
        self._untold: deque[DoorEvent] = deque()

    def note(self, event: DoorEvent) -> None:
        """Queue an event; it is told at the end of the call in which it happened."""
        if self._tell is not None:
            self._untold.append(event)

    def flush(self) -> None:
        """Tell the queued events; an error of the listener propagates, and no event is lost."""
        while self._untold and self._tell is not None:
            self._tell(self._untold[0])
            self._untold.popleft()
