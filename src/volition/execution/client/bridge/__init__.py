"""The blocking bridge: the caller that waits reads the socket."""

from __future__ import annotations

from volition.execution.client.bridge.bridge import Bridge
from volition.execution.client.bridge.connect import connect
from volition.execution.client.errors import BridgeClosed

__all__ = ["Bridge", "BridgeClosed", "connect"]
