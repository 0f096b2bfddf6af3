"""The outcome of a request, whether the executor answered or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from volition.execution.wire.session.events import read_payload

if TYPE_CHECKING:
    from volition.execution.door.request import OpenRequest, Request
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.results import FailureReason, Label, Result, Status, Violation
    from volition.execution.wire.session.events import Finished, Purpose


class Outcome(Struct, frozen=True, gc=False):
    """The outcome of one request.

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
    sent: AnyIntent | None = None
    id: int | None = None
    answered: bool = False
    violations: tuple[Violation, ...] = ()
    line: bytes | None = None
    next_state: StateFrame | None = None

    @property
    def payload(self) -> Any:
        """The result as the executor wrote it, or None if there was no answer; parsed from the line on every access."""
        return read_payload(self.line)

    @property
    def status(self) -> Status:
        return self.result.status

    @property
    def reason(self) -> FailureReason:
        return self.result.failure_reason


def unsent_outcome(
    request: OpenRequest, label: Label, detail: str, result: Result, *, connection: int, now: float
) -> Outcome:
    """The outcome of a request that was not sent."""
    return Outcome(
        ticket=request.ticket,
        purpose=request.purpose,
        requested=request.requested,
        connection=connection,
        state=request.state,
        result=result,
        label=label,
        detail=detail,
        elapsed=now - request.asked_at,
    )


def sent_outcome(request: OpenRequest, finished: Finished, *, connection: int, now: float) -> Outcome:
    """The outcome of a request that was sent."""
    return Outcome(
        ticket=request.ticket,
        purpose=finished.purpose,
        requested=request.requested,
        sent=finished.intent,
        connection=connection,
        id=finished.id,
        state=request.state,
        result=finished.result,
        label=finished.label,
        detail=finished.detail,
        elapsed=now - request.asked_at,
        answered=finished.answered,
        violations=finished.violations,
        line=finished.line,
        next_state=finished.next_state,
    )
