"""The events of a session, on the bridge's side.

Where nothing is to be added, the event is the frame itself: a welcome, a state (which answers a request if it has an id), an
event of the game, progress, and a complaint about a frame that this side sent. An `Outcome` is the end of an intent.
`Breach` and `LateAnswer` are written to a journal as they are.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from volition.execution.wire.frames import ErrorFrame, GameEvent, Progress, StateFrame, Welcome
from volition.execution.wire.request import Outcome
from volition.execution.wire.results import Label, Result  # noqa: TC001  msgspec reads the annotations
from volition.execution.wire.session.handshake import HandshakeFailed  # noqa: TC001
from volition.execution.wire.session.phases import Ending  # noqa: TC001

BreachKind: TypeAlias = Literal["bad_frame", "unexpected", "bad_result", "mismatched", "unknown_id", "repeated"]

RECORD: Final[dict[str, Any]] = {"frozen": True, "kw_only": True, "omit_defaults": True}
"""The shape of everything that a journal writes: fields with their default value are left out."""


class Ready(Struct, frozen=True, gc=False):
    """The opening is over: intents may be sent."""

    state: StateFrame


class LateAnswer(Struct, **RECORD):
    """The executor's answer to an intent that had timed out, or whose answer seemed lost. It changes no outcome.

    `payload` is present only where the answer differs from `result`.
    """

    connection: int
    ticket: int
    id: int
    intent: str
    result: Result
    label: Label
    elapsed_us: int
    payload: Any | UnsetType = UNSET


class StateMissing(Struct, frozen=True, gc=False):
    """A request for a state that was not answered in time."""

    id: int


class Breach(Struct, **RECORD):
    """The executor broke the contract: a critical log event. `raw` holds the line verbatim if it was not a frame."""

    connection: int
    kind: BreachKind
    what: str
    id: int | None = None
    raw: dict[str, str] | None = None


class Stalled(Struct, frozen=True, gc=False):
    """The executor answers, but its world does not advance."""

    tick: int


class Closed(Struct, frozen=True, gc=False):
    """The session is over. Every open intent has had its outcome before this event."""

    reason: Ending
    error: HandshakeFailed | None = None


SessionEvent: TypeAlias = (
    Welcome | Ready | Outcome | LateAnswer | StateFrame | StateMissing | GameEvent | Progress | ErrorFrame | Breach | Stalled
    | Closed
)  # fmt: skip
