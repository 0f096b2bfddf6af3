"""What a door tells, in the order in which it happened: all that is worth recording."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from volition.execution.door.outcome import Outcome
from volition.execution.session.events import Breach, Complaint, Happened, Late, Stalled

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.door.outcome import Requested
    from volition.execution.frames import StateFrame, Welcome
    from volition.execution.intents import CanonicalIntent
    from volition.execution.session.events import Ending
    from volition.execution.session.refusals import HandshakeFailed


class Connected(Struct, frozen=True):
    """A handshake held; full state and STOP are on their way. Connections count from 1."""

    connection: int
    welcome: Welcome
    features: frozenset[str]


class Asking(Struct, frozen=True, gc=False):
    """A request is about to leave: what is told before it, and this, comes before its bytes."""

    connection: int
    ticket: int
    id: int
    requested: Requested
    intent: CanonicalIntent
    state: StateFrame | None


class LateResult(Late, frozen=True, kw_only=True):
    """A late answer with the request it was for; the outcome of its ticket stands."""

    connection: int
    ticket: int


class StateSeen(Struct, frozen=True, gc=False):
    """A state of the executor's world; `asked` where it answers a request."""

    connection: int
    state: StateFrame
    asked: bool


class Lost(Struct, frozen=True):
    """A connection is over; every outcome of its requests was told before. `error` where no session came about."""

    connection: int
    reason: Ending
    error: HandshakeFailed | None = None


DoorEvent: TypeAlias = (
    Connected | Asking | Outcome | LateResult | StateSeen | Breach | Complaint | Stalled | Happened | Lost
)  # fmt: skip


class Teller:
    """Hands events to a listener in order, and keeps what the listener refuses by raising until it takes it."""

    def __init__(self, tell: Callable[[DoorEvent], None] | None) -> None:
        self._tell = tell
        self.untold: deque[DoorEvent] = deque(maxlen=None if tell else 0)
        self.note = self.untold.append
        """Something happened; it is told when the call that brought it has done its own work."""

    def flush(self) -> None:
        """Tell what was noted; an error of the listener passes through, and nothing noted is lost."""
        untold, tell = self.untold, self._tell
        while untold:
            tell(untold[0])  # type: ignore[misc]
            untold.popleft()
