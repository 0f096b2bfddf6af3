"""When to dial again, and why nothing can be sent until then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from volition.core.chance import stream, uid, uniform, word
from volition.core.errors import refuse

if TYPE_CHECKING:
    from volition.execution.wire.session.refusals import HandshakeFailed
    from volition.execution.wire.session.session import Session

FIRST: Final = 0.05
LONGEST: Final = 2.0
"""Waits double from the first to the longest, in seconds."""


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
