"""What the bridge's side of a session tells its owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from volition.execution.frames import GameEvent, Progress, StateFrame, Welcome
    from volition.execution.intents import CanonicalIntent
    from volition.execution.results import Label, Result, Violation
    from volition.execution.session.refusals import HandshakeFailed

Purpose: TypeAlias = Literal["policy", "opening", "fallback"]
"""Why an intent was sent: its owner asked, a connection began, or something went wrong."""

BreachKind: TypeAlias = Literal["bad_frame", "unexpected", "bad_result", "mismatched", "unknown_id", "repeated"]

Ending: TypeAlias = Literal[
    "refused", "goodbye", "eof", "torn", "reset", "dead", "overrun", "faults", "stop_failed", "local"
]
"""Why a session is over: `torn` is an end in the middle of a frame, `dead` is silence, `faults` is too much noise."""


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The handshake held; the opening (full state, STOP) is on its way."""

    welcome: Welcome
    features: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ready:
    """The opening is over: intents may be sent."""

    state: StateFrame


@dataclass(frozen=True, slots=True)
class Finished:
    """The one final word on an intent, whether the executor spoke it or not.

    `payload` is what the executor sent, verbatim, or None where `answered` is false.
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
    payload: Any = None
    next_state: StateFrame | None = None


@dataclass(frozen=True, slots=True)
class Late:
    """The executor's answer to an intent that had already timed out; it changes nothing."""

    id: int
    intent: CanonicalIntent
    result: Result
    label: Label
    payload: Any
    elapsed: float


@dataclass(frozen=True, slots=True)
class StateArrived:
    """A state newer than all before it; `asked` where it answers a request."""

    state: StateFrame
    asked: bool


@dataclass(frozen=True, slots=True)
class StateMissing:
    """A request for a state that was not answered in time."""

    id: int


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of the game, or progress of an open intent."""

    frame: GameEvent | Progress


@dataclass(frozen=True, slots=True)
class Breach:
    """The executor broke the contract: a critical log event."""

    kind: BreachKind
    what: str
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Complaint:
    """The executor could not use a frame of ours."""

    code: str
    message: str
    id: int | None


@dataclass(frozen=True, slots=True)
class Stalled:
    """The executor answers, and its world stands still."""

    tick: int


@dataclass(frozen=True, slots=True)
class Closed:
    """The session is over; every open intent has had its final word before this one."""

    reason: Ending
    error: HandshakeFailed | None = None


SessionEvent: TypeAlias = (
    Welcomed | Ready | Finished | Late | StateArrived | StateMissing | Happened | Breach | Complaint | Stalled | Closed
)
