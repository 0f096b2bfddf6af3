"""One request on its way: what was asked for, what is open, and how it ended.

    Request ------> OpenRequest ---held by the door, sent by a session---> Outcome
    as asked for    under a ticket; on the wire, under an id               one for each ticket

Door, session, journal and bridge pass on these objects and have none of their own: the session gives the `OpenRequest`
its id, and makes the `Outcome` from it when the answer comes, or when none comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

import orjson
from msgspec import Struct

from volition.core.canonical import MAX_INTEGER
from volition.core.errors import format_value, refuse
from volition.execution.wire.declared import Custom
from volition.execution.wire.frames import MAX_NAME
from volition.execution.wire.intents import CANONICAL, AnyIntent, Move, Stop
from volition.execution.wire.results import UNKNOWN_FAILURE, Label, Result, Violation

if TYPE_CHECKING:
    from volition.execution.wire.frames import IntentFrame, StateFrame
    from volition.execution.wire.results import FailureReason, Status

REQUESTS: Final = "requests"
"""The feature of an executor that remembers requests, over connections and restarts."""

MIN_TTL: Final = 0.001
"""The shortest time to live that the wire can express, in seconds."""

Purpose: TypeAlias = Literal["policy", "opening", "fallback", "instead"]
"""Why an intent was sent: the owner asked for it, a connection was opened, something went wrong, or as a STOP in place
of a refused intent."""

_NAMES: Final[dict[type, str]] = {kind: name for name, kind in CANONICAL.items()}
_LONGEST_REPR: Final = 1 << 16


class Numbers:
    """Numbers tickets and connections, each from 1; doors that share a journal share these numbers."""

    def __init__(self) -> None:
        self.ticket: Final = count(1).__next__
        self.connection: Final = count(1).__next__


class RequestMark(Struct, frozen=True, kw_only=True, gc=False):
    """What makes an intent happen once: the same `request` is never done twice, over connections and restarts.

    With another `digest` it is a mistake, and refused. `token` is the number under which the sender acts on a `resource`;
    once an executor has seen a higher one, it refuses this. It takes both sides to have the feature `requests`; a bridge
    refuses to send a mark otherwise.
    """

    request: str
    digest: str
    token: int
    resource: str

    def __post_init__(self) -> None:
        for name in ("request", "digest", "resource"):
            if not 0 < len(getattr(self, name)) <= MAX_NAME:
                refuse(
                    f"the {name} has {len(getattr(self, name))} characters",
                    where=name,
                    expected=f"1 to {MAX_NAME} characters",
                    remedy="use a hash",
                )
        if self.token < 0:
            refuse(f"the token is {self.token}", where="token", expected="a number from 0 up", remedy="count upwards")

    @classmethod
    def of(cls, frame: IntentFrame) -> Self | None:
        """The mark of an intent as it arrived; None if it has none, or only a part of one."""
        request, digest, token, resource = frame.request, frame.digest, frame.token, frame.resource
        if request is None or digest is None or token is None or resource is None:
            return None
        return cls(request=request, digest=digest, token=token, resource=resource)


class Request(Struct, frozen=True, gc=False, omit_defaults=True):
    """What was asked for, even if it was nonsense.

    Parameters that JSON cannot express are in `parameters_repr`, as Python prints them.
    """

    intent: str
    parameters: Any = None
    parameters_repr: str | None = None

    @classmethod
    def of(cls, intent: object, parameters: Any = None) -> Self:
        """A copy of what was asked for: the caller may change its dictionaries afterwards.

        >>> Request.of("DANCE", {"steps": (1, 2)})
        Request(intent='DANCE', parameters={'steps': [1, 2]}, parameters_repr=None)
        """
        kind = type(intent)
        if parameters is None and kind in _NAMES:  # it was checked when it was made, and cannot change
            return cls(_NAMES[kind], intent.parameters if isinstance(intent, Move) else None)
        if parameters is None and isinstance(intent, Custom):
            name, parameters = intent.name, intent.parameters
        else:
            name = str(intent) if kind is str else _NAMES.get(kind) or format_value(intent)
        try:
            name = to_json_value(name)
        except UnicodeEncodeError:
            name = _safe_repr(name)
        try:
            return cls(name, to_json_value(parameters))
        except Exception:  # noqa: BLE001  whatever was asked for is recorded, at least as text
            return cls(name, None, _safe_repr(parameters))


class OpenRequest(Struct, gc=False):
    """A request without an outcome: held by a door, or sent by a session.

    The session fills in the last four fields when it sends it. `ticket` is 0 for a STOP that the session sends by itself,
    until that has ended.
    """

    ticket: int
    purpose: Purpose
    requested: Request
    intent: AnyIntent
    asked_at: float
    ttl: float
    agent: str | None = None
    mark: RequestMark | None = None
    based_on: int | None = None
    state: StateFrame | None = None
    connection: int = 0
    id: int | None = None
    sent_at: float = 0.0
    expires: float = 0.0
    """Until when its answer counts."""

    @property
    def deadline(self) -> float:
        """Until when it may be sent."""
        return self.asked_at + self.ttl

    def time_left(self, now: float) -> float:
        """How long it remains valid; 0 if that is too short for the wire."""
        left = self.ttl - (now - self.asked_at)
        return max(left, MIN_TTL) if left > MIN_TTL / 2 else 0.0

    def stops(self, other: OpenRequest) -> bool:
        """Whether this is a STOP that ends `other`: it names the same agent, or none and therefore all."""
        return isinstance(self.intent, Stop) and (self.agent is None or self.agent == other.agent)

    def end(
        self,
        label: Label,
        detail: str,
        now: float,
        result: Result = UNKNOWN_FAILURE,
        *,
        violations: tuple[Violation, ...] = (),
        line: bytes | None = None,
        next_state: StateFrame | None = None,
    ) -> Outcome:
        """Its outcome; without the `line` of an answer, one that this side assumes."""
        return Outcome(
            ticket=self.ticket,
            purpose=self.purpose,
            requested=self.requested,
            agent=self.agent,
            mark=self.mark,
            connection=self.connection,
            state=self.state,
            result=result,
            label=label,
            detail=detail,
            elapsed=now - self.asked_at,
            sent=None if self.id is None else self.intent,
            id=self.id,
            answered=line is not None,
            violations=violations,
            line=line,
            next_state=next_state,
        )


class Outcome(Struct, frozen=True, gc=False):
    """The outcome of one request, whether the executor answered or not.

    `ticket` counts from 1 over all connections of a door. `sent` is None if nothing crossed the bridge; then `id` is
    None too. `connection` counts from 1; it is 0 if there was none. `state` is the state that the request was decided
    on. `elapsed` is the time since the request was made, including the time for which it was held. `line` is the
    executor's answer, verbatim, or None if `answered` is false.
    """

    ticket: int
    purpose: Purpose
    requested: Request
    connection: int
    state: StateFrame | None
    result: Result
    label: Label
    detail: str
    elapsed: float
    agent: str | None = None
    mark: RequestMark | None = None
    sent: AnyIntent | None = None
    id: int | None = None
    answered: bool = False
    violations: tuple[Violation, ...] = ()
    line: bytes | None = None
    next_state: StateFrame | None = None

    @property
    def payload(self) -> Any:
        """The result as the executor wrote it, or None if there was no answer; parsed from the line on every access."""
        return None if self.line is None else orjson.loads(self.line).get("result")

    @property
    def status(self) -> Status:
        return self.result.status

    @property
    def reason(self) -> FailureReason:
        return self.result.failure_reason


def to_json_value(value: Any) -> Any:
    """The value as JSON returns it; TypeError where JSON cannot express it, RecursionError where it contains itself."""
    if isinstance(value, float) and isfinite(value):
        return float(value)
    if isinstance(value, str):
        if not value.isascii():
            value.encode()
        return str(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) <= MAX_INTEGER:
        return int(value)
    if isinstance(value, list | tuple):
        return [to_json_value(item) for item in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {to_json_value(key): to_json_value(item) for key, item in value.items()}
    raise TypeError(f"JSON cannot express a {type(value).__name__}")


def _safe_repr(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  whatever its __repr__ raises, its type is recorded
        text = f"a {type(value).__name__}"
    return text[:_LONGEST_REPR].encode("utf-8", "backslashreplace").decode()
