"""Deadlines: what waits too long is not begun, what lasts too long is ended, and what begins is answered at once.

Where the states show ticks, a limit is measured in the executor's own ticks: those pass no faster than time, so an
executor that exceeds a limit by its own ticks has exceeded it, however busy the machine is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bed import expect, expect_failure, in_time, payload, status, words
from volition.execution.conformance.lasting import long_ways
from volition.execution.conformance.law import Group
from volition.execution.conformance.verdict import NotApplicable
from volition.execution.conformance.world_time import seconds_until

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.log import Frame

DEADLINES: Final = Group("deadlines")

_TRIES: Final = 6
_LAG: Final = 0.03
"""How much later than its arrival an attempt may seem to begin, because of other work."""
AT_ONCE: Final = 0.4
_TICKS_AT_ONCE: Final = 8
_GRACE: Final = 0.25
"""How long, in seconds, a bridge waits for a result after its ttl_ms."""
_CATCHING_UP: Final = 6
"""Ticks that a world may catch up at once before it looks at the time again."""
_SHORT_LIFE: Final = 300


@dataclass(frozen=True, slots=True)
class Timed:
    """A result, and how long it took: by the clock, and by the executor's ticks where they are known."""

    answer: Frame
    seconds: float
    ticks: float | None


def measure(bed: TestBed, connection: KitConnection, name: str, parameters: Any = None, **more: Any) -> Timed:
    """Send an intent, and measure how long it takes."""
    request, intent = connection.next_id(), connection.intent(name, parameters, **more)
    began = connection.now
    since = len(connection.heard)
    connection.say({"type": "state_request", "id": request, "full": False}, intent)
    answer = connection.result(intent["id"])
    seconds = connection.now - began
    first = connection.frames("state", since=since, id=request)
    return Timed(answer, seconds, seconds_until(connection, first[0], answer, bed.tick) if first else None)


def at_once(bed: TestBed) -> float:
    """How long, in seconds, something may take that should happen at once."""
    return max(AT_ONCE, _TICKS_AT_ONCE * bed.tick)


def expect_within(bed: TestBed, found: Timed, limit: float) -> None:
    """Breaks where the executor exceeds a limit by its own ticks, TooLate where only by the clock."""
    what = f"{words(found.answer)} after {found.seconds:.2f} s"
    wanted = f"within {limit:.2f} s"
    if found.ticks is not None:
        expect(found.ticks <= limit + _CATCHING_UP * bed.tick, f"{what}, {found.ticks:.2f} s of its ticks", wanted)
    in_time(found.seconds <= limit, what, wanted)


@DEADLINES.law("Intents")
def not_started_late(bed: TestBed) -> None:
    """An intent that still waits after its ttl_ms is not attempted: INVALID_STATE, detail EXPIRED."""
    name = bed.pick("RELEASE", "JUMP")
    late: list[str] = []
    for n in range(_TRIES):
        connection = bed.session()
        frame = connection.intent(name, ttl_ms=1)
        # The pong shows when both have arrived: a result long after it has waited.
        connection.say(frame, {"type": "ping", "n": 810 + n})
        answer = connection.result(frame["id"])
        if answer.get("detail") == "EXPIRED":
            expect_failure(answer, "INVALID_STATE", "EXPIRED")
        elif arrived := _heard_at(connection, "pong", n=810 + n):
            took = payload(answer).get("metadata", {}).get("execution_time_ms")
            waited = _heard_at(connection, "result", id=frame["id"]) - arrived
            waited -= took / 1000 if isinstance(took, int | float) else 0.0
            late += [f"{waited * 1000:.0f}"] if waited > _LAG else []
        connection.gather(0.013)
    in_time(len(late) < 2, f"{name} with a ttl_ms of 1, begun after {', '.join(late)} ms", "EXPIRED")


@DEADLINES.law("Intents")
def stop_never_expires(bed: TestBed) -> None:
    """STOP never expires, however short its ttl_ms."""
    connection = bed.session()
    for _ in range(3):
        answer = connection.do("STOP", ttl_ms=1)
        expect(status(answer) != "FAILURE", words(answer), "STOP attempted")


@DEADLINES.law("Results")
def move_ends(bed: TestBed) -> None:
    """A MOVE ends when its ttl_ms is over, PARTIAL where it has not arrived; it does not continue."""
    connection = bed.session()
    limit = _SHORT_LIFE / 1000 + _GRACE
    for vector in long_ways(bed, connection):
        found = measure(bed, connection, "MOVE", {"vector": list(vector)}, ttl_ms=_SHORT_LIFE)
        expect_within(bed, found, limit)
        if status(found.answer) == "PARTIAL" and found.seconds >= _SHORT_LIFE / 2000:
            return
    raise NotApplicable(f"no MOVE lasts longer than its ttl_ms of {_SHORT_LIFE}")


@DEADLINES.law("Results")
def hold_at_once(bed: TestBed) -> None:
    """HOLD is answered when it begins, not when it ends."""
    bed.need("HOLD")
    connection = bed.session()
    bed.rest(connection)
    expect_within(bed, measure(bed, connection, "HOLD"), at_once(bed))


def _heard_at(connection: KitConnection, kind: str, **fields: Any) -> float:
    """When a frame was heard; 0 where it was not."""
    wanted = {"type": kind, **fields}
    return next(
        (logged.at for logged in connection.heard if logged.data and wanted.items() <= logged.data.items()), 0.0
    )
