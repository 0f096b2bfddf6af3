"""The protocol as two state machines, one for each side, without a socket or a clock."""

from __future__ import annotations

from volition.execution.wire.session.events import SessionEvent
from volition.execution.wire.session.executor import ExecutorSession
from volition.execution.wire.session.executor_events import ExecutorEvent, IncomingIntent
from volition.execution.wire.session.handshake import Offer
from volition.execution.wire.session.link import Timing
from volition.execution.wire.session.refusals import (
    BadToken,
    HandshakeFailed,
    NoAnswer,
    NothingListening,
    NotReady,
    SchemaMismatch,
    VersionMismatch,
)
from volition.execution.wire.session.session import Session

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # the two sides
    "Session", "SessionEvent", "ExecutorSession", "ExecutorEvent", "IncomingIntent", "Offer", "Timing",
    # why a connection failed
    "HandshakeFailed", "NothingListening", "NoAnswer", "VersionMismatch", "SchemaMismatch", "NotReady", "BadToken",
]  # fmt: skip
