"""The good executor in memory, on a clock that costs nothing, with hooks for planted defects."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import orjson
from msgspec.structs import replace

from tests.in_memory import place_in_memory
from volition.core.clock import ManualClock
from volition.execution import RequestMemory, make_result
from volition.execution.conformance import check
from volition.execution.conformance.bed import TestBed
from volition.execution.executor.contract import Ended
from volition.execution.executor.host import Host
from volition.execution.transports.memory import MemoryStream
from volition.execution.wire.frames import Limits
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ARENA_SCHEMA, REAL_HZ, ArenaExecutor
from volition.execution.worlds.arena.probe import ArenaProbe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.execution import IncomingIntent
    from volition.execution.conformance.verdict import Report
    from volition.execution.executor.contract import News
    from volition.execution.executor.host import Guest
    from volition.execution.transports.stream import Stream
    from volition.execution.wire.session.link import Timing

Frame = dict[str, Any]

TOKEN = "open sesame"
WELCOME = b'"type":"welcome"'
PROMISED = Limits(max_frame=2**16, result_cache=100)
"""The limits that every welcome names, whatever is held: small ones, so that they are quickly reached."""


class Subject:
    """An arena that bridges may dial. What `heard` and `said` return takes the place of a line on its way in or out."""

    game: type[ArenaExecutor] = ArenaExecutor
    arena: type[Arena] = Arena
    held: ClassVar[Limits] = PROMISED
    promised: ClassVar[Limits] = PROMISED
    hz: ClassVar[float] = REAL_HZ
    timing: ClassVar[Timing | None] = None

    def __init__(self, seed: int = 0) -> None:
        self.clock = ManualClock()
        self.seed = seed
        handle, file = tempfile.mkstemp(dir=place_in_memory())
        os.close(handle)
        self.file = Path(file)
        self.start()

    def start(self) -> None:
        """The executor begins, with what it remembers."""
        self.executor = self.game(self.arena(shipped_map("courtyard"), seed=self.seed))
        self.executor.about = replace(self.executor.about, tick_hz=self.hz, limits=self.held)
        self.memory = RequestMemory(self.file)
        self.host = Host(self.executor, now=self.now, token=TOKEN, timing=self.timing, requests=self.memory)

    def restart(self) -> None:
        """The executor ends, and is started again."""
        self.host.close(self.now)
        self.memory.close()
        self.start()

    def __del__(self) -> None:
        self.memory.close()
        self.file.unlink(missing_ok=True)

    @property
    def now(self) -> float:
        return self.clock.monotonic()

    def dial(self) -> Stream:
        return MemoryStream(Wire(self, self.host.open(self.now)), self.clock)

    def tested(self, *only: str, seed: int = 0, **options: Any) -> Report:
        """What the kit says of it."""
        return check(
            self.dial, token=TOKEN, seed=seed, only=only or None, clock=self.clock, known_probes=(ArenaProbe(),),
            **{"restart": self.restart, **options},
        )  # fmt: skip

    def bed(self) -> TestBed:
        """The kit's test bed for it, with nothing said yet."""
        return TestBed(self.dial, self.clock, token=TOKEN, seed=0, probe=None, shared=True)

    # Where a defect gets in.

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        """A line from the bridge, without its end."""
        return [line]

    def half(self, wire: Wire) -> None:
        """An unfinished line came."""

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame | bytes]:
        """A frame to the bridge."""
        return [frame]

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        """The frames that go out together."""
        return frames

    def stepped(self, wire: Wire) -> None:
        """Time has passed."""

    def ended(self, wire: Wire) -> None:
        """The bridge hung up."""
        wire.guest.end(self.now)


class Wire:
    """One connection to a subject: the other side of a memory stream. `notes` is what a defect remembers of it."""

    def __init__(self, subject: Subject, guest: Guest) -> None:
        self.subject, self.guest = subject, guest
        self.notes: dict[str, Any] = {}
        self._rest = b""
        self._more: list[bytes] = []

    @property
    def wake_at(self) -> float | None:
        return self.guest.wake_at

    @property
    def over(self) -> bool:
        return self.guest.over and not self._more

    def receive(self, data: bytes, now: float) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for_it = [out for line in lines for out in self.subject.heard(line, self)]
        if for_it and not self.guest.over:
            self.feed(*for_it)
        if self._rest:
            self.subject.half(self)

    def step(self, now: float) -> None:
        self.guest.step(now)
        self.subject.stepped(self)

    def take(self) -> bytes:
        taken, kind = self.guest.take(), type(self.subject)
        if kind.batch is Subject.batch and (not taken or (kind.said is Subject.said and WELCOME not in taken)):
            more, self._more = self._more, []
            # Nothing changes it on its way.
            return b"".join(line + b"\n" for line in more) + taken if more else taken
        frames = [msgspec.json.decode(line) for line in taken.splitlines()]
        for frame in frames:
            if frame["type"] == "welcome":
                frame["limits"] = msgspec.to_builtins(self.subject.promised)
        out = [said for frame in self.subject.batch(frames, self) for said in self.subject.said(frame, self)]
        lines = [*self._more, *(said if isinstance(said, bytes) else orjson.dumps(said) for said in out)]
        self._more.clear()
        return b"".join(line + b"\n" for line in lines)

    def add(self, *frames: Frame) -> None:
        """Say something beside what the executor says."""
        self._more += [written(frame) for frame in frames]

    def feed(self, *lines: bytes) -> None:
        """Hand lines to the executor as if they came now."""
        self.guest.receive(b"".join(line + b"\n" for line in lines), self.subject.now)

    def end(self, now: float) -> None:
        self.subject.ended(self)


