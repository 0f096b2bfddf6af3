"""Where whatever costs is worked: in threads apart from those that answer pages, a few at once, with a bounded queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from volition.core.errors import Problem
from volition.studio.errors import Busy

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
AT_ONCE: Final = 2
"""How many pieces are worked on at the same time: they share one interpreter with what answers pages."""
WAITING: Final = 32
"""How many more may wait."""


class Workroom:
    """Runs work in a few threads; what is too much to wait is refused."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING) -> None:
        self._places = CapacityLimiter(at_once)
        self._waiting = waiting

    async def do(self, work: Callable[[], T]) -> T:
        """What `work` gives, worked out elsewhere; Busy where too many wait already."""
        if self._places.statistics().tasks_waiting >= self._waiting:
            raise Busy(
                Problem(
                    f"{self._waiting} requests wait for their turn",
                    "the studio",
                    f"at most {self._waiting} that wait",
                    "ask again a little later",
                )
            )
        return await run_sync(work, limiter=self._places)
