"""The workers of an ensemble: this process, other processes, or Ray. All give the same bytes for a row.

A pool takes spans of rows. A worker plays its span from the beginning until its time is up and returns what it has done;
the rest becomes a new span. So a task is always long enough to be worth sending, and nobody has to know in advance how long
an evening takes. A span is waiting, out with a worker, or done; one whose worker died waits again.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from secrets import token_hex
from tempfile import NamedTemporaryFile
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from volition.core.errors import BrokenRecord, MissingPart, Problem, check_known, refuse
from volition.core.extras import install_line
from volition.drama.ensemble.frames import Span, covers_rows
from volition.drama.ensemble.paths import COMPILED, INTERPRETED
from volition.drama.ensemble.work import Done, Player, pack_job, play_span

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from multiprocessing.context import BaseContext

    from volition.drama.ensemble.plan import EnsemblePlan

Engine = Literal["auto", "here", "process", "ray"]
ENGINES: Final[tuple[Engine, ...]] = ("auto", "here", "process", "ray")

TASK: Final = 0.5
"""Seconds that a task takes at least, unless its span ends earlier."""
LOSSES: Final = 3
"""How many times the worker of a span may die before that is an error."""
STORE: Final = 80 * 2**20
"""Size in bytes of a local Ray's object store; the frames it holds are small."""


class WorkersLost(Exception):
    """Workers died before they answered; `spans` are what they were playing."""

    def __init__(self, spans: Sequence[Span]) -> None:
        super().__init__(spans)
        self.spans = spans


class WorkerPool(Protocol):
    """Workers that play spans, of which at most `most` are out at a time."""

    most: int

    def submit(self, span: Span, seconds: float) -> None:
        """Give a span to a worker."""

    def next_done(self) -> Done:
        """Wait for an answer. WorkersLost if workers died, which are replaced; or whatever the worker raised."""

    def close(self, *, keep: bool = False) -> None:
        """Release the workers; `keep` says that every answer was right, and that they may serve another plan."""


def pool_of(plan: EnsemblePlan, engine: Engine, workers: int | None, path: str = INTERPRETED) -> WorkerPool:
    """The pool of an engine, for a path; one worker per core unless a number is given.

    Left to itself, it is this process with a thread for each worker where whole evenings are compiled, since they need
    no interpreter; and processes else.
    """
    check_known("engine", engine, ENGINES, where="engine")
    if workers is not None and workers < 1:
        refuse(
            f"there are {workers} workers",
            where="workers",
            expected="a whole number from 1 on",
            remedy="leave it out to use every core",
        )
    hands = min(workers or os.cpu_count() or 1, max(1, plan.size))
    if engine == "ray":
        return RayPool(plan, hands, path)
    threaded = path == COMPILED and not plan.terms
    if hands > 1 and (engine == "process" or (engine == "auto" and not threaded)):
        return ProcessPool(plan, hands, path)
    return InlinePool(plan, path, hands if threaded else 1)


def play_spans(
    pool: WorkerPool,
    spans: Iterable[Span],
    seconds: Callable[[], float] = lambda: TASK,
    notice: Callable[[str], None] | None = None,
) -> Generator[Done]:
    """Play spans, and yield what is done, in the order in which answers arrive.

    A span whose worker died is played again and `notice` is told; after a few times it is an error. An answer that does
    not contain every row it claims is an error at once. Closing the iterator early closes the pool. Workers are kept for
    another plan only if this one was played to its end: a worker that answered wrongly might do so again.
    """
    to_the_end = False
    waiting, out, losses = deque(_share_out(list(spans), pool.most)), dict[int, Span](), Counter[Span]()
    try:
        while waiting or out:
            while waiting and len(out) < pool.most:
                span = waiting.popleft()
                out[span.first] = span
                pool.submit(span, seconds())
            try:
                done = pool.next_done()
            except WorkersLost as lost:
                for span in lost.spans:
                    del out[span.first]
                _count_losses(losses, lost.spans, notice)
                waiting.extendleft(reversed(lost.spans))
                continue
            span = _check_answer(out.pop(done.span.first, None), done)
            waiting.extend(_split_rest(span, done.span.rows, short=len(waiting) + len(out) < pool.most > 1))
            yield done
        to_the_end = True
    finally:
        pool.close(keep=to_the_end)


