"""The bridge for asyncio: the same verbs as coroutines, and no thread."""

from __future__ import annotations

from volition.execution.aio.bridge import AsyncBridge
from volition.execution.aio.connect import connect

__all__ = ["AsyncBridge", "connect"]
