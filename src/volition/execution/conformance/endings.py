"""Truth of endings: a MOVE that was cut short has not arrived, and whatever is ended no longer goes on in the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import expect, payload, status, words
from volition.execution.conformance.lasting import TRIES, ask_the_same, open_moves, was_open
from volition.execution.conformance.talk import ANSWER
from volition.execution.conformance.timing import at_once
from volition.execution.conformance.truth import TRUTH, probe_for_move
from volition.execution.conformance.verdict import NotApplicable, Unseen

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.log import Frame
    from volition.execution.conformance.talk import Talk
    from volition.execution.wire.probe import Sight, Vector

_LONG: Final = 10_000
"""Milliseconds for a MOVE that is not to end by its time."""
_SHORT_LIFE: Final = 300
_TRIES: Final = 4
_WATCHED: Final = 3
"""For how many ticks the actor is watched to see whether it moves."""


@TRUTH.law("Results")
def move_in_time(bench: Bench) -> None:
    """A MOVE whose time is over is SUCCESS only where it has arrived."""
    for _ in range(_TRIES):
        talk, before, way = _long_way(bench)
        answer = talk.do("MOVE", {"vector": list(way)}, ttl_ms=_SHORT_LIFE)
        if _expect_arrival(bench, talk, before, way, answer) and status(answer) == "PARTIAL":
            return
    raise NotApplicable(f"no MOVE lasts longer than its ttl_ms of {_SHORT_LIFE}")


@TRUTH.law("Results")
def superseded_move(bench: Bench) -> None:
    """Of two MOVEs in a row that are both SUCCESS, both have moved the actor."""
    probe = probe_for_move(bench)
    for _ in range(TRIES):
        talk, before, way = _long_way(bench)
        half = _scale(way, 0.5)
        first = talk.ask("MOVE", {"vector": half}, ttl_ms=_LONG)
        bench.let_pass(talk, 2)
        if first in talk.results:
            continue
        answers = (talk.do("MOVE", {"vector": half}, ttl_ms=_LONG), talk.result(first))
        _, after = bench.ready(talk)
        if any(status(answer) != "SUCCESS" for answer in answers):
            return
        found = f"two MOVEs by {tuple(half)} are SUCCESS, from {before.place} to {after.place}"
        expect(probe.arrives(before, way, after), found, "an actor that both have moved")
        return
    raise Unseen("each MOVE was over before the next one arrived")


@TRUTH.law("Results")
def cut_short(bench: Bench) -> None:
    """A MOVE that is cancelled or stopped is SUCCESS only where it has arrived, FAILURE only where it has not moved."""
    for end in (_cancel, _stop):
        _cut(bench, end)


def _cut(bench: Bench, end: Callable[[Talk, int], None]) -> None:
    for _ in range(TRIES):
        talk, before, way = _long_way(bench)
        id = talk.ask("MOVE", {"vector": list(way)}, ttl_ms=_LONG)
        bench.let_pass(talk, _WATCHED)
        if id in talk.results:
            continue
        end(talk, id)
        _expect_arrival(bench, talk, before, way, talk.result(id))
        return
    raise Unseen("each MOVE was over before it was ended")


def _cancel(talk: Talk, id: int) -> None:
    talk.say({"type": "cancel", "id": id})


def _stop(talk: Talk, id: int) -> None:
    talk.do("STOP")


@TRUTH.law("Intents")
def repeated_while_open(bench: Bench) -> None:
    """A MOVE that is sent again under its id while it is open moves the actor once."""
    probe = probe_for_move(bench)
    for _ in range(TRIES):
        talk, before, way = _long_way(bench)
        half = _scale(way, 0.5)
        frame = talk.intent("MOVE", {"vector": half}, ttl_ms=_LONG)
        talk.say(frame)
        bench.let_pass(talk, 2)
        seen = frame["id"] not in talk.results
        talk.say(frame)
        answer = talk.result(frame["id"], _LONG / 1000 + ANSWER)
        bench.let_pass(talk, 2 * _WATCHED)
        _, after = bench.ready(talk)
        if status(answer) == "SUCCESS":
            found = f"it went from {before.place} to {after.place} by {tuple(half)}"
            expect(probe.arrives(before, _vector(half), after), found, "one attempt")
            if seen:
                return
    raise Unseen("each MOVE was over before it was repeated, or did not arrive")


@TRUTH.law("Results")
def blocked_stands(bench: Bench) -> None:
    """An actor whose MOVE was blocked stands: it is not sent again, nor another way."""
    probe = probe_for_move(bench)
    for _ in range(_TRIES):
        talk = bench.session()
        state, _ = bench.ready(talk)
        into = bench.consult(probe.obstructed_ways, state)
        if not into:
            break
        answer = talk.do("MOVE", {"vector": list(into[0])})
        if payload(answer).get("failure_reason") == "BLOCKED":
            _let_brake(bench, talk)
            for _ in range(_WATCHED):
                _expect_standstill(bench, talk)
            return
    raise NotApplicable("no MOVE was blocked")


@TRUTH.law("Cancel and progress")
def cancel_stands(bench: Bench) -> None:
    """An actor whose MOVE was cancelled comes to a halt: what has its result no longer goes on."""
    bench.need_probe()
    for talk, id in open_moves(bench):
        _cancel(talk, id)
        talk.result(id)
        seen = was_open(talk, id)
        _let_brake(bench, talk)
        _expect_standstill(bench, talk)
        if seen:
            return


@TRUTH.law("Intents")
def stop_ends_all(bench: Bench) -> None:
    """After a STOP that is SUCCESS no MOVE goes on or begins, however many were open."""
    bench.need_probe()
    for talk, id in open_moves(bench):
        ask_the_same(bench, talk, id, 3)
        answer = talk.do("STOP")
        if status(answer) == "SUCCESS":
            _expect_standstill(bench, talk)
            return


@TRUTH.law("Intents")
def stop_releases(bench: Bench) -> None:
    """STOP ends what is held."""
    bench.need_probe("HOLD")
    for _ in range(_TRIES):
        talk = bench.session()
        bench.ready(talk)
        talk.do("HOLD")
        held = bench.see(talk)
        answer = talk.do("STOP")
        after = bench.see(talk)
        if held.holding and after.alive:
            expect(not after.holding, f"{words(answer)}, and the actor holds", "an actor that does not hold")
            return
    raise Unseen("no HOLD was seen")


@TRUTH.law("Intents")
def stop_ends_evade(bench: Bench) -> None:
    """A STOP that is SUCCESS ends an EVADE in the world, and not only its result."""
    bench.need_probe("EVADE")
    for _ in range(TRIES):
        talk = bench.session()
        state, _ = bench.free_for(talk, "EVADE")
        id = talk.ask("EVADE")
        talk.state(full=False)
        seen = id not in talk.results
        answer = talk.do("STOP")
        if seen and status(talk.result(id)) != "SUCCESS" and status(answer) == "SUCCESS":
            _expect_standstill(bench, talk)
            return
        bench.step_aside(talk, state)
    raise NotApplicable("no EVADE lasts long enough to be stopped")


def _long_way(bench: Bench) -> tuple[Talk, Sight, Vector]:
    """The connection, the actor at rest, and the longest free way from there."""
    probe = probe_for_move(bench)
    talk = bench.session()
    state, before = bench.ready(talk)
    ways = bench.consult(probe.ways, state)
    if not ways:
        raise NotApplicable("no way is free")
    return talk, before, ways[0]


def _expect_arrival(bench: Bench, talk: Talk, before: Sight, way: Vector, answer: Frame) -> bool:
    """Breaks where a MOVE says that it arrived and has not, or that it did not begin and has moved; whether it was seen."""
    _let_brake(bench, talk)
    after = bench.see(talk)
    if not after.alive:
        return False
    found = f"{words(answer)} by {way}, from {before.place} to {after.place}"
    if status(answer) == "SUCCESS":
        expect(bench.need_probe().arrives(before, way, after), found, "PARTIAL for a MOVE that has not arrived")
    if status(answer) == "FAILURE":
        expect(after.place == before.place, found, "PARTIAL for a MOVE that moved")
    return True


def _let_brake(bench: Bench, talk: Talk) -> None:
    """An actor may need a moment to come to a halt."""
    bench.let_pass(talk, round(at_once(bench) / bench.tick) if bench.tick else 1)


def _expect_standstill(bench: Bench, talk: Talk) -> None:
    first = bench.see(talk)
    bench.let_pass(talk, _WATCHED)
    second = bench.see(talk)
    moved = first.place != second.place and first.alive and second.alive
    expect(not moved, f"it was at {first.place}, then at {second.place}", "an actor that stands still")


def _scale(way: Vector, by: float) -> list[float]:
    return [part * by for part in way]


def _vector(parts: list[Any]) -> Vector:
    return (parts[0], parts[1], parts[2])
