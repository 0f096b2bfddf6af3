"""What the bridge's side of a session tells its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import orjson
from msgspec import Struct

if TYPE_CHECKING:
    from volition.execution.frames import GameEvent, Progress, StateFrame, Welcome
    from volition.execution.intents import CanonicalIntent
    from volition.execution.results import Label, Result, Violation
    from volition.execution.session.refusals import HandshakeFailed

Purpose: TypeAlias = Literal["policy", "opening", "fallback", "instead"]
"""Why an intent was sent: its owner asked, a connection began, something went wrong, or a STOP stands in for another."""

BreachKind: TypeAlias = Literal["bad_frame", "unexpected", "bad_result", "mismatched", "unknown_id", "repeated"]

Ending: TypeAlias = Literal[
    "refused", "goodbye", "eof", "torn", "reset", "dead", "overrun", "faults", "stop_failed", "local"
]
"""Why a session is over: `torn` is an end in the middle of a frame, `dead` is silence, `faults` is too much noise."""


class Welcomed(Struct, frozen=True, gc=False):
    """The handshake held; the opening (full state, STOP) is on its way."""

    welcome: Welcome
    features: frozenset[str]


class Ready(Struct, frozen=True, gc=False):
    """The opening is over: intents may be sent."""

    state: StateFrame


class Finished(Struct, frozen=True, gc=False):
    """The one final word on an intent, whether the executor spoke it or not.

    `line` is the executor's answer, verbatim, or None where `answered` is false.
    """

    id: int
    intent: CanonicalIntent
    purpose: Purpose
    result: Result
    label: Label
    answered: bool
    detail: str
    elapsed: float
    violations: tuple[Violation, ...] = ()
    line: bytes | None = None
    next_state: StateFrame | None = None

    @property
    def payload(self) -> Any:
        """The result as the executor wrote it, or None where it wrote none; read from the line each time."""
        return payload_of(self.line)


class Late(Struct, frozen=True, gc=False):
    """The executor's answer to an intent that had timed out, or whose answer seemed lost; it changes nothing."""

    id: int
    intent: CanonicalIntent
    result: Result
    label: Label
    line: bytes
    elapsed: float

    @property
    def payload(self) -> Any:
        """The result as the executor wrote it."""
        return payload_of(self.line)


class StateArrived(Struct, frozen=True, gc=False):
    """A state newer than all before it; `asked` where it answers a request."""

    state: StateFrame
    asked: bool


class StateMissing(Struct, frozen=True, gc=False):
    """A request for a state that was not answered in time."""

    id: int


class Happened(Struct, frozen=True, gc=False):
    """An event of the game, or progress of an open intent."""

    frame: GameEvent | Progress


class Breach(Struct, frozen=True, gc=False):
    """The executor broke the contract: a critical log event. `raw` is the line verbatim where it was no frame."""

    kind: BreachKind
    what: str
    id: int | None = None
    raw: bytes | None = None


class Complaint(Struct, frozen=True, gc=False):
    """The executor could not use a frame of ours."""

    code: str
    message: str
    id: int | None


class Stalled(Struct, frozen=True, gc=False):
    """The executor answers, and its world stands still."""

    tick: int


class Closed(Struct, frozen=True, gc=False):
    """The session is over; every open intent has had its final word before this one."""

    reason: Ending
    error: HandshakeFailed | None = None


SessionEvent: TypeAlias = (
    Welcomed | Ready | Finished | Late | StateArrived | StateMissing | Happened | Breach | Complaint | Stalled | Closed
)


def payload_of(line: bytes | None) -> Any:
    """The result inside the line of a result frame, as data; None where there is no line.

    >>> payload_of(b'{"v":1,"type":"result","id":1,"intent":"STOP","result":{"status":"DONE"}}')
    {'status': 'DONE'}
    """
    return None if line is None else orjson.loads(line).get("result")
