"""What a door waits for: the requests that cannot be sent yet, and the moment to dial again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from volition.core.chance import stream, uid, uniform, word
from volition.core.errors import refuse
from volition.execution.wire.request import OpenRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.wire.session.handshake import HandshakeFailed
    from volition.execution.wire.session.session import Session

FIRST: Final = 0.05
LONGEST: Final = 2.0
"""Waits double from the first to the longest, in seconds."""


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
            agent = request.agent
            if not end(request) and (agent in behind or not send(request)):
                behind.add(agent)
                self.append(request)


class Redial:
    """When to dial (from `at` on), and why the last connection failed."""

    def __init__(self, seed: int, now: float) -> None:
        self._seed, self._failures = seed, 0
        self.at = now
        self.error: HandshakeFailed | None = None

    def later(self, error: HandshakeFailed | None, now: float) -> None:
        """A connection failed or was lost: wait, longer each time."""
        self.error = error
        self.at = now + delay(self._failures, seed=self._seed)
        self._failures += 1

    def reset(self) -> None:
        """A session is ready: the next wait will be short again."""
        self._failures, self.error = 0, None


def delay(failures: int, *, seed: int) -> float:
    """Seconds before dialling again after this many failures in a row, shortened by up to half at random, so that callers
    spread out.

    >>> [round(delay(failures, seed=7), 3) for failures in range(3)]
    [0.048, 0.081, 0.168]
    """
    full = min(LONGEST, FIRST * 2.0 ** min(failures, 60))
    return full * (0.5 + 0.5 * uniform(word(stream(seed, failures, uid("door"), uid("dial")), 0)))


def describe_obstacle(session: Session | None, *, stale: bool) -> str:
    """Why a request cannot be sent now; `stale`: a full state is awaited first."""
    if session is None or session.phase == "greeting":
        return "there was no connection"
    if session.phase == "opening":
        return "the connection was still opening"
    if stale:
        return "a full state was awaited"
    if session.room:
        return "those like it in flight were not finished"
    return "the window was full, or a STOP was not yet answered"


def refuse_connection(phase: str) -> NoReturn:
    """A connection was made for a door that has one, or is closed."""
    refuse(
        f"connection_made() on a door that is {phase}",
        where="connection_made",
        expected="a door that is not closed and has no connection",
        remedy="dial at dial_at, and say when a connection ends",
    )
