"""What one thread tells, every stream hears once and in order; what is kept is bounded."""

from __future__ import annotations

import asyncio
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from volition.studio import feed as module
from volition.studio.feed import Feed, Item
from volition.studio.memory import Memory
from volition.studio.work import Job, Jobs, Limit

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


async def heard(feed: Feed, after: int = 0) -> list[Item | None]:
    return [item async for item in feed.follow(after)]


def test_all_streams_hear_everything() -> None:
    """Streams that begin before, during and after the telling hear the same items, from where they ask."""
    feed = Feed()

    def tell() -> None:
        for number in range(200):
            feed.tell("n", str(number).encode(), last=number == 199)

    async def main() -> list[list[Item | None]]:
        streams = [asyncio.create_task(heard(feed, after)) for after in (0, 0, 150)]
        await asyncio.sleep(0)
        thread = Thread(target=tell)
        thread.start()
        result = [await stream for stream in streams]
        thread.join()
        return [*result, await heard(feed)]

    first, second, late, after = asyncio.run(main())
    assert [item.data for item in first if item] == [str(n).encode() for n in range(200)]
    assert first == second == after
    assert late == first[150:]


def test_a_feed_keeps_so_many() -> None:
    """Who comes too late hears what is still kept, with the numbers that it had."""
    feed = Feed(kept=3)
    for number in range(10):
        feed.tell("n", b"", last=number == 9)
    assert [item.number for item in asyncio.run(heard(feed)) if item] == [8, 9, 10]
    feed.tell("n", b"after the end")
    assert len(asyncio.run(heard(feed))) == 3


def test_a_quiet_feed_shows_that_it_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is told for a while, a stream gets a sign of life."""
    feed = Feed()
    monkeypatch.setattr(module, "QUIET", 0.01)

    async def first() -> Item | None:
        async for item in feed.follow():
            return item
        raise AssertionError

    assert asyncio.run(first()) is None


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 5))
@settings(max_examples=50)
def test_memory_keeps_the_last_asked(keys: list[int], most: int) -> None:
    """A value is made anew exactly where its key is not among the last ones asked for."""
    memory, recent, made = Memory[int](most), list[int](), list[int]()
    for key in keys:
        before = len(made)
        assert memory.get(key, partial(_made, made, key)) == key
        assert (len(made) > before) == (key not in recent)
        recent = [*(one for one in recent if one != key), key][-most:]
        assert len(memory) == len(recent)
        assert all(one in memory for one in recent)


def _made(made: list[int], key: int) -> int:
    made.append(key)
    return key


class Failing(Job):
    def work(self) -> None:
        raise ZeroDivisionError("swordfish")

    def over(self) -> bytes:
        assert self.problem is not None
        return self.problem.what.encode()


def test_a_job_that_fails_ends_its_feed(tmp_path: Path) -> None:
    """A bug in a thread is told as one, without its words, and gives its place free."""
    jobs = Jobs[Failing]("job", Limit(1), tmp_path)
    for number in range(3):
        job = jobs.start(partial(Failing, f"job-{number}"))
        (item,) = asyncio.run(heard(job.feed))
        assert item is not None
        assert (item.name, item.data) == ("end", b"this is a bug in volition")
        while jobs._limit._free == 0:
            pass
