"""What goes on in a thread, as pages follow it: a feed that one thread writes and any number of streams read."""

from __future__ import annotations

import asyncio
from collections import deque
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

KEPT: Final = 2048
"""How many of the latest items a feed keeps for those who come late."""
QUIET: Final = 15.0
"""Seconds after which a stream shows that it is alive."""


class Item(NamedTuple):
    """One thing that was told: its number from 1 on, what it is, and JSON."""

    number: int
    name: str
    data: bytes


class Feed:
    """Told by one thread, followed by streams of an event loop; the last item is the end."""

    def __init__(self, kept: int = KEPT) -> None:
        self._items: deque[Item] = deque(maxlen=kept)
        self._told = 0
        self._closed = False
        self._lock = Lock()
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def followed(self) -> bool:
        """Whether a stream follows it now."""
        return bool(self._waiting)

    def tell(self, name: str, data: bytes, *, last: bool = False) -> None:
        """Add an item; after the last one nothing is taken any more."""
        with self._lock:
            if self._closed:
                return
            self._told += 1
            self._items.append(Item(self._told, name, data))
            self._closed = last
            waiting = list(self._waiting.items())
        for event, loop in waiting:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    async def follow(self, after: int = 0) -> AsyncIterator[Item | None]:
        """Every item after a number, as they come, to the last; None where nothing came for a while."""
        rung = asyncio.Event()
        with self._lock:
            self._waiting[rung] = asyncio.get_running_loop()
        try:
            while True:
                rung.clear()
                with self._lock:
                    fresh = [item for item in self._items if item.number > after]
                    over = self._closed
                for item in fresh:
                    after = item.number
                    yield item
                if over:
                    return
                if not fresh:
                    try:
                        await asyncio.wait_for(rung.wait(), QUIET)
                    except TimeoutError:
                        yield None
        finally:
            with self._lock:
                self._waiting.pop(rung, None)
