"""What both sides of a session have in common: bytes in, frames out, frames in, bytes out, heartbeats, and closing.

It has no socket and no clock: the time is passed with every call, in seconds of any monotonic clock.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

from volition.core.errors import refuse
from volition.execution.wire.codec import MAX_FRAME, FrameFault, Lines, decode, encode
from volition.execution.wire.frames import ErrorFrame, Ping
from volition.execution.wire.session.phases import NEXT

if TYPE_CHECKING:
    from volition.execution.wire.frames import Frame

End: TypeAlias = Literal["eof", "reset"]
"""How a connection ended: closed by the other side, or broken."""

LinkEnding: TypeAlias = Literal["eof", "reset", "torn", "overrun"]
"""Why a link closes by itself: `torn` is an end in the middle of a frame, `overrun` a line that is too long."""

MAX_FAULTS: Final = 100
"""After this many unreadable lines, the other side is assumed not to speak this protocol."""

MAX_UNREAD: Final = 1024
"""With this many lines unread, optional frames are no longer added."""


class Timing(Struct, frozen=True):
    """Timeouts, in seconds.

    `handshake`: for the greeting and its answer. `opening`: for the full state and the answer to STOP after it. `idle`:
    silence before a ping, and between pings. `dead`: silence until the other side is considered lost. `grace`: added to
    an intent's time to live. `stop`: for a STOP that the session itself sends.
    """

    handshake: float = 5.0
    idle: float = 1.0
    dead: float = 3.0
    grace: float = 0.25
    stop: float = 1.0
    opening: float = 5.0

    def __post_init__(self) -> None:
        values = (self.handshake, self.idle, self.dead, self.grace, self.stop, self.opening)
        if not all(0 < value < float("inf") for value in values) or self.idle >= self.dead:
            refuse(
                f"a timing of {values}",
                where="timing",
                expected="finite times above 0, with idle below dead",
                remedy="start from the defaults",
            )


Phase = TypeVar("Phase", bound=str)
Event = TypeVar("Event")


class Link(ABC, Generic[Phase, Event]):
    """One side of one connection.

    The owner writes what `take` gives, hands over what it reads, and calls `poll` at `wake_at` at the latest. These
    calls return events.
    """

    def __init__(self, phase: Phase, *, now: float, timing: Timing | None, max_frame: int = MAX_FRAME) -> None:
        self.phase: Phase = phase
        self.timing: Final = timing or Timing()
        self.out: list[bytes] = []
        """The lines that `take` will give."""
        self._lines = Lines(max_frame)
        self._faults = 0
        self._heard_at = self._pinged_at = now
        self._pings = 0
        self._events: list[Event] = []

    # What the owner calls.

    def receive(self, data: bytes, now: float) -> list[Event]:
        """Process received bytes; the events do not depend on how the stream is chunked."""
        for line in self._lines.feed(data):
            if self.phase == "closed":
                break
            try:
                frame = decode(line, max_frame=self._lines.max_frame)
            except FrameFault as fault:
                self._faults += 1
                fault.line = line
                self._unreadable(fault, now)
            else:
                self._heard_at = now
                self._hear(frame, line, now)
        if self._lines.overrun:
            self._close("overrun", now)
        return self._take_events()

    @abstractmethod
    def poll(self, now: float) -> list[Event]:
        """Do whatever is due: deadlines, pings, closing."""

    @property
    @abstractmethod
    def wake_at(self) -> float | None:
        """When `poll` must be called at the latest; None once the session is over."""

    def end(self, now: float, how: End = "eof") -> list[Event]:
        """The connection ended; an end in the middle of a frame is reported as such."""
        self._close("torn" if how == "eof" and self._lines.pending else how, now)
        return self._take_events()

    def take(self) -> bytes:
        """The bytes to write now; each byte is returned once."""
        data, self.out = b"".join(self.out), []
        return data

    # What each side does with what it receives.

    @abstractmethod
    def _hear(self, frame: Frame, line: bytes, now: float) -> None: ...

    @abstractmethod
    def _unreadable(self, fault: FrameFault, now: float) -> None: ...

    @abstractmethod
    def _close(self, reason: LinkEnding, now: float) -> None: ...

    # Shared by both sides.

    def _enter(self, phase: Phase) -> None:
        assert phase in NEXT[self.phase], f"{self.phase} to {phase}"
        self.phase = phase

    def _send(self, frame: Frame) -> bytes:
        """Queue a frame, and return its line; a closed session sends nothing."""
        line = encode(frame, max_frame=self._lines.max_frame)
        if self.phase != "closed":
            self.out.append(line)
        return line

    def _complain(self, code: str, message: str, id: int | None = None) -> None:
        """Answer an unusable frame."""
        self._send(ErrorFrame(code=code, message=message[:400], id=id))

    def _pulse(self, now: float) -> bool:
        """Ping after a long silence; False if the other side is considered dead."""
        if now >= self._heard_at + self.timing.dead:
            return False
        if now >= self._next_pulse():
            self._pings += 1
            self._pinged_at = now
            self._send(Ping(n=self._pings))
        return True

    def _next_pulse(self) -> float:
        """When `_pulse` has something to do next."""
        ping_at = max(self._heard_at, self._pinged_at) + self.timing.idle
        return min(ping_at, self._heard_at + self.timing.dead)

    def _take_events(self) -> list[Event]:
        events, self._events = self._events, []
        return events
