"""The rules of the arena that are numbers and tables: constants, the four facings, and chance.

Lengths are milli-tiles (1000 to a tile), times are ticks, everything is an integer; x grows to the east and y to the
south. `RULES_VERSION` changes with every change of a number here or of a rule of the arena, and so does the golden trace.
All implementations of the arena share these rules.

Chance: each draw is a pure function of the seed, the tick and what it decides. Ticks are counted since the seed was set,
so an arena that is reset to a seed draws what a new one would. No draw depends on another one: an opponent that strikes
once more turns its patrols as before.
"""

from __future__ import annotations

from typing import Final

from volition.core.chance import stream

RULES_VERSION = 3

TILE = 1000
TICK_MS = 50
LARGEST_MAP = 64
"""Tiles along either side of a map."""
FARTHEST = 1000
"""Tiles: a larger component of a MOVE vector leads off any map."""
LARGEST_SEED = 2**53 - 1

HEALTH = 100
STAMINA = 100

WALK_SPEED = 200
GUARD_SPEED = 100
"""Milli-tiles per tick of a MOVE, without and with HOLD."""
MOVE_HORIZON = 40

ATTACK_REACH = 1500
ATTACK_DAMAGE = 25
ATTACK_COST = 20
ATTACK_COOLDOWN = 10

DASH_SPEED = 400
DASH_TICKS = 3
EVADE_COST = 30
EVADE_COOLDOWN = 20

AIR_TICKS = 8
RISE = 50
"""Height in tick k of a jump: RISE * k * (AIR_TICKS - k)."""
JUMP_COST = 15
JUMP_COOLDOWN = 10

HAZARD_DAMAGE = 2
"""Health lost in every tick that ends with the actor on the ground of a hazard."""
DOWN_TICKS = 20
"""From the actor's death to the next episode."""

PATROL_SPEED = 100
CHASE_SPEED = 150
SIGHT = 6000
STRIKE_FROM = 1000
"""The opponent winds up at this distance or less."""
STRIKE_REACH = 1200
"""The strike lands if the actor is still this close."""
STRIKE_DAMAGE = 20
GUARDED_DAMAGE = 5
WINDUP_TICKS = 6
RECOVER_TICKS = 11
RECOVER_SPREAD = 8
"""A recovery takes RECOVER_TICKS, and chance adds less than RECOVER_SPREAD."""
RETURN_TICKS = 60
"""From the opponent's defeat to its return."""

SIGHT_PARTS = 32
"""A line of sight is sampled in this many parts."""

AHEAD: Final[dict[str, tuple[int, int]]] = {"east": (1, 0), "south": (0, 1), "west": (-1, 0), "north": (0, -1)}
"""A unit step in each facing."""
FACINGS: Final = tuple(AHEAD)
"""Each facing is a quarter turn to the right of the one before."""


def facing_of(dx: float, dy: float) -> str:
    """The facing of a vector: that of its longer component, and of x where both are equally long.

    >>> facing_of(-3, 3), facing_of(1, -2)
    ('west', 'north')
    """
    if abs(dx) >= abs(dy):
        return "east" if dx >= 0 else "west"
    return "south" if dy > 0 else "north"


def opposite(facing: str) -> str:
    """The facing behind a body.

    >>> opposite("east")
    'west'
    """
    return FACINGS[(FACINGS.index(facing) + 2) % 4]


def is_ahead(facing: str | None, dx: float, dy: float) -> bool:
    """Whether a vector points into the quarter that a body faces; never true of an unknown facing.

    >>> is_ahead("east", 2, 2), is_ahead("east", 2, 3), is_ahead(None, 1, 0)
    (True, False, False)
    """
    if facing is None or facing not in AHEAD:
        return False
    x, y = AHEAD[facing]
    return abs(dx * y) + abs(dy * x) <= dx * x + dy * y


PATROL_TURN: Final = 0
RECOVERY: Final = 1
ACTOR_START: Final = 2
OPPONENT_START: Final = 3
"""What is drawn; the numbers are part of the rules."""


def draw(seed: int, tick: int, purpose: int, count: int) -> int:
    """One of the numbers below `count`, all equally likely: the upper 32 bits of the stream, scaled.

    >>> [draw(7, tick, PATROL_TURN, 4) for tick in range(6)]
    [1, 0, 2, 1, 0, 1]
    """
    return (stream(seed, tick, 0, purpose) >> 32) * count >> 32
