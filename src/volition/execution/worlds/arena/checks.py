"""What is checked before an intent begins: its parameters, the actor's posture, cooldown and stamina."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

from volition.execution.worlds.arena import rules
from volition.execution.worlds.arena.outcome import Conclusion

if TYPE_CHECKING:
    from volition.execution.worlds.arena.bodies import Actor

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


@dataclass(frozen=True, slots=True)
class Price:
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
