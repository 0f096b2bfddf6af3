"""Where expensive work is done: in threads apart from those that answer pages, a few at once, with a bounded queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from volition.studio.errors import Busy

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
AT_ONCE: Final = 2
"""How many pieces of work run at the same time: they share one interpreter with what answers pages."""
WAITING: Final = 32
"""How many more may wait."""


class TaskPool:
    """Runs work in a few threads; refuses it where too much is waiting."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING) -> None:
        self._places = CapacityLimiter(at_once)
        self._waiting = waiting

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, computed in a thread; Busy where too many wait already."""
        if self._places.statistics().tasks_waiting >= self._waiting:
            raise Busy.of(
                f"{self._waiting} requests are waiting",
                where="the studio",
                expected=f"at most {self._waiting} waiting requests",
                remedy="try again a little later",
            )
        return await run_sync(work, limiter=self._places)
