"""Work that takes its time: so many threads at once, each of which can be asked to stop."""

from __future__ import annotations

from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from volition.core.errors import Problem, VolitionError
from volition.studio.errors import LOG, Busy, NoSuch
from volition.studio.feed import Feed

if TYPE_CHECKING:
    from collections.abc import Callable

AT_ONCE: Final = 4
"""How many may go on at the same time."""
KEPT: Final = 16
"""How many that are over can still be asked."""


class Stopped(Exception):
    """Raised inside of a job that was asked to stop."""


class Job:
    """One piece of work, done in a thread; its feed tells how it goes."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.feed = Feed()
        self.problem: Problem | None = None
        self.state: str = "running"
        self._stop = Event()
        self._finished = Event()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._stop.is_set()

    @property
    def running(self) -> bool:
        return self.state == "running"

    def work(self) -> None:
        """Do it; overridden. It calls `pause` often, where it may be stopped."""
        raise NotImplementedError

    def over(self) -> bytes:
        """What the last item of the feed says; overridden."""
        raise NotImplementedError

    def pause(self, seconds: float = 0.0) -> None:
        """Wait a while; raises Stopped where it is to stop."""
        self.wait(seconds)
        if self.stopping:
            raise Stopped

    def wait(self, seconds: float) -> None:
        """Wait a while, or until it is to stop."""
        if seconds > 0:
            self._stop.wait(seconds)

    def stop(self) -> None:
        """Ask it to stop; it does at its next pause."""
        self._stop.set()

    def finished(self, seconds: float) -> bool:
        """Whether it is over, with all that it writes; waits so long for it."""
        return self._finished.wait(seconds)

    def run(self) -> None:
        """Do it, whatever comes of it."""
        state = "done"
        try:
            self.work()
        except Stopped:
            state = "stopped"
        except VolitionError as error:
            state, self.problem = "failed", error.problems[0]
        except Exception:  # noqa: BLE001  a thread has nobody else to tell
            LOG.exception("%s failed", self.id)
            state = "failed"
            self.problem = Problem(
                "this is a bug in volition", self.id, "an end in order", "its traceback stands in the terminal"
            )
        self.state = state
        self._finished.set()
        self.feed.tell("end", self.over(), last=True)


J = TypeVar("J", bound=Job)


class Jobs(Generic[J]):
    """The jobs of one kind, by id: those that go on, and the last that are over."""

    def __init__(self, kind: str, limit: Limit) -> None:
        self._kind = kind
        self._limit = limit
        self._jobs: dict[str, J] = {}
        self._lock = Lock()

    def start(self, make: Callable[[], J]) -> J:
        """Make a job and begin it; Busy where too much goes on."""
        self._limit.take()
        try:
            job = make()
        except BaseException:
            self._limit.give()
            raise
        with self._lock:
            self._jobs[job.id] = job
            over = [id for id, one in self._jobs.items() if not one.running]
            for id in over[: max(0, len(over) - KEPT)]:
                del self._jobs[id]
        Thread(target=self._run, args=(job,), name=f"studio-{job.id}", daemon=True).start()
        return job

    def _run(self, job: J) -> None:
        try:
            job.run()
        finally:
            self._limit.give()

    def get(self, id: str) -> J | None:
        return self._jobs.get(id)

    def find(self, id: str) -> J:
        """The job of this id."""
        job = self._jobs.get(id)
        if job is None:
            raise NoSuch.id(self._kind, id, list(self._jobs))
        return job

    def all(self) -> list[J]:
        """Every job that is known, the newest last."""
        return list(self._jobs.values())

    def end(self) -> None:
        """Ask all to stop."""
        for job in self.all():
            job.stop()

    def settle(self, seconds: float) -> None:
        """Wait so long for each to be over."""
        for job in self.all():
            job.finished(seconds)


class Limit:
    """How much may go on at once, over all kinds."""

    def __init__(self, most: int = AT_ONCE) -> None:
        self._free = most
        self._most = most
        self._lock = Lock()

    def take(self) -> None:
        with self._lock:
            if not self._free:
                raise Busy(
                    Problem(
                        f"{self._most} evenings or drives are going on",
                        "the studio",
                        f"at most {self._most} at once",
                        "wait for one to end, or stop it",
                    )
                )
            self._free -= 1

    def give(self) -> None:
        with self._lock:
            self._free += 1
