"""The only door to the outside: intents go out, results come back, and nothing is taken to have succeeded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.execution.bridge.bridge import Bridge
from volition.execution.bridge.bridging import BridgeClosed
from volition.execution.bridge.connect import connect
from volition.execution.codec import MAX_DEPTH, MAX_FRAME, FaultCode, FrameFault, Lines, decode, encode
from volition.execution.door.outcome import Outcome
from volition.execution.executor.host import About, Ended, Executor, Occurred
from volition.execution.executor.server import ExecutorServer
from volition.execution.frames import SPEC, Frame
from volition.execution.intents import (
    CANONICAL,
    CanonicalIntent,
    Evade,
    Hold,
    Jump,
    Move,
    PrimaryAttack,
    Release,
    Stop,
    intent_problems,
    read_intent,
)
from volition.execution.journal import Journal, read_journal, summary, verify_journal
from volition.execution.results import (
    UNKNOWN_FAILURE,
    Label,
    Reading,
    Result,
    Violation,
    label_of,
    make_result,
    read_result,
)
from volition.execution.session import (
    Attempt,
    BadToken,
    ExecutorEvent,
    ExecutorSession,
    HandshakeFailed,
    NoAnswer,
    NothingListening,
    NotReady,
    Offer,
    SchemaMismatch,
    Session,
    SessionEvent,
    Timing,
    VersionMismatch,
)

if TYPE_CHECKING:
    from volition.execution.fleet import Fleet

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # what may be asked
    "CanonicalIntent", "PrimaryAttack", "Evade", "Move", "Hold", "Release", "Stop", "Jump",
    "CANONICAL", "read_intent", "intent_problems",
    # what may come of it
    "Result", "Reading", "Violation", "Label", "read_result", "make_result", "label_of", "UNKNOWN_FAILURE",
    # driving a body
    "connect", "Bridge", "BridgeClosed", "Outcome", "Fleet",
    # what is kept of it
    "Journal", "read_journal", "summary", "verify_journal",
    # being a body
    "Executor", "About", "Ended", "Occurred", "ExecutorServer",
    # how it is written
    "Frame", "encode", "decode", "Lines", "FrameFault", "FaultCode", "MAX_FRAME", "MAX_DEPTH", "SPEC",
    # who speaks when
    "Session", "SessionEvent", "ExecutorSession", "ExecutorEvent", "Attempt", "Offer", "Timing",
    # why no session came about
    "HandshakeFailed", "NothingListening", "NoAnswer", "VersionMismatch", "SchemaMismatch", "NotReady", "BadToken",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "Fleet":
        from volition.execution.fleet import Fleet  # noqa: PLC0415  only who drives many pays for asyncio

        return Fleet
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