class Modest(Subject):
    """A good executor that supports fewer intents, and pushes nothing."""

    def start(self) -> None:
        super().start()
        self.executor.about = replace(self.executor.about, intents=("MOVE", "STOP", "PRIMARY_ATTACK"))
        self.host = Host(self.executor, now=self.now, token=TOKEN)


class Slow(Subject):
    """A good executor whose world ticks five times a second: a MOVE may take all of its time."""

    hz = 5.0


class AtTicks(Subject):
    """A good executor with a large window that attempts intents only when its world ticks; what waits too long expires."""

    held: ClassVar = Limits(max_frame=2**16, result_cache=100, max_inflight=64)
    promised: ClassVar = held
    expires: ClassVar = True

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        waiting: list[tuple[float, bytes]] = wire.notes.setdefault("waiting", [])
        if data.get("type") == "intent" and data.get("intent") != "STOP" and type(data.get("id")) is int:
            waiting.append((self.now, line))
            return []
        if kind(line) in {"ping", "pong"}:
            return [line]
        # Whatever else comes must not overtake what waits.
        return [*self.due(wire), line]

    def due(self, wire: Wire) -> list[bytes]:
        """What waits and has not expired; what has is answered."""
        waiting: list[tuple[float, bytes]] = wire.notes.pop("waiting", [])
        kept = []
        for came, line in waiting:
            ttl = read(line).get("ttl_ms")
            if self.expires and isinstance(ttl, int) and self.now - came > ttl / 1000:
                wire.add(answer(read(line), "FAILURE", "INVALID_STATE", detail="EXPIRED"))
            else:
                kept.append(line)
        return kept

    def stepped(self, wire: Wire) -> None:
        due = self.due(wire)
        if due and not wire.guest.over:
            wire.feed(*due)


class Pushy(Subject):
    """A good executor of one intent at a time that pushes a state that is not full before the answers of the opening."""

    held: ClassVar = Limits(max_frame=2**16, result_cache=100, max_inflight=1)
    promised: ClassVar = held

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        if "state_push" not in wire.guest.session.features:
            return frames
        seq = wire.notes.get("seq", 0)
        out: list[Frame] = []
        for frame in frames:
            states = [frame] if frame["type"] == "state" else [frame["next_state"]] if frame.get("next_state") else []
            if frame["type"] in {"state", "result"} and seq < 20:
                pushed = self.host.state_frame(full=False)
                out.append({"v": 1, **msgspec.to_builtins(pushed), "seq": (seq := seq + 1)})
            for state in states:
                state["seq"] = seq = max(seq + 1, state["seq"])
            out.append(frame)
        wire.notes["seq"] = seq
        return out


class Braking(Subject):
    """A good executor whose actor needs three ticks to stop, while states are pushed."""

    class game(ArenaExecutor):  # noqa: N801  in the place of the subject's own
        def __init__(self, arena: Arena) -> None:
            super().__init__(arena)
            self.stopped: list[tuple[int, list[News]]] = []

        def attempt(self, attempt: IncomingIntent) -> list[News]:
            news = super().attempt(attempt)
            if attempt.intent.name != "STOP":
                return news
            self.stopped.append((self.tick + 3, news))
            return []

        def step(self) -> list[News]:
            news = super().step()
            due = [each for tick, ended in self.stopped if tick <= self.tick for each in ended]
            self.stopped = [each for each in self.stopped if each[0] > self.tick]
            return [*due, *news]


class Queued(Subject):
    """A good executor that begins a MOVE some ticks after it has arrived; until then it is in a queue."""

    class game(ArenaExecutor):  # noqa: N801  as above
        def __init__(self, arena: Arena) -> None:
            super().__init__(arena)
            self.queue: dict[IncomingIntent, int] = {}

        def attempt(self, attempt: IncomingIntent) -> list[News]:
            if attempt.intent.name == "MOVE":
                self.queue[attempt] = self.tick + 8
                return []
            stopped = [*self.queue] if attempt.intent.name == "STOP" else []
            return [*(self._drop(each, "STOPPED") for each in stopped), *super().attempt(attempt)]

        def cancel(self, attempt: IncomingIntent) -> list[News]:
            return [self._drop(attempt, "CANCELLED")] if attempt in self.queue else super().cancel(attempt)

        def stop(self) -> None:
            self.queue.clear()
            super().stop()

        def reset(self, seed: int) -> None:
            self.queue.clear()
            super().reset(seed)

        def step(self) -> list[News]:
            news = super().step()
            for each in [each for each, begins in self.queue.items() if begins <= self.tick]:
                del self.queue[each]
                news += super().attempt(each)
            for each in [each for each, begins in self.queue.items() if (self.tick - begins + 8) * 50 >= each.ttl_ms]:
                news.append(self._drop(each, "EXPIRED", "INVALID_STATE"))
            return news

        def _drop(self, attempt: IncomingIntent, detail: str, reason: Any = "UNKNOWN") -> News:
            del self.queue[attempt]
            return Ended(attempt, make_result("FAILURE", reason, engine_timestamp=self.tick), detail)


