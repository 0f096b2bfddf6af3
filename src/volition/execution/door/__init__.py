"""The one guarded door: what may be asked, what was sent, and the one outcome of each, over any number of connections."""

from __future__ import annotations

from volition.execution.door.backoff import Backoff
from volition.execution.door.critical import CriticalLog
from volition.execution.door.door import Door
from volition.execution.door.outcome import Outcome, Requested
from volition.execution.door.told import Asking, Connected, DoorEvent, LateResult, Lost, StateSeen

__all__ = [
    "Asking",
    "Backoff",
    "Connected",
    "CriticalLog",
    "Door",
    "DoorEvent",
    "LateResult",
    "Lost",
    "Outcome",
    "Requested",
    "StateSeen",
]
