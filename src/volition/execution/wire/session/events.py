"""The events of a session: first those of the bridge's side, then those of the executor's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import orjson
from msgspec import Struct

if TYPE_CHECKING:
    from volition.execution.wire.frames import GameEvent, Hello, Progress, StateFrame, Welcome
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.marks import RequestMark
    from volition.execution.wire.results import Label, Result, Violation
    from volition.execution.wire.session.refusals import HandshakeFailed

Purpose: TypeAlias = Literal["policy", "opening", "fallback", "instead"]
"""Why an intent was sent: the owner asked for it, a connection was opened, something went wrong, or as a STOP in place
of a refused intent."""

BreachKind: TypeAlias = Literal["bad_frame", "unexpected", "bad_result", "mismatched", "unknown_id", "repeated"]

Ending: TypeAlias = Literal[
    "refused", "goodbye", "eof", "torn", "reset", "dead", "overrun", "faults", "stop_failed", "local"
]
"""Why a session ended: `torn` is an end in the middle of a frame, `dead` is silence, `faults` is too many unreadable
lines."""


class Welcomed(Struct, frozen=True, gc=False):
    """The handshake succeeded; the opening (full state, STOP) has begun."""

    welcome: Welcome
    features: frozenset[str]


class Ready(Struct, frozen=True, gc=False):
    """The opening is over: intents may be sent."""

    state: StateFrame


class Finished(Struct, frozen=True, gc=False):
    """The one result of an intent, whether the executor answered or not.

    `line` is the executor's answer, verbatim, or None if `answered` is false. `request` is what was passed to `send`.
    """

    id: int
    intent: AnyIntent
    purpose: Purpose
    result: Result
    label: Label
    answered: bool
    detail: str
    elapsed: float
    violations: tuple[Violation, ...] = ()
    line: bytes | None = None
    next_state: StateFrame | None = None
    request: Any = None


class LateAnswer(Struct, frozen=True, gc=False):
    """The executor's answer to an intent that had timed out, or whose answer seemed lost. It changes nothing."""

    id: int
    intent: AnyIntent
    result: Result
    label: Label
    line: bytes
    elapsed: float
    request: Any = None


class StateArrived(Struct, frozen=True, gc=False):
    """A new state; `asked` if it answers a request."""

    state: StateFrame
    asked: bool


class StateMissing(Struct, frozen=True, gc=False):
    """A request for a state that was not answered in time."""

    id: int


class Happened(Struct, frozen=True, gc=False):
    """An event of the game, or progress of an open intent."""

    frame: GameEvent | Progress


class Breach(Struct, frozen=True, gc=False):
    """The executor broke the contract: a critical log event. `raw` is the line verbatim if it was not a frame."""

    kind: BreachKind
    what: str
    id: int | None = None
    raw: bytes | None = None


class Complaint(Struct, frozen=True, gc=False):
    """The executor could not use a frame that this side sent."""

    code: str
    message: str
    id: int | None


class Stalled(Struct, frozen=True, gc=False):
    """The executor answers, but its world does not advance."""

    tick: int


class Closed(Struct, frozen=True, gc=False):
    """The session is over. Every open intent was finished before this event."""

    reason: Ending
    error: HandshakeFailed | None = None


SessionEvent: TypeAlias = (
    Welcomed
    | Ready
    | Finished
    | LateAnswer
    | StateArrived
    | StateMissing
    | Happened
    | Breach
    | Complaint
    | Stalled
    | Closed
)


class IncomingIntent(Struct, frozen=True, gc=False):
    """One intent for the game to attempt, once, within `ttl_ms` of its arrival. A STOP never expires."""

    id: int
    intent: AnyIntent
    agent: str | None
    based_on: int | None
    expires: float
    ttl_ms: int
    mark: RequestMark | None = None

    def stops(self, other: IncomingIntent) -> bool:
        """Whether this STOP ends `other`: it names the same agent, or none and therefore all."""
        return self.agent is None or self.agent == other.agent


class Greeted(Struct, frozen=True, gc=False):
    """A bridge was accepted."""

    hello: Hello


class CancelAsked(Struct, frozen=True, gc=False):
    """The game should abort a started attempt, and finish it as PARTIAL, or with its actual result if it has ended by
    then."""

    id: int


class StateAsked(Struct, frozen=True, gc=False):
    """The game should answer with a state: `show_state`."""

    id: int
    full: bool
    agent: str | None


class ResetAsked(Struct, frozen=True, gc=False):
    """The game should end what is under way, begin again with this seed, and answer with a full state: `show_state`. Only
    if both sides have the feature `reset`."""

    id: int
    seed: int


class ProbeAsked(Struct, frozen=True, gc=False):
    """The game should report the true state of its world: `answer_probe`. Only if both sides have the feature
    `probe`."""

    id: int


class BridgeLost(Struct, frozen=True, gc=False):
    """The bridge is gone: the game must stop its actor. Reported once."""

    reason: str


ExecutorEvent: TypeAlias = Greeted | CancelAsked | StateAsked | ResetAsked | ProbeAsked | BridgeLost


def read_payload(line: bytes | None) -> Any:
    """The result inside the line of a result frame, as data; None without a line.

    >>> read_payload(b'{"v":1,"type":"result","id":1,"intent":"STOP","result":{"status":"DONE"}}')
    {'status': 'DONE'}
    """
    return None if line is None else orjson.loads(line).get("result")
