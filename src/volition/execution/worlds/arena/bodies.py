"""The two bodies: the actor, which intents move, and the opponent, which moves by itself.

The opponent is in one of five modes. `patrol`: it walks straight ahead until it sees the actor. `chase`: it sees the actor
and approaches, and is back in `patrol` once it does not. `windup`: it is near enough, and strikes when its timer is over;
a strike lands only if the actor is still near and does not dash. `recover`: after every strike, until its timer is over;
then `patrol`. `down`: it has no health left, which may happen in any mode; another opponent takes its place when the timer
is over. Chance decides where a patrol turns and how long a recovery takes.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

from msgspec import Struct, field

from volition.execution.worlds.arena import rules
from volition.execution.worlds.arena.ground import BEAM, HAZARD, WALL
from volition.execution.worlds.arena.rules import (
    AHEAD,
    AIR_TICKS,
    FACINGS,
    HEALTH,
    PATROL_TURN,
    RECOVERY,
    RISE,
    STAMINA,
    draw,
    facing_of,
)

if TYPE_CHECKING:
    from volition.execution.worlds.arena.ground import ArenaMap


class Actor(Struct):
    """The body that intents move, with the fields that a state shows. It is alive while it has health.

    `air` counts the ticks since a jump left the ground; 0 is on the ground.
    """

    x: int
    y: int
    z: int = 0
    facing: str = "east"
    velocity: list[int] = field(default_factory=lambda: [0, 0, 0])
    alive: bool = True
    health: int = HEALTH
    stamina: int = STAMINA
    holding: bool = False
    dashing: bool = False
    air: int = 0
    cooldowns: dict[str, int] = field(default_factory=lambda: {"attack": 0, "evade": 0, "jump": 0})
    damage_dealt: int = 0
    damage_received: int = 0

    def hurt(self, damage: int) -> None:
        """Lose health, never more than there is."""
        lost = min(damage, self.health)
        self.health -= lost
        self.alive = self.health > 0
        self.damage_received += lost

    def travel(self, ground: ArenaMap, dx: int, dy: int) -> bool:
        """Move by less than a tile, or stay where the way is closed; whether it moved. Sets the velocity."""
        free = ground.passable(self.x, self.y, dx, dy, WALL + BEAM if self.air else WALL)
        if not free:
            dx = dy = 0
        self.x += dx
        self.y += dy
        self.velocity = [dx, dy, self.velocity[2]]
        return free

    def rest(self) -> None:
        """Lose all horizontal speed; a fall continues."""
        self.velocity = [0, 0, self.velocity[2]]

    def rise(self, *, jumps: bool) -> None:
        """One tick of vertical motion: a jump begins, continues or lands; on the ground nothing happens."""
        if self.air or jumps:
            self.air = (self.air + 1) % AIR_TICKS
        height = RISE * self.air * (AIR_TICKS - self.air)
        self.velocity = [self.velocity[0], self.velocity[1], height - self.z]
        self.z = height

    def in_hazard(self, ground: ArenaMap) -> bool:
        return not self.air and ground.tile(self.x, self.y) == HAZARD


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


PATROL, CHASE, WINDUP, RECOVER, DOWN = "patrol", "chase", "windup", "recover", "down"


class Opponent(Struct):
    """The other body, with the fields that a state shows. `timer` is the rest of a windup, a recovery or a defeat, in ticks."""

    x: int
    y: int
    facing: str = "west"
    velocity: list[int] = field(default_factory=lambda: [0, 0])
    alive: bool = True
    health: int = HEALTH
    mode: str = PATROL
    timer: int = 0

    def hurt(self, damage: int) -> int:
        """Lose health, never more than there is; the health lost."""
        lost = min(damage, self.health)
        self.health -= lost
        self.alive = self.health > 0
        if not self.alive:
            self.mode, self.timer, self.velocity = DOWN, rules.RETURN_TICKS, [0, 0]
        return lost

    def act(self, ground: ArenaMap, actor: Actor, seed: int, tick: int) -> None:
        """One tick of a living opponent; a strike that lands hurts the actor."""
        self.velocity = [0, 0]
        if self.mode in {WINDUP, RECOVER}:
            self._wait(ground, actor, seed, tick)
            return
        dx, dy = actor.x - self.x, actor.y - self.y
        if not (actor.alive and self._reaches(ground, actor, rules.SIGHT)):
            self.mode = PATROL
            self._patrol(ground, seed, tick)
        elif dx * dx + dy * dy <= rules.STRIKE_FROM * rules.STRIKE_FROM:
            self.mode, self.timer, self.facing = WINDUP, rules.WINDUP_TICKS, facing_of(dx, dy)
        else:
            self.mode = CHASE
            self._chase(ground, dx, dy)

    def _wait(self, ground: ArenaMap, actor: Actor, seed: int, tick: int) -> None:
        self.timer -= 1
        if self.timer:
            return
        if self.mode == RECOVER:
            self.mode = PATROL
            return
        if actor.alive and not actor.dashing and self._reaches(ground, actor, rules.STRIKE_REACH):
            actor.hurt(rules.GUARDED_DAMAGE if actor.holding else rules.STRIKE_DAMAGE)
        self.mode = RECOVER
        self.timer = rules.RECOVER_TICKS + draw(seed, tick, RECOVERY, rules.RECOVER_SPREAD)

    def _patrol(self, ground: ArenaMap, seed: int, tick: int) -> None:
        """Straight ahead; where that is closed, the first open way to the right of a random one."""
        drawn = draw(seed, tick, PATROL_TURN, 4)
        for facing in (self.facing, *(FACINGS[(drawn + turn) % 4] for turn in range(4))):
            dx, dy = AHEAD[facing]
            if self._step(ground, facing, dx * rules.PATROL_SPEED, dy * rules.PATROL_SPEED):
                return

    def _chase(self, ground: ArenaMap, dx: int, dy: int) -> None:
        """Along the longer axis, or the other one where that is closed."""
        along_x = (max(-rules.CHASE_SPEED, min(rules.CHASE_SPEED, dx)), 0)
        along_y = (0, max(-rules.CHASE_SPEED, min(rules.CHASE_SPEED, dy)))
        for step in (along_x, along_y) if abs(dx) >= abs(dy) else (along_y, along_x):
            if step != (0, 0) and self._step(ground, facing_of(*step), *step):
                return

    def _step(self, ground: ArenaMap, facing: str, dx: int, dy: int) -> bool:
        if not ground.passable(self.x, self.y, dx, dy, WALL + HAZARD):
            return False
        self.x += dx
        self.y += dy
        self.facing, self.velocity = facing, [dx, dy]
        return True

    def _reaches(self, ground: ArenaMap, actor: Actor, reach: int) -> bool:
        dx, dy = actor.x - self.x, actor.y - self.y
        return dx * dx + dy * dy <= reach * reach and ground.clear(self.x, self.y, actor.x, actor.y)
