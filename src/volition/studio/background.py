"""Background jobs: a limited number of threads at once, each of which can be stopped."""

from __future__ import annotations

import traceback
from threading import Event, Lock, Semaphore, Thread
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeVar

from volition.core.errors import Problem, VolitionError
from volition.studio.errors import LOG, Busy, NoSuch, escape_control, hide_root
from volition.studio.feed import Feed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

AT_ONCE: Final = 4
"""How many jobs may run at the same time."""
KEPT: Final = 16
"""How many finished jobs are kept."""


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
        self.feed.tell("end", self.end_data(), last=True)


class Limit(Semaphore):
    """How many jobs may run at once, over all kinds that share it."""

    def __init__(self, most: int = AT_ONCE) -> None:
        super().__init__(most)
        self._most = most

    def take(self) -> None:
        """Count one more; Busy where too many run."""
        if not self.acquire(blocking=False):
            raise Busy.of(
                f"{self._most} evenings or drives are running",
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
            finished = [id for id, one in self._jobs.items() if not one.is_running]
            for id in finished[: max(0, len(finished) - KEPT)]:
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
