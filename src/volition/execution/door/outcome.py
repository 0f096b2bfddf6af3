"""The one final word on one request, whether the executor spoke it or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from volition.execution.session.events import payload_of

if TYPE_CHECKING:
    from volition.execution.frames import StateFrame
    from volition.execution.intents import CanonicalIntent
    from volition.execution.results import FailureReason, Label, Result, Status, Violation
    from volition.execution.session.events import Purpose


class Requested(Struct, frozen=True, gc=False):
    """What was asked for, verbatim, even where it was nonsense."""

    intent: str
    parameters: Any = None
    agent: str | None = None


class Outcome(Struct, frozen=True, gc=False):
    """What became of one request.

    `ticket` counts from 1 over all connections of a door. `sent` is None where nothing crossed the bridge; then `id` is
    None too. `connection` counts from 1; it is 0 where there was none. `state` is the one that the request was decided
    on. `elapsed` counts from the asking, so it holds the time for which the request was held. `line` is the executor's
    answer, verbatim, or None where `answered` is false.
    """

    ticket: int
    purpose: Purpose
    requested: Requested
    sent: CanonicalIntent | None
    connection: int
    id: int | None
    state: StateFrame | None
    result: Result
    label: Label
    detail: str
    elapsed: float
    answered: bool
    violations: tuple[Violation, ...] = ()
    line: bytes | None = None
    next_state: StateFrame | None = None

    @property
    def payload(self) -> Any:
        """The result as the executor wrote it, or None where it wrote none; read from the line each time."""
        return payload_of(self.line)

    @property
    def status(self) -> Status:
        return self.result.status

    @property
    def reason(self) -> FailureReason:
        return self.result.failure_reason
