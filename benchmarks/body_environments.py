"""What the contract costs in bodies: steps per second of a learner's environments, and the round trip of an intent.

Rover-v0 and Arena-v0 are measured beside a bare loop over the same physics: a Gymnasium environment without bridge, vetoes
and records. There are no bars: the physics decides.

The rover and the Minestom yard are measured as processes, over a socket and in real time: how long an intent takes that needs
no time itself, beside one tick of the same world in the same run. Minestom reads intents once a tick, so that the bar is a
tick and a half; the rover answers at once. Without Java 25 or the built server the yard is left out, and the benchmark says so.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from rows import Row, interleaved, options, ratio, show, timed

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bodies.mujoco.rover import Rover
from bodies.mujoco.rover_env import ACTIONS, RoverEnv
from bodies.mujoco.rover_mind import STRIDES
from volition.core.errors import MissingPart
from volition.execution import Move, connect
from volition.execution.wire.session.incoming import IncomingIntent
from volition.execution.worlds import minestom
from volition.execution.worlds.arena import Arena, shipped_map
from volition.gym import OPTIONS, ArenaEnv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from volition.execution import Bridge, Outcome

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
        vector = STRIDES.get(ACTIONS[action], (0.0, 0.0))
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


@contextmanager
def served(command: Sequence[str]) -> Iterator[Bridge]:
    """A bridge to a body that is a process, which prints its address first."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            with connect(process.stdout.readline().strip()) as body:
                yield body
        finally:
            process.kill()


def measure_round_trips(name: str, body: Bridge, ask: Callable[[], Outcome], rounds: int) -> list[Row]:
    """What an intent takes that ends at once, and what a tick of the same world takes."""

    def ask_once() -> None:
        assert ask().status == "SUCCESS"

    cases: dict[str, Callable[[], object]] = {
        f"{name}, an intent and its result": ask_once,
        f"{name}, a tick": partial(body.next_state, 10.0),
    }
    intent, tick = interleaved(cases, rounds, times=20).items()
    beside = ratio(f"{name}, an intent beside a tick", intent[1], tick[1], at_most=1.5)
    return [timed(*intent), timed(*tick), beside]


def measure_processes(rounds: int) -> list[Row]:
    """The rows of the rover and, where it can run, of the yard."""
    with served([sys.executable, "-m", "volition.cli", "body", "mujoco"]) as body:
        rows = measure_round_trips("rover", body, lambda: body.execute("STOP", deadline=10.0), rounds)
    try:
        minestom.find_java()
    except MissingPart as error:
        print(f"Minestom: SKIPPED, NOT MEASURED: {error.problems[0].what}; make minestom gets it", file=sys.stderr)
        return rows
    if minestom.find_built() is None:
        print("Minestom: SKIPPED, NOT MEASURED: it is not built; make minestom builds it", file=sys.stderr)
        return rows
    with served(minestom.server_command()) as body:
        look = {"at": [1.5, 1.5]}
        return rows + measure_round_trips("Minestom", body, lambda: body.execute("LOOK", look, deadline=10.0), rounds)


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
    rows += measure_processes(3 if given.quick else 15)
    return show("Bodies", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
