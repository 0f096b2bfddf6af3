"""Truth of fights and deaths: damage is judged by the health that states show, not by what anybody counts.

The actor dies once for all laws about it (`die`): the kit walks it into a harmful place, and looks on.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.execution.conformance.connection import STEP
from volition.execution.conformance.law import (
    Group,
    expect,
    expect_failure,
    in_time,
    outcome,
    payload,
    status,
    words,
)
from volition.execution.conformance.verdict import NotApplicable, Unseen

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame
    from volition.execution.wire.probe import Probe, Sight, Vector


FIGHTS: Final = Group("truth")

_TRIES: Final = 4
_HUNT: Final = 12.0
_ENOUGH: Final = 6
"""With fewer attempts, one blow beside them decides too much."""
_MOST_OF: Final = 0.6
"""The share of the health lost around an attempt that the attempt itself accounts for, at least."""


@FIGHTS.law("Results")
def damage_dealt(bed: TestBed) -> None:
    """The damage in a result is the health that the target lost, whatever the actor's own counters say."""
    probe = bed.need_probe("PRIMARY_ATTACK", "MOVE")
    for _ in range(_TRIES):
        connection, before = hunt(bed, probe)
        turn = bed.consult(partial(probe.turn, to_target=True), bed.state(connection))
        if turn is not None and not (before.target and before.target.ahead):
            connection.do("MOVE", {"vector": list(turn)})
            before = bed.see(connection)
        answer = connection.do("PRIMARY_ATTACK")
        after = bed.see(connection)
        lost = _health_lost(before, after)
        named = outcome(answer, "damage_dealt")
        if status(answer) == "SUCCESS" and lost is not None:
            expect(named == lost, f"{words(answer)} with damage_dealt {named}", f"damage_dealt {lost:g}")
            if lost:
                wasted = outcome(answer, "action_wasted")
                expect(wasted is False, f"action_wasted is {wasted!r} for a swing that hit somebody", "false")
                return
    raise NotApplicable("no swing hit anybody")


@FIGHTS.law("Results")
def no_aiming(bed: TestBed) -> None:
    """The executor does not aim: a swing goes where the actor faces."""
    probe = bed.need_probe("PRIMARY_ATTACK", "MOVE")
    for _ in range(_TRIES):
        connection, _ = hunt(bed, probe)
        away = bed.consult(partial(probe.turn, to_target=False), bed.state(connection))
        if away is None:
            continue
        connection.do("MOVE", {"vector": list(away)})
        before = bed.see(connection)
        answer = connection.do("PRIMARY_ATTACK")
        after = bed.see(connection)
        tried = status(answer) == "SUCCESS" and before.target and after.target and after.alive
        if not tried or not before.target or before.target.ahead:
            continue
        expect(after.facing == before.facing, f"it turned from {before.facing} to {after.facing}", "no turn")
        dealt = outcome(answer, "damage_dealt")
        expect(not dealt and not _health_lost(before, after), f"damage {dealt} behind its back", "none")
        wasted = outcome(answer, "action_wasted")
        expect(wasted is True, f"action_wasted is {wasted!r} for a swing that hit nobody", "true")
        return
    raise NotApplicable("no swing was possible with the target to the side")


@FIGHTS.law("Results")
def swing_cooldown(bed: TestBed) -> None:
    """A swing fails with COOLDOWN while the state shows its cooldown, and not otherwise."""
    probe = bed.need_probe("PRIMARY_ATTACK", "MOVE")
    for _ in range(_TRIES):
        connection, _ = hunt(bed, probe)
        first = connection.do("PRIMARY_ATTACK")
        expect(
            payload(first).get("failure_reason") != "COOLDOWN", words(first), "no COOLDOWN where the state shows none"
        )
        before = bed.see(connection)
        if "PRIMARY_ATTACK" not in before.cooling or not before.free:
            continue
        again = connection.do("PRIMARY_ATTACK")
        after = bed.see(connection)
        if "PRIMARY_ATTACK" in after.cooling and after.alive:
            done = payload(again).get("failure_reason") == "COOLDOWN" and not _health_lost(before, after)
            in_time(done, f"{words(again)} during its cooldown", "FAILURE/COOLDOWN, and nobody hurt")
            return
    raise Unseen("no cooldown of a swing was seen")


@FIGHTS.law("Results")
def dying_move(bed: TestBed) -> None:
    """A MOVE during which the actor dies is not SUCCESS, unless it had arrived; its result says that it is dead."""
    probe = bed.need_probe()
    last = _last_move(bed)
    if last is None or (status(last.answer) == "SUCCESS" and probe.arrives(last.before, last.vector, last.after)):
        # It died before or after a MOVE, or at the very moment of arrival, which proves nothing: once more.
        bed.findings.pop(die.__name__, None)
        last = _last_move(bed) or last
    if last is None:
        raise Unseen("no MOVE was under way when the actor died")
    found = (
        f"{words(last.answer)} by {last.vector}, from {last.before.place}, where the actor died at {last.after.place}"
    )
    if status(last.answer) == "SUCCESS":
        expect(probe.arrives(last.before, last.vector, last.after), found, "PARTIAL")
    elif payload(last.answer).get("failure_reason") == "INVALID_STATE":
        alive = outcome(last.answer, "is_alive")
        expect(alive is False, f"{found}, with is_alive {alive!r}", "is_alive false")


