"""Progress of a call that takes long: what it does now, told again and again to a client that asked to be told."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.mcpserver import Context

Result = TypeVar("Result")

PULSE: Final = 2.0
"""Seconds between two reports; a call that is answered before the first one reports nothing."""
WORKING: Final = "judging, and waiting for the registry where others use it"
ASKING: Final = "waiting for the person at this client"


class CallProgress:
    """Reports on one call, at every pulse and at every change of what it does. Each report counts one more than the last.

    How long a call takes is not known beforehand, so there is no total. A client that did not ask is told nothing.
    """

    def __init__(self, context: Context[Any, Any] | None, pulse: float = PULSE) -> None:
        self._context = context
        self._pulse = pulse
        self._count = 0
        self._doing = WORKING

    async def say(self, doing: str) -> None:
        """What the call does from now on."""
        self._doing = doing
        await self._report()

    async def during(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """What the work returns or raises, reported on while it lasts."""
        if self._context is None:
            return await work()
        result: list[Result] = []
        failed: Exception | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._beat)
            try:
                result.append(await work())
            except Exception as error:  # noqa: BLE001  raised below: a task group would wrap it
                failed = error
            tasks.cancel_scope.cancel()
        if failed is not None:
            raise failed
        return result[0]

    async def _beat(self) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client is gone; the work is not
            while True:
                await anyio.sleep(self._pulse)
                await self._report()

    async def _report(self) -> None:
        if self._context is not None:
            self._count += 1
            await self._context.report_progress(self._count, message=self._doing)
