"""One connection as the kit uses it: raw lines out, every line in, and no wait without an end.

What the executor says is read twice: strictly, to know whether it may be said, and leniently, so that one bad number
does not hide everything that follows.
"""

from __future__ import annotations

import json
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from volition.execution.codec import MAX_FRAME, FrameFault, decode
from volition.execution.conformance.verdict import Breaks, Late, Unjudged

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.core.clock import Clock
    from volition.execution.transports.stream import Stream

    Frame = dict[str, Any]

ANSWER: Final = 2.0
"""How long, in seconds, an answer may take that needs no acting."""
_KEEPALIVE: Final = 0.8
_LARGEST: Final = 2**22
_MOST: Final = 50_000
_MOST_BYTES: Final = 2**26
"""So many lines and bytes are heard in one run."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One line on one connection; `data` is its object as far as it can be read, `fault` why it is no frame."""

    connection: int
    by: Literal["kit", "executor"]
    at: float
    line: bytes
    data: Frame | None
    fault: FrameFault | None = None


class Log(list[Spoken]):
    """All that was said in a run, on all connections; `heard` counts the bytes that came."""

    heard = 0
    ends: float | None = None
    """When the check that runs now is out of time."""

    @property
    def full(self) -> bool:
        """Whether an executor has said so much that it is not listened to any more."""
        return len(self) >= _MOST or self.heard >= _MOST_BYTES


