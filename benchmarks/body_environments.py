"""What the contract costs a learner: steps per second of Rover-v0 and Arena-v0 beside a bare loop over the same physics.

The bare loop is a Gymnasium environment without bridge, vetoes and records: the same actions at the same physics, nothing
else. Cases run in interleaved rounds of the same run. There are no bars: the physics decides.
"""

from __future__ import annotations

import sys
from math import inf
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from rows import Row, interleaved, options, show

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bodies.mujoco.rover import Rover
from bodies.mujoco.rover_env import ACTIONS, RoverEnv
from bodies.mujoco.rover_mind import headings
from volition.execution import Move
from volition.execution.wire.session.incoming import IncomingIntent
from volition.execution.worlds.arena import Arena, shipped_map
from volition.gym import OPTIONS, ArenaEnv

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEED = 3


class BareRover(gymnasium.Env[Any, Any]):
    """The rover alone: a step begins a MOVE and lets ticks pass until it has ended."""

    def __init__(self) -> None:
        self.action_space, self.observation_space = Discrete(len(ACTIONS)), Box(-np.inf, np.inf, (2,))
        self.rover, self.number, self.began = Rover(), 0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.rover.reset(seed or 0)
        self.began = self.rover.tick
        return np.array(self.rover.place), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.number += 1
        vector = headings().get(ACTIONS[action], (0.0, 0.0))
        self.rover.attempt(IncomingIntent(self.number, Move((*vector, 0.0)), None, None, inf, 6000))
        while not self.rover.step():
            pass
        return np.array(self.rover.place), 0.0, False, False, {"tick": self.rover.tick - self.began}


class BareArena(gymnasium.Env[Any, Any]):
    """The arena alone: a step begins an attempt and lets ticks pass until it has ended."""

    def __init__(self) -> None:
        self.action_space, self.observation_space = Discrete(len(OPTIONS)), Box(-np.inf, np.inf, (2,))
        self.arena, self.number, self.began = Arena(shipped_map("courtyard")), 0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.arena.reset(seed or 0)
        self.began = self.arena.tick
        return self._place(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.number += 1
        report = self.arena.attempt("MOVE", {"vector": [0.5 - action % 2, 0.0, 0.0]}, self.number, ticks=50)
        while not report.results:
            report = self.arena.step()
        return self._place(), 0.0, False, False, {"tick": self.arena.tick - self.began}

    def _place(self) -> Any:
        actor = self.arena.state(full=False)["actor"]
        return np.array([actor["x"], actor["y"]])


def episodes(env: gymnasium.Env[Any, Any], actions: Sequence[int]) -> Callable[[], None]:
    """One episode of these actions."""

    def run() -> None:
        env.reset(seed=SEED)
        for action in actions:
            env.step(action)

    return run


def ticks_of(case: tuple[gymnasium.Env[Any, Any], list[int]]) -> int:
    """How many ticks of its world an episode of a case takes."""
    env, actions = case
    env.reset(seed=SEED)
    tick = 0
    for action in actions:
        tick = env.step(action)[4]["tick"]
    return tick


def main() -> int:
    given = options(__doc__)
    there_and_back = [1, 9] * 10
    east, west = OPTIONS.index("move:east:0.5"), OPTIONS.index("move:west:0.5")
    swaying = [east, west] * 10
    envs: dict[str, tuple[gymnasium.Env[Any, Any], list[int]]] = {
        "Rover-v0": (RoverEnv(max_steps=None), there_and_back),
        "rover, bare": (BareRover(), there_and_back),
        "Arena-v0": (ArenaEnv(max_steps=None), swaying),
        "arena, bare": (BareArena(), [0, 1] * 10),
    }
    assert ticks_of(envs["Rover-v0"]) == ticks_of(envs["rover, bare"]), "not the same physics"
    assert ticks_of(envs["Arena-v0"]) == ticks_of(envs["arena, bare"]), "not the same physics"
    cases = {name: episodes(env, actions) for name, (env, actions) in envs.items()}
    rounds = interleaved(cases, 3 if given.quick else 15, clock=process_time)
    rows = [Row(name, round(20 / median(seconds)), "steps/s") for name, seconds in rounds.items()]
    for ours, bare in (("Rover-v0", "rover, bare"), ("Arena-v0", "arena, bare")):
        rows.append(Row(f"{ours} beside {bare}", round(median(rounds[ours]) / median(rounds[bare]), 2), "x its time"))
    return show("Bodies as environments", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
