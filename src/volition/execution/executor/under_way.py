"""The requests that are under way, and every id that waits for one.

    new --written down--> under way --> ended: its result is written down, and answered to every id that waits
                                    \\-> interrupted: its bridge or the executor is gone, and nobody knows its result

The same request under another id begins nothing: it waits. One bridge drives at a time, so everything here is of one
connection, and all of it is interrupted when that ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.execution.executor.contract import Ended
from volition.execution.wire.results import make_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.execution.executor.requests import RequestMemory
    from volition.execution.wire.session.events import IncomingIntent

UNDER_WAY: Final = "UNDER_WAY"
"""The time of a repeated intent is over, and the request that it repeats has no result yet. That one goes on."""


class RequestsUnderWay:
    """What stands between a host and its memory of requests; without a memory, no intent has a mark."""

    def __init__(self, memory: RequestMemory | None) -> None:
        self._memory = memory
        self._first: dict[str, IncomingIntent] = {}
        """Request -> the attempt that was begun for it."""
        self._repeated: dict[str, list[IncomingIntent]] = {}
        """Request -> the intents that wait for the result of that attempt."""

    @property
    def remembers(self) -> bool:
        return self._memory is not None

    def fence(self, fences: Mapping[str, int]) -> None:
        """As `RequestMemory.fence`."""
        if self._memory is not None:
            self._memory.fence(fences)

    def begin(self, attempt: IncomingIntent) -> list[Ended] | None:
        """None if the game may attempt it; otherwise what to answer instead, which is nothing yet while it waits."""
        mark = attempt.mark
        if mark is None or self._memory is None:
            return None
        first = self._first.get(mark.request)
        if first is not None and first.mark is not None and first.mark.digest == mark.digest:
            self._repeated.setdefault(mark.request, []).append(attempt)
            return []
        known = self._memory.admit(mark)
        if known is not None:
            return [Ended(attempt, *known)]
        self._first[mark.request] = attempt
        return None

    def first_of(self, attempt: IncomingIntent) -> IncomingIntent:
        """The attempt whose result an intent will get: itself, unless it repeats a request that is under way."""
        return attempt if attempt.mark is None else self._first.get(attempt.mark.request, attempt)

    def settle(self, ended: Ended) -> list[Ended]:
        """Write down the result of a request, and give it to every intent that waits for it.

        Nothing is said of a request that is not under way any more: it was answered, or counts as interrupted, and must not
        have another result later.
        """
        mark = ended.attempt.mark
        if mark is None or self._memory is None:
            return [ended]
        if self._first.get(mark.request) is not ended.attempt:
            return []
        result, detail = self._memory.finish(mark, ended.result, ended.detail)
        attempts = [self._first.pop(mark.request), *self._repeated.pop(mark.request, [])]
        return [Ended(attempt, result, detail) for attempt in attempts]

    def stop(self, stop: IncomingIntent, *, is_alive: bool) -> list[Ended]:
        """Settle what a finished STOP ends and the game has not ended itself."""
        result = make_result("PARTIAL", is_alive=is_alive)
        stopped = [first for first in self._first.values() if first.id < stop.id and stop.stops(first)]
        return [ended for first in stopped for ended in self.settle(Ended(first, result, "STOPPED"))]

    def give_up(self, repeated: IncomingIntent, *, is_alive: bool) -> Ended:
        """The answer to a repeated intent whose time is over; the request goes on."""
        assert repeated.mark is not None
        self._repeated[repeated.mark.request].remove(repeated)
        return Ended(repeated, make_result("FAILURE", "UNKNOWN", is_alive=is_alive), UNDER_WAY)

    def interrupt(self) -> None:
        """The bridge is gone: nobody waits, and what was under way has no result."""
        self._first.clear()
        self._repeated.clear()
