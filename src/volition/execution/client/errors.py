"""The errors of asking a bridge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.errors import InvalidInput, MissingPart, Problem
from volition.execution.wire.session.refusals import NoAnswer

if TYPE_CHECKING:
    from volition.execution.wire.session.refusals import HandshakeFailed


class BridgeClosed(MissingPart):
    """The bridge is closed: nothing was sent."""


def bridge_closed(why: str) -> BridgeClosed:
    return BridgeClosed(Problem(f"the bridge is closed: {why}", "bridge", "an open bridge", "connect again"))


def no_such_ticket(ticket: object) -> InvalidInput:
    return InvalidInput.of(
        f"no outcome waits under the ticket {ticket!r}",
        where="ticket",
        expected="a ticket of submit whose outcome was not taken yet",
        remedy="wait once for each ticket",
    )


def no_state(timeout: float, error: HandshakeFailed | None) -> HandshakeFailed:
    """The error for a refresh that brought nothing: why there is no connection, where that is the reason."""
    problem = Problem(
        f"no full state within {timeout} s",
        "refresh",
        "a full state in answer to the request",
        "give it more time, or look at what the executor does",
    )
    return error or NoAnswer(problem)
