"""The life of an intent in the arena: what is checked before it begins, how a tick advances it, and its result.

An intent is refused with a conclusion at once, or concluded at once (an attack, HOLD, RELEASE, STOP), or accepted and
open. Open are at most one MOVE or EVADE and one JUMP; a later movement supersedes the MOVE. Each open intent is concluded
exactly once: by a tick, by an interruption, or by the actor's death; only a reset drops it without a result.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from volition.execution.wire.results import FailureReason, Result, Status, make_result
from volition.execution.worlds.arena import rules
from volition.execution.worlds.arena.bodies import pace
from volition.execution.worlds.arena.ground import BEAM
from volition.execution.worlds.arena.rules import AHEAD, DASH_SPEED, DASH_TICKS, GUARD_SPEED, TICK_MS, WALK_SPEED

if TYPE_CHECKING:
    from volition.execution.wire.results import FailureReason
    from volition.execution.worlds.arena.bodies import Actor
    from volition.execution.worlds.arena.ground import ArenaMap


class Conclusion(Struct, frozen=True):
    """How an intent ended.

    `out_of_place`: it makes no sense where the actor is, because the actor is dead, or in the air where the intent needs
    the ground, or because the vector leads off the map. `wasted`: it was paid for without any effect.
    """

    status: Status
    reason: FailureReason = "NONE"
    out_of_place: bool = False
    wasted: bool = False


class AcceptedIntent(Struct, frozen=True):
    """An intent that was accepted: its id, the most ticks that it has, and the counters of damage when it began."""

    id: int
    intent: str
    tick: int
    ticks: int
    damage_dealt: int
    damage_received: int

    def finish(self, conclusion: Conclusion, actor: Actor, tick: int) -> FinishedIntent:
        """The intent with its result; it ends now."""
        result = make_result(
            conclusion.status,
            conclusion.reason,
            invalid_environment=conclusion.out_of_place,
            damage_dealt=float(actor.damage_dealt - self.damage_dealt),
            damage_received=float(actor.damage_received - self.damage_received),
            is_alive=actor.alive,
            action_wasted=conclusion.wasted,
            engine_timestamp=tick,
            execution_time_ms=float((tick - self.tick) * TICK_MS),
        )
        return FinishedIntent(self.id, self.intent, result)


class FinishedIntent(Struct, frozen=True):
    """An intent with its one result."""

    id: int
    intent: str
    result: Result


class ArenaReport(Struct, frozen=True):
    """The intents that ended in one call, in the order in which they began, and the events in it."""

    results: tuple[FinishedIntent, ...] = ()
    events: tuple[dict[str, Any], ...] = ()


IN_AIR, DASHING, HOLDING = "in the air", "dashing", "holding"

IMPOSSIBLE: dict[str, frozenset[str]] = {
    "PRIMARY_ATTACK": frozenset({DASHING, HOLDING}),
    "EVADE": frozenset({IN_AIR, DASHING, HOLDING}),
    "MOVE": frozenset({DASHING}),
    "HOLD": frozenset({IN_AIR, DASHING}),
    "RELEASE": frozenset(),
    "STOP": frozenset(),
    "JUMP": frozenset({IN_AIR, DASHING, HOLDING}),
}
"""The intents of the arena, and the postures in which each of them cannot begin."""


class Price(Struct, frozen=True):
    """What an action costs when it is triggered: stamina, and ticks until it is available again."""

    clock: str
    cooldown: int
    stamina: int


PRICES = {
    "PRIMARY_ATTACK": Price("attack", rules.ATTACK_COOLDOWN, rules.ATTACK_COST),
    "EVADE": Price("evade", rules.EVADE_COOLDOWN, rules.EVADE_COST),
    "JUMP": Price("jump", rules.JUMP_COOLDOWN, rules.JUMP_COST),
}

MALFORMED = Conclusion("FAILURE", "UNKNOWN")
INVALID = Conclusion("FAILURE", "INVALID_STATE")
OUT_OF_PLACE = Conclusion("FAILURE", "INVALID_STATE", out_of_place=True)
COOLING = Conclusion("FAILURE", "COOLDOWN")
EXHAUSTED = Conclusion("FAILURE", "RESOURCE_EXHAUSTED")


def displacement(vector: list[float] | tuple[float, ...]) -> tuple[int, int] | None:
    """A MOVE vector, in tiles, as whole milli-tiles over the ground; None where it leads up, down or too far.

    Each component is floor(component * 1000 + 1/2), computed in doubles: the same in every implementation.

    >>> displacement([1, -0.5, 0]), displacement([0, 0, 1])
    ((1000, -500), None)
    """
    if any(abs(part) > rules.FARTHEST for part in vector):
        return None
    dx, dy, dz = (floor(float(part) * rules.TILE + 0.5) for part in vector)
    return None if dz else (dx, dy)


def refusal(name: str, actor: Actor, *, rising: bool) -> Conclusion | None:
    """Why a living actor cannot begin this intent now; None if it can. `rising`: it is about to leave the ground."""
    postures = {
        posture
        for posture, holds in ((IN_AIR, actor.air > 0 or rising), (DASHING, actor.dashing), (HOLDING, actor.holding))
        if holds
    }
    if hindrances := IMPOSSIBLE[name] & postures:
        return OUT_OF_PLACE if IN_AIR in hindrances else INVALID
    price = PRICES.get(name)
    if price is None:
        return None
    if actor.cooldowns[price.clock]:
        return COOLING
    return EXHAUSTED if actor.stamina < price.stamina else None


def pay(name: str, actor: Actor) -> None:
    """Charge the price of an action that is triggered."""
    price = PRICES[name]
    actor.stamina -= price.stamina
    actor.cooldowns[price.clock] = price.cooldown


DONE = Conclusion("SUCCESS")


@dataclass(slots=True)
class Walk:
    """The open MOVE: its destination, and whether it has moved the actor yet."""

    id: int
    x: int
    y: int
    moved: bool = False


@dataclass(slots=True)
class Dash:
    """The open EVADE: its facing, and how many of its ticks are done."""

    id: int
    facing: str
    ticks: int = 0


class Activity:
    """The open intents in the order in which they began: at most one MOVE or EVADE, and one JUMP in its first tick."""

    def __init__(self) -> None:
        self.open: dict[int, AcceptedIntent] = {}
        self.walk: Walk | None = None
        self.dash: Dash | None = None
        self.jump: int | None = None

    def advance(self, actor: Actor, ground: ArenaMap, tick: int) -> dict[int, Conclusion]:
        """Advance a living actor by one tick; how the intents end that are done with it."""
        endings: dict[int, Conclusion] = {}
        actor.rise(jumps=self.jump is not None and ground.tile(actor.x, actor.y) != BEAM)
        if self.jump is not None:
            endings[self.jump] = DONE if actor.z else Conclusion("FAILURE", "BLOCKED", wasted=True)
        if self.dash:
            self._run(self.dash, actor, ground, endings)
        elif self.walk:
            self._walk(self.walk, actor, ground, endings)
            attempt = self.open[self.walk.id]
            if self.walk.id not in endings and tick - attempt.tick >= attempt.ticks:
                endings[self.walk.id] = Conclusion("PARTIAL")
        elif actor.air:
            actor.travel(ground, actor.velocity[0], actor.velocity[1])
        else:
            actor.rest()
        return endings

    def interruption(self, id: int, reason: FailureReason) -> Conclusion:
        """How an open intent ends that is cut short; one that was paid for without any movement is wasted."""
        in_vain = id == self.jump or (self.dash is not None and id == self.dash.id and not self.dash.ticks)
        return Conclusion("PARTIAL", reason, wasted=in_vain)

    def end(self, id: int, ending: Conclusion, actor: Actor) -> AcceptedIntent:
        """Remove an intent. Its movement ends with it, unless the actor is in the air: only arrival ends that."""
        if self.jump == id:
            self.jump = None
        elif self.dash and self.dash.id == id:
            self.dash, actor.dashing = None, False
            actor.rest()
        else:
            self.walk = None
            if ending == DONE or not actor.air:
                actor.rest()
        return self.open.pop(id)

    @staticmethod
    def _run(dash: Dash, actor: Actor, ground: ArenaMap, endings: dict[int, Conclusion]) -> None:
        dx, dy = AHEAD[dash.facing]
        if actor.travel(ground, dx * DASH_SPEED, dy * DASH_SPEED):
            dash.ticks += 1
            if dash.ticks == DASH_TICKS:
                endings[dash.id] = DONE
        elif dash.ticks:
            endings[dash.id] = Conclusion("PARTIAL", "BLOCKED")
        else:
            endings[dash.id] = Conclusion("FAILURE", "BLOCKED", wasted=True)

    @staticmethod
    def _walk(walk: Walk, actor: Actor, ground: ArenaMap, endings: dict[int, Conclusion]) -> None:
        step = pace(walk.x - actor.x, walk.y - actor.y, GUARD_SPEED if actor.holding else WALK_SPEED)
        if actor.travel(ground, *step):
            walk.moved = True
            if (actor.x, actor.y) == (walk.x, walk.y):
                endings[walk.id] = DONE
        else:
            endings[walk.id] = Conclusion("PARTIAL" if walk.moved else "FAILURE", "BLOCKED")
