"""The bridge for asyncio: the methods of `Bridge` as coroutines, without threads."""

from __future__ import annotations

import asyncio
from typing import Any

from volition.execution.client.aio_bridge import AsyncBridge
from volition.execution.connecting.connect import prepare, takes_arguments_of

__all__ = ["AsyncBridge", "connect"]


@takes_arguments_of(prepare)
async def connect(*address: Any, **options: Any) -> AsyncBridge:
    """A bridge to an executor, ready for intents, in the running loop; the arguments are those of the blocking
    `connect`.

    >>> import asyncio
    >>> async def one_step():
    ...     async with await connect("embedded", seed=7) as body:
    ...         return await body.execute("MOVE", {"vector": [1, 0, 0]}, deadline=2.0)
    >>> asyncio.run(one_step()).status
    'SUCCESS'
    """
    # In a thread: a JVM's arena may have to be built first, and a journal to be repaired.
    endpoint, driver_options, close = await asyncio.to_thread(prepare, *address, **options)
    bridge = AsyncBridge(endpoint, **driver_options)
    bridge.at_end(close)
    await bridge.open()
    return bridge
