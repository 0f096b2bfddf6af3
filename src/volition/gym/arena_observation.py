"""The observation of Arena-v0: the state of an arena as a row of numbers from -1 to 1, each with a name.

Places are relative to the actor, so that a policy need not learn every corner of a map; the ground is what lies in the
square of SIDE x SIDE tiles around it. Everything is in the state that the executor sends, and nothing is guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from gymnasium.spaces import Box

from volition.execution.worlds.arena import rules
from volition.execution.worlds.arena.bodies import CHASE, DOWN, PATROL, RECOVER, WINDUP
from volition.execution.worlds.arena.ground import BEAM, HAZARD, WALL
from volition.execution.worlds.arena.rules import AHEAD
from volition.execution.worlds.pilot import Spot
from volition.execution.worlds.pilot.ground import tile_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from volition.execution.worlds.pilot.ground import Ground
    from volition.execution.worlds.pilot.judge import Goal
    from volition.execution.worlds.pilot.situation import PilotSituation

SIDE: Final = 7
"""Tiles along a side of the square of ground that is seen."""
_NEAR: Final = SIDE // 2
_MODES: Final = (PATROL, CHASE, WINDUP, RECOVER, DOWN)
_SPAN: Final = rules.LARGEST_MAP * rules.TILE
_CLOCKS: Final = {
    "attack": rules.ATTACK_COOLDOWN,
    "evade": rules.EVADE_COOLDOWN,
    "jump": rules.JUMP_COOLDOWN,
}
_KINDS: Final = {"wall": WALL, "hazard": HAZARD, "beam": BEAM}

COLUMNS: Final = (
    *("actor.x", "actor.y", "actor.z", "actor.velocity.x", "actor.velocity.y"),
    *("actor.alive", "actor.health", "actor.stamina", "actor.holding", "actor.dashing", "actor.air"),
    *(f"actor.facing.{facing}" for facing in AHEAD),
    *(f"actor.cooldown.{clock}" for clock in _CLOCKS),
    *("opponent.dx", "opponent.dy", "opponent.velocity.x", "opponent.velocity.y", "opponent.alive", "opponent.health"),
    *(f"opponent.facing.{facing}" for facing in AHEAD),
    *(f"opponent.mode.{mode}" for mode in _MODES),
    "opponent.timer",
    *("goal.dx", "goal.dy", "ground.known"),
    *(
        f"ground.{kind}.{dx:+d}{dy:+d}"
        for kind in _KINDS
        for dy in range(-_NEAR, _NEAR + 1)
        for dx in range(-_NEAR, _NEAR + 1)
    ),
)
"""The name of each number of an observation; docs/gym.md says what it means."""


def arena_space() -> Box:
    """The space of the observations of an arena."""
    return Box(-1.0, 1.0, (len(COLUMNS),), np.float32)


def observe_arena(data: Any, situation: PilotSituation, goal: Goal) -> NDArray[np.float32]:
    """The observation of an arena's state, whose perception is `situation`.

    Lengths are shares of the largest map (64 tiles), speeds of the fastest body, clocks of their longest time.
    """
    actor, opponent = data["actor"], data["opponent"]
    x, y = actor["x"], actor["y"]
    to = (
        (round(goal.x * rules.TILE), round(goal.y * rules.TILE))
        if isinstance(goal, Spot)
        else (opponent["x"], opponent["y"])
    )
    row = [
        x / _SPAN,
        y / _SPAN,
        actor["z"] / rules.TILE,
        actor["velocity"][0] / rules.DASH_SPEED,
        actor["velocity"][1] / rules.DASH_SPEED,
        actor["alive"],
        actor["health"] / rules.HEALTH,
        actor["stamina"] / rules.STAMINA,
        actor["holding"],
        actor["dashing"],
        actor["air"] / rules.AIR_TICKS,
        *(actor["facing"] == facing for facing in AHEAD),
        *(actor["cooldowns"][clock] / longest for clock, longest in _CLOCKS.items()),
        (opponent["x"] - x) / _SPAN,
        (opponent["y"] - y) / _SPAN,
        opponent["velocity"][0] / rules.DASH_SPEED,
        opponent["velocity"][1] / rules.DASH_SPEED,
        opponent["alive"],
        opponent["health"] / rules.HEALTH,
        *(opponent["facing"] == facing for facing in AHEAD),
        *(opponent["mode"] == mode for mode in _MODES),
        opponent["timer"] / rules.RETURN_TICKS,
        (to[0] - x) / _SPAN,
        (to[1] - y) / _SPAN,
        situation.ground is not None,
    ]
    seen = np.zeros(len(COLUMNS), dtype=np.float32)
    seen[: len(row)] = row
    if situation.ground is not None:
        seen[len(row) :] = _ground_around(situation.ground, *tile_of(situation.me.place))
    return np.clip(seen, -1.0, 1.0)


def _ground_around(ground: Ground, column: int, row: int) -> list[bool]:
    """For each kind of tile, row by row: which tiles of the square around one are of this kind; beyond the edge is wall."""
    around = range(-_NEAR, _NEAR + 1)
    tiles = [ground.kind((column + dx, row + dy)) for dy in around for dx in around]
    return [tile == kind for kind in _KINDS.values() for tile in tiles]
