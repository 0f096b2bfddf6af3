"""The bridge for asyncio: the methods of `Bridge` as coroutines, without threads."""

from __future__ import annotations

from volition.execution.client.aio.bridge import AsyncBridge, connect

__all__ = ["AsyncBridge", "connect"]