@FIGHTS.law("Results")
def damage_received(bed: TestBed) -> None:
    """The health that the actor loses during an attempt is in its result, and no more than that."""
    bed.once(die)
    hurt: list[Hurt] = bed.findings.get("hurt", [])
    if not hurt:
        raise Unseen("no attempt was seen during which the actor was hurt")
    for each in hurt:
        named = outcome(each.answer, "damage_received")
        what = f"{words(each.answer)} with damage_received {named}, health fell by {each.lost:g}"
        expect(isinstance(named, int | float) and named <= each.lost, what, f"at most {each.lost:g}")
    # Health lost just before or after an attempt does not belong to it: the majority decides.
    harmed = [each for each in hurt if each.throughout]
    share = _MOST_OF if len(harmed) >= _ENOUGH else 0.0
    silent = [each for each in harmed if not _accounts_for(each, share)]
    if 2 * len(silent) > len(harmed):
        named = outcome(silent[0].answer, "damage_received")
        what = f"{words(silent[0].answer)} with damage_received {named}, health fell by {silent[0].lost:g}"
        expect(False, what, f"about {silent[0].lost:g}")


@FIGHTS.law("Results")
def health_shown(bed: TestBed) -> None:
    """Lost health is shown: a dead actor has no health left in the state that shows its death."""
    bed.once(die)
    dead: Sight | None = bed.findings.get("dead")
    if dead is None:
        raise Unseen("the next episode began at once")
    expect(dead.health <= 0, f"a dead actor with {dead.health:g} health", "no health left")


def _last_move(bed: TestBed) -> LastMove | None:
    """The MOVE during which the actor died, if it was during one."""
    bed.once(die)
    move: LastMove | None = bed.findings.pop("last move", None)
    return move


def _accounts_for(hurt: Hurt, share: float) -> bool:
    """Whether a result names some damage, and this share of what fell into its own ticks."""
    named = outcome(hurt.answer, "damage_received") or 0.0
    return bool(named > 0 and named >= share * hurt.share * hurt.lost)


def _health_lost(before: Sight, after: Sight) -> float | None:
    """The health that the target lost between two sights; None where that is unknown."""
    if before.target is None or after.target is None or after.target.health > before.target.health:
        return None
    return before.target.health - after.target.health


def hunt(bed: TestBed, probe: Probe) -> tuple[KitConnection, Sight]:
    """Move until a living target is in reach and the actor can swing; NotApplicable where that never happens."""
    if "no prey" in bed.findings:
        raise bed.findings["no prey"]
    connection = bed.session()
    patience = bed.patience(connection, _HUNT)
    for _ in patience:
        state = bed.state(connection)
        sight = bed.read(state)
        able = sight.free and "PRIMARY_ATTACK" not in sight.cooling | sight.tired
        if able and sight.target and sight.target.in_reach:
            return connection, sight
        step = bed.consult(probe.step_to_target, state) if sight.free else None
        if step is not None and any(step):
            connection.do("MOVE", {"vector": [max(-2.0, min(2.0, part)) for part in step]})
        connection.gather(bed.tick or 0.05)
    bed.findings["no prey"] = patience.give_up("no target came within reach of a swing")
    raise bed.findings["no prey"]


DEATHS: Final = Group("states")

_DYING: Final = 20.0
_NEXT_LIFE: Final = 5.0
_NUDGE: Final = 0.45
"""How far the actor walks back and forth in a harmful place."""
_SHORT: Final = 0.3
"""The share of that for a shorter step."""


@DEATHS.law("States and events")
def episode_changes(bed: TestBed) -> None:
    """The episode changes when the actor dies."""
    _, before, after = bed.once(die)
    expect(after.get("episode") != before.get("episode"), f"episode {after.get('episode')} again", "another episode")


@DEATHS.law("States and events")
def dead_in_its_episode(bed: TestBed) -> None:
    """A dead actor is shown in the episode in which it died: the next one begins with a living actor."""
    _, before, _ = bed.once(die)
    dead = bed.findings.get("state of the dead")
    if dead is None:
        raise Unseen("the next episode began at once")
    found = f"a dead actor in episode {dead.get('episode')}, after episode {before.get('episode')}"
    expect(dead.get("episode") == before.get("episode"), found, "the episode in which it died")


