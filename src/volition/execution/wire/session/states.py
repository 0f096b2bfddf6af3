"""What the bridge's side knows about the executor's world: recent states, open requests, and whether time advances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.execution.wire.session.events import Breach, SessionEvent, Stalled, StateArrived, StateMissing

if TYPE_CHECKING:
    from volition.execution.wire.frames import StateFrame


RECENT: Final = 128
"""How many states are kept, so that an intent based on one of them can be recorded with it."""


class States:
    """The recent states of one session. `patience` is how long, in seconds, a world may stall; 0 means forever."""

    def __init__(self, *, now: float, patience: float = 0.0) -> None:
        self.newest: StateFrame | None = None
        self.newest_full: StateFrame | None = None
        self.recent: dict[int, StateFrame] = {}
        """By `seq`."""
        self.patience = patience
        self._requests: dict[int, tuple[bool, float]] = {}
        self._tick, self._moved_at, self._reported = -1, now, False

    def expect(self, id: int, *, full: bool, deadline: float) -> None:
        """A request went out."""
        self._requests[id] = (full, deadline)

    @property
    def expected(self) -> bool:
        """Whether a request is open."""
        return bool(self._requests)

    @property
    def deadline(self) -> float:
        """When the first open request is overdue."""
        return min(deadline for _, deadline in self._requests.values())

    def forget_overdue(self, now: float) -> list[SessionEvent]:
        """Forget the requests that were not answered in time."""
        late = [id for id, (_, deadline) in self._requests.items() if now >= deadline]
        for id in late:
            del self._requests[id]
        return [StateMissing(id) for id in late]

    def give_up(self) -> list[SessionEvent]:
        """Forget all requests: the session is over."""
        missing: list[SessionEvent] = [StateMissing(id) for id in self._requests]
        self._requests.clear()
        return missing

    def arrive(self, state: StateFrame, now: float, *, known_ids: int) -> list[SessionEvent]:
        """Take a state frame: an answer if it has an id (a used one: below `known_ids`), else a push."""
        id = state.id
        if id is None:
            return self.push(state, now)
        wanted = self._requests.get(id)
        newest = self.newest.seq if self.newest else -1
        if wanted is None:
            return [
                Breach(
                    "repeated" if id < known_ids else "unknown_id",
                    f"a state for {id}, which is not an open request",
                    id,
                )
            ]
        if wanted[0] and not state.full:
            return [Breach("unexpected", f"a partial state for {id}, although a full one was requested", id)]
        del self._requests[id]
        if state.seq < newest:
            # A later push overtook the answer, which is valid but no longer the newest state.
            self._remember(state)
            return [StateArrived(state, asked=True)]
        return self._keep(state, now, asked=True)

    def push(self, state: StateFrame, now: float) -> list[SessionEvent]:
        """Take a state that nobody asked for; it is ignored unless it is newer."""
        if self.newest is not None and state.seq <= self.newest.seq:
            return []
        return self._keep(state, now, asked=False)

    def note_tick(self, tick: int, now: float) -> list[SessionEvent]:
        """Note the executor's tick; a world that stalls for too long is reported once."""
        if tick != self._tick:
            self._tick, self._moved_at, self._reported = tick, now, False
        elif self.patience and not self._reported and now >= self._moved_at + self.patience:
            self._reported = True
            return [Stalled(tick)]
        return []

    def _keep(self, state: StateFrame, now: float, *, asked: bool) -> list[SessionEvent]:
        self.newest = state
        self._remember(state)
        return [StateArrived(state, asked), *self.note_tick(state.tick, now)]

    def _remember(self, state: StateFrame) -> None:
        self.recent[state.seq] = state
        if len(self.recent) > RECENT:
            del self.recent[next(iter(self.recent))]
        if state.full:
            self.newest_full = state
