"""The progress of a thread, as pages follow it: a feed that one thread writes and any number of streams read."""

from __future__ import annotations

import asyncio
from collections import deque
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

KEPT: Final = 2048
"""How many of the latest items a feed keeps for late followers."""
QUIET: Final = 15.0
"""Seconds without an item after which a stream sends a sign of life."""


class Item(NamedTuple):
    """One item: its number from 1 on, its name, and JSON."""

    number: int
    name: str
    data: bytes


class Feed:
    """Written by one thread, followed by streams of an event loop; the last item closes it."""

    def __init__(self, kept: int = KEPT) -> None:
        self._items: deque[Item] = deque(maxlen=kept)
        self._count = 0
        self._closed = False
        self._lock = Lock()
        self._followers: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    @property
    def has_followers(self) -> bool:
        """Whether a stream follows it now."""
        return bool(self._followers)

    def tell(self, name: str, data: bytes, *, last: bool = False) -> None:
        """Add an item; nothing is accepted after the last one."""
        with self._lock:
            if self._closed:
                return
            self._count += 1
            self._items.append(Item(self._count, name, data))
            self._closed = last
            followers = list(self._followers.items())
        for wake, loop in followers:
            if not loop.is_closed():
                loop.call_soon_threadsafe(wake.set)

    async def follow(self, after: int = 0) -> AsyncIterator[Item | None]:
        """Every item after a number, as they come, to the last; None where nothing came for a while."""
        wake = asyncio.Event()
        with self._lock:
            self._followers[wake] = asyncio.get_running_loop()
        try:
            while True:
                # Cleared before looking: an item that comes after the look wakes the wait below.
                wake.clear()
                with self._lock:
                    fresh = [item for item in self._items if item.number > after]
                    closed = self._closed
                for item in fresh:
                    after = item.number
                    yield item
                if closed:
                    return
                if not fresh:
                    try:
                        await asyncio.wait_for(wake.wait(), QUIET)
                    except TimeoutError:
                        yield None
        finally:
            with self._lock:
                self._followers.pop(wake, None)
