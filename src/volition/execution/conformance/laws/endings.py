"""Truth of endings: a MOVE that was cut short has not arrived, and whatever is ended no longer goes on in the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.connection import ANSWER
from volition.execution.conformance.law import Group, expect, expect_standstill, payload, status, words
from volition.execution.conformance.open_moves import TRIES, ask_the_same, at_once, open_moves, was_open
from volition.execution.conformance.verdict import NotApplicable, Unseen
from volition.execution.conformance.world_time import WATCHED

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame
    from volition.execution.wire.probe import Sight, Vector


ENDINGS: Final = Group("truth")

_LONG: Final = 10_000
"""Milliseconds for a MOVE that is not to end by its time."""
_SHORT_LIFE: Final = 300
_TRIES: Final = 4


@ENDINGS.law("Results")
def move_in_time(bed: TestBed) -> None:
    """A MOVE whose time is over is SUCCESS only where it has arrived."""
    for _ in range(_TRIES):
        connection, before, way = _long_way(bed)
        answer = connection.do("MOVE", {"vector": list(way)}, ttl_ms=_SHORT_LIFE)
        if _expect_arrival(bed, connection, before, way, answer) and status(answer) == "PARTIAL":
            return
    raise NotApplicable(f"no MOVE lasts longer than its ttl_ms of {_SHORT_LIFE}")


@ENDINGS.law("Results")
def superseded_move(bed: TestBed) -> None:
    """Of two MOVEs in a row that are both SUCCESS, both have moved the actor."""
    for _ in range(TRIES):
        connection, before, way = _long_way(bed)
        half = _scale(way, 0.5)
        first = connection.ask("MOVE", {"vector": half}, ttl_ms=_LONG)
        bed.let_pass(connection, 2)
        if first in connection.results:
            continue
        answers = (connection.do("MOVE", {"vector": half}, ttl_ms=_LONG), connection.result(first))
        bed.let_coast(connection)
        _, after = bed.ready(connection)
        if any(status(answer) != "SUCCESS" for answer in answers):
            return
        found = f"two MOVEs by {tuple(half)} are SUCCESS, from {before.place} to {after.place}"
        expect(bed.arrives(before, way, after), found, "an actor that both have moved")
        return
    raise Unseen("each MOVE was over before the next one arrived")


@ENDINGS.law("Results")
def cut_short(bed: TestBed) -> None:
    """A MOVE that is cancelled or stopped is SUCCESS only where it has arrived, FAILURE only where it has not moved."""
    for end in (_cancel, _stop):
        _cut(bed, end)


def _cut(bed: TestBed, end: Callable[[KitConnection, int], None]) -> None:
    for _ in range(TRIES):
        connection, before, way = _long_way(bed)
        id = connection.ask("MOVE", {"vector": list(way)}, ttl_ms=_LONG)
        bed.let_pass(connection, WATCHED)
        if id in connection.results:
            continue
        end(connection, id)
        _expect_arrival(bed, connection, before, way, connection.result(id))
        return
    raise Unseen("each MOVE was over before it was ended")


def _cancel(connection: KitConnection, id: int) -> None:
    connection.say({"type": "cancel", "id": id})


def _stop(connection: KitConnection, id: int) -> None:
    connection.do("STOP")


@ENDINGS.law("Intents")
def repeated_while_open(bed: TestBed) -> None:
    """A MOVE that is sent again under its id while it is open moves the actor once."""
    for _ in range(TRIES):
        connection, before, way = _long_way(bed)
        half = _scale(way, 0.5)
        frame = connection.intent("MOVE", {"vector": half}, ttl_ms=_LONG)
        connection.say(frame)
        bed.let_pass(connection, 2)
        seen = frame["id"] not in connection.results
        connection.say(frame)
        answer = connection.result(frame["id"], _LONG / 1000 + ANSWER)
        bed.let_pass(connection, 2 * WATCHED)
        bed.let_coast(connection)
        _, after = bed.ready(connection)
        if status(answer) == "SUCCESS":
            found = f"it went from {before.place} to {after.place} by {tuple(half)}"
            expect(bed.arrives(before, _vector(half), after), found, "one attempt")
            if seen:
                return
    raise Unseen("each MOVE was over before it was repeated, or did not arrive")


@ENDINGS.law("Results")
def blocked_stands(bed: TestBed) -> None:
    """An actor whose MOVE was blocked stands: it is not sent again, nor another way."""
    probe = bed.need_move_probe()
    for _ in range(_TRIES):
        connection = bed.session()
        state, _ = bed.ready(connection)
        into = bed.consult(probe.obstructed_ways, state)
        if not into:
            break
        answer = connection.do("MOVE", {"vector": list(into[0])})
        if payload(answer).get("failure_reason") == "BLOCKED":
            _let_brake(bed, connection)
            for _ in range(WATCHED):
                expect_standstill(bed, connection)
            return
    raise NotApplicable("no MOVE was blocked")


@ENDINGS.law("Cancel and progress")
def cancel_stands(bed: TestBed) -> None:
    """An actor whose MOVE was cancelled comes to a halt: what has its result no longer goes on."""
    bed.need_probe()
    for connection, id in open_moves(bed):
        _cancel(connection, id)
        connection.result(id)
        seen = was_open(connection, id)
        _let_brake(bed, connection)
        expect_standstill(bed, connection)
        if seen:
            return


@ENDINGS.law("Intents")
def stop_ends_all(bed: TestBed) -> None:
    """After a STOP that is SUCCESS no MOVE goes on or begins, however many were open."""
    bed.need_probe()
    for connection, id in open_moves(bed):
        ask_the_same(bed, connection, id, 3)
        answer = connection.do("STOP")
        if status(answer) == "SUCCESS":
            expect_standstill(bed, connection)
            return


@ENDINGS.law("Intents")
def stop_releases(bed: TestBed) -> None:
    """STOP ends what is held."""
    bed.need_probe("HOLD")
    for _ in range(_TRIES):
        connection = bed.session()
        bed.ready(connection)
        connection.do("HOLD")
        before = bed.see(connection)
        answer = connection.do("STOP")
        after = bed.see(connection)
        if before.holding and after.alive:
            expect(not after.holding, f"{words(answer)}, and the actor holds", "an actor that does not hold")
            return
    raise Unseen("no HOLD was seen")


@ENDINGS.law("Intents")
def stop_ends_evade(bed: TestBed) -> None:
    """A STOP that is SUCCESS ends an EVADE in the world, and not only its result."""
    bed.need_probe("EVADE")
    for _ in range(TRIES):
        connection = bed.session()
        state, _ = bed.free_for(connection, "EVADE")
        id = connection.ask("EVADE")
        connection.state(full=False)
        seen = id not in connection.results
        answer = connection.do("STOP")
        if seen and status(connection.result(id)) != "SUCCESS" and status(answer) == "SUCCESS":
            expect_standstill(bed, connection)
            return
        bed.step_aside(connection, state)
    raise NotApplicable("no EVADE lasts long enough to be stopped")


def _long_way(bed: TestBed) -> tuple[KitConnection, Sight, Vector]:
    """The connection, the actor at rest, and the longest free way from there."""
    probe = bed.need_move_probe()
    connection = bed.session()
    state, before = bed.ready(connection)
    ways = bed.consult(probe.ways, state)
    if not ways:
        raise NotApplicable("no way is free")
    return connection, before, ways[0]


def _expect_arrival(bed: TestBed, connection: KitConnection, before: Sight, way: Vector, answer: Frame) -> bool:
    """Breaks where a MOVE says that it arrived and has not, or that it did not begin and has moved; whether it was seen."""
    _let_brake(bed, connection)
    after = bed.see(connection)
    if not after.alive:
        return False
    found = f"{words(answer)} by {way}, from {before.place} to {after.place}"
    if status(answer) == "SUCCESS":
        expect(bed.arrives(before, way, after), found, "PARTIAL for a MOVE that has not arrived")
    if status(answer) == "FAILURE":
        expect(bed.same_place(before, after), found, "PARTIAL for a MOVE that moved")
    return True


def _let_brake(bed: TestBed, connection: KitConnection) -> None:
    """An actor may need a moment to come to a halt."""
    bed.let_pass(connection, round(max(at_once(bed), bed.coast) / bed.tick) if bed.tick else 1)


def _scale(way: Vector, by: float) -> list[float]:
    return [part * by for part in way]


def _vector(parts: list[Any]) -> Vector:
    return (parts[0], parts[1], parts[2])
