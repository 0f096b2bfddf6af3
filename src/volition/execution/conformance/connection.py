"""One connection of the kit: raw lines out, every line in, and every wait is limited; and the log of all connections.

What the executor sends is read leniently, so that one bad number does not hide everything else; whether each line is a
valid frame is a law of conduct.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import deque
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from volition.execution.conformance.patience import Waiting
from volition.execution.conformance.verdict import Breaks, Frame, LoggedLine, TooLate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from volition.core.clock import Clock
    from volition.execution.transports.stream import Stream


MOST_LINES: Final = 50_000
MOST_BYTES: Final = 2**26
"""No more lines and bytes than these are read in one run."""


class TypedLines(list[LoggedLine]):
    """Lines in order; those of a type of frame are found without a look at the others."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, list[int]] = {}
        self._sorted = 0
        """How many lines `_numbers` knows."""

    def of(self, *kinds: str, since: int = 0) -> list[LoggedLine]:
        """The lines of these types of frames, from line `since` on, in order."""
        self._sort()
        found = [self._numbers.get(kind, []) for kind in kinds]
        later = [numbers[bisect_left(numbers, since) :] for numbers in found]
        return [self[number] for number in sorted(chain.from_iterable(later))]

    def _sort(self) -> None:
        """Note the types of the lines that came since the last time."""
        for number in range(self._sorted, len(self)):
            data = self[number].data
            kind = data.get("type") if data is not None else None
            if isinstance(kind, str):
                self._numbers.setdefault(kind, []).append(number)
        self._sorted = len(self)


