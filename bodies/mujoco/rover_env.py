"""The rover as a Gymnasium environment, `volition/Rover-v0`: what the mind's constraints veto is masked, and never sent."""

from __future__ import annotations

from math import cos, sin
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from gymnasium.spaces import Box, Discrete

from volition.core.errors import format_value, refuse
from volition.execution import Move
from volition.execution.journal.reward import Reward
from volition.gym import BodyEnv
from volition.gym.episode import GOAL_REWARD, WEIGHTS
from volition.gym.options import constraints_of, mask_of, refused_by, vetoes_of

from .rover import Rover
from .rover_mind import DEADLINE, GOAL, STRIDES, ZONE, Mind, Option, Zone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from volition.execution import Outcome
    from volition.execution.transports.address import Address
    from volition.execution.wire.frames import StateFrame, Welcome
    from volition.gym.episode import Step

WAIT: Final = "wait"
ACTIONS: Final = (WAIT, *STRIDES, "move:goal")
"""What each action means, by its number."""
NUMBERS: Final = {action: number for number, action in enumerate(ACTIONS)}
COLUMNS: Final = ("x", "y", "heading.cos", "heading.sin", "speed", "goal.dx", "goal.dy", "zone.distance")
"""What each number of an observation is; lengths are shares of the room's width."""


class RoverEpisode:
    """One episode of the rover, from the state that it begins with."""

    def __init__(self, mind: Mind, max_steps: int | None, frame: StateFrame) -> None:
        self.mind, self.max_steps, self.frame = mind, max_steps, frame
        self.steps = 0
        self._first_tick, self._began = frame.tick, frame.episode
        self._composite = constraints_of(mind.composite)
        self._option: Option | None = None
        self._refused: list[str] = []
        self._decision = mind.decide(frame.data, self._composite)

    @property
    def mask(self) -> NDArray[np.int8]:
        mask = mask_of(self._decision, NUMBERS)
        mask[NUMBERS[WAIT]] = 1
        return mask

    def first(self, seed: int | None) -> tuple[Any, dict[str, Any]]:
        return self._observe(), self._info() | ({} if seed is None else {"seed": seed})

    def choose(self, action: int) -> Move | None:
        if not 0 <= action < len(ACTIONS):
            refuse(
                f"the action is {format_value(action)}",
                where="step",
                expected=f"a whole number from 0 to {len(ACTIONS) - 1}",
                remedy="take one that info['action_mask'] allows",
            )
        name, tally = ACTIONS[action], self._decision.tally
        self._refused = [] if name == WAIT else refused_by(self._decision, name)
        sent = name != WAIT and not self._refused
        self._option = tally.left[tally.survivors.index(name)] if sent else None
        return None if self._option is None else Move((*self._option.vector, 0.0))

    def finish_step(self, frame: StateFrame, outcome: Outcome | None, welcome: Welcome | None) -> Step:
        self.frame = frame
        self.steps += 1
        there = self.mind.is_there(frame.data)
        self._decision = self.mind.decide(frame.data, self._composite)
        parts = {} if outcome is None else dict(WEIGHTS(outcome).parts)
        reward = Reward.of(parts | ({"goal": GOAL_REWARD} if there else {}))
        info = self._info() | {
            "option": "" if self._option is None else self._option.id,
            "label": "" if outcome is None else outcome.label,
            "detail": "" if outcome is None else outcome.detail,
            "reward": dict(reward.parts),
        }
        if self._refused:
            info["vetoed"] = self._refused
        terminated = there or frame.episode != self._began
        truncated = self.max_steps is not None and self.steps >= self.max_steps
        return self._observe(), reward.total, terminated, truncated, info

    def _observe(self) -> NDArray[np.float32]:
        data, mind, width = self.frame.data, self.mind, self.mind.room[0]
        x, y, heading = data["x"], data["y"], data["heading"]
        far = width if mind.zone is None else mind.zone.distance(x, y)
        row = [x / width, y / width, cos(heading), sin(heading), data["speed"]]
        row += [(mind.goal[0] - x) / width, (mind.goal[1] - y) / width, far / width]
        return np.clip(np.array(row, dtype=np.float32), -1.0, 1.0)

    def _info(self) -> dict[str, Any]:
        tick = self.frame.tick - self._first_tick
        return {"action_mask": self.mask, "vetoes": vetoes_of(self._decision), "tick": tick}


class RoverEnv(BodyEnv[RoverEpisode]):
    """The rover, driven step by step; registered as `volition/Rover-v0`.

    `embedded` is a rover in this process, in virtual time; any other address is one that `connect` takes. Without a `zone`
    nothing keeps it out.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  as Gymnasium declares it
    deadline = DEADLINE

    def __init__(
        self,
        address: str | Address = "embedded",
        *,
        goal: tuple[float, float] = GOAL,
        zone: Zone | None = ZONE,
        max_steps: int | None = 100,
        connecting: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        own = {"executor": Rover()} if address == "embedded" else {}
        super().__init__(
            address,
            action_space=Discrete(len(ACTIONS)),
            observation_space=Box(-1.0, 1.0, (len(COLUMNS),), np.float32),
            connecting=own | dict(connecting or {}),
            render_mode=render_mode,
        )
        self._goal, self._zone, self._max_steps = goal, zone, max_steps

    def begin_episode(self, frame: StateFrame, welcome: Welcome | None) -> RoverEpisode:
        return RoverEpisode(Mind(goal=self._goal, zone=self._zone), self._max_steps, frame)