class QueueingArena(ArenaExecutor):
    """An arena in which MOVEs wait for one another instead of ending the one before."""

    def __init__(self, arena: Arena) -> None:
        super().__init__(arena)
        self.queue: list[tuple[IncomingIntent, int]] = []
        """What waits, and the tick at which its time is over."""

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        if attempt.intent.name == "STOP":
            return [*self.give_up("UNKNOWN", "STOPPED"), *super().attempt(attempt)]
        if attempt.intent.name == "MOVE" and self.arena._activity.walk:
            self.queue.append((attempt, self.tick + (self._ticks(attempt.ttl_ms) or 1)))
            return []
        return super().attempt(attempt)

    def cancel(self, attempt: IncomingIntent) -> list[News]:
        if attempt in [queued for queued, _ in self.queue]:
            return self.give_up("UNKNOWN", "CANCELLED", attempt)
        return [*super().cancel(attempt), *self.begin_next()]

    def step(self) -> list[News]:
        news = super().step()
        for attempt, due in [*self.queue]:
            news += self.give_up("INVALID_STATE", "EXPIRED", attempt) if self.tick >= due else []
        return [*news, *self.begin_next()]

    def stop(self) -> None:
        self.queue.clear()
        super().stop()

    def reset(self, seed: int) -> None:
        self.queue.clear()
        super().reset(seed)

    def begin_next(self) -> list[News]:
        if not self.queue or self.arena._activity.walk:
            return []
        attempt, due = self.queue.pop(0)
        self._open[attempt.id] = attempt
        left = max(1, due - self.tick)
        return self._news(self.arena.attempt("MOVE", attempt.intent.parameters, attempt.id, ticks=left))

    def give_up(self, reason: Any, detail: str, only: IncomingIntent | None = None) -> list[News]:
        """Answer what waits, or only one of it."""
        dropped = [attempt for attempt, _ in self.queue if only in {None, attempt}]
        self.queue = [each for each in self.queue if each[0] not in dropped]
        result = make_result("FAILURE", reason, engine_timestamp=self.tick, is_alive=self.alive)
        return [Ended(attempt, result, detail) for attempt in dropped]


class Queueing(Subject):
    """A good executor whose MOVEs wait for one another."""

    game = QueueingArena


class Unread(Subject):
    """The arena under a schema that nobody knows, which answers probes."""

    probed: ClassVar = True
    schema: ClassVar = "unknown"

    def start(self) -> None:
        super().start()
        schema = msgspec.structs.replace(ARENA_SCHEMA, name=self.schema)
        self.executor.about = replace(self.executor.about, state_schema=schema, probe=self.probed)
        self.host = Host(self.executor, now=self.now, token=TOKEN)


class Probed(Unread):
    """The arena as everybody knows it, which answers probes too: its states can be compared with them."""

    schema: ClassVar = "arena"


class ShortSighted(Probed):
    """The same, and its probes lead to their target by short steps."""

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame | bytes]:
        for name in ("to_target", "to_harm"):
            if frame["type"] == "probe.sight" and frame.get(name):
                frame[name] = [part * 0.4 for part in frame[name]]
        return [frame]


class Timeless(Subject):
    """A good executor whose frames show no ticks, because its engine does not count them."""

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame | bytes]:
        if frame["type"] == "welcome":
            frame["tick_hz"] = 0.0
        elif frame["type"] == "pong":
            frame.pop("tick", None)
        return [frame]


class Sparse(Subject):
    """A good executor that supports only STOP and MOVE."""

    def start(self) -> None:
        super().start()
        self.executor.about = replace(self.executor.about, intents=("MOVE", "STOP"))
        self.host = Host(self.executor, now=self.now, token=TOKEN, requests=self.memory)


def answer(intent: Frame, status: Any = "SUCCESS", reason: Any = "NONE", **more: Any) -> Frame:
    """A result frame for an intent frame."""
    result = make_result(status, reason).to_data()
    return {"v": 1, "type": "result", "id": intent["id"], "intent": intent.get("intent"), "result": result, **more}


_write = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def written(frame: Frame) -> bytes:
    return _write(frame).encode()


def read(line: bytes) -> Frame:
    """The object on a line, however badly written, or an empty one."""
    try:
        data = json.loads(line.decode())
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def kind(line: bytes) -> str:
    """The type of the frame on a line, or nothing."""
    return str(read(line).get("type", ""))
