"""Truth: results compared with what the states show. It needs a probe that reads the states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.execution.conformance.law import Group, expect, in_time, outcome, payload, status, words
from volition.execution.conformance.open_moves import open_moves, was_open
from volition.execution.conformance.verdict import NotApplicable, Unseen

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.conformance.bed import TestBed
    from volition.execution.wire.probe import Sight


TRUTH: Final = Group("truth")

_TRIES: Final = 4
_COOLED: Final = 6.0
_AFTERWARDS: Final = 6
"""For how many ticks the actor is watched after a cooldown is over."""


@TRUTH.law("Results")
def swing_at_nobody(bed: TestBed) -> None:
    """A swing with nobody in reach is FAILURE, or SUCCESS and wasted, but neither PARTIAL nor BLOCKED."""
    bed.need_probe("PRIMARY_ATTACK")
    for _ in range(_TRIES):
        connection = bed.session()
        state, before = bed.free_for(connection, "PRIMARY_ATTACK")
        answer = connection.do("PRIMARY_ATTACK")
        after = bed.see(connection)
        if any(sight.target is not None and sight.target.in_reach for sight in (before, after)) or _hurt(before, after):
            bed.step_aside(connection, state)
            continue
        honest = status(answer) == "FAILURE" and payload(answer).get("failure_reason") != "BLOCKED"
        wasted = status(answer) == "SUCCESS" and outcome(answer, "action_wasted") is True
        expect(honest or wasted, words(answer), "FAILURE for another reason than BLOCKED, or SUCCESS that is wasted")
        return
    raise NotApplicable("there was always somebody in reach")


@TRUTH.law("Results")
def move(bed: TestBed) -> None:
    """A MOVE that is SUCCESS has moved the actor to where it was sent."""
    probe = bed.need_move_probe()
    for _ in range(_TRIES):
        connection = bed.session()
        state, before = bed.ready(connection)
        ways = [vector for vector in bed.consult(probe.ways, state) if max(map(abs, vector)) <= 2]
        if not ways:
            continue
        answer = connection.do("MOVE", {"vector": list(ways[0])})
        bed.let_coast(connection)
        after = bed.see(connection)
        if status(answer) == "SUCCESS" and after.alive:
            found = f"{words(answer)} by {ways[0]}, from {before.place} to {after.place}"
            expect(not bed.same_place(before, after), found, "an actor that has moved")
            expect(bed.arrives(before, ways[0], after), found, "an actor that is there")
            return
    raise NotApplicable("no MOVE was SUCCESS")


@TRUTH.law("Results")
def obstructed(bed: TestBed) -> None:
    """A MOVE into an obstruction is not SUCCESS, whether or not the actor moved; after a FAILURE it has not."""
    probe = bed.need_move_probe()
    connection = bed.session()
    moved: set[bool] = set()
    for _ in range(_TRIES):
        state, before = bed.ready(connection)
        into = bed.consult(probe.obstructed_ways, state)
        if not into:
            break
        answer = connection.do("MOVE", {"vector": list(into[0])})
        bed.let_coast(connection)
        after = bed.see(connection)
        if not after.alive:
            continue
        found = f"{words(answer)} by {into[0]}, from {before.place} to {after.place}"
        expect(status(answer) != "SUCCESS", found, "PARTIAL where it moved, FAILURE where it did not")
        stood = bed.same_place(before, after)
        expect(status(answer) != "FAILURE" or stood, found, "PARTIAL for a MOVE that moved")
        moved.add(not stood)
        if False in moved and len(moved) == 2:
            return
    if not moved:
        raise NotApplicable("no obstruction was found to walk into")


@TRUTH.law("Results")
def evade(bed: TestBed) -> None:
    """An EVADE that is SUCCESS has moved the actor, and one that is FAILURE has not."""
    _expect_effect(bed, "EVADE", lambda before, after: not bed.same_place(before, after), "an actor that has moved")


@TRUTH.law("Results")
def jump(bed: TestBed) -> None:
    """A JUMP that is SUCCESS has left the ground, and one that is FAILURE has not."""
    _expect_effect(bed, "JUMP", lambda _, after: not after.grounded, "an actor off the ground")


@TRUTH.law("Results")
def in_the_air(bed: TestBed) -> None:
    """Where there is no double jump, a JUMP in the air fails, in an invalid environment."""
    bed.need_probe("JUMP")
    if bed.welcome.get("double_jump"):
        raise NotApplicable("double jumps are offered")
    connection = bed.session()
    done: list[str] = []
    for _ in range(_TRIES):
        bed.free_for(connection, "JUMP")
        first = connection.do("JUMP")
        if status(first) != "SUCCESS" or bed.see(connection).grounded:
            continue
        again = connection.do("JUMP")
        if bed.see(connection).grounded:
            continue
        if status(again) == "FAILURE" and payload(again).get("safety_flags", {}).get("invalid_environment") is True:
            return
        done.append(words(again))
    # Each time the first jump may have been over before the second began.
    in_time(not done, ", ".join(done), "FAILURE with invalid_environment")
    raise Unseen("the actor was not seen in the air, or the jump was over too soon")


@TRUTH.law("Results")
def hold_and_release(bed: TestBed) -> None:
    """HOLD is answered when it begins and lasts until RELEASE; RELEASE without HOLD fails."""
    bed.need_probe("HOLD", "RELEASE")
    connection = bed.session()
    bed.ready(connection)
    nothing = connection.do("RELEASE")
    expect(status(nothing) == "FAILURE", words(nothing), "FAILURE where nothing is held")
    for _ in range(_TRIES):
        since = len(connection.heard)
        held = connection.do("HOLD")
        if status(held) != "SUCCESS":
            raise NotApplicable(f"no HOLD began: {words(held)}")
        sight = bed.see(connection)
        if sight.holding or not sight.alive:
            break
        # What interrupts a HOLD is an event with its id.
        interrupted = bool(connection.frames("event", since=since, id=held["id"]))
        expect(interrupted, "an actor that does not hold after SUCCESS", "an actor that holds")
        bed.ready(connection)
    else:
        raise Unseen("each HOLD was interrupted before the kit looked")
    released = connection.do("RELEASE")
    sight = bed.see(connection)
    expect(not sight.holding, f"an actor that holds after {words(released)}", "an actor that does not")


@TRUTH.law("Results")
def cooldown(bed: TestBed) -> None:
    """An intent fails with COOLDOWN, and its flag, while the state shows a cooldown, and not otherwise."""
    bed.need_probe()
    bed.pick("JUMP", "EVADE")
    seen = [_expect_cooldown(bed, name) for name in ("JUMP", "EVADE") if bed.supports(name)]
    if not any(seen):
        raise Unseen("no cooldown was seen")


def _expect_cooldown(bed: TestBed, name: str) -> bool:
    """Breaks where an intent does not keep its cooldown; whether one was seen."""
    connection = bed.session()
    bed.free_for(connection, name)
    first = connection.do(name)
    expect(payload(first).get("failure_reason") != "COOLDOWN", words(first), "no COOLDOWN where the state shows none")
    slipped: list[str] = []
    for _ in range(_TRIES):
        state, sight = bed.ready(connection)
        if name not in sight.cooling:
            # The cooldown was over before the actor was at rest: on to the next one.
            bed.step_aside(connection, state)
            bed.free_for(connection, name)
            connection.do(name)
            continue
        again = connection.do(name)
        after = bed.see(connection)
        inner = payload(again)
        if inner.get("failure_reason") == "COOLDOWN":
            flag = inner.get("safety_flags", {}).get("on_cooldown")
            expect(flag is True, f"on_cooldown is {flag!r}", "on_cooldown true")
            return True
        if name in after.cooling:
            # The cooldown may just have been over, and the intent has begun another one.
            expect(status(again) == "SUCCESS", words(again), "FAILURE/COOLDOWN")
            slipped.append(words(again))
    in_time(not slipped, f"{name} succeeded {len(slipped)} times during its cooldown", "FAILURE/COOLDOWN")
    return False


@TRUTH.law("Results")
def no_retries(bed: TestBed) -> None:
    """The executor does not try again by itself what has failed: the actor does nothing that nobody asks for."""
    bed.need_probe()
    name = bed.pick("JUMP", "EVADE")
    for _ in range(_TRIES):
        connection = bed.session()
        bed.free_for(connection, name)
        connection.do(name)
        _, sight = bed.ready(connection)
        if name not in sight.cooling or payload(connection.do(name)).get("failure_reason") != "COOLDOWN":
            continue
        bed.let_coast(connection)
        before, left = bed.see(connection), _AFTERWARDS
        for _ in bed.patience(connection, _COOLED):
            after = bed.see(connection)
            did = after.alive and not (bed.same_place(before, after) and after.grounded)
            expect(not did, f"it did {name} by itself, after it had failed", "an actor that does nothing")
            left -= name not in after.cooling
            if not left:
                break
            bed.let_pass(connection, 1)
        return
    raise Unseen(f"no {name} was seen to fail for its cooldown")


@TRUTH.law("Intents")
def stop_stands(bed: TestBed) -> None:
    """After a STOP that is SUCCESS the actor stands still."""
    bed.need_probe()
    for connection, id in open_moves(bed):
        answer = connection.do("STOP")
        bed.let_coast(connection)
        first = bed.see(connection)
        bed.watch(connection)
        second = bed.see(connection)
        stood = bed.same_place(first, second) or status(answer) != "SUCCESS" or not second.alive
        expect(stood, f"it was at {first.place}, then at {second.place}", "an actor that stands still")
        if was_open(connection, id):
            return


@TRUTH.law("Intents")
def repeated_id(bed: TestBed) -> None:
    """A repeated id does not move the actor again."""
    probe = bed.need_probe("MOVE")
    connection = bed.session()
    state, _ = bed.ready(connection)
    free = bed.consult(probe.ways, state)
    # Where the way continues, a second attempt would be visible.
    ways = [vector for vector in free if max(map(abs, vector)) == 1 and tuple(2 * part for part in vector) in free]
    if not ways:
        raise NotApplicable("no short way is free")
    frame = connection.intent("MOVE", {"vector": list(ways[0])})
    connection.say(frame)
    connection.result(frame["id"])
    bed.let_coast(connection)
    before = bed.see(connection)
    connection.say(frame)
    bed.watch(connection, 4)
    after = bed.see(connection)
    stood = bed.same_place(before, after) or not after.alive
    expect(stood, f"it went from {before.place} to {after.place} again", "no second attempt")


def _hurt(before: Sight, after: Sight) -> bool:
    """Whether the target lost health between two sights: then it was in reach in between."""
    targets = before.target, after.target
    return targets[0] is not None and targets[1] is not None and targets[1].health < targets[0].health


def _expect_effect(bed: TestBed, name: str, shows: Callable[[Sight, Sight], bool], expected: str) -> None:
    bed.need_probe(name)
    for _ in range(_TRIES):
        connection = bed.session()
        state, before = bed.free_for(connection, name)
        answer = connection.do(name)
        after = bed.see(connection)
        if not after.alive:
            continue
        found = f"{words(answer)}, from {before.place} to {after.place}"
        if status(answer) == "SUCCESS":
            # A jump may be over before the state is read: that counts only on a calm machine.
            in_time(shows(before, after), found, expected)
            return
        expect(status(answer) != "FAILURE" or not shows(before, after), found, "no FAILURE that has done it")
        bed.step_aside(connection, state)
    raise NotApplicable(f"no {name} was SUCCESS")
