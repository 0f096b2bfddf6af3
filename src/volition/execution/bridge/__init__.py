"""The blocking bridge: a door with a connection, in which the caller who waits reads the socket."""

from __future__ import annotations

from volition.execution.bridge.bridge import Bridge
from volition.execution.bridge.bridging import BridgeClosed
from volition.execution.bridge.connect import connect

__all__ = ["Bridge", "BridgeClosed", "connect"]
