"""Deaths of an actor, each counted once, from what its states show and, where they show nothing, from results."""

from __future__ import annotations

from typing import Any


def shows_alive(data: Any) -> bool | None:
    """Whether the actor of a state lives; None if the state does not say.

    >>> shows_alive({"actor": {"alive": False}}), shows_alive({"actor": {"x": 1}})
    (False, None)
    """
    actor = data.get("actor") if isinstance(data, dict) else None
    alive = actor.get("alive") if isinstance(actor, dict) else None
    return alive if isinstance(alive, bool) else None


class DeathCount:
    """Counts the deaths in the states and results of one connection, in their order.

    A death is a state in which the actor is dead, after one of the same episode in which it lived; it may have died while
    nothing was attempted. An actor that was dead when it was first seen has not died here. Of an executor whose states do
    not say who lives, the results count: the first of a row in which the actor is dead.

    >>> deaths = DeathCount()
    >>> for alive in (True, False, False, True, False):
    ...     deaths.see_state(1, {"actor": {"alive": alive}})
    >>> deaths.count
    2
    """

    def __init__(self) -> None:
        self.count = 0
        self._alive: bool | None = None
        self._episode: int | None = None
        self._by_states = False

    def see_state(self, episode: int, data: Any) -> None:
        """Take a state; one that does not say who lives changes nothing."""
        alive = shows_alive(data)
        if alive is None:
            return
        self._by_states = True
        if episode != self._episode:
            self._episode, self._alive = episode, None
        self.count += self._alive is True and not alive
        self._alive = alive

    def see_result(self, *, died: bool) -> None:
        """Take the result of an attempt: whether the actor was dead at its end."""
        if not self._by_states:
            self.count += died and self._alive is not False
            self._alive = not died