def _share_out(spans: list[Span], most: int) -> Iterator[Span]:
    """The same rows, in enough spans for all workers."""
    share = max(1, -(-sum(span.rows for span in spans) // most))
    for first, count in spans:
        yield from (Span(first + at, min(share, count - at)) for at in range(0, count, share))


def _split_rest(span: Span, done: int, *, short: bool) -> Iterator[Span]:
    """What is left of a span; halved if there is not enough work for all workers."""
    first, left = span.first + done, span.rows - done
    half = left // 2 if short else 0
    yield from (part for part in (Span(first, half), Span(first + half, left - half)) if part.rows)


def _check_answer(asked: Span | None, done: Done) -> Span:
    """Never silently fewer evenings: an answer must contain every row that it claims to have played."""
    if asked is None or not (1 <= done.span.rows <= asked.rows and covers_rows(done.frames, done.span)):
        raise BrokenRecord(
            Problem(
                f"a worker says that it played {done.span.rows} evenings, but returned other ones, or fewer",
                f"rows {asked or done.span}",
                "a frame for every evening, in the order of the rows",
                "use the same version on all workers; what was played so far is kept, and the rest is played again",
            )
        )
    return asked


def _count_losses(losses: Counter[Span], spans: Sequence[Span], notice: Callable[[str], None] | None) -> None:
    losses.update(spans)
    for span in spans:
        if losses[span] > LOSSES:
            raise MissingPart.of(
                f"processes that played evenings died: {losses[span]}",
                where=f"rows {span}",
                expected="enough memory for a Python process in each worker",
                remedy="use fewer workers, or find out what kills them; what was played so far is kept",
            )
    if notice is not None:
        notice(f"a worker died; its evenings are played again (rows {', '.join(map(str, spans))})")


class InlinePool:
    """The calling process: one worker that plays when its answer is wanted, compiled evenings in many threads."""

    most = 1

    def __init__(self, plan: EnsemblePlan, path: str = INTERPRETED, threads: int = 1) -> None:
        self._player = Player(plan, path, threads)

    def submit(self, span: Span, seconds: float) -> None:
        self._task = span, seconds

    def next_done(self) -> Done:
        return self._player.play(*self._task)

    def close(self, *, keep: bool = False) -> None:
        pass


class ProcessPool:
    """A pool of processes. Twice as many spans as workers are out, so that none runs idle.

    Processes are kept for the next plan: to start them takes longer than to play a small one.
    The job is in a file, because calls must be small: an executor whose process dies while a large one is sent hangs.
    """

    def __init__(self, plan: EnsemblePlan, workers: int, path: str = INTERPRETED) -> None:
        self.most, self._workers = 2 * workers, workers
        packed = pack_job(plan, path)
        with NamedTemporaryFile(prefix="volition-job-", delete=False) as file:
            file.write(packed)
        self._job = Path(file.name)
        self._out: dict[Future[Done], Span] = {}

    def submit(self, span: Span, seconds: float) -> None:
        try:
            answer = _executor(self._workers).submit(_play_from_file, self._job, span, seconds)
        except BrokenProcessPool as broken:
            answer = Future()
            answer.set_exception(broken)
        self._out[answer] = span

    def next_done(self) -> Done:
        finished, _ = wait(self._out, return_when=FIRST_COMPLETED)
        answer = next(answer for answer in self._out if answer in finished)
        span = self._out.pop(answer)
        try:
            return answer.result()
        except BrokenProcessPool:  # all processes of the executor are lost with one
            spans = [span, *self._out.values()]
            self._out.clear()
            _end_executor()
            raise WorkersLost(spans) from None

    def close(self, *, keep: bool = False) -> None:
        if not keep:
            _end_executor()
        self._job.unlink(missing_ok=True)


_executors: dict[int, ProcessPoolExecutor] = {}
"""The executor that is kept, by its number of processes; there is at most one."""


def _executor(workers: int) -> ProcessPoolExecutor:
    if workers not in _executors:
        _end_executor()
        _executors[workers] = ProcessPoolExecutor(workers, process_context(), initializer=_begin_worker)
    return _executors[workers]


def process_context() -> BaseContext:
    """How workers begin, so that none inherits the threads, locks or open files of this process.

    On Linux they are forked from a server that has imported this module, and are ready 6 times as soon as if each imported it
    (`benchmarks/tricks.py`). Elsewhere each does: Windows cannot fork, and the libraries of macOS do not survive it.
    """
    if sys.platform != "linux":
        return get_context("spawn")
    served = get_context("forkserver")
    served.set_forkserver_preload([__name__])
    return served


def _end_executor() -> None:
    while _executors:
        _executors.popitem()[1].shutdown(cancel_futures=True)


def _begin_worker() -> None:
    # Ctrl-C is for the parent, which waits for this process; if the parent is gone, there is nothing left to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


def _play_from_file(job: Path, span: Span, seconds: float) -> Done:
    return play_span(job.name, job.read_bytes, span, seconds)


class RayPool:
    """Ray tasks, on cores of this machine or of the cluster that RAY_ADDRESS names.

    A Ray that is already running is used and left running; one that was started here is shut down.
    """

    def __init__(self, plan: EnsemblePlan, workers: int, path: str = INTERPRETED) -> None:
        ray = self._ray = _import_ray()
        packed = pack_job(plan, path)
        self._ours = not ray.is_initialized()
        if self._ours:
            _start_ray(ray, workers)
        try:
            cores = int(ray.cluster_resources().get("CPU", 1))
            self.most = 2 * (max(workers, cores) if os.environ.get("RAY_ADDRESS") else min(workers, cores))
            self._name, self._packed = token_hex(8), ray.put(packed)
            # No retries by Ray: the caller notices a lost task, tells the user, and plays its span again.
            self._task = ray.remote(max_retries=0)(_play_packed)
        except BaseException:
            self.close()
            raise
        self._out: dict[Any, Span] = {}

    def submit(self, span: Span, seconds: float) -> None:
        self._out[self._task.remote(self._name, self._packed, span, seconds)] = span

    def next_done(self) -> Done:
        (answer, *_), _ = self._ray.wait([*self._out], num_returns=1)
        span, errors = self._out.pop(answer), self._ray.exceptions
        try:
            finished: Done = self._ray.get(answer)
        except errors.RayTaskError as error:
            raise error.cause from None
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError, errors.OutOfMemoryError):
            raise WorkersLost([span]) from None
        return finished

    def close(self, *, keep: bool = False) -> None:
        if self._ours:
            self._ray.shutdown()


def _play_packed(name: str, packed: bytes, span: Span, seconds: float) -> Done:
    return play_span(name, lambda: packed, span, seconds)


def _start_ray(ray: Any, workers: int) -> None:
    """Join the cluster that RAY_ADDRESS names, or start a small local Ray without dashboard, reports or logs."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    local = {"num_cpus": workers, "include_dashboard": False, "object_store_memory": STORE}
    more = {} if os.environ.get("RAY_ADDRESS") else local
    ray.init(log_to_driver=False, logging_level=logging.ERROR, **more)


def _import_ray() -> Any:
    try:
        return import_module("ray")
    except ModuleNotFoundError:
        raise MissingPart.of(
            "ray is not installed",
            where="this Python environment",
            expected="the extra 'ray'",
            remedy=f"{install_line('ray')}; or use --engine process",
        ) from None
