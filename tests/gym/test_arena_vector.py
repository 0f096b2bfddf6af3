"""Arena-v0 for many bodies: one fleet does what as many single environments do."""

from __future__ import annotations

from contextlib import closing
from itertools import combinations
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.utils.passive_env_checker import data_shares_objects
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from tests.gym.test_arena_env import arena_at_a_socket
from tests.gym.walks import action, draw
from volition.core.errors import InvalidInput
from volition.execution import Fleet
from volition.gym import ARENA, ArenaVector

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv

    from tests.sentences import Told

BODIES = 3


def steps_of(mode: str, count: int) -> list[Any]:
    """What a vector of three bodies returns, for drawn actions of which some are masked; episodes end after 12 steps."""
    env: VectorEnv[Any, Any, Any] = gymnasium.make_vec(ARENA, BODIES, mode, max_steps=12, map="foundry")
    chance = np.random.default_rng(3)
    with closing(env):
        seen: list[Any] = [env.reset(seed=5)]
        for _ in range(count):
            masks = seen[-1][-1]["action_mask"]
            seen.append(env.step(np.array([draw(chance, mask, masked=0.2) for mask in masks])))
    return seen


@pytest.mark.req("EX-25")
def test_a_fleet_does_what_single_bodies_do() -> None:
    """The same seeds and actions give the observations, rewards, ends and infos of single environments, to the bit and
    over episodes that begin again by themselves."""
    single, together = steps_of("sync", 30), steps_of("vector_entry_point", 30)
    for step, (one, other) in enumerate(zip(single, together, strict=True)):
        assert data_equivalence(one, other, exact=True), f"step {step}"
    assert sum(step[3].sum() for step in together[1:]) == 2 * BODIES


def test_one_call_for_all_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step sends the intents of all bodies in one call of their fleet, and none for those that wait."""
    calls: list[list[str]] = []
    execute = Fleet.execute

    def record(fleet: Fleet, intents: Any, **more: Any) -> Any:
        calls.append([*intents])
        return execute(fleet, intents, **more)

    monkeypatch.setattr(Fleet, "execute", record)
    with closing(ArenaVector(BODIES)) as env:
        env.reset(seed=1)
        env.step(np.array([action("jump"), action("wait"), action("move:east:1")]))
        env.step(np.array([action("wait")] * BODIES))
    assert calls == [["0", "2"]]


def test_conventions_of_vectors() -> None:
    """The autoreset mode is declared, spaces are batched, data is never reused, and Gymnasium's vector wrappers fit."""
    env = gymnasium.make_vec(ARENA, BODIES, max_steps=4)
    assert isinstance(env, ArenaVector)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    calls = [env.reset(seed=2), env.step(env.action_space.sample())[::4], env.step(env.action_space.sample())[::4]]
    assert not any(data_shares_objects(*pair) for pair in combinations(calls, 2))
    wrapped = RecordEpisodeStatistics(env)
    observations, infos = wrapped.reset(seed=2)
    assert observations in env.observation_space
    assert infos["seed"].tolist() == [2, 3, 4]
    for _ in range(4):
        *_, truncations, infos = wrapped.step(np.array([action("stop")] * BODIES))
    assert truncations.all()
    assert infos["episode"]["l"].tolist() == [4] * BODIES
    wrapped.close()


@pytest.mark.parametrize(
    "limits", [{"max_steps": 2}, {"max_episode_steps": 2}, {"max_steps": 9, "max_episode_steps": 2}]
)
def test_the_smaller_limit_counts(limits: dict[str, Any]) -> None:
    """Gymnasium's limit of steps and that of the arena both hold."""
    with closing(gymnasium.make_vec(ARENA, 1, **limits)) as env:
        env.reset(seed=1)
        assert [env.step(np.array([action("stop")]))[3].tolist() for _ in range(2)] == [[False], [True]]


def test_bodies_at_addresses(told: Told) -> None:
    """Each body may have its own address; one that cannot be reset refuses a seed, and goes on without one."""
    with arena_at_a_socket() as place, closing(ArenaVector(2, ["embedded", place])) as env:
        with told.raises(InvalidInput):
            env.reset(seed=1)
        _, infos = env.reset(seed=[1, None])
        assert infos["_seed"].tolist() == [True, False]
        *_, infos = env.step(np.array([action("move:east:0.5"), action("wait")]))
        assert infos["label"].tolist() == ["positive", ""]


def test_what_does_not_fit_is_refused(told: Told) -> None:
    """As many addresses and seeds as bodies are asked for, and a reset before a step."""
    with told.raises(InvalidInput):
        ArenaVector(2, ["embedded"])
    with told.raises(InvalidInput):
        ArenaVector(0)
    with closing(ArenaVector(2)) as env:
        with told.raises(InvalidInput):
            env.step(np.array([0, 0]))
        with told.raises(InvalidInput):
            env.reset(seed=[1])
