"""A request, from being asked for to its outcome, and those that cannot be sent yet."""

from __future__ import annotations

import copy
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.core.errors import format_value
from volition.execution.wire.declared import Custom
from volition.execution.wire.intents import CANONICAL, AnyIntent, Move, Stop
from volition.execution.wire.session.checks import MIN_TTL

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.marks import RequestMark
    from volition.execution.wire.session.events import Purpose

_NAMES: Final[dict[type, str]] = {kind: name for name, kind in CANONICAL.items()}


class Numbers:
    """Numbers tickets and connections, each from 1; doors that share a journal share these numbers."""

    def __init__(self) -> None:
        self.ticket: Final = count(1).__next__
        self.connection: Final = count(1).__next__


class Request(Struct, frozen=True, gc=False):
    """What was asked for, verbatim, even if it was nonsense. The mark names it where it is to be done once."""

    intent: str
    parameters: Any = None
    agent: str | None = None
    mark: RequestMark | None = None


class OpenRequest(Struct, gc=False):
    """A request without an outcome. `id` is its id on the wire, or None while it is held."""

    ticket: int
    purpose: Purpose
    requested: Request
    intent: AnyIntent
    asked_at: float
    ttl: float
    based_on: int | None = None
    state: StateFrame | None = None
    id: int | None = None

    @property
    def deadline(self) -> float:
        return self.asked_at + self.ttl

    def time_left(self, now: float) -> float:
        """How long it remains valid; 0 if that is too short for the wire."""
        left = self.ttl - (now - self.asked_at)
        return max(left, MIN_TTL) if left > MIN_TTL / 2 else 0.0

    def stops(self, other: OpenRequest) -> bool:
        """Whether this is a STOP that ends `other`: it names the same agent, or none and therefore all."""
        agent = self.requested.agent
        return isinstance(self.intent, Stop) and (agent is None or agent == other.requested.agent)


class HeldRequests(list[OpenRequest]):
    """Requests in the order in which they were made."""

    @property
    def deadline(self) -> float:
        """When the first of them will be too old."""
        return min(request.deadline for request in self)

    def take(self, stop: OpenRequest | None = None) -> list[OpenRequest]:
        """Remove and return all of them, or those that a STOP stops."""
        taken = [request for request in self if stop is None or stop.stops(request)]
        self[:] = [request for request in self if stop is not None and not stop.stops(request)]
        return taken

    def release(self, end: Callable[[OpenRequest], bool], send: Callable[[OpenRequest], bool]) -> None:
        """Go through them: `end` those that are over, and `send` the others, in order for each agent.

        Both say whether they did. What cannot be sent stays, and so does everything of the same agent behind it.
        """
        behind: set[str | None] = set()
        for request in self.take():
            agent = request.requested.agent
            if not end(request) and (agent in behind or not send(request)):
                behind.add(agent)
                self.append(request)


def record_request(intent: object, parameters: Any, agent: str | None, mark: RequestMark | None = None) -> Request:
    """A copy of what was asked for: the caller may change its dictionaries afterwards."""
    if isinstance(intent, Move | Custom) and parameters is None:
        return Request(intent.name, intent.parameters, agent, mark)
    name = intent if type(intent) is str else _NAMES.get(type(intent)) or format_value(intent)
    return Request(name, None if parameters is None else _copy(parameters), agent, mark)


def _copy(parameters: Any) -> Any:
    try:
        return copy.deepcopy(parameters)
    except Exception:  # noqa: BLE001  what cannot be copied is at least shown
        return format_value(parameters)
