"""The other side of the wire: a game in Python that a bridge drives, the server for it, and the Java executor."""

from __future__ import annotations

from volition.execution.executor.contract import About, Ended, Executor, Occurred
from volition.execution.executor.host import Host
from volition.execution.executor.server import ExecutorServer

__all__ = ["About", "Ended", "Executor", "ExecutorServer", "Host", "Occurred"]
