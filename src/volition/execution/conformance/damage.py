"""Truth of fights: damage is judged by the health that states show, not by what anybody counts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from volition.execution.conformance.bed import expect, in_time, outcome, payload, status, words
from volition.execution.conformance.states import die
from volition.execution.conformance.truth import TRUTH
from volition.execution.conformance.verdict import NotApplicable, Unseen

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.states import Hurt, LastMove
    from volition.execution.wire.probe import Probe, Sight

_TRIES: Final = 4
_HUNT: Final = 12.0
_ENOUGH: Final = 6
"""With fewer attempts, one blow beside them decides too much."""
_MOST_OF: Final = 0.6
"""The share of the health lost around an attempt that the attempt itself accounts for, at least."""


@TRUTH.law("Results")
def damage_dealt(bed: TestBed) -> None:
    """The damage in a result is the health that the target lost, whatever the actor's own counters say."""
    probe = bed.need_probe("PRIMARY_ATTACK", "MOVE")
    for _ in range(_TRIES):
        connection, before = _hunt(bed, probe)
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


@TRUTH.law("Results")
def no_aiming(bed: TestBed) -> None:
    """The executor does not aim: a swing goes where the actor faces."""
    probe = bed.need_probe("PRIMARY_ATTACK", "MOVE")
    for _ in range(_TRIES):
        connection, _ = _hunt(bed, probe)
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


@TRUTH.law("Results")
def swing_cooldown(bed: TestBed) -> None:
    """A swing fails with COOLDOWN while the state shows its cooldown, and not otherwise."""
    probe = bed.need_probe("PRIMARY_ATTACK", "MOVE")
    for _ in range(_TRIES):
        connection, _ = _hunt(bed, probe)
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


@TRUTH.law("Results")
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


@TRUTH.law("Results")
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


@TRUTH.law("Results")
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
    found: LastMove | None = bed.findings.pop("last move", None)
    return found


def _accounts_for(hurt: Hurt, share: float) -> bool:
    """Whether a result names some damage, and this share of what fell into its own ticks."""
    named = outcome(hurt.answer, "damage_received") or 0.0
    return bool(named > 0 and named >= share * hurt.share * hurt.lost)


def _health_lost(before: Sight, after: Sight) -> float | None:
    """The health that the target lost between two sights; None where that is unknown."""
    if before.target is None or after.target is None or after.target.health > before.target.health:
        return None
    return before.target.health - after.target.health


def _hunt(bed: TestBed, probe: Probe) -> tuple[KitConnection, Sight]:
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
