"""Crews on this machine: the calling process alone, or a pool of processes."""

from __future__ import annotations

import os
import pickle
import signal
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from threading import Thread
from typing import TYPE_CHECKING, Any

from volition.drama.ensemble.crew import WorkerLost
from volition.drama.ensemble.paths import SCALAR
from volition.drama.ensemble.work import Job, Player, play_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.ensemble.plan import EnsemblePlan
    from volition.drama.ensemble.work import Done, Span


class HereCrew:
    """The calling process: one worker that plays when its answer is asked for."""

    most = 1

    def __init__(self, plan: EnsemblePlan, path: str = SCALAR) -> None:
        self._player = Player(plan, path)

    def ask(self, span: Span, seconds: float) -> Any:
        return span, seconds

    def first(self, handles: Sequence[Any]) -> Any:
        return handles[0]

    def answer(self, handle: Any) -> Done:
        return self._player.play(*handle)

    def renew(self) -> bool:
        return False

    def close(self) -> None:
        pass


class ProcessCrew:
    """A pool of processes, each a fresh Python. Twice as many spans as workers are out, so that none runs idle."""

    def __init__(self, plan: EnsemblePlan, workers: int, path: str = SCALAR) -> None:
        self.most, self._workers = 2 * workers, workers
        self._job = Job(plan, path).pack()
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        begin: Any = _begin
        return ProcessPoolExecutor(self._workers, get_context("spawn"), initializer=begin, initargs=(self._job,))

    def ask(self, span: Span, seconds: float) -> Any:
        try:
            return self._pool.submit(_play, span, seconds)
        except BrokenProcessPool:
            raise WorkerLost from None

    def first(self, handles: Sequence[Future[Done]]) -> Future[Done]:
        finished, _ = wait(handles, return_when=FIRST_COMPLETED)
        return next(handle for handle in handles if handle in finished)

    def answer(self, handle: Future[Done]) -> Done:
        try:
            return handle.result()
        except BrokenProcessPool:
            raise WorkerLost(handle) from None

    def renew(self) -> bool:
        self._pool.shutdown(cancel_futures=True)
        self._pool = self._start()
        return True

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


_jobs: list[bytes | Job] = []


def _begin(job: bytes) -> None:
    # Ctrl-C is for the parent, which waits for this process; if the parent is gone, there is nothing left to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _jobs.append(job)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


def _play(span: Span, seconds: float) -> Done:
    # Unpacked here and not in the initializer, where an error would end the process without a message.
    if isinstance(_jobs[0], bytes):
        _jobs[0] = pickle.loads(_jobs[0])  # noqa: S301  packed by the parent process
    assert isinstance(_jobs[0], Job)
    return play_span(_jobs[0], span, seconds)
