"""What a pilot knows at one moment: its own body, the opponent, the ground, and what its body can do.

Everything here comes from one state; nothing is assumed from what was asked for. There is no cooldown in it: whether
an action is ready is for the executor to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import hypot
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.execution.pilot.ground import Ground, Place

EAST, SOUTH, WEST, NORTH = "east", "south", "west", "north"
AHEAD: Mapping[str, tuple[int, int]] = {EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0), NORTH: (0, -1)}
"""A unit step in each facing; y grows to the south."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the pilot may count on about its own body, in tiles and shares of its strength; None is not known.

    `speed` is in tiles a tick of the world. `evade` is how far an EVADE carries, straight away from the opponent along
    one axis; where it is not known the pilot never evades near anything that it fears. `leap` is how far a body that
    has just left the ground is carried on before it lands, at its least.
    """

    reach: float = 1.5
    speed: float = 0.2
    guarded_speed: float = 0.1
    evade: float | None = None
    leap: float | None = None
    costs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Me:
    """The pilot's own body. `health` and `stamina` are shares from 0 to 1.

    `flight` is how far it will still be carried before it lands, in tiles; 0 on the ground, and 0 where that is not
    known. `sliding`: it moves although it is on the ground.
    """

    place: Place
    alive: bool = True
    health: float = 1.0
    stamina: float = 1.0
    facing: str | None = None
    holding: bool = False
    in_air: bool = False
    busy: bool = False
    flight: float = 0.0
    sliding: bool = False


@dataclass(frozen=True, slots=True)
class Foe:
    """The opponent. `reach` is how far its blow carries.

    `blow_in`: ticks until a blow falls that can be seen coming, or None. `harmless`: it cannot strike for a while.
    """

    place: Place
    alive: bool = True
    health: float = 1.0
    reach: float = 1.2
    blow_in: int | None = None
    harmless: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """One state as the pilot understands it; `ground` is None where no map is known."""

    seq: int
    tick: int
    episode: int
    me: Me
    foe: Foe | None = None
    ground: Ground | None = None
    abilities: Abilities = field(default_factory=Abilities)


def distance(one: Place, other: Place) -> float:
    """How far two places are apart.

    >>> distance((0.0, 0.0), (3.0, 4.0))
    5.0
    """
    return hypot(one[0] - other[0], one[1] - other[1])


def direction(dx: float, dy: float) -> str:
    """The facing of a vector: that of its longer part, and of x where they are equal.

    >>> direction(-3, 3), direction(1, -2)
    ('west', 'north')
    """
    if abs(dx) >= abs(dy):
        return EAST if dx >= 0 else WEST
    return SOUTH if dy > 0 else NORTH


def is_ahead(facing: str | None, place: Place, target: Place) -> bool:
    """Whether a target lies in the quarter that a body faces; a facing that is not known never does."""
    if facing is None or facing not in AHEAD:
        return False
    x, y = AHEAD[facing]
    dx, dy = target[0] - place[0], target[1] - place[1]
    return abs(dx * y) + abs(dy * x) <= dx * x + dy * y
