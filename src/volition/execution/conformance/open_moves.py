"""A MOVE that stays open, and how long something takes: what the laws about cancel, STOP and a lost bridge begin with.

Whether a MOVE lasts is seen in the executor's own ticks, and is the same on a busy machine as on a calm one. Whether it is
still open when the kit's next frame arrives is not: so a law takes one after the other from `open_moves` until its
answers prove that one was.

A limit is measured in the executor's own ticks too, where the states show them: those pass no faster than time, so an
executor that exceeds a limit by its own ticks has exceeded it, however busy the machine is.
"""

from __future__ import annotations

from itertools import count
from math import hypot
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.execution.conformance.connection import ANSWER
from volition.execution.conformance.law import expect, in_time, outcome, payload, status, words
from volition.execution.conformance.patience import TICKS
from volition.execution.conformance.verdict import NotApplicable, Unseen
from volition.execution.conformance.world_time import seconds_until, shown_seconds, stand_still

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame
    from volition.execution.wire.probe import Vector


TRIES: Final = 12
"""How many MOVEs are begun before the kit says that it always came too late."""
OPEN: Final = 0.12
"""A MOVE without a result after this many seconds counts as one that stays open."""
_STRETCHES: Final = 2
"""How often the ways are doubled for a kit that was too late for the shorter ones."""
_BEGUN: Final = 3
"""After this many ticks a MOVE of a length that is known to last is under way."""
_MOMENT: Final = 0.02
_BY_ITSELF: Final = frozenset({"done", "dead", "BLOCKED"})
"""How a MOVE ends whatever the kit sends: by arrival, the actor's death or an obstruction."""
_LASTING: Final = "lasting"
"""The finding: the shortest MOVE that was seen to last."""


def open_moves(bed: TestBed, *, own: bool = False) -> Iterator[tuple[KitConnection, int]]:
    """Begin a MOVE that stays open, again and again: its connection (the shared one, or its `own`) and its id.

    NotApplicable where no MOVE stays open; Unseen once the law has had enough of them.
    """
    for _ in range(TRIES):
        connection = bed.open_session() if own else bed.session()
        yield connection, long_move(bed, connection)
    raise Unseen(f"{TRIES} times a MOVE was over before the kit's next frame arrived")


def long_move(bed: TestBed, connection: KitConnection, more: Callable[[], Frame] = dict) -> int:
    """Begin a MOVE that stays open, and return its id; NotApplicable where none does.

    `more` returns additional fields for each MOVE that is tried.
    """
    bed.need("MOVE")
    for misses in range(TRIES):
        missed = False
        for vector in long_ways(bed, connection, stretches=min(misses, _STRETCHES)):
            id, missed = _begin(bed, connection, vector, more())
            if id is not None:
                return id
            if missed:
                break  # the actor is elsewhere: other ways are free
        if not missed:
            raise NotApplicable("no MOVE stays open for long enough")
    raise Unseen(f"{TRIES} MOVEs were over before the kit looked")


def sent_frame(bed: TestBed, connection: KitConnection, id: int) -> Frame:
    """The frame that the kit sent last on a connection with this id."""
    sent = (
        logged.data for logged in reversed(bed.log) if logged.by == "kit" and logged.connection == connection.number
    )
    return next(frame for frame in sent if frame and frame.get("id") == id)


def ask_the_same(bed: TestBed, connection: KitConnection, id: int, count: int) -> list[int]:
    """Send an open MOVE again under other ids, as far as the window has room: these ids."""
    parameters = sent_frame(bed, connection, id)["parameters"]
    count = min(count, bed.limit("max_inflight", 8) - 1)
    return [connection.ask("MOVE", parameters, ttl_ms=10_000) for _ in range(count)]


def was_open(connection: KitConnection, id: int) -> bool:
    """Whether a MOVE was open when the kit's frames arrived: it has no result, or they have ended it."""
    return id not in connection.results or _why_ended(connection.results[id][0]) not in _BY_ITSELF


def was_cut_short(connection: KitConnection, id: int) -> bool:
    """Whether an intent ended as if cancelled."""
    return id in connection.results and _why_ended(connection.results[id][0]) in {"NONE", "UNKNOWN"}


def _why_ended(answer: Frame) -> Any:
    """Why an intent has its result: it is done, the actor is dead, or the reason that the result gives."""
    if status(answer) == "SUCCESS":
        return "done"
    return "dead" if outcome(answer, "is_alive") is False else payload(answer).get("failure_reason")


