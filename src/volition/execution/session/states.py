"""What the bridge's side knows of the executor's world: the newest state, open requests, and whether it moves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from volition.execution.session.events import Breach, SessionEvent, Stalled, StateArrived, StateMissing

if TYPE_CHECKING:
    from volition.execution.frames import StateFrame


class States:
    """Keeps the newest state of one session. `patience` is how long a world may stand still; 0 means for ever."""

    def __init__(self, *, now: float, patience: float = 0.0) -> None:
        self.newest: StateFrame | None = None
        self.patience = patience
        self._requests: dict[int, tuple[bool, float]] = {}
        self._tick, self._moved_at, self._told = -1, now, False

    def ask(self, id: int, *, full: bool, deadline: float) -> None:
        """A request went out."""
        self._requests[id] = (full, deadline)

    @property
    def asked(self) -> bool:
        """Whether a request is open."""
        return bool(self._requests)

    @property
    def deadline(self) -> float:
        """When the first open request is overdue; infinite where there is none."""
        return (
            min([deadline for _, deadline in self._requests.values()], default=math.inf) if self._requests else math.inf
        )

    def overdue(self, now: float) -> list[SessionEvent]:
        """Forget the requests that were not answered in time."""
        if not self._requests:
            return []
        late = [id for id, (_, deadline) in self._requests.items() if now >= deadline]
        for id in late:
            del self._requests[id]
        return [StateMissing(id) for id in late]

    def give_up(self) -> list[SessionEvent]:
        """Forget all requests: the session is over."""
        missing: list[SessionEvent] = [StateMissing(id) for id in self._requests]
        self._requests.clear()
        return missing

    def arrived(self, state: StateFrame, now: float, *, known_ids: int) -> list[SessionEvent]:
        """Take a state frame: an answer where it has an id (one that was given: below `known_ids`), else a push."""
        id = state.id
        if id is None:
            return self.pushed(state, now)
        wanted = self._requests.get(id)
        newest = self.newest.seq if self.newest else -1
        if wanted is None:
            return [
                Breach(
                    "repeated" if id < known_ids else "unknown_id", f"a state for {id}, which is no open request", id
                )
            ]
        if wanted[0] and not state.full:
            return [Breach("unexpected", f"half a state for {id}, where a full one was asked for", id)]
        del self._requests[id]
        if state.seq < newest:
            # A push written later overtook the answer: the answer was true when asked, and newer is known.
            return [StateArrived(state, asked=True)]
        return self._keep(state, now, asked=True)

    def pushed(self, state: StateFrame, now: float) -> list[SessionEvent]:
        """Take a state that nobody asked for; one that is not newer is passed over."""
        if self.newest is not None and state.seq <= self.newest.seq:
            return []
        return self._keep(state, now, asked=False)

    def ticked(self, tick: int, now: float) -> list[SessionEvent]:
        """Note the executor's tick; a world that stands still for too long is told once."""
        if tick != self._tick:
            self._tick, self._moved_at, self._told = tick, now, False
        elif self.patience and not self._told and now >= self._moved_at + self.patience:
            self._told = True
            return [Stalled(tick)]
        return []

    def _keep(self, state: StateFrame, now: float, *, asked: bool) -> list[SessionEvent]:
        self.newest = state
        return [StateArrived(state, asked), *self.ticked(state.tick, now)]
