"""Arena-v0 for many bodies: one fleet, and one call for the intents of all of them in a step.

An episode that ended begins again in the next step, whose action is not looked at (`AutoresetMode.NEXT_STEP`). Episodes,
seeds and infos are those of as many single environments in a `SyncVectorEnv`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from gymnasium.spaces import Discrete, Space
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from volition.core.errors import format_value, refuse
from volition.execution import Fleet
from volition.execution.wire.session.handshake import NoAnswer
from volition.gym.episode import (
    DEADLINE,
    MAX_STEPS,
    PATIENCE,
    ArenaEpisode,
    ArenaTask,
    episode_seed,
    is_alive,
    later_state,
    two_ticks,
)
from volition.gym.options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from volition.arbitration import CompositeIntention
    from volition.execution.client.driver import IntentLike
    from volition.execution.journal.reward import RewardFunction
    from volition.execution.transports.address import Address
    from volition.execution.wire.frames import StateFrame
    from volition.execution.worlds.arena import ArenaMap
    from volition.execution.worlds.pilot.judge import Goal
    from volition.execution.worlds.pilot.situation import Perception
    from volition.gym.episode import Observe

    Steps = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class ArenaVector(VectorEnv[Any, "NDArray[np.integer[Any]]", "NDArray[Any]"]):
    """Many bodies, driven together: what `gymnasium.make_vec("volition/Arena-v0", num_envs=8)` makes.

    `address` is one for all bodies, or a sequence with one for each; `connecting` are further arguments of
    `Fleet.connect`. The other arguments are those of `ArenaEnv`; of `max_steps` and Gymnasium's `max_episode_steps` the
    smaller counts.
    """

    def __init__(
        self,
        num_envs: int = 1,
        address: str | Address | Sequence[str | Address] = "embedded",
        *,
        map: str | Path | ArenaMap | None = None,
        goal: Goal | str = "opponent",
        max_steps: int | None = MAX_STEPS,
        max_episode_steps: int | None = None,
        composite: CompositeIntention | None = None,
        perception: Callable[[], Perception] | None = None,
        observe: Observe | None = None,
        observation_space: Space[Any] | None = None,
        reward: RewardFunction | None = None,
        connecting: Mapping[str, Any] | None = None,
    ) -> None:
        limits = [limit for limit in (max_steps, max_episode_steps) if limit is not None]
        self.task = ArenaTask.of(
            goal=goal,
            composite=composite,
            perception=perception,
            observe=observe,
            observation_space=observation_space,
            reward=reward,
            max_steps=min(limits, default=None),
        )
        self._addresses = _addresses(address, num_envs)
        self._connecting = {"map": map, **(connecting or {})}
        self.num_envs = num_envs
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_action_space = Discrete(len(OPTIONS))
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = self.task.space
        self.observation_space = batch_space(self.task.space, num_envs)
        self._fleet: Fleet | None = None
        self._chances = [np_random()[0] for _ in range(num_envs)]
        self._episodes: dict[str, ArenaEpisode] = {}
        self._over = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with every body; a whole number as `seed` is that of the first, and the next have the next."""
        seeds = _seeds(seed, self.num_envs)
        for body, number in enumerate(seeds):
            if number is not None:
                self._chances[body] = np_random(number)[0]
        self._over[:] = False
        infos: dict[str, Any] = {}
        seen = self._begin({str(body): number for body, number in enumerate(seeds)})
        for name, (_, info) in seen.items():
            infos = self._add_info(infos, info, int(name))
        return self._batch([seen[str(body)][0] for body in range(self.num_envs)]), infos

    def step(self, actions: NDArray[np.integer[Any]]) -> Steps:
        """Take a step with every body, and begin an episode with those whose last one is over."""
        fleet = self._fleet
        if fleet is None:
            refuse("no episode has begun", where="step", expected="a call of reset before it", remedy="reset it first")
        begun = self._begin({str(body): None for body in np.flatnonzero(self._over)})
        intents: dict[str, IntentLike] = {}
        going = [name for name in fleet.bodies if name not in begun]
        for name in going:
            intent = self._episodes[name].choose(int(actions[int(name)]))
            if intent is not None:
                intents[name] = intent
        outcomes = fleet.execute(intents, deadline=DEADLINE) if intents else {}
        self._wait([name for name in going if name not in intents])
        known = fleet.states
        frames = {name: later_state(known[name], outcomes.get(name), self._episodes[name].frame) for name in going}
        frames |= fleet.refresh(bodies=[name for name, frame in frames.items() if frame is None])
        welcomes = fleet.welcomes
        rewards = np.zeros(self.num_envs, dtype=np.float64)
        terminations, truncations = (np.zeros(self.num_envs, dtype=np.bool_) for _ in range(2))
        observations: list[Any] = [None] * self.num_envs
        infos: dict[str, Any] = {}
        for body, name in enumerate(fleet.bodies):
            if name in begun:
                observations[body], info = begun[name]
            else:
                frame = _there(name, frames[name], fleet)
                taken = self._episodes[name].finish_step(frame, outcomes.get(name), welcomes[name])
                observations[body], rewards[body], terminations[body], truncations[body], info = taken
            infos = self._add_info(infos, info, body)
        self._over = terminations | truncations
        return self._batch(observations), rewards, terminations, truncations, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Hang up."""
        fleet, self._fleet = self._fleet, None
        if fleet is not None:
            fleet.close()

    def _begin(self, seeds: Mapping[str, int | None]) -> dict[str, tuple[Any, dict[str, Any]]]:
        """Begin an episode with some bodies: the first observation and info of each."""
        if self._fleet is None:
            self._fleet = Fleet.connect({str(n): place for n, place in enumerate(self._addresses)}, **self._connecting)
        fleet = self._fleet
        lost = [name for name in seeds if fleet.welcomes[name] is None]
        for name, frame in fleet.refresh(bodies=lost).items():
            _there(name, frame, fleet)
        welcomes = fleet.welcomes
        chosen = {
            name: episode_seed(self._addresses[int(name)], welcomes[name], seed, self._chances[int(name)])
            for name, seed in seeds.items()
        }
        frames = fleet.reset({name: seed for name, seed in chosen.items() if seed is not None})
        for _ in range(PATIENCE):
            dead = [name for name in seeds if name not in frames and not is_alive(fleet.states[name])]
            if not dead:
                break
            self._wait(dead)
        frames |= fleet.refresh(bodies=[name for name in seeds if name not in frames])
        for name in seeds:
            self._episodes[name] = ArenaEpisode(self.task, _there(name, frames[name], fleet), welcomes[name])
        return {name: self._episodes[name].first(chosen[name]) for name in seeds}

    def _wait(self, bodies: Iterable[str]) -> None:
        """Let a tick pass for some bodies."""
        assert self._fleet is not None
        welcomes = self._fleet.welcomes
        for timeout, names in _group({name: two_ticks(welcomes[name]) for name in bodies}).items():
            self._fleet.next_states(timeout, bodies=names)

    def _batch(self, observations: Sequence[Any]) -> Any:
        empty: Any = create_empty_array(self.single_observation_space, n=self.num_envs, fn=np.zeros)
        return concatenate(self.single_observation_space, observations, empty)


def _seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """The seed of each body."""
    if seed is None:
        return [None] * count
    if isinstance(seed, int | np.integer):
        return [int(seed) + body for body in range(count)]
    if len(seed) != count:
        refuse(
            f"{len(seed)} seeds for {count} bodies",
            where="reset",
            expected="one seed for each, or one for all",
            remedy="give a whole number: the n-th body gets it plus n",
        )
    return [*seed]


def _group(timeouts: Mapping[str, float]) -> dict[float, list[str]]:
    """Bodies by how long they are waited for: those of one kind wait together."""
    groups: dict[float, list[str]] = {}
    for name, timeout in timeouts.items():
        groups.setdefault(timeout, []).append(name)
    return groups


def _there(name: str, frame: StateFrame | None, fleet: Fleet) -> StateFrame:
    """A state that must be there; HandshakeFailed where the body's connection is lost."""
    if frame is None:
        raise fleet.errors.get(name) or NoAnswer.of(
            f"body {name} sent no state in time", where="step", expected="a state", remedy="see whether it still runs"
        )
    return frame


def _addresses(address: str | Address | Sequence[str | Address], count: int) -> list[str | Address]:
    """The address of each body."""
    places = [*address] if isinstance(address, list | tuple) else [cast("str | Address", address)] * count
    if isinstance(count, bool) or not isinstance(count, int) or count < 1 or len(places) != count:
        refuse(
            f"{len(places)} addresses for {format_value(count)} bodies",
            where="num_envs",
            expected="1 or more bodies, and one address for all or one for each",
            remedy="give as many addresses as bodies",
        )
    return places
