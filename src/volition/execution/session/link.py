"""One end of a connection without the connection: bytes in, frames out, frames in, bytes out, and a pulse.

Both sides of the protocol stand on it. It knows no socket and no clock: the time comes with every call, in seconds of
any clock that never goes backwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from volition.core.errors import InvalidInput, Problem
from volition.execution.codec import MAX_FRAME, FrameFault, Lines, decode, encode
from volition.execution.frames import ErrorFrame, Goodbye, Ping

if TYPE_CHECKING:
    from volition.execution.frames import Frame

End: TypeAlias = Literal["eof", "reset"]
"""How a connection ended: the other side closed it, or it broke."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long, in seconds, the sides wait for what.

    `handshake` for a greeting and its answer; `opening` for the full state and the answer to STOP after it; `idle` of
    silence before a ping, and between pings; `dead` of silence until the other side counts as lost; `grace` beyond an
    intent's own time to live; `stop` for the STOP that this side sends by itself.
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
            raise InvalidInput(
                Problem(
                    f"a timing of {values}",
                    "timing",
                    "finite times above 0, with idle below dead",
                    "start from the defaults",
                )
            )


MAX_FAULTS: Final = 100
"""After so many unusable lines on one connection, the other side does not speak this protocol."""


MOST_WAITING: Final = 1024
"""So many lines that nobody takes are enough for whoever may miss some."""


class Link:
    """The part of a session that both sides share."""

    def __init__(self, *, now: float, timing: Timing, max_frame: int = MAX_FRAME) -> None:
        self.timing = timing
        self.faults = 0
        self.heard_at = now
        self.closed = False
        self._lines = Lines(max_frame)
        self.lines = self._lines.feed
        """The lines that some bytes complete; whoever reads them stops once the link is closed."""
        self.out: list[bytes] = []
        """The lines that wait to be taken; whoever adds one knows that the link is not closed."""
        self._pings = 0
        self._pinged_at = now

    @property
    def max_frame(self) -> int:
        return self._lines.max_frame

    def agree(self, max_frame: int) -> None:
        """From here on no line, in or out, may be longer than both sides allow."""
        self._lines.max_frame = min(self._lines.max_frame, max_frame)
        self._lines.settled = True

    @property
    def torn(self) -> bool:
        """Whether an unfinished line is held: an end of the stream now would be in the middle of a frame."""
        return self._lines.pending > 0

    @property
    def behind(self) -> bool:
        """Whether so many lines wait to be taken that the other side cannot be reading."""
        return len(self.out) >= MOST_WAITING

    @property
    def overrun(self) -> bool:
        return self._lines.overrun

    def read(self, line: bytes, now: float) -> Frame | FrameFault:
        """The frame on a line; a bad one is counted and given as its fault."""
        try:
            frame = decode(line, max_frame=self._lines.max_frame)
        except FrameFault as fault:
            self.faults += 1
            fault.line = line
            return fault
        self.heard_at = now
        return frame

    def send(self, frame: Frame, *, checked: bool = False) -> None:
        """Put a frame on the way; nothing leaves a closed link. `checked` as in `encode`."""
        if not self.closed:
            self.out.append(encode(frame, max_frame=self._lines.max_frame, checked=checked))

    def put(self, line: bytes) -> None:
        """Put a line that was encoded for this link on the way."""
        if not self.closed:
            self.out.append(line)

    def complain(self, code: str, message: str, id: int | None = None) -> None:
        """Answer a frame that cannot be used."""
        self.send(ErrorFrame(code=code, message=message[:400], id=id))

    def take(self) -> bytes:
        """The bytes to be written now, in one piece; the next call gives what came after."""
        out = self.out
        if not out:
            return b""
        said = out[0] if len(out) == 1 else b"".join(out)
        out.clear()
        return said

    def close(self, reason: str = "", *, say: bool = True) -> None:
        """End the session; unless told otherwise with a goodbye."""
        if say:
            self.send(Goodbye(reason=reason))
        self.closed = True

    def pulse(self, now: float) -> bool:
        """Ping where it was silent for long; False where the other side counts as dead."""
        if now >= self.heard_at + self.timing.dead:
            return False
        if now >= self._next_ping():
            self._pings += 1
            self._pinged_at = now
            self.send(Ping(n=self._pings))
        return True

    def next_pulse(self) -> float:
        """When `pulse` has something to do next."""
        return min(self._next_ping(), self.heard_at + self.timing.dead)

    def _next_ping(self) -> float:
        return max(self.heard_at, self._pinged_at) + self.timing.idle
