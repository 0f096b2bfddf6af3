"""Every stream gets each item of a feed once and in order; what is kept is bounded."""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import TYPE_CHECKING

from volition.studio import feed as module
from volition.studio.feed import Feed, Item

if TYPE_CHECKING:
    import pytest


async def collect(feed: Feed, after: int = 0) -> list[Item | None]:
    return [item async for item in feed.follow(after)]


def test_all_streams_hear_everything() -> None:
    """Streams that begin before, during and after the items get the same items, from the number they ask for."""
    feed = Feed()

    def tell() -> None:
        for number in range(200):
            feed.tell("n", str(number).encode(), last=number == 199)

    async def main() -> list[list[Item | None]]:
        streams = [asyncio.create_task(collect(feed, after)) for after in (0, 0, 150)]
        await asyncio.sleep(0)
        thread = Thread(target=tell)
        thread.start()
        result = [await stream for stream in streams]
        thread.join()
        return [*result, await collect(feed)]

    first, second, late, after = asyncio.run(main())
    assert [item.data for item in first if item] == [str(n).encode() for n in range(200)]
    assert first == second == after
    assert late == first[150:]


def test_a_feed_keeps_so_many() -> None:
    """A late stream gets what is still kept, with the original numbers."""
    feed = Feed(kept=3)
    for number in range(10):
        feed.tell("n", b"", last=number == 9)
    assert [item.number for item in asyncio.run(collect(feed)) if item] == [8, 9, 10]
    feed.tell("n", b"after the end")
    assert len(asyncio.run(collect(feed))) == 3


def test_a_quiet_feed_shows_that_it_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing comes for a while, a stream gets a sign of life."""
    feed = Feed()
    monkeypatch.setattr(module, "QUIET", 0.01)

    async def first() -> Item | None:
        async for item in feed.follow():
            return item
        raise AssertionError

    assert asyncio.run(first()) is None
