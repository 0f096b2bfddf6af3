"""The actors of a game, as its host sees them: whom a name means, and which states belong to the current episode of each.

The name None stands for the world as a whole, and in a game with one actor every name does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.execution.executor.contract import SeveralActors

if TYPE_CHECKING:
    from volition.execution.executor.contract import Executor


class Actors:
    """Who acts in a game, with one actor or with several."""

    def __init__(self, game: Executor) -> None:
        self._game = game
        self._several = game if isinstance(game, SeveralActors) else None
        self._shown: dict[str | None, tuple[int, int]] = {None: (game.episode, 0)}
        """The episode in which each was shown last, and the number of the first state that showed it."""

    def knows(self, agent: str | None) -> bool:
        """Whether an intent may name it."""
        return agent is None or self._several is None or self._several.knows(agent)

    def find(self, agent: str | None) -> str | None:
        """The actor that a name means; None for the world as a whole."""
        return agent if agent is not None and self._several is not None and self._several.knows(agent) else None

    def is_alive(self, agent: str | None) -> bool:
        if self._several is None or (name := self.find(agent)) is None:
            return self._game.alive
        return self._several.is_alive(name)

    def episode(self, agent: str | None) -> int:
        if self._several is None or (name := self.find(agent)) is None:
            return self._game.episode
        return self._several.episode_of(name)

    def state(self, agent: str | None, *, full: bool) -> Any:
        """The world as the actor knows it."""
        if self._several is None or (name := self.find(agent)) is None:
            return self._game.state(full=full)
        return self._several.state_of(name, full=full)

    def note(self, next_seq: int, agent: str | None = None) -> None:
        """Whoever has begun a new episode is shown in it from the next state on, which has this number and is the agent's."""
        name = self.find(agent)
        self._shown.setdefault(name, (self.episode(name), 0))
        for known, (before, _) in self._shown.items():
            if (now := self.episode(known)) != before:
                self._shown[known] = (now, next_seq)

    def is_former(self, seq: int, agent: str | None) -> bool:
        """Whether the state with this number was shown before the current episode of an actor, or of the world, began."""
        name = self.find(agent)
        self._shown.setdefault(name, (self.episode(name), 0))
        return seq < self._shown[None][1] or seq < self._shown[name][1]
