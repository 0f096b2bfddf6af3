"""What the blocking and the asyncio bridge share: what may be asked, what is recorded, and the errors of asking."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from volition.core.errors import InvalidInput, MissingPart, Problem
from volition.execution.door.critical import CriticalLog
from volition.execution.door.told import Lost
from volition.execution.session.events import Breach
from volition.execution.session.refusals import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.execution.door.told import DoorEvent
    from volition.execution.intents import CanonicalIntent
    from volition.execution.session.refusals import HandshakeFailed

    Asked: TypeAlias = CanonicalIntent | str | tuple[str, Any]
    """An intent, its name, or its name with its parameters."""

EVENTS_KEPT: Final = 1024
"""How many events of the game wait for `events()`; the oldest make way."""

HALF_WAY: Final = "it was interrupted in the middle of its work"


CRITICAL: Final = (Breach, Lost)
"""What a bridge logs, at the level CRITICAL and under the name `volition.execution`, first and then in sums."""


def critical_log() -> CriticalLog:
    """Where a bridge says that its executor breaks the contract, or was given up."""
    return CriticalLog(logging.getLogger("volition.execution").critical)


class Records(Protocol):
    """What a bridge needs of a journal."""

    def tell(self, event: DoorEvent, /) -> object: ...


def is_durable(journal: Records | None) -> bool:
    """Whether a journal wants to know of every intent before it leaves."""
    return getattr(journal, "durable", None) is not None


class BridgeClosed(MissingPart):
    """The bridge is closed: nothing was sent."""


def bridge_closed(why: str) -> BridgeClosed:
    return BridgeClosed(Problem(f"the bridge is closed: {why}", "bridge", "an open bridge", "connect again"))


def pairs(intents: Iterable[Asked]) -> list[tuple[CanonicalIntent | str, Any]]:
    """Each intent with its parameters, which are None where it has its own or none."""
    return [intent if isinstance(intent, tuple) else (intent, None) for intent in intents]


def no_such_ticket(ticket: object) -> InvalidInput:
    return InvalidInput(
        Problem(
            f"no outcome waits under the ticket {ticket!r}",
            "ticket",
            "a ticket of submit whose outcome was not taken yet",
            "wait once for each ticket",
        )
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
