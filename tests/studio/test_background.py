"""A job that fails ends its feed, frees its place, and leaks nothing."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from tests.studio.served import wait_for
from tests.studio.test_feed import collect
from volition.core.errors import InvalidInput, Problem
from volition.studio.background import BackgroundJob, BackgroundJobs, Limit

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


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
