"""The protocol as two state machines, one for each side: no socket, no clock, bytes and the time go in."""

from __future__ import annotations

from volition.execution.session.events import SessionEvent
from volition.execution.session.executor import Attempt, ExecutorEvent, ExecutorSession
from volition.execution.session.handshake import Offer
from volition.execution.session.link import Timing
from volition.execution.session.refusals import (
    BadToken,
    HandshakeFailed,
    NoAnswer,
    NothingListening,
    NotReady,
    SchemaMismatch,
    VersionMismatch,
)
from volition.execution.session.session import Session

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # the two sides
    "Session", "SessionEvent", "ExecutorSession", "ExecutorEvent", "Attempt", "Offer", "Timing",
    # why no session came about
    "HandshakeFailed", "NothingListening", "NoAnswer", "VersionMismatch", "SchemaMismatch", "NotReady", "BadToken",
]  # fmt: skip
