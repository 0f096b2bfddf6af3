"""Every stream gets each item of a feed once and in order, within bounds; a job ends, whatever happens in it."""

from __future__ import annotations

import asyncio
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from tests.studio.served import wait_for
from volition.core.errors import InvalidInput, Problem
from volition.studio import background
from volition.studio.background import BackgroundJob, BackgroundJobs, Feed, Item, Limit

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


async def collect(feed: Feed, after: int = 0) -> list[Item | None]:
    return [item async for item in feed.follow(after)]


def test_all_streams_hear_everything() -> None:
    """Streams that begin before, during and after the items get the same items, from the number they ask for."""
    feed = Feed()

    def publish() -> None:
        for number in range(200):
            feed.publish("n", str(number).encode(), last=number == 199)

    async def main() -> list[list[Item | None]]:
        streams = [asyncio.create_task(collect(feed, after)) for after in (0, 0, 150)]
        await asyncio.sleep(0)
        thread = Thread(target=publish)
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
        feed.publish("n", b"", last=number == 9)
    assert [item.number for item in asyncio.run(collect(feed)) if item] == [8, 9, 10]
    feed.publish("n", b"after the end")
    assert len(asyncio.run(collect(feed))) == 3


def test_a_quiet_feed_shows_that_it_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing comes for a while, a stream gets a sign of life."""
    feed = Feed()
    monkeypatch.setattr(background, "QUIET", 0.01)

    async def first() -> Item | None:
        async for item in feed.follow():
            return item
        raise AssertionError

    assert asyncio.run(first()) is None


class Failing(BackgroundJob):
    def __init__(self, id: str, error: Exception) -> None:
        super().__init__(id)
        self._error = error

    def work(self) -> None:
        raise self._error

    def end_data(self) -> bytes:
        assert self.problem is not None
        return self.problem.what.encode()


def test_a_job_that_fails_says_where_from_the_folder_on(tmp_path: Path) -> None:
    """The problem of a failed job contains no absolute path."""
    job = Failing("job", InvalidInput(Problem("it is gone", f"{tmp_path}/runs/x", "a run", f"look into {tmp_path}")))
    job.run(tmp_path)
    assert (job.state, job.problem) == ("failed", Problem("it is gone", "runs/x", "a run", "look into the folder"))


def test_a_job_that_fails_writes_nothing_raw(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The traceback of a bug in a thread is logged without control characters."""
    Failing("job", RuntimeError("\x1b[2J \x9b2J\r")).run(tmp_path)
    assert "\\x1b[2J \\x9b2J\\r" in caplog.text
    assert caplog.records[0].getMessage().replace("\n", "").isprintable()


def test_a_job_that_fails_ends_its_feed(tmp_path: Path) -> None:
    """A bug in a thread ends the feed without its message, and frees its place."""
    jobs = BackgroundJobs[Failing]("job", Limit(1), tmp_path)
    for number in range(3):
        job = jobs.start(partial(Failing, f"job-{number}", ZeroDivisionError("swordfish")))
        (item,) = asyncio.run(collect(job.feed))
        assert item is not None
        assert (item.name, item.data) == ("end", b"this is a bug in volition")
        wait_for(lambda: jobs._limit._value, "a free place")
