"""One request and its answer: the work for an answer ends when its client is gone.

Work that waits for a place is dropped. Work that runs in a thread ends at its next pause (`volition.core.pausing`), and
keeps its place until then, so that no client can have more work done at once by hanging up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from anyio import CancelScope

from volition.core.pausing import pausing

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class HungUp(Exception):
    """Raised at a pause of work whose client is gone."""


class Exchange:
    """A request whose body was read, as an application receives it."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._messages: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]
        self._receive = receive
        self._gone = asyncio.Event()
        self._work = CancelScope()
        self._answered = False

    async def run(self, app: Any, scope: Scope, send: Send) -> None:
        """Let an application answer, until it has or its client is gone."""

        async def send_noting(message: Any) -> None:
            await send(message)
            self._answered = message["type"] == "http.response.body" and not message.get("more_body")

        with self._work, pausing(self._check):
            watching = asyncio.create_task(self._watch())
            try:
                await app(scope, self._next_message, send_noting)
            finally:
                watching.cancel()

    async def run_for_head(self, app: Any, scope: Scope, send: Send) -> None:
        """Let an application answer GET, and send the head of that. Then it hears a disconnect, so that a stream ends."""

        async def send_head(message: Any) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                self._gone.set()

        await self.run(app, {**scope, "method": "GET"}, send_head)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def end(self) -> None:
        """End the work: the answer is not wanted any more."""
        self._gone.set()
        self._work.cancel()

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        # A server also says so after the whole answer, which a stream waits for.
        self._gone.set()
        if not self._answered:
            self.end()

    async def _next_message(self) -> Any:
        if self._messages:
            return self._messages.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}

    def _check(self) -> None:
        if self._work.cancel_called:
            raise HungUp
