"""The two bodies in an arena: what is true of each, and how its legs carry it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isqrt
from typing import TYPE_CHECKING, Any

from volition.execution.arena.ground import BEAM, HAZARD, WALL
from volition.execution.arena.rules import AIR_TICKS, HEALTH, RISE, STAMINA, TILE

if TYPE_CHECKING:
    from volition.execution.arena.ground import ArenaMap

EAST, SOUTH, WEST, NORTH = range(4)
FACINGS = ("east", "south", "west", "north")
DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""A unit step in each of FACINGS; a turn to the right is the next one."""


@dataclass(slots=True)
class Actor:
    """The body that intents move. `air` counts the ticks since a jump left the ground; 0 is on the ground."""

    x: int
    y: int
    z: int = 0
    facing: int = EAST
    velocity: tuple[int, int, int] = (0, 0, 0)
    health: int = HEALTH
    stamina: int = STAMINA
    holding: bool = False
    dashing: bool = False
    air: int = 0
    cooldowns: dict[str, int] = field(default_factory=lambda: {"attack": 0, "evade": 0, "jump": 0})
    damage_dealt: int = 0
    damage_received: int = 0

    @property
    def alive(self) -> bool:
        return self.health > 0

    def hurt(self, damage: int) -> None:
        """Lose health, never more than there is."""
        lost = min(damage, self.health)
        self.health -= lost
        self.damage_received += lost

    def travel(self, ground: ArenaMap, dx: int, dy: int) -> bool:
        """Move by less than a tile, or stay where the way is closed; whether it moved as told. Sets the velocity."""
        free = ground.passable(self.x, self.y, dx, dy, WALL + BEAM if self.air else WALL)
        if not free:
            dx = dy = 0
        self.x += dx
        self.y += dy
        self.velocity = (dx, dy, self.velocity[2])
        return free

    def rest(self) -> None:
        """Lose all speed over the ground; falling goes on."""
        self.velocity = (0, 0, self.velocity[2])

    def rise(self, *, jumps: bool) -> None:
        """One tick up and down: a jump begins, goes on or lands; on the ground nothing happens."""
        if self.air or jumps:
            self.air = (self.air + 1) % AIR_TICKS
        height = RISE * self.air * (AIR_TICKS - self.air)
        self.velocity = (self.velocity[0], self.velocity[1], height - self.z)
        self.z = height

    def in_hazard(self, ground: ArenaMap) -> bool:
        return not self.air and ground.tile(self.x, self.y) == HAZARD

    def to_data(self) -> dict[str, Any]:
        return {
            "x": self.x,
            "y": self.y,
            "z": self.z,
            "facing": FACINGS[self.facing],
            "velocity": list(self.velocity),
            "alive": self.alive,
            "health": self.health,
            "stamina": self.stamina,
            "holding": self.holding,
            "dashing": self.dashing,
            "air": self.air,
            "cooldowns": dict(self.cooldowns),
            "damage_dealt": self.damage_dealt,
            "damage_received": self.damage_received,
        }


def centre(tile: tuple[int, int]) -> tuple[int, int]:
    """The place in the middle of a tile."""
    return tile[0] * TILE + TILE // 2, tile[1] * TILE + TILE // 2


def toward(dx: int, dy: int) -> int:
    """The direction of a vector: that of its longer part, and of x where they are equal.

    >>> FACINGS[toward(-3, 3)], FACINGS[toward(1, -2)]
    ('west', 'north')
    """
    if abs(dx) >= abs(dy):
        return EAST if dx >= 0 else WEST
    return SOUTH if dy > 0 else NORTH


def pace(dx: int, dy: int, speed: int) -> tuple[int, int]:
    """The first step of a straight way: a share of one in n, n the least number of ticks that the way takes.

    >>> pace(500, 0, 200), pace(100, 0, 200), pace(-300, 400, 250)
    ((166, 0), (100, 0), (-150, 200))
    """
    square = dx * dx + dy * dy
    if square <= speed * speed:
        return dx, dy
    ticks = isqrt(square - 1) // speed + 1
    return dx // ticks, dy // ticks