class Log(TypedLines):
    """All lines of a run, on all connections; `heard` counts the bytes received.

    `waiting` is the patience that is left for more of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.heard = 0
        self.waiting = Waiting()

    @property
    def full(self) -> bool:
        """Whether the executor has said so much that the kit stops reading."""
        return len(self) >= MOST_LINES or self.heard >= MOST_BYTES


Leaving: TypeAlias = Literal["hung up", "torn", "goodbye"]
"""How a bridge leaves: it hangs up at once, in the middle of a line, or after a goodbye."""
STEP: Final[dict[str, Frame]] = {"MOVE": {"vector": [1, 0, 0]}}
"""The parameters of an intent that is tried just to try it: only MOVE has any."""
ANSWER: Final = 2.0
"""How long, in seconds, an answer may take that needs no attempt."""
TTL_MS: Final = 3500
"""The time of an intent, unless a law needs another: when it is over there is a result, so that twice ANSWER is enough."""
_KEEPALIVE: Final = 0.8
_SILENCE: Final = 2.5
"""An executor may give up a kit that sends nothing for longer than this."""
_LARGEST: Final = 2**22
_PIECE: Final = 2**16
"""An executor may read as slowly as it likes: between pieces of this many bytes the kit looks at its time."""
_END: Final = "the end of a connection"
_WRITE: Final = json.JSONEncoder(separators=(",", ":")).encode


class KitConnection:
    """A connection. While `polite`, the kit answers pings and keeps the connection alive."""

    def __init__(self, stream: Stream, number: int, clock: Clock, log: Log) -> None:
        self.number = number
        self.polite = True
        self.ended: Literal["", "eof", "reset", "closed"] = ""
        self.heard = TypedLines()
        self.results: dict[int, list[Frame]] = {}
        self._stream, self._clock, self._log = stream, clock, log
        self.waiting = log.waiting
        self._asked: dict[int, Any] = {}
        self._heard_at = self.now
        self._rest = self._unfinished = b""
        self._ready: deque[bytes] = deque()
        self._last_id = 0
        self._spoke_at = self.now
        self._was_silent = False
        self._pings = 2**40

    @property
    def now(self) -> float:
        return self._clock.monotonic()

    @property
    def lines(self) -> list[LoggedLine]:
        """Every line on this connection, of both sides."""
        return [logged for logged in self._log if logged.connection == self.number]

    @property
    def features(self) -> list[Any]:
        """The features of the welcome; none before it, or where it names none."""
        features = next((frame.get("features") for frame in self.frames("welcome")), None)
        return features if isinstance(features, list) else []

    # Speaking.

    def next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def say(self, *frames: Frame) -> None:
        """Send frames, all in one write. `v` is added where it is not given."""
        lines = [_WRITE({"v": 1, **frame}).encode() for frame in frames]
        for line, frame in zip(lines, frames, strict=True):
            self._log.append(LoggedLine(self.number, "kit", self.now, line, frame))
            if frame.get("type") == "intent" and isinstance(frame.get("id"), int):
                self._asked[frame["id"]] = frame.get("intent")
        self._send(b"".join(line + b"\n" for line in lines))

    def write(self, data: bytes) -> None:
        """Send raw bytes; an incomplete line is not an object yet."""
        *lines, rest = (self._unfinished + data).split(b"\n")
        self._unfinished = rest
        for line in filter(None, lines):
            self._log.append(LoggedLine(self.number, "kit", self.now, line, read_leniently(line)))
        if rest:
            self._log.append(LoggedLine(self.number, "kit", self.now, rest, None))
        self._send(data)

    def _send(self, data: bytes) -> None:
        """Send, or drop the data where the connection has ended."""
        before, self._spoke_at = self._spoke_at, self.now
        self._was_silent |= self._spoke_at - before > _SILENCE
        if not self.ended:
            # What the executor sent before it hung up is still to be read; reading reports the end.
            with suppress(OSError, ValueError):
                for start in range(0, len(data), _PIECE):
                    self.waiting.expect_time(self.now)
                    self._stream.send(data[start : start + _PIECE])

    def intent(self, name: str, parameters: Any = None, *, ttl_ms: int = TTL_MS, **more: Any) -> Frame:
        """The frame of an intent with the next id, not yet sent."""
        frame: Frame = {"type": "intent", "id": self.next_id(), "intent": name, "ttl_ms": ttl_ms, **more}
        return frame if parameters is None else frame | {"parameters": parameters}

    def ask(self, name: str, parameters: Any = None, *, ttl_ms: int = TTL_MS, **more: Any) -> int:
        """Send an intent; its id."""
        frame = self.intent(name, parameters, ttl_ms=ttl_ms, **more)
        self.say(frame)
        return int(frame["id"])

    def do(self, name: str, parameters: Any = None, *, within: float = 2 * ANSWER, **more: Any) -> Frame:
        """Send an intent and wait for its result frame; a MOVE may take all of its time."""
        life = more.get("ttl_ms", 5000) / 1000 + ANSWER if name == "MOVE" else 0.0
        return self.result(self.ask(name, parameters, **more), max(within, life))

    def state_request(self, *, full: bool = True) -> Frame:
        """The frame that asks for a state, with the next id, not yet sent."""
        return {"type": "state_request", "id": self.next_id(), "full": full}

    def state(self, *, full: bool = True) -> Frame:
        """Ask for a state and wait for it: its frame."""
        request = self.state_request(full=full)
        self.say(request)
        return self.await_frame("state", id=request["id"])

    def exchange(self, *frames: Frame) -> int:
        """Send frames and then ask for a state, so that their answers are heard; the number of the first line after."""
        since = len(self.heard)
        self.say(*frames)
        self.state()
        return since

    # Listening.

    def hear(self, within: float) -> LoggedLine | None:
        """The next line; None where none arrives in time or the connection has ended."""
        if self._log.full:
            what = f"{len(self._log)} lines, {self._log.heard} bytes"
            raise Breaks(what, expected="an executor that sends less")
        now = self.now
        self.waiting.expect_time(now)
        until = self.waiting.until(now, within)
        while not self._ready:
            if self.ended:
                return None
            if not self._read(until):
                self.waiting.expect_time(self.now)
                return None
        line = self._ready.popleft()
        data = read_leniently(line)
        logged = LoggedLine(self.number, "executor", self.now, line, data)
        self._log.append(logged)
        self.heard.append(logged)
        if data is not None:
            kind = data.get("type")
            if kind == "result" and isinstance(data.get("id"), int):
                self.results.setdefault(data["id"], []).append(data)
            elif kind == "ping" and self.polite and "n" in data:
                self.say({"type": "pong", "n": data["n"]})
        return logged

    def until(
        self, wanted: Callable[[Frame], bool], what: str, within: float = ANSWER, *, since: int | None = None,
        kind: str = "",
    ) -> Frame:  # fmt: skip
        """Wait for a frame from line `since` on (by default from now); Breaks where it does not arrive.

        `kind` is what is missing then: where that is known, it is not waited for as long.
        """
        found = self._find(wanted, kind or what, within, since)
        if found is None:
            raise self._silence(what, within)
        return found

    def await_frame(self, kind: str, within: float = ANSWER, *, since: int | None = None, **fields: Any) -> Frame:
        """Wait for a frame of one type with these fields."""
        wanted = {"type": kind, **fields}
        found = self._find(lambda frame: wanted.items() <= frame.items(), self._kind(wanted), within, since)
        if found is None:
            named = [f"a frame of the type {kind}", *(f"with {name} {value}" for name, value in fields.items())]
            raise self._silence(" and ".join(named), within)
        return found

    def _find(self, wanted: Callable[[Frame], bool], kind: str, within: float, since: int | None) -> Frame | None:
        """The first frame from line `since` on that is wanted; None where it does not arrive."""
        heard = () if since is None else self.heard[since:]
        for logged in chain(heard, self._listen(self.waiting.time_for(kind, within), ANSWER)):
            if logged.data is not None and wanted(logged.data):
                self.waiting.note_answer(kind)
                return logged.data
        self.waiting.note_silence(kind)
        return None

    def _silence(self, what: str, within: float) -> Breaks:
        """What a frame that did not arrive says of the executor."""
        late = f"nothing of the kind in {within:g} s"
        if not self.ended:
            return TooLate(late, expected=what)
        # Either side gives up one that was silent for 3 s, which one without a core may have been.
        silent = self._was_silent or self.now - self._heard_at > _SILENCE
        return (TooLate if silent else Breaks)(f"the connection ended ({self.ended})", expected=what)

    def _kind(self, frame: Frame) -> str:
        """What a frame is, for those who wait for one like it."""
        if frame.get("type") == "result":
            return f"a result of {self._asked.get(frame.get('id', 0))}"
        return f"an answer of the type {frame.get('type')}"

    def result(self, id: int, within: float = 2 * ANSWER) -> Frame:
        """The first result with this id, heard already or within the time."""
        if id not in self.results:
            self.await_frame("result", within, id=id)
        return self.results[id][0]

    def patience_for(self, ids: Iterable[int]) -> float:
        """How long to wait for these results, in seconds: not for long where one is of a kind that never comes."""
        kinds = {self._kind({"type": "result", "id": id}) for id in ids}
        return min((self.waiting.time_for(kind, 2 * ANSWER) for kind in kinds), default=0.0)

    def gather(self, seconds: float) -> None:
        """Hear everything that arrives within the time, or until the connection ends."""
        for _ in self._listen(seconds):
            pass

    def wait_for_end(self, within: float, *, hang_up: bool = False, due: bool = True) -> bool:
        """Wait until the executor says goodbye or hangs up (or only hangs up); whether it did in time.

        Where no end is `due`, that there is none says nothing.
        """
        for logged in self._listen(self.waiting.time_for(_END, within) if due else within):
            if not hang_up and logged.data is not None and logged.data.get("type") == "goodbye":
                return True
        if self.ended:
            self.waiting.note_answer(_END)
        elif due:
            self.waiting.note_silence(_END)
        return bool(self.ended)

    def _listen(self, within: float, longer: float = 0.0) -> Iterator[LoggedLine]:
        """The lines that arrive within the time, and those that follow without a pause for a little `longer`."""
        until = self.now + within
        while (now := self.now) <= until + longer and (logged := self.hear(max(0.0, until - now))) is not None:
            yield logged

    def frames(self, kind: str, *, since: int = 0, **fields: Any) -> list[Frame]:
        """The frames of one type with these fields."""
        return [
            logged.data
            for logged in self.heard.of(kind, since=since)
            if logged.data is not None and all(logged.data.get(key) == value for key, value in fields.items())
        ]

    def leave(self, how: Leaving) -> None:
        if how == "torn":
            self.write(b'{"v":1,"type":"int')
        elif how == "goodbye":
            self.say({"type": "goodbye"})
        self.close()

    def close(self) -> None:
        """Hang up without a goodbye."""
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
        now = self.now
        if data == b"":
            self.ended = "eof"
        if data:
            self._log.heard += len(data)
            self._heard_at = now
            *lines, self._rest = (self._rest + data).split(b"\n")
            self._ready += lines
            if len(self._rest) > _LARGEST:
                self.ended = "reset"
        elif not self.ended and self.polite and now >= self._spoke_at + _KEEPALIVE:
            self._pings += 1
            self.say({"type": "ping", "n": self._pings})
        return bool(data) or self.now < until


def read_leniently(line: bytes) -> Frame | None:
    """The object on a line, including NaN and repeated keys; None where there is none."""
    try:
        data = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            return None
    return data if isinstance(data, dict) else None
