"""Rover-v0: the mind's constraints are the mask, and what is masked is never sent."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

from bodies.mujoco.rover_env import ACTIONS, COLUMNS, NUMBERS, RoverEnv
from tests.bodies.mujoco.rovers import WatchedRover
from volition.core.errors import InvalidInput
from volition.execution import Bridge, ExecutorServer
from volition.gym import ROVER

if TYPE_CHECKING:
    from tests.sentences import Told


def walk(env: RoverEnv, steps: int, seed: int, *, masked: bool = True) -> list[Any]:
    """What an agent by chance sees in so many steps, over as many episodes as they take."""
    chance = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    seen: list[Any] = [(observation, info)]
    for _ in range(steps):
        allowed = np.flatnonzero(info["action_mask"]) if masked else np.arange(len(ACTIONS))
        taken = env.step(chance.choice(allowed))
        seen.append(taken)
        info = taken[4]
        if taken[2] or taken[3]:
            observation, info = env.reset()
            seen.append((observation, info))
    return seen


def test_the_official_checker_is_content() -> None:
    """Gymnasium's own checker finds nothing, not even a warning, in what `make` returns."""
    with closing(gymnasium.make(f"volition.gym:{ROVER}", max_steps=10)) as env:
        check_env(env.unwrapped)


@pytest.mark.req("EX-25")
def test_same_seed_and_actions_same_episodes() -> None:
    """The same seed and actions give the same observations, rewards and infos; another seed gives others."""
    with closing(RoverEnv(max_steps=4)) as one, closing(RoverEnv(max_steps=4)) as other:
        walks = [walk(one, 10, 7), walk(other, 10, 7), walk(other, 10, 8)]
    assert data_equivalence(walks[0], walks[1], exact=True)
    assert not data_equivalence(walks[1], walks[2], exact=True)


@pytest.mark.req("EX-12")
def test_the_mask_is_what_the_constraints_veto() -> None:
    """Masked is what a constraint vetoes, which info names, or what is not on offer; to wait is always allowed."""
    with closing(RoverEnv()) as env:
        env.reset(seed=3)
        for _ in range(2):
            _, _, _, _, info = env.step(NUMBERS["move:0"])
        assert info["vetoes"]["move:0"] == ["forbidden"]
        allowed = {action for action, number in NUMBERS.items() if info["action_mask"][number]}
        assert allowed == {*ACTIONS} - info["vetoes"].keys() - {"move:goal"}
        assert (env.action_masks() == info["action_mask"].astype(bool)).all()


@pytest.mark.req("EX-12")
def test_a_masked_action_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A masked action sends nothing and says who refused it; a tick passes."""
    with closing(RoverEnv()) as env:
        _, info = env.reset(seed=3)
        monkeypatch.setattr(Bridge, "execute", None)
        for action, refused in (("move:180", ["wall"]), ("move:goal", ["not_offered"])):
            tick = info["tick"]
            _, reward, terminated, truncated, info = env.step(NUMBERS[action])
            assert (info["vetoed"], info["option"], info["label"]) == (refused, "", "")
            assert (reward, terminated, truncated, info["tick"] > tick) == (0.0, False, False, True)


@pytest.mark.req("EX-12")
def test_no_agent_enters_the_zone() -> None:
    """Whatever an agent chooses, masked or not, no part of the rover is ever in the zone."""
    rover = WatchedRover()
    with closing(RoverEnv(connecting={"executor": rover}, max_steps=40)) as env:
        walk(env, 80, 5, masked=False)
    assert rover.seen
    assert rover.inside == []


def test_the_goal_is_rewarded_and_ends_the_episode() -> None:
    """A state that shows the rover at the goal terminates the episode, with the reward of the goal."""
    with closing(RoverEnv(goal=(-1.4, 0.14))) as env:
        _, info = env.reset(seed=3)
        assert info["action_mask"][NUMBERS["move:goal"]]
        observation, reward, terminated, truncated, info = env.step(NUMBERS["move:goal"])
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["reward"]["goal"] == 1.0
    seen = dict(zip(COLUMNS, observation.tolist(), strict=True))
    assert abs(seen["goal.dx"]) < 0.02


def test_an_action_that_is_none_is_refused(told: Told) -> None:
    """A number beyond the actions is an error that says which there are; so is a step before a reset."""
    with closing(RoverEnv()) as env:
        with told.raises(InvalidInput):
            env.step(0)
        env.reset(seed=3)
        with told.raises(InvalidInput):
            env.step(18)


def test_a_rover_at_an_address() -> None:
    """The environment drives a rover in its own time too."""
    with ExecutorServer.listen("tcp://127.0.0.1:0", WatchedRover()).running() as address:  # noqa: SIM117
        with closing(RoverEnv(str(address))) as env:
            _, info = env.reset(seed=3)
            assert info["seed"] == 3
            assert env.step(NUMBERS["move:0"])[4]["label"] == "positive"
