"""Arena-v0: drive one body of any executor with discrete options, as a Gymnasium environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.spaces import Discrete, Space

from volition.core.errors import refuse
from volition.execution import connect
from volition.execution.worlds.arena.rules import TICK_MS
from volition.execution.worlds.arena.view import render
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
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from volition.arbitration import CompositeIntention
    from volition.execution import Bridge
    from volition.execution.journal.reward import RewardFunction
    from volition.execution.transports.address import Address
    from volition.execution.wire.frames import StateFrame
    from volition.execution.worlds.arena import ArenaMap
    from volition.execution.worlds.pilot.judge import Goal
    from volition.execution.worlds.pilot.situation import Perception
    from volition.gym.episode import Observe, Step


class ArenaEnv(gymnasium.Env[Any, "int | np.integer[Any]"]):
    """One body, driven step by step; registered as `volition/Arena-v0`.

    `address` is any that `connect` takes; `map` is for `embedded` and `java`; `connecting` are further arguments of
    `connect`. `goal` is a goal of the pilot, or its text: `opponent`, or a place `X,Y`. The mask and the vetoes are
    those of the constraints in `composite`, by default the pilot's. An executor whose states are not the arena's needs
    `observe` with its `observation_space`, and `perception`, which makes a Perception for an episode.

    >>> env = ArenaEnv(goal="5.5,3.5")
    >>> _, info = env.reset(seed=7)
    >>> info["vetoes"]["release"]
    ['posture']
    >>> _, reward, terminated, truncated, info = env.step(OPTIONS.index("move:east:1"))
    >>> info["label"], reward, terminated
    ('positive', 0.0, False)
    >>> env.close()
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1000 // TICK_MS}  # noqa: RUF012  as Gymnasium declares it

    def __init__(
        self,
        address: str | Address = "embedded",
        *,
        map: str | Path | ArenaMap | None = None,
        goal: Goal | str = "opponent",
        max_steps: int | None = MAX_STEPS,
        composite: CompositeIntention | None = None,
        perception: Callable[[], Perception] | None = None,
        observe: Observe | None = None,
        observation_space: Space[Any] | None = None,
        reward: RewardFunction | None = None,
        connecting: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.task = ArenaTask.of(
            goal=goal,
            composite=composite,
            perception=perception,
            observe=observe,
            observation_space=observation_space,
            reward=reward,
            max_steps=max_steps,
        )
        self.action_space = Discrete(len(OPTIONS))
        self.observation_space = self.task.space
        self.render_mode = render_mode
        self._address, self._connecting = address, {"map": map, **(connecting or {})}
        self._bridge: Bridge | None = None
        self._episode: ArenaEpisode | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; there are no options. Without a seed, one is drawn where the executor can use one."""
        super().reset(seed=seed)
        begun, frame = self._begin(seed)
        assert self._bridge is not None
        self._episode = ArenaEpisode(self.task, frame, self._bridge.welcome)
        return self._episode.first(begun)

    def step(self, action: int | np.integer[Any]) -> Step:
        """Carry an option out, or let a tick pass where the action is to wait or is masked."""
        bridge, episode = self._bridge, self._episode
        if bridge is None or episode is None:
            refuse("no episode has begun", where="step", expected="a call of reset before it", remedy="reset it first")
        option = episode.choose(int(action))
        outcome = None
        if option is None or option.intent is None:
            bridge.next_state(two_ticks(bridge.welcome))
        else:
            outcome = bridge.execute(option.intent, deadline=DEADLINE)
        frame = later_state(bridge.state, outcome, episode.frame) or bridge.refresh()
        return episode.finish_step(frame, outcome, bridge.welcome)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions may be taken now, as MaskablePPO of sb3-contrib asks for it."""
        if self._episode is None:
            refuse("no episode has begun", where="action_masks", expected="a call of reset", remedy="reset it first")
        return self._episode.mask.astype(bool)

    def render(self) -> str | None:
        """The arena as text, in the mode `ansi`."""
        if self.render_mode != "ansi" or self._episode is None:
            return None
        return render({**self._episode.frame.data, "map": self._episode.map})

    def close(self) -> None:
        """Hang up; a later reset connects again."""
        bridge, self._bridge, self._episode = self._bridge, None, None
        if bridge is not None:
            bridge.close()

    def _begin(self, seed: int | None) -> tuple[int | None, StateFrame]:
        """Begin an episode with a seed; the seed that it has, if any, and its first state, which is full."""
        if self._bridge is None:
            self._bridge = connect(self._address, **self._connecting)
        bridge = self._bridge
        if bridge.welcome is None:  # the connection was lost, and is dialled again
            bridge.refresh()
        seed = episode_seed(self._address, bridge.welcome, seed, self.np_random)
        if seed is not None:
            return seed, bridge.reset(seed)
        for _ in range(PATIENCE):
            if is_alive(bridge.state):
                break
            bridge.next_state(two_ticks(bridge.welcome))
        return None, bridge.refresh()
