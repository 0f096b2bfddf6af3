"""Work in threads: jobs that can be stopped, the feeds that report their progress, and a pool for expensive requests.

A job is "running" from its start until its work returns ("done"), is stopped at one of its pauses ("stopped") or raises
("failed"); it never runs again. The end is the last item of its feed, after which nothing is accepted, so a stream that
has read it is complete. Whoever waits until a job is finished finds everything written that it writes.
"""

from __future__ import annotations

import asyncio
import traceback
from collections import deque
from itertools import takewhile
from threading import Event, Lock, Semaphore, Thread
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from msgspec import Struct

from volition.core.errors import Problem, VolitionError
from volition.core.pausing import pause
from volition.studio.errors import LOG, Busy, NoSuch, escape_control, hide_root

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path


ITEMS_KEPT: Final = 2048
"""How many of the latest items a feed keeps for late followers."""
QUIET: Final = 15.0
"""Seconds without an item after which a stream sends a sign of life."""
JOBS_AT_ONCE: Final = 4
"""How many jobs may run at the same time."""
JOBS_KEPT: Final = 16
"""How many finished jobs are kept."""
TASKS_AT_ONCE: Final = 2
"""How many pieces of work run at the same time: they share one interpreter with what answers pages."""
TASKS_WAITING: Final = 32
"""How many more may wait."""
T = TypeVar("T")


class Item(Struct, frozen=True):
    """One item: its number from 1 on, its name, and JSON."""

    number: int
    name: str
    data: bytes


class Feed:
    """Written by one thread, followed by streams of an event loop; the last item closes it."""

    def __init__(self, kept: int = ITEMS_KEPT) -> None:
        self._items: deque[Item] = deque(maxlen=kept)
        self._count = 0
        self._closed = False
        self._lock = Lock()
        self._followers: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    @property
    def has_followers(self) -> bool:
        """Whether a stream follows it now."""
        return bool(self._followers)

    def publish(self, name: str, data: bytes, *, last: bool = False) -> None:
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
                    fresh = self._after(after)
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

    def _after(self, number: int) -> list[Item]:
        """The items after a number, looked for from the newest: many follow, and each has read all but the last few."""
        newest_first = takewhile(lambda item: item.number > number, reversed(self._items))
        return list(newest_first)[::-1]


class Started(Struct, frozen=True):
    """Something that runs in the background: its id, and where to follow it."""

    id: str
    """Its id."""
    live: str
    """The address of its stream of events."""


class Stopped(Exception):
    """Raised inside a job that was asked to stop."""


class BackgroundJob:
    """Work done in a thread; its feed reports the progress."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.feed = Feed()
        self.problem: Problem | None = None
        self.state: Literal["running", "done", "stopped", "failed"] = "running"
        self._stop = Event()
        self._finished = Event()

    @property
    def is_stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._stop.is_set()

    @property
    def is_running(self) -> bool:
        return self.state == "running"

    def work(self) -> None:
        """Do the work; overridden. It calls `pause` wherever it may be stopped."""
        raise NotImplementedError

    def end_data(self) -> bytes:
        """The data of the last item of the feed; overridden."""
        raise NotImplementedError

    def pause(self) -> None:
        """Raise Stopped where the job was asked to stop."""
        if self.is_stopping:
            raise Stopped

    def wait(self, seconds: float) -> None:
        """Wait a while, or until the job is asked to stop."""
        if seconds > 0:
            self._stop.wait(seconds)

    def stop(self) -> None:
        """Ask the job to stop; it does so at its next pause."""
        self._stop.set()

    def wait_until_finished(self, seconds: float) -> bool:
        """Wait at most this long until the job is over and has written everything; returns whether it is."""
        return self._finished.wait(seconds)

    def run(self, folder: Path) -> None:
        """Do the work and end the feed, whatever happens; paths in a problem are relative to the folder."""
        try:
            self.work()
            self.state = "done"
        except Stopped:
            self.state = "stopped"
        except VolitionError as error:
            self.problem = hide_root(error.problems[0], folder)
            self.state = "failed"
        except Exception as error:  # noqa: BLE001  nobody above a thread can handle it
            LOG.error("%s", escape_control(f"{self.id} failed\n{''.join(traceback.format_exception(error))}"))
            self.problem = Problem(
                "this is a bug in volition", self.id, "a clean end", "its traceback is in the terminal"
            )
            self.state = "failed"
        self._finished.set()
        self.feed.publish("end", self.end_data(), last=True)


class Limit(Semaphore):
    """How many jobs may run at once, over all kinds that share it; `what` says what too many of them are."""

    def __init__(self, most: int = JOBS_AT_ONCE, what: str = "evenings, drives or ensembles are running") -> None:
        super().__init__(most)
        self._most, self._what = most, what

    def take(self) -> None:
        """Count one more; Busy where too many run."""
        if not self.acquire(blocking=False):
            raise Busy.of(
                f"{self._most} {self._what}",
                where="the studio",
                expected=f"at most {self._most} at once",
                remedy="wait for one to end, or stop it",
            )


J = TypeVar("J", bound=BackgroundJob)


class BackgroundJobs(Generic[J]):
    """The jobs of one kind by id: those that run, and the last ones that finished."""

    def __init__(self, kind: str, limit: Limit, folder: Path) -> None:
        self._kind = kind
        self._folder = folder
        self._limit = limit
        self._jobs: dict[str, J] = {}
        self._lock = Lock()

    def start(self, make: Callable[[], J]) -> J:
        """Make a job and start it; Busy where too many run."""
        self._limit.take()
        try:
            job = make()
        except BaseException:
            self._limit.release()
            raise
        with self._lock:
            self._jobs[job.id] = job
            finished = [id for id, known in self._jobs.items() if not known.is_running]
            for id in finished[: max(0, len(finished) - JOBS_KEPT)]:
                del self._jobs[id]
        Thread(target=self._run, args=(job,), name=f"studio-{job.id}", daemon=True).start()
        return job

    def _run(self, job: J) -> None:
        try:
            job.run(self._folder)
        finally:
            self._limit.release()

    def get(self, id: str) -> J | None:
        return self._jobs.get(id)

    def find(self, id: str) -> J:
        """The job of this id."""
        job = self._jobs.get(id)
        if job is None:
            raise NoSuch.id(self._kind, id, list(self._jobs))
        return job

    def all(self) -> list[J]:
        """Every known job, the newest last."""
        return list(self._jobs.values())

    def stop_all(self) -> None:
        for job in self.all():
            job.stop()

    def wait_until_finished(self, seconds: float) -> None:
        """Wait at most this long for each job."""
        for job in self.all():
            job.wait_until_finished(seconds)


class TaskPool:
    """Runs work in a few threads; refuses it where too much is waiting."""

    def __init__(self, at_once: int = TASKS_AT_ONCE, waiting: int = TASKS_WAITING) -> None:
        self._places = CapacityLimiter(at_once)
        self._waiting = waiting

    def counts(self) -> dict[str, int]:
        """How many pieces of work run, and how many wait."""
        now = self._places.statistics()
        return {"running": now.borrowed_tokens, "waiting": now.tasks_waiting}

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, computed in a thread; Busy where too many wait already.

        Cancelled while it waits, the work is dropped; while it runs, it keeps its place until its next pause.
        """
        if self._places.statistics().tasks_waiting >= self._waiting:
            raise Busy.of(
                f"{self._waiting} requests are waiting",
                where="the studio",
                expected=f"at most {self._waiting} waiting requests",
                remedy="try again a little later",
            )

        def begin() -> T:
            pause()
            return work()

        return await run_sync(begin, limiter=self._places)
