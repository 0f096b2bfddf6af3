"""The asyncio bridge: the methods of `Bridge` as coroutines."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from volition.execution.client.aio.driver import AsyncDriver
from volition.execution.client.driver import Batch
from volition.execution.client.errors import no_state, no_such_ticket

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.execution.client.driver import IntentLike
    from volition.execution.door.outcome import Outcome
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.marks import RequestMark


class AsyncBridge(AsyncDriver):
    """One executor, seen from the side that decides, in one event loop; `connect` of this package makes one.

    It gives the same guarantees as `Bridge`. Any number of tasks of its loop may share it, but not threads. If a task
    is cancelled while it waits, the executor is asked to cancel its intent, and the outcome is still recorded. A
    journal with a full queue blocks the whole loop.
    """

    # Intents.

    async def execute(
        self,
        intent: AnyIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
        mark: RequestMark | None = None,
    ) -> Outcome:
        """As `Bridge.execute`."""
        ticket = self._request(intent, parameters, deadline, agent, based_on, mark=mark)
        self._flush()
        try:
            return await self._collect(ticket)
        except asyncio.CancelledError:
            self._abandon(ticket)
            raise

    async def submit(
        self,
        intent: AnyIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
        mark: RequestMark | None = None,
    ) -> int:
        """As `Bridge.submit`."""
        ticket = self._request(intent, parameters, deadline, agent, based_on, mark=mark)
        self._submitted.add(ticket)
        self._flush()
        return ticket

    async def wait(self, ticket: int) -> Outcome:
        """The outcome of a submitted intent, returned once. After a cancellation, the same ticket may be waited for
        again."""
        if ticket not in self._submitted:
            raise no_such_ticket(ticket)
        self._submitted.discard(ticket)
        try:
            return await self._collect(ticket)
        except asyncio.CancelledError:
            self._submitted.add(ticket)
            raise

    async def execute_many(
        self, intents: Iterable[IntentLike], *, deadline: float = 0.5, agent: str | None = None
    ) -> list[Outcome]:
        """As `Bridge.execute_many`."""
        batch = Batch(self._door, intents, self._now())
        try:
            while not batch.finished:
                for intent, parameters in batch.next_intents:
                    batch.note_sent(self._request(intent, parameters, deadline, agent, asked_at=batch.asked_at))
                self._flush()
                batch.take(await self._collect(batch.open_tickets[0]))
        except BaseException:
            for ticket in batch.open_tickets:
                self._abandon(ticket)
            raise
        return batch.outcomes

    async def cancel(self, ticket: int, why: str = "cancelled") -> None:
        """As `Bridge.cancel`."""
        self._door.cancel(ticket, why)
        self._settle()

    # States.

    async def refresh(self, timeout: float = 1.0) -> StateFrame:  # noqa: ASYNC109  one loop timer does it
        """As `Bridge.refresh`."""
        self._check_open()
        self._door.refresh(self._now())
        return await self._fresh_state(timeout)

    async def reset(self, seed: int, *, timeout: float = 5.0) -> StateFrame:  # noqa: ASYNC109  as above
        """As `Bridge.reset`."""
        limit = self._now() + timeout
        while self._door.phase != "ready":
            if self._now() >= limit:
                raise no_state(timeout, self._door.error)
            await self._change(limit)
        self._check_open()
        self._door.reset(seed, self._now(), timeout)
        return await self._fresh_state(limit - self._now())

    async def _fresh_state(self, timeout: float) -> StateFrame:  # noqa: ASYNC109  as above
        """The full state that was asked for."""
        limit = self._now() + timeout
        self._settle()
        while (state := self._door.full_state) is None or not self._door.fresh:
            if self._now() >= limit:
                raise no_state(timeout, self._door.error)
            await self._change(limit)
        return state

    async def next_state(self, timeout: float = 1.0) -> StateFrame | None:  # noqa: ASYNC109  as above
        """As `Bridge.next_state`."""
        before, limit = self._door.state, self._now() + timeout
        while (state := self._door.state) is before or state is None:
            if self._now() >= limit:
                return None
            await self._change(limit)
        return state

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