def long_ways(bed: TestBed, connection: KitConnection, stretches: int = 0) -> Iterable[Vector]:
    """Vectors for a MOVE that may stay open, longest first; each of the `stretches` adds ways twice as long."""
    bed.need("MOVE")
    if bed.probe is not None and bed.welcome.get("move_frame") == "relative":
        state, _ = bed.ready(connection)
        yield from bed.consult(bed.probe.ways, state)[:6]
        return
    for length in (*(4.0 * 2**power for power in range(stretches, 0, -1)), 4.0, 2.0):
        for axis in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)):
            yield (axis[0] * length, axis[1] * length, axis[2] * length)


def _begin(bed: TestBed, connection: KitConnection, vector: Vector, more: Frame) -> tuple[int | None, bool]:
    """Begin a MOVE: its id while it is open, or None and whether another may stay open: it lasted, only not long enough for
    a slow kit, or the actor died of something else."""
    length, before, began = hypot(*vector), len(connection.heard), connection.now
    request = connection.state_request(full=False)
    frame = connection.intent("MOVE", {"vector": list(vector)}, ttl_ms=10_000, **more)
    connection.say(request, frame)
    id: int = frame["id"]
    first = connection.await_frame("state", since=before, id=request["id"])
    since, longest = len(connection.heard) - 1, connection.waiting.time_for(TICKS, 2 * ANSWER)
    for looks in count(1):
        connection.state(full=False)
        by_clock = connection.now - began
        if id in connection.results:
            break
        by_ticks = shown_seconds(connection, since, bed.tick)
        if (by_clock if by_ticks is None else by_ticks) >= _enough(bed, length):
            _note(bed, length)
            return id, False
        if by_clock > longest and stand_still(connection, looks):
            connection.waiting.note_silence(TICKS)
            return id, False
        connection.gather(bed.tick or _MOMENT)
    by_ticks = seconds_until(connection, first, connection.results[id][0], bed.tick)
    lasted = (by_clock if by_ticks is None else by_ticks) >= OPEN
    if lasted:
        _note(bed, length)
    return None, lasted or outcome(connection.results[id][0], "is_alive") is False


def _enough(bed: TestBed, length: float) -> float:
    """How long a MOVE must have been open, in seconds: less where one of this length is known to last."""
    known = bed.tick and length >= bed.findings.get(_LASTING, length + 1)
    return min(OPEN, _BEGUN * bed.tick) if known else OPEN


def _note(bed: TestBed, length: float) -> None:
    bed.findings[_LASTING] = min(length, bed.findings.get(_LASTING, length))


AT_ONCE: Final = 0.4
_TICKS_AT_ONCE: Final = 8
_CATCHING_UP: Final = 6
"""Ticks that a world may catch up at once before it looks at the time again."""


class Timed(Struct, frozen=True):
    """A result, and how long it took: by the clock, and by the executor's ticks where they are known."""

    answer: Frame
    seconds: float
    ticks: float | None


def measure(bed: TestBed, connection: KitConnection, name: str, parameters: Any = None, **more: Any) -> Timed:
    """Send an intent, and measure how long it takes."""
    request, intent = connection.state_request(full=False), connection.intent(name, parameters, **more)
    return _time_result(bed, connection, request, intent)


def measure_cancel(bed: TestBed, connection: KitConnection, id: int) -> Timed:
    """Cancel an intent, and measure how long it takes until its result."""
    return _time_result(bed, connection, connection.state_request(full=False), {"type": "cancel", "id": id})


def _time_result(bed: TestBed, connection: KitConnection, request: Frame, frame: Frame) -> Timed:
    began, since = connection.now, len(connection.heard)
    connection.say(request, frame)
    answer = connection.result(frame["id"])
    seconds = connection.now - began
    first = connection.frames("state", since=since, id=request["id"])
    return Timed(answer, seconds, seconds_until(connection, first[0], answer, bed.tick) if first else None)


def at_once(bed: TestBed) -> float:
    """How long, in seconds, something may take that should happen at once."""
    return max(AT_ONCE, _TICKS_AT_ONCE * bed.tick)


def expect_within(bed: TestBed, timed: Timed, limit: float) -> None:
    """Breaks where the executor exceeds a limit by its own ticks, TooLate where only by the clock."""
    what = f"{words(timed.answer)} after {timed.seconds:.2f} s"
    wanted = f"within {limit:.2f} s"
    if timed.ticks is not None:
        expect(timed.ticks <= limit + _CATCHING_UP * bed.tick, f"{what}, {timed.ticks:.2f} s of its ticks", wanted)
    in_time(timed.seconds <= limit, what, wanted)
