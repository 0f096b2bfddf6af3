"""Arena-v0: drive one body of any executor with discrete options, as a Gymnasium environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymnasium.spaces import Discrete, Space

from volition.execution.worlds.arena.rules import TICK_MS
from volition.execution.worlds.arena.view import render
from volition.gym.body_env import BodyEnv
from volition.gym.episode import MAX_STEPS, ArenaEpisode, ArenaTask
from volition.gym.options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from volition.arbitration import CompositeIntention
    from volition.execution.journal.reward import RewardFunction
    from volition.execution.transports.address import Address
    from volition.execution.wire.frames import StateFrame, Welcome
    from volition.execution.worlds.arena import ArenaMap
    from volition.execution.worlds.pilot.judge import Goal
    from volition.execution.worlds.pilot.situation import Perception
    from volition.gym.episode import Observe


class ArenaEnv(BodyEnv[ArenaEpisode]):
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
        super().__init__(
            address,
            action_space=Discrete(len(OPTIONS)),
            observation_space=self.task.space,
            connecting={"map": map, **(connecting or {})},
            render_mode=render_mode,
        )

    def begin_episode(self, frame: StateFrame, welcome: Welcome | None) -> ArenaEpisode:
        return ArenaEpisode(self.task, frame, welcome)

    def render(self) -> str | None:
        """The arena as text, in the mode `ansi`."""
        if self.render_mode != "ansi" or self._episode is None:
            return None
        return render({**self._episode.frame.data, "map": self._episode.map})
