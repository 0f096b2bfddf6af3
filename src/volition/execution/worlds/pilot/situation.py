"""What a pilot knows at one moment: its body, the opponent, the ground, and what its body can do.

Everything here comes from one state, and nothing from what was requested. There are no cooldowns: the executor decides
whether an action is ready.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import hypot
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.execution.worlds.pilot.ground import Ground, Place


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the pilot may rely on about its body, in tiles and shares of its stamina; None is unknown.

    `speed` is in tiles per tick. `evade` is how far an EVADE carries, straight away from the opponent along one axis;
    where it is unknown the pilot never evades near a hazard. `leap` is the minimal distance that a body that has just
    left the ground travels before it lands.
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

    `flight` is how far it will still travel before it lands, in tiles; 0 on the ground or where that is unknown.
    `sliding`: it moves although it is on the ground.
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
    """The opponent. `reach` is that of its blow.

    `blow_in`: ticks until a visible blow lands, or None. `harmless`: it cannot strike for a while.
    """

    place: Place
    alive: bool = True
    health: float = 1.0
    reach: float = 1.2
    blow_in: int | None = None
    harmless: bool = False


@dataclass(frozen=True, slots=True)
class PilotSituation:
    """One state as the pilot understands it; `ground` is None where the map is unknown."""

    seq: int
    tick: int
    episode: int
    me: Me
    foe: Foe | None = None
    ground: Ground | None = None
    abilities: Abilities = field(default_factory=Abilities)


def distance(one: Place, other: Place) -> float:
    """The distance between two places.

    >>> distance((0.0, 0.0), (3.0, 4.0))
    5.0
    """
    return hypot(one[0] - other[0], one[1] - other[1])
