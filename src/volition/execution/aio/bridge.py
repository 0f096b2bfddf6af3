"""The asyncio bridge: the verbs of `Bridge` as coroutines, on a protocol and futures of its own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from volition.execution.aio.pump import AsyncPump
from volition.execution.bridge.bridging import no_state, no_such_ticket, pairs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from volition.execution.bridge.bridging import Asked
    from volition.execution.door.outcome import Outcome
    from volition.execution.frames import GameEvent, Progress, StateFrame, Welcome
    from volition.execution.intents import CanonicalIntent
    from volition.execution.session.refusals import HandshakeFailed


class AsyncBridge(AsyncPump):
    """One executor, seen from the side that decides, in one event loop; `connect` of this package makes one.

    It promises what `Bridge` promises. Any number of tasks of its loop may share it; threads may not. A task that is
    cancelled while it waits gives its intent up: the executor is asked to cancel it, and its outcome is recorded when
    it comes. A journal that is full makes the whole loop wait.
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

    async def execute(
        self,
        intent: CanonicalIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
    ) -> Outcome:
        """Send one intent and wait for its one outcome: for `deadline` seconds and the grace at the longest."""
        ticket = self._ask(intent, parameters, deadline, agent, based_on)
        self._flush()
        try:
            return await self._collect(ticket)
        except asyncio.CancelledError:
            self._abandon(ticket)
            raise

    async def submit(
        self,
        intent: CanonicalIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
    ) -> int:
        """Send one intent and do not wait; the ticket is for `wait`, once."""
        ticket = self._ask(intent, parameters, deadline, agent, based_on)
        self._submitted.add(ticket)
        self._flush()
        return ticket

    async def wait(self, ticket: int) -> Outcome:
        """The outcome of a submitted intent; each is given once. After a cancellation it may be waited for again."""
        if ticket not in self._submitted:
            raise no_such_ticket(ticket)
        self._submitted.discard(ticket)
        try:
            return await self._collect(ticket)
        except asyncio.CancelledError:
            self._submitted.add(ticket)
            raise

    async def execute_many(
        self, intents: Iterable[Asked], *, deadline: float = 0.5, agent: str | None = None
    ) -> list[Outcome]:
        """Send intents without waiting in between, as many at a time as the executor allows.

        The outcomes stand in the order of the intents. One deadline holds for all of them, from this call on: what
        could not be sent by then ends as a timeout, and the call with it, for the grace at the longest after it.
        """
        asked, asked_at = pairs(intents), self._now()
        tickets: list[int] = []
        outcomes: list[Outcome] = []
        take = self._door.outcome
        try:
            while len(outcomes) < len(asked):
                # One at least is always on its way, so that even with no connection each comes to its end.
                room = self._door.room or len(tickets) == len(outcomes)
                for intent, parameters in asked[len(tickets) : len(tickets) + room]:
                    tickets.append(self._ask(intent, parameters, deadline, agent, None, asked_at))
                self._flush()
                outcomes.append(await self._collect(tickets[len(outcomes)]))
                while len(outcomes) < len(tickets) and (outcome := take(tickets[len(outcomes)])) is not None:
                    outcomes.append(outcome)
        except BaseException:
            for ticket in tickets[len(outcomes) :]:
                self._abandon(ticket)
            raise
        return outcomes

    async def cancel(self, ticket: int) -> None:
        """Ask the executor to give up an intent; its outcome still comes. A finished one is left alone."""
        self._door.cancel(ticket)
        self._settle()

    # Seeing.

    async def refresh(self, timeout: float = 1.0) -> StateFrame:  # noqa: ASYNC109  one loop timer does it
        """Ask for a full state and wait for it; HandshakeFailed says why none came in time."""
        limit = self._now() + timeout
        self._check_open()
        self._door.refresh(self._now())
        self._settle()
        while (state := self._door.full_state) is None or not self._door.fresh:
            if self._now() >= limit:
                raise no_state(timeout, self._door.error)
            await self._change(limit)
        return state

    async def next_state(self, timeout: float = 1.0) -> StateFrame | None:  # noqa: ASYNC109  as above
        """Wait for a state that is newer than `state`; None where none comes in time."""
        before, limit = self._door.state, self._now() + timeout
        while (state := self._door.state) is before or state is None:
            if self._now() >= limit:
                return None
            await self._change(limit)
        return state

    def events(self) -> list[GameEvent | Progress]:
        """What the game has told since the last call, oldest first; the newest 1024 are kept."""
        return [self._events.popleft().frame for _ in range(len(self._events))]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncBridge: {self._closed or self._door.phase}>"
