"""The opponent: it patrols until it sees the actor, chases it, winds up, strikes and recovers.

Chance decides where a patrol turns and how long a recovery takes; `tick` counts from when the seed was set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from volition.execution.worlds.arena import rules
from volition.execution.worlds.arena.chance import PATROL_TURN, RECOVERY, draw
from volition.execution.worlds.arena.facing import AHEAD, FACINGS, facing_of
from volition.execution.worlds.arena.grid import HAZARD, WALL

if TYPE_CHECKING:
    from volition.execution.worlds.arena.bodies import Actor
    from volition.execution.worlds.arena.ground import ArenaMap

PATROL, CHASE, WINDUP, RECOVER, DOWN = "patrol", "chase", "windup", "recover", "down"


@dataclass(slots=True)
class Opponent:
    """The other body. `timer` is the rest of a windup, a recovery or a defeat, in ticks."""

    x: int
    y: int
    facing: str = "west"
    velocity: tuple[int, int] = (0, 0)
    health: int = rules.HEALTH
    mode: str = PATROL
    timer: int = 0

    @property
    def alive(self) -> bool:
        return self.health > 0

    def hurt(self, damage: int) -> int:
        """Lose health, never more than there is; the health lost."""
        lost = min(damage, self.health)
        self.health -= lost
        if not self.health:
            self.mode, self.timer, self.velocity = DOWN, rules.RETURN_TICKS, (0, 0)
        return lost

    def act(self, ground: ArenaMap, actor: Actor, seed: int, tick: int) -> None:
        """One tick of a living opponent; a strike that lands hurts the actor."""
        self.velocity = (0, 0)
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
        self.facing, self.velocity = facing, (dx, dy)
        return True

    def _reaches(self, ground: ArenaMap, actor: Actor, reach: int) -> bool:
        dx, dy = actor.x - self.x, actor.y - self.y
        return dx * dx + dy * dy <= reach * reach and ground.clear(self.x, self.y, actor.x, actor.y)

    def to_data(self) -> dict[str, Any]:
        return {
            "x": self.x,
            "y": self.y,
            "facing": self.facing,
            "velocity": list(self.velocity),
            "alive": self.alive,
            "health": self.health,
            "mode": self.mode,
            "timer": self.timer,
        }