class Talk:
    """A connection. While `polite`, pings are answered and silence is filled, so that nobody takes the kit for dead."""

    def __init__(self, stream: Stream, number: int, clock: Clock, log: Log) -> None:
        self.number = number
        self.polite = True
        self.ended: Literal["", "eof", "reset", "closed"] = ""
        self.heard: list[Spoken] = []
        self.results: dict[int, list[Frame]] = {}
        self._stream, self._clock, self._log = stream, clock, log
        self._rest = self._unfinished = b""
        self._ready: deque[bytes] = deque()
        self._last_id = 0
        self._spoke_at = self.now
        self._pings = 2**40

    @property
    def now(self) -> float:
        return self._clock.monotonic()

    # Speaking.

    def next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def say(self, *frames: Frame) -> None:
        """Send frames, all in one write. `v` is added where it is not given."""
        lines = [json.dumps({"v": 1, **frame}).encode() for frame in frames]
        for line, frame in zip(lines, frames, strict=True):
            self._log.append(Spoken(self.number, "kit", self.now, line, frame))
        self._send(b"".join(line + b"\n" for line in lines))

    def write(self, data: bytes) -> None:
        """Send bytes as they are; what is only a piece of a line is no object yet."""
        *lines, rest = (self._unfinished + data).split(b"\n")
        self._unfinished = rest
        for line in filter(None, lines):
            self._log.append(Spoken(self.number, "kit", self.now, line, loosely(line)))
        if rest:
            self._log.append(Spoken(self.number, "kit", self.now, rest, None))
        self._send(data)

    def _send(self, data: bytes) -> None:
        """What is sent on a connection that has ended is lost."""
        self._spoke_at = self.now
        if not self.ended:
            # What the executor said before it hung up is still to be read: reading tells the end.
            with suppress(OSError, ValueError):
                self._stream.send(data)

    def intent(self, name: str, parameters: Any = None, *, ttl_ms: int = 5000, **more: Any) -> Frame:
        """The frame of an intent with the next id, not yet sent."""
        frame: Frame = {"type": "intent", "id": self.next_id(), "intent": name, "ttl_ms": ttl_ms, **more}
        return frame if parameters is None else frame | {"parameters": parameters}

    def ask(self, name: str, parameters: Any = None, *, ttl_ms: int = 5000, **more: Any) -> int:
        """Send an intent; its id."""
        frame = self.intent(name, parameters, ttl_ms=ttl_ms, **more)
        self.say(frame)
        return int(frame["id"])

    def do(self, name: str, parameters: Any = None, *, within: float = 2 * ANSWER, **more: Any) -> Frame:
        """Send an intent and wait for its result frame."""
        return self.result(self.ask(name, parameters, **more), within)

    def state(self, *, full: bool = True) -> Frame:
        """Ask for a state and wait for it: its frame."""
        id = self.next_id()
        self.say({"type": "state_request", "id": id, "full": full})
        return self.until(lambda frame: frame.get("type") == "state" and frame.get("id") == id, "a state with its id")

    # Listening.

    def hear(self, within: float) -> Spoken | None:
        """The next line; None where none comes in time or the connection has ended."""
        if self._log.full:
            what = f"{len(self._log)} lines, {self._log.heard} bytes"
            raise Breaks(what, expected="an executor that speaks when it has something to say")
        if self._log.ends is not None and self.now > self._log.ends:
            raise Unjudged("it came to no verdict within its time")
        until = self.now + within
        while not self._ready:
            if self.ended or not self._read(until):
                return None
        line = self._ready.popleft()
        spoken = Spoken(self.number, "executor", self.now, line, loosely(line), _fault(line))
        self._log.append(spoken)
        self.heard.append(spoken)
        if spoken.data and spoken.data.get("type") == "result" and isinstance(spoken.data.get("id"), int):
            self.results.setdefault(spoken.data["id"], []).append(spoken.data)
        if self.polite and spoken.data and spoken.data.get("type") == "ping" and "n" in spoken.data:
            self.say({"type": "pong", "n": spoken.data["n"]})
        return spoken

    def until(
        self, wanted: Callable[[Frame], bool], what: str, within: float = ANSWER, *, since: int | None = None
    ) -> Frame:
        """Wait for a frame, from the `since`-th line heard on (by default from now); Breaks where it does not come."""
        position = len(self.heard) if since is None else since
        until = self.now + within
        while True:
            while position < len(self.heard):
                data = self.heard[position].data
                position += 1
                if data is not None and wanted(data):
                    return data
            if self.hear(max(0.0, until - self.now)) is None or self.now > until + ANSWER:
                raise self._missing(f"nothing of the kind in {within:g} s", what)

    def result(self, id: int, within: float = 2 * ANSWER) -> Frame:
        """The first result with this id, heard already or within the time."""
        until = self.now + within
        while id not in self.results:
            if self.hear(max(0.0, until - self.now)) is None or self.now > until + ANSWER:
                raise self._missing(f"none in {within:g} s", f"one result with the id {id}")
        return self.results[id][0]

    def _missing(self, late: str, expected: str) -> Breaks:
        """What did not come: because the executor hung up, or as far as the clock tells."""
        if self.ended:
            return Breaks(f"the connection ended ({self.ended})", expected=expected)
        return Late(late, expected=expected)

    def gather(self, seconds: float) -> list[Frame]:
        """All objects that come within the time, or until the connection ends."""
        first, until = len(self.heard), self.now + seconds
        while self.now <= until and self.hear(max(0.0, until - self.now)) is not None:
            pass
        return [spoken.data for spoken in self.heard[first:] if spoken.data is not None]

    def wait_for_end(self, within: float, *, hang_up: bool = False) -> bool:
        """Listen until the executor says goodbye or hangs up, or only until it hangs up; whether it did in time."""
        first, until = len(self.heard), self.now + within
        while self.now <= until and self.hear(max(0.0, until - self.now)) is not None:
            if not hang_up and self.frames("goodbye", since=first):
                return True
        return bool(self.ended)

    def frames(self, kind: str, *, since: int = 0, **fields: Any) -> list[Frame]:
        """What was heard of one type, with these fields."""
        return [
            spoken.data
            for spoken in self.heard[since:]
            if spoken.data is not None
            and spoken.data.get("type") == kind
            and all(spoken.data.get(key) == value for key, value in fields.items())
        ]

    def close(self) -> None:
        """Hang up without a word."""
        self.ended = self.ended or "closed"
        self._stream.close()

    def _read(self, until: float) -> bool:
        """Read once; False where the time is over."""
        left = until - self.now
        pause = min(left, _KEEPALIVE) if self.polite else left
        try:
            data = self._stream.receive(max(0.0, pause))
        except (OSError, ValueError):
            data, self.ended = None, "reset"
        if data == b"":
            self.ended = "eof"
        if data:
            self._log.heard += len(data)
            *lines, self._rest = (self._rest + data).split(b"\n")
            self._ready += lines
            if len(self._rest) > _LARGEST:
                self.ended = "reset"
        elif not self.ended and self.polite and self.now >= self._spoke_at + _KEEPALIVE:
            self._pings += 1
            self.say({"type": "ping", "n": self._pings})
        return bool(data) or self.now < until


def loosely(line: bytes) -> Frame | None:
    """The object on a line, NaN, repeated keys and all; None where there is none."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _fault(line: bytes) -> FrameFault | None:
    try:
        decode(line, max_frame=MAX_FRAME)
    except FrameFault as fault:
        return fault
    return None
