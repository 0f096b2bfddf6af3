"""The only way out of the process: intents are sent, results come back, and success is never assumed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from volition.execution.client.bridge import Bridge
from volition.execution.client.driver import BridgeClosed
from volition.execution.connecting.connect import connect
from volition.execution.executor.contract import About, Ended, Executor, Occurred, Resettable
from volition.execution.executor.requests import RequestMemory
from volition.execution.executor.server import ExecutorServer
from volition.execution.journal import Journal, read_journal, summarise_journal, verify_journal
from volition.execution.wire.codec import MAX_DEPTH, MAX_FRAME, FaultCode, FrameFault, Lines, decode, encode
from volition.execution.wire.declared import Custom, Declaration, object_schema
from volition.execution.wire.frames import SPEC, Frame
from volition.execution.wire.intents import (
    CANONICAL,
    AnyIntent,
    CanonicalIntent,
    Evade,
    Hold,
    Jump,
    Move,
    PrimaryAttack,
    Release,
    Stop,
    intent_problems,
    parse_intent,
)
from volition.execution.wire.request import Outcome, RequestMark
from volition.execution.wire.results import (
    UNKNOWN_FAILURE,
    Label,
    Result,
    Violation,
    interpret_result,
    label_of,
    make_result,
)
from volition.execution.wire.session.events import SessionEvent
from volition.execution.wire.session.executor import ExecutorSession
from volition.execution.wire.session.handshake import (
    BadToken,
    HandshakeFailed,
    NoAnswer,
    NothingListening,
    NotReady,
    Offer,
    SchemaMismatch,
    VersionMismatch,
)
from volition.execution.wire.session.incoming import ExecutorEvent, IncomingIntent
from volition.execution.wire.session.link import Timing
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from volition.execution.connecting import aio
    from volition.execution.connecting.fleet import Fleet

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # what may be asked
    "CanonicalIntent", "PrimaryAttack", "Evade", "Move", "Hold", "Release", "Stop", "Jump",
    "CANONICAL", "parse_intent", "intent_problems", "Custom", "Declaration", "object_schema", "AnyIntent",
    # what may come back
    "Result", "Violation", "Label", "interpret_result", "make_result", "label_of", "UNKNOWN_FAILURE",
    # driving a body
    "connect", "Bridge", "BridgeClosed", "Outcome", "Fleet", "aio", "RequestMark",
    # recording it
    "Journal", "read_journal", "summarise_journal", "verify_journal",
    # implementing a body
    "Executor", "About", "Ended", "Occurred", "Resettable", "ExecutorServer", "RequestMemory",
    # the wire format
    "Frame", "encode", "decode", "Lines", "FrameFault", "FaultCode", "MAX_FRAME", "MAX_DEPTH", "SPEC",
    # sessions
    "Session", "SessionEvent", "ExecutorSession", "ExecutorEvent", "IncomingIntent", "Offer", "Timing",
    # why a connection failed
    "HandshakeFailed", "NothingListening", "NoAnswer", "VersionMismatch", "SchemaMismatch", "NotReady", "BadToken",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import what needs asyncio only on first use."""
    if name == "Fleet":
        from volition.execution.connecting.fleet import Fleet  # noqa: PLC0415

        return Fleet
    if name == "aio":
        return import_module("volition.execution.connecting.aio")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
