"""The guarded door: checks requests, sends them, and gives each exactly one outcome, over any number of connections."""

from __future__ import annotations

from volition.execution.client.door.critical import CriticalLog
from volition.execution.client.door.door import Door
from volition.execution.client.door.events import Connected, DoorEvent, LateResult, Lost, Sending, StateSeen
from volition.execution.client.door.outcome import Outcome
from volition.execution.client.door.request import Request

__all__ = [
    "Connected",
    "CriticalLog",
    "Door",
    "DoorEvent",
    "LateResult",
    "Lost",
    "Outcome",
    "Request",
    "Sending",
    "StateSeen",
]
