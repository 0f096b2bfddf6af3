"""The blocking bridge: ask for an intent, get its one outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from volition.execution.bridge.bridging import bridge_closed, no_state, no_such_ticket, pairs
from volition.execution.bridge.pump import Pump

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from volition.execution.bridge.bridging import Asked
    from volition.execution.door.outcome import Outcome
    from volition.execution.frames import GameEvent, Progress, StateFrame, Welcome
    from volition.execution.intents import CanonicalIntent
    from volition.execution.session.refusals import HandshakeFailed


class Bridge(Pump):
    """One executor, seen from the side that decides; `connect` makes one.

    An intent always ends as an `Outcome`, whatever happens to the connection. One that is lost is dialled again, with
    handshake, full state and STOP before anything else.

    Threads may share a bridge: their intents are open side by side, and one of those who wait reads for all. While
    nobody waits, a keeper answers heartbeats four times per `timing.idle`, so a policy may think as long as it likes.

    Ctrl-C while a call waits ends the connection, so that the executor stops its actor, and the next call dials again;
    in the rare moment where it strikes in the middle of the rules, the bridge is closed. A bridge whose journal fails
    raises that error and is closed: what cannot be recorded is not done.
    """

    # What is known without asking.

    @property
    def welcome(self) -> Welcome | None:
        """What the executor said of itself; None without a connection."""
        return self._door.welcome

    @property
    def state(self) -> StateFrame | None:
        """The newest state that this connection has brought; None without one."""
        return self._door.state

    @property
    def error(self) -> HandshakeFailed | None:
        """Why the last connection did not come about: one of the six causes."""
        return self._door.error

    # Asking.

    def execute(
        self,
        intent: CanonicalIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
    ) -> Outcome:
        """Send one intent and wait for its one outcome: for `deadline` seconds and the grace at the longest."""
        ticket = 0
        try:
            with self._lock:
                ticket = self._ask(intent, parameters, deadline, agent, based_on)
                self._flush()
            return self._collect(ticket)
        except BaseException:
            self._abandon(ticket)
            raise

    def submit(
        self,
        intent: CanonicalIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
    ) -> int:
        """Send one intent and do not wait; the ticket is for `wait`, once."""
        with self._lock:
            ticket = self._ask(intent, parameters, deadline, agent, based_on)
            self._submitted.add(ticket)
            self._flush()
        return ticket

    def wait(self, ticket: int) -> Outcome:
        """The outcome of a submitted intent; each is given once. After an interrupt it may be waited for again."""
        if ticket not in self._submitted:
            raise no_such_ticket(ticket)
        outcome = self._collect(ticket)
        self._submitted.discard(ticket)
        return outcome

    def execute_many(
        self, intents: Iterable[Asked], *, deadline: float = 0.5, agent: str | None = None
    ) -> list[Outcome]:
        """Send intents without waiting in between, as many at a time as the executor allows.

        The outcomes stand in the order of the intents. One deadline holds for all of them, from this call on: what
        could not be sent by then ends as a timeout, and the call with it, for the grace at the longest after it.
        """
        asked, asked_at = pairs(intents), self._now()
        tickets: list[int] = []
        outcomes: list[Outcome] = []
        door, done = self._door, self._door.outcomes
        try:
            while len(outcomes) < len(asked):
                with self._lock:
                    # One at least is always on its way, so that even with no connection each comes to its end.
                    room = door.room or len(tickets) == len(outcomes)
                    for intent, parameters in asked[len(tickets) : len(tickets) + room]:
                        tickets.append(self._ask(intent, parameters, deadline, agent, None, asked_at))
                    self._flush()
                outcomes.append(self._collect(tickets[len(outcomes)]))
                while len(outcomes) < len(tickets) and (outcome := done.pop(tickets[len(outcomes)], None)) is not None:
                    outcomes.append(outcome)
        except BaseException:
            for ticket in tickets[len(outcomes) :]:
                self._abandon(ticket)
            raise
        return outcomes

    def cancel(self, ticket: int) -> None:
        """Ask the executor to give up an intent; its outcome still comes. A finished one is left alone."""
        with self._lock:
            self._door.cancel(ticket)
            self._settle()

    # Seeing.

    def refresh(self, timeout: float = 1.0) -> StateFrame:
        """Ask for a full state and wait for it; HandshakeFailed says why none came in time."""
        limit = self._now() + timeout
        with self._lock:
            if self._closed:
                raise bridge_closed(self._closed)
            self._door.refresh(self._now())
            self._settle()
        while (state := self._door.full_state) is None or not self._door.fresh:
            if self._now() >= limit:
                raise no_state(timeout, self._door.error)
            self._turn(limit)
        return state

    def next_state(self, timeout: float = 1.0) -> StateFrame | None:
        """Wait for a state that is newer than `state`; None where none comes in time."""
        before, limit = self._door.state, self._now() + timeout
        while (state := self._door.state) is before or state is None:
            if self._now() >= limit:
                return None
            self._turn(limit)
        return state

    def events(self) -> list[GameEvent | Progress]:
        """What the game has told since the last call, oldest first; the newest 1024 are kept."""
        return [self._events.popleft().frame for _ in range(len(self._events))]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Bridge: {self._closed or self._door.phase}>"
