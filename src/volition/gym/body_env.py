"""Any body as a Gymnasium environment: connect, reset, carry actions out, and ask which of them are allowed.

A body of another world needs an episode of its own: what it observes, which actions there are, what vetoes them and what is
rewarded. Everything else is here.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import gymnasium

from volition.core.errors import refuse
from volition.execution import connect
from volition.gym.episode import DEADLINE, PATIENCE, episode_seed, is_alive, later_state, two_ticks

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from gymnasium.spaces import Space
    from numpy.typing import NDArray

    from volition.execution import Bridge, Outcome
    from volition.execution.transports.address import Address
    from volition.execution.wire.frames import StateFrame, Welcome
    from volition.execution.wire.intents import AnyIntent
    from volition.gym.episode import Step


class BodyEpisode(Protocol):
    """One episode of a body, from the state that it begins with."""

    frame: StateFrame
    """The newest state that it has seen."""

    @property
    def mask(self) -> NDArray[np.int8]:
        """1 for each action that may be taken now."""
        ...

    def first(self, seed: int | None) -> tuple[Any, dict[str, Any]]:
        """The first observation, and its info."""
        ...

    def choose(self, action: int) -> AnyIntent | None:
        """The intent to send; None where nothing is to be sent, because the action is to wait, or is masked."""
        ...

    def finish_step(self, frame: StateFrame, outcome: Outcome | None, welcome: Welcome | None) -> Step:
        """What became of the chosen action, from a state after it."""
        ...


E = TypeVar("E", bound=BodyEpisode)


class BodyEnv(gymnasium.Env[Any, "int | np.integer[Any]"], Generic[E]):
    """One body, driven step by step with discrete actions.

    `address` is any that `connect` takes, and `connecting` are further arguments of it. A subclass says how an episode begins.
    """

    deadline: ClassVar[float] = DEADLINE
    """Seconds for any intent."""

    def __init__(
        self,
        address: str | Address,
        *,
        action_space: Space[Any],
        observation_space: Space[Any],
        connecting: Mapping[str, Any],
        render_mode: str | None = None,
    ) -> None:
        self.action_space, self.observation_space = action_space, observation_space
        self.render_mode = render_mode
        self._address, self._connecting = address, connecting
        self._bridge: Bridge | None = None
        self._episode: E | None = None

    @abstractmethod
    def begin_episode(self, frame: StateFrame, welcome: Welcome | None) -> E:
        """The episode that begins with a state, which is full."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; there are no options. Without a seed, one is drawn where the executor can use one."""
        super().reset(seed=seed)
        begun, frame = self._begin(seed)
        assert self._bridge is not None
        self._episode = self.begin_episode(frame, self._bridge.welcome)
        return self._episode.first(begun)

    def step(self, action: int | np.integer[Any]) -> Step:
        """Carry an option out, or let a tick pass where the action is to wait or is masked."""
        bridge, episode = self._bridge, self._episode
        if bridge is None or episode is None:
            refuse("no episode has begun", where="step", expected="a call of reset before it", remedy="reset it first")
        intent = episode.choose(int(action))
        outcome = None
        if intent is None:
            bridge.next_state(two_ticks(bridge.welcome))
        else:
            outcome = bridge.execute(intent, deadline=self.deadline)
        frame = later_state(bridge.state, outcome, episode.frame) or bridge.refresh()
        return episode.finish_step(frame, outcome, bridge.welcome)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions may be taken now, as MaskablePPO of sb3-contrib asks for it."""
        if self._episode is None:
            refuse("no episode has begun", where="action_masks", expected="a call of reset", remedy="reset it first")
        return self._episode.mask.astype(bool)

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