@DEATHS.law("Intents")
def former_episode(bed: TestBed) -> None:
    """An intent that is based on a state of a former episode fails with INVALID_STATE, detail FORMER_EPISODE."""
    _, before, after = bed.once(die)
    if after.get("episode") == before.get("episode"):
        raise NotApplicable("no session that saw two episodes")
    expect_failure(bed.findings["too late"], "INVALID_STATE", "FORMER_EPISODE")


@DEATHS.law("Results")
def the_dead_do_nothing(bed: TestBed) -> None:
    """An intent of a dead actor fails, in an invalid environment, with is_alive false."""
    bed.once(die)
    answer = bed.findings.get("posthumous")
    if answer is None:
        raise Unseen("the next episode began at once")
    alive, flags = outcome(answer, "is_alive"), payload(answer).get("safety_flags", {})
    expect(status(answer) == "FAILURE", words(answer), "FAILURE")
    expect(alive is False, f"is_alive {alive!r}", "is_alive false")
    expect(flags.get("invalid_environment") is True, f"{flags}", "invalid_environment true")


class Hurt(Struct, frozen=True):
    """An attempt near a harmful place: its result, the health lost around it, whether it was there throughout, and the
    share of the ticks around it that it took itself; 0 where there are no ticks."""

    answer: Frame
    lost: float
    throughout: bool
    share: float


class LastMove(Struct, frozen=True):
    """The MOVE after which the actor was seen dead: its result and vector, and the actor before and after it."""

    answer: Frame
    vector: Vector
    before: Sight
    after: Sight


def die(bed: TestBed) -> tuple[KitConnection, Frame, Frame]:
    """Walk into a harmful place until the actor dies and restarts: the connection, a state before and one after.

    NotApplicable where the actor cannot die. Also found: the results of attempts that `hurt`, the `last move`, the `dead`
    actor and its state, the `posthumous` result, and that of an intent that is `too late`: based on the state before.
    """
    probe = bed.need_probe("MOVE")
    connection = bed.session()
    before, sight = bed.ready(connection)
    state, nudge = before, _NUDGE
    hurt: list[Hurt] = bed.findings.setdefault("hurt", [])
    patience = bed.patience(connection, _DYING)
    for _ in patience:
        if not sight.alive:
            break
        step = bed.consult(probe.step_to_harm, state)
        if step is None:
            raise NotApplicable("no way was found for the actor to die")
        earlier, earlier_state, harmed = sight, state, not any(step)
        nudge = -nudge if harmed else nudge
        # Not at the very moment of arrival: one short step shifts the death into the middle of the next MOVE.
        short = harmed and bool(hurt) and hurt[-1].lost == sight.health
        vector = (nudge * _SHORT if short else nudge, 0.0, 0.0) if harmed else step
        answer = connection.do("MOVE", {"vector": list(vector)})
        state = bed.state(connection)
        if state.get("episode") != before.get("episode") and bed.read(state).alive:
            return _look_back(bed, connection, before, state)
        sight = bed.read(state)
        lost = earlier.health - sight.health
        if status(answer) != "FAILURE" and lost >= 0:
            share = _share_of_ticks(bed, earlier_state, answer, state)
            hurt.append(Hurt(answer, lost, harmed and lost > 0, share))
        if sight.alive:
            # In a harmful place one MOVE follows the other, so that the actor dies during one.
            if not harmed or status(answer) != "SUCCESS":
                connection.gather(bed.tick or 0.05)
            state = bed.state(connection)
            sight = bed.read(state)
        elif status(answer) != "FAILURE":
            bed.findings["last move"] = LastMove(answer, vector, earlier, sight)
    else:
        raise patience.give_up(f"the actor did not die within {_DYING:g} s")
    bed.findings["dead"], bed.findings["state of the dead"] = sight, state
    answer = connection.do("MOVE", STEP["MOVE"])
    bed.findings["posthumous"] = None if bed.see(connection).alive else answer
    after, _ = bed.look(connection, attrgetter("alive"), "alive again", _NEXT_LIFE)
    return _look_back(bed, connection, before, after)


def _share_of_ticks(bed: TestBed, before: Frame, answer: Frame, after: Frame) -> float:
    """Which part of the ticks between two states an attempt took, as it says itself."""
    passed = (after.get("tick", 0) - before.get("tick", 0)) * bed.tick
    took = payload(answer).get("metadata", {}).get("execution_time_ms")
    return min(1.0, took / 1000 / passed) if passed > 0 and isinstance(took, int | float) else 0.0


def _look_back(
    bed: TestBed, connection: KitConnection, before: Frame, after: Frame
) -> tuple[KitConnection, Frame, Frame]:
    """In the new life, ask for something that is based on the old one."""
    bed.findings["too late"] = connection.do("MOVE", STEP["MOVE"], based_on=before.get("seq"))
    return connection, before, after
