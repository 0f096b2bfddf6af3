"""The actor's body: its state, and how it moves."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isqrt
from typing import TYPE_CHECKING, Any

from volition.execution.worlds.arena.grid import BEAM, HAZARD, WALL
from volition.execution.worlds.arena.rules import AIR_TICKS, HEALTH, RISE, STAMINA

if TYPE_CHECKING:
    from volition.execution.worlds.arena.ground import ArenaMap


@dataclass(slots=True)
class Actor:
    """The body that intents move. `air` counts the ticks since a jump left the ground; 0 is on the ground."""

    x: int
    y: int
    z: int = 0
    facing: str = "east"
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
        """Move by less than a tile, or stay where the way is closed; whether it moved. Sets the velocity."""
        free = ground.passable(self.x, self.y, dx, dy, WALL + BEAM if self.air else WALL)
        if not free:
            dx = dy = 0
        self.x += dx
        self.y += dy
        self.velocity = (dx, dy, self.velocity[2])
        return free

    def rest(self) -> None:
        """Lose all horizontal speed; a fall continues."""
        self.velocity = (0, 0, self.velocity[2])

    def rise(self, *, jumps: bool) -> None:
        """One tick of vertical motion: a jump begins, continues or lands; on the ground nothing happens."""
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
            "facing": self.facing,
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


def pace(dx: int, dy: int, speed: int) -> tuple[int, int]:
    """The first step of a straight way: 1/n of it, n the least number of ticks that the way takes.

    >>> pace(500, 0, 200), pace(100, 0, 200), pace(-300, 400, 250)
    ((166, 0), (100, 0), (-150, 200))
    """
    square = dx * dx + dy * dy
    if square <= speed * speed:
        return dx, dy
    ticks = isqrt(square - 1) // speed + 1
    return dx // ticks, dy // ticks
