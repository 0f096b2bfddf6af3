"""Who plays: this process, other processes, or Ray. All of them give the same lines for the same rows.

A crew takes spans of rows. A worker plays from the beginning of its span until its time is over, and gives back what it
has done; what is left is a span again. So a task is always worth its way, however long an evening takes, and nobody
has to know that beforehand.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from volition.core.errors import BrokenRecord, MissingPart, Problem, did_you_mean, refuse
from volition.drama.company.ensemble.lines import holds
from volition.drama.company.ensemble.paths import SCALAR
from volition.drama.company.ensemble.work import Job, Player, Span, played

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from volition.drama.company.ensemble.plan import Plan
    from volition.drama.company.ensemble.work import Done

Engine = Literal["here", "process", "ray"]
ENGINES: Final[tuple[Engine, ...]] = ("here", "process", "ray")

TASK: Final = 0.5
"""Seconds that a task takes, at the least, unless its span is over before."""
LOSSES: Final = 3
"""How many times the worker of a span may be lost before somebody has to look."""


class Lost(Exception):
    """The worker ended before it gave its answer."""


class Crew(Protocol):
    """Workers that are asked to play spans. A handle stands for an answer that is not there yet."""

    most: int

    def ask(self, span: Span, seconds: float) -> Any:
        """Ask a worker; raises Lost where none can be asked."""

    def first(self, handles: Sequence[Any]) -> Any:
        """Wait for an answer: the handle of one."""

    def answer(self, handle: Any) -> Done:
        """The answer behind a handle: raises Lost, or what the worker raised."""

    def renew(self) -> bool:
        """Replace what was lost; whether all other handles were lost with it."""

    def close(self) -> None:
        """Let the workers go."""


def crew_of(plan: Plan, engine: Engine, workers: int | None, path: str = SCALAR) -> Crew:
    """The crew of an engine, for a path. Without a number of workers there is one for each core."""
    if engine not in ENGINES:
        refuse(
            f"there is no engine {engine!r}",
            where="engine",
            expected="here, process or ray",
            remedy=did_you_mean(engine, ENGINES),
        )
    if workers is not None and workers < 1:
        refuse(
            f"there are {workers} workers",
            where="workers",
            expected="a whole number from 1 on",
            remedy="leave it out to use every core",
        )
    hands = min(workers or os.cpu_count() or 1, max(1, plan.size))
    if engine == "ray":
        from volition.drama.company.ensemble.rays import RayCrew  # noqa: PLC0415  only for those who have it

        return RayCrew(plan, hands, path)
    return ProcessCrew(plan, hands, path) if engine == "process" and hands > 1 else HereCrew(plan, path)


def play_spans(
    crew: Crew,
    spans: Iterable[Span],
    seconds: Callable[[], float] = lambda: TASK,
    notice: Callable[[str], None] | None = None,
) -> Generator[tuple[Span, bytes]]:
    """Play spans; gives the rows that are done and their lines, in the order in which they come.

    A span whose worker was lost is played again, and `notice` is told; after a few times it is an error. An answer that
    does not hold every row it speaks for is an error at once. Whoever stops before the end closes the iterator, and the
    crew with it.
    """
    waiting, asked, losses = deque(_shared(list(spans), crew.most)), dict[Any, Span](), Counter[Span]()
    try:
        while waiting or asked:
            try:
                while waiting and len(asked) < crew.most:
                    asked[crew.ask(waiting[0], seconds())] = waiting[0]
                    waiting.popleft()
                handle = crew.first([*asked])
                done = crew.answer(handle)
            except Lost as lost:
                alone = lost.args[0] if lost.args else None
                gone = [*asked] if crew.renew() else [alone]
                spans_lost = [asked.pop(one) for one in gone if one in asked]
                _count_losses(losses, spans_lost, notice)
                waiting.extendleft(reversed(spans_lost))
                continue
            span = asked.pop(handle)
            _check_answer(span, done)
            waiting.extend(_rest(span, done.rows, short=len(waiting) + len(asked) < crew.most > 1))
            yield Span(span.first, done.rows), done.lines
    finally:
        crew.close()


def _shared(spans: list[Span], most: int) -> Iterator[Span]:
    """The same rows in spans of which there are enough for everybody."""
    share = max(1, -(-sum(span.rows for span in spans) // most))
    for first, count in spans:
        yield from (Span(first + at, min(share, count - at)) for at in range(0, count, share))


def _rest(span: Span, done: int, *, short: bool) -> Iterator[Span]:
    """What is left of a span; in two where there is too little to do for all."""
    first, left = span.first + done, span.rows - done
    half = left // 2 if short else 0
    yield from (part for part in (Span(first, half), Span(first + half, left - half)) if part.rows)


def _check_answer(span: Span, done: Done) -> None:
    """Never silently fewer evenings: nobody is believed who says that rows are played and does not give them."""
    if not (1 <= done.rows <= span.rows and holds(done.lines, span.first, done.rows)):
        raise BrokenRecord(
            Problem(
                f"a worker says that it played {done.rows} evenings, and gave back others, or fewer",
                f"rows {span.first} to {span.first + span.rows - 1}",
                "a line for every evening, in the order of the rows",
                "let all workers have the same version; what was played until now is kept, and the rest is played again",
            )
        )


def _count_losses(losses: Counter[Span], spans: Sequence[Span], notice: Callable[[str], None] | None) -> None:
    losses.update(spans)
    for span in spans:
        if losses[span] > LOSSES:
            raise MissingPart.of(
                f"a process that played evenings ended by itself, {losses[span]} times",
                where=f"rows {span.first} to {span.first + span.rows - 1}",
                expected="room for a Python process in each worker",
                remedy="use fewer workers, or look what ends them; what was played until now is kept",
            )
    if notice is not None:
        rows = ", ".join(f"{span.first} to {span.first + span.rows - 1}" for span in spans)
        notice(f"a worker ended by itself; its evenings are played again (rows {rows or 'that were not begun'})")


class HereCrew:
    """This process: one worker, asked and answering at once."""

    most = 1

    def __init__(self, plan: Plan, path: str = SCALAR) -> None:
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
    """Processes of their own, each with a fresh Python."""

    def __init__(self, plan: Plan, workers: int, path: str = SCALAR) -> None:
        self.most, self._workers = 2 * workers, workers
        self._job = Job(plan, path).packed()
        self._pool = self._made()

    def _made(self) -> ProcessPoolExecutor:
        begin: Any = _begin
        return ProcessPoolExecutor(self._workers, get_context("spawn"), initializer=begin, initargs=(self._job,))

    def ask(self, span: Span, seconds: float) -> Any:
        try:
            return self._pool.submit(_played, span, seconds)
        except BrokenProcessPool:
            raise Lost from None

    def first(self, handles: Sequence[Future[Done]]) -> Future[Done]:
        finished, _ = wait(handles, return_when=FIRST_COMPLETED)
        return next(handle for handle in handles if handle in finished)

    def answer(self, handle: Future[Done]) -> Done:
        try:
            return handle.result()
        except BrokenProcessPool:
            raise Lost(handle) from None

    def renew(self) -> bool:
        self._pool.shutdown(cancel_futures=True)
        self._pool = self._made()
        return True

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


_jobs: list[bytes | Job] = []


def _begin(job: bytes) -> None:
    # Whoever interrupts speaks to the process that waits for this one; where that one is gone, there is nothing to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _jobs.append(job)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


def _played(span: Span, seconds: float) -> Done:
    # Unpacked here and not at the beginning, where an error would end the process unheard.
    if isinstance(_jobs[0], bytes):
        _jobs[0] = pickle.loads(_jobs[0])  # noqa: S301  our own, packed by the process that started this one
    assert isinstance(_jobs[0], Job)
    return played(_jobs[0], span, seconds)
