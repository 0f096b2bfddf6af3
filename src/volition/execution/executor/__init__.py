"""The other side of the wire: a game in Python that is driven, the arena as such a game, and the one in Java."""

from __future__ import annotations

from volition.execution.executor.arena_executor import ARENA_SCHEMA, ArenaExecutor
from volition.execution.executor.host import About, Ended, Executor, Host, Occurred
from volition.execution.executor.server import ExecutorServer

__all__ = ["ARENA_SCHEMA", "About", "ArenaExecutor", "Ended", "Executor", "ExecutorServer", "Host", "Occurred"]
