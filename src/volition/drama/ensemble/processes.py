"""Crews: what every crew of workers can do, and those of this machine, the calling process alone or a pool of processes.

A crew takes spans of rows, and answers with the frames of what was played.
"""

from __future__ import annotations

import os
import pickle
import signal
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol

from volition.drama.ensemble.paths import INTERPRETED
from volition.drama.ensemble.work import Done, Job, Player, Span, play_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.ensemble.plan import EnsemblePlan


class WorkerLost(Exception):
    """A worker died before it answered."""


class WorkerPool(Protocol):
    """Workers that play spans. A handle stands for an answer that is still to come."""

    most: int

    def ask(self, span: Span, seconds: float) -> Any:
        """Give a span to a worker and return a handle; raises WorkerLost if no worker is left to take it."""

    def first(self, handles: Sequence[Any]) -> Any:
        """Wait until one of the handles has its answer, and return that handle."""

    def answer(self, handle: Any) -> Done:
        """The answer of a handle; raises WorkerLost, or whatever the worker raised."""

    def renew(self) -> bool:
        """Replace lost workers; whether all other handles are lost as well."""

    def close(self) -> None:
        """Release the workers."""


class InlinePool:
    """The calling process: one worker that plays when its answer is asked for, compiled evenings in many threads."""

    most = 1

    def __init__(self, plan: EnsemblePlan, path: str = INTERPRETED, threads: int = 1) -> None:
        self._player = Player(plan, path, threads)

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


class ProcessPool:
    """A pool of processes, each a fresh Python. Twice as many spans as workers are out, so that none runs idle.

    Processes that are idle at the end are kept for the next plan: starting one takes longer than a thousand evenings.
    """

    def __init__(self, plan: EnsemblePlan, workers: int, path: str = INTERPRETED) -> None:
        self.most, self._workers = 2 * workers, workers
        job = Job(plan, path)
        self._token, self._packed = job.token, job.pack()
        self._file: Path | None = None
        self._out: set[Future[Done]] = set()

    def ask(self, span: Span, seconds: float) -> Any:
        try:
            handle = _pool(self._workers).submit(_play, self._token, self._job(), span, seconds)
        except BrokenProcessPool:
            raise WorkerLost from None
        self._out.add(handle)
        return handle

    def first(self, handles: Sequence[Future[Done]]) -> Future[Done]:
        finished, _ = wait(handles, return_when=FIRST_COMPLETED)
        return next(handle for handle in handles if handle in finished)

    def answer(self, handle: Future[Done]) -> Done:
        self._out.discard(handle)
        try:
            return handle.result()
        except BrokenProcessPool:
            raise WorkerLost(handle) from None

    def renew(self) -> bool:
        self._out.clear()
        _end_pool(self._workers)
        return True

    def close(self) -> None:
        if self._out:  # what nobody waits for any more
            _end_pool(self._workers)
        if self._file is not None:
            self._file.unlink(missing_ok=True)

    def _job(self) -> str:
        """The file with the job. A call must be small: a pool whose process dies while a large one is being sent hangs."""
        if self._file is None:
            with NamedTemporaryFile(prefix="volition-job-", delete=False) as file:
                file.write(self._packed)
            self._file = Path(file.name)
        return str(self._file)


_pools: dict[int, ProcessPoolExecutor] = {}


def _pool(workers: int) -> ProcessPoolExecutor:
    """The pool of this many processes; only the last one is kept."""
    if workers not in _pools:
        for other in list(_pools):
            _end_pool(other)
        begin: Any = _begin
        _pools[workers] = ProcessPoolExecutor(workers, get_context("spawn"), initializer=begin)
    return _pools[workers]


def _end_pool(workers: int) -> None:
    pool = _pools.pop(workers, None)
    if pool is not None:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    # Ctrl-C is for the parent, which waits for this process; if the parent is gone, there is nothing left to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


def _play(token: str, job: str, span: Span, seconds: float) -> Done:
    return play_span(token, lambda: pickle.loads(Path(job).read_bytes()), span, seconds)  # noqa: S301  by the parent
