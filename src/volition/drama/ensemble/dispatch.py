"""Dispatching a plan's rows to a crew: this process, other processes, or Ray. All give the same bytes for a row.

A crew takes spans of rows. A worker plays its span from the beginning until its time is up and returns what it has
done; the rest becomes a new span. So a task is always long enough to be worth sending, and nobody has to know in
advance how long an evening takes.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, Final, Literal

from volition.core.errors import BrokenRecord, MissingPart, Problem, check_known, refuse
from volition.drama.ensemble.frames import covers_rows
from volition.drama.ensemble.paths import COMPILED, INTERPRETED
from volition.drama.ensemble.processes import InlinePool, ProcessPool, WorkerLost, WorkerPool
from volition.drama.ensemble.work import Done, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from volition.drama.ensemble.plan import EnsemblePlan

Engine = Literal["auto", "here", "process", "ray"]
ENGINES: Final[tuple[Engine, ...]] = ("auto", "here", "process", "ray")

TASK: Final = 0.5
"""Seconds that a task takes at least, unless its span ends earlier."""
LOSSES: Final = 3
"""How many times the worker of a span may die before that is an error."""


def pool_of(plan: EnsemblePlan, engine: Engine, workers: int | None, path: str = INTERPRETED) -> WorkerPool:
    """The crew of an engine, for a path; one worker per core unless a number is given.

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
        from volition.drama.ensemble.rays import RayPool  # noqa: PLC0415  Ray is optional

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
) -> Generator[tuple[Span, bytes]]:
    """Play spans, and yield what is done with its frames, in the order in which answers arrive.

    A span whose worker died is played again and `notice` is told; after a few times it is an error. An answer that does
    not contain every row it claims is an error at once. Closing the iterator early closes the crew.
    """
    waiting, asked, losses = deque(_share_out(list(spans), pool.most)), dict[Any, Span](), Counter[Span]()
    try:
        while waiting or asked:
            try:
                while waiting and len(asked) < pool.most:
                    asked[pool.ask(waiting[0], seconds())] = waiting[0]
                    waiting.popleft()
                handle = pool.first([*asked])
                done = pool.answer(handle)
            except WorkerLost as lost:
                alone = lost.args[0] if lost.args else None
                gone = [*asked] if pool.renew() else [alone]
                spans_lost = [asked.pop(one) for one in gone if one in asked]
                _count_losses(losses, spans_lost, notice)
                waiting.extendleft(reversed(spans_lost))
                continue
            span = asked.pop(handle)
            _check_answer(span, done)
            waiting.extend(_split_rest(span, done.rows, short=len(waiting) + len(asked) < pool.most > 1))
            yield Span(span.first, done.rows), done.frames
    finally:
        pool.close()


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


def _check_answer(span: Span, done: Done) -> None:
    """Never silently fewer evenings: an answer must contain every row that it claims to have played."""
    if not (1 <= done.rows <= span.rows and covers_rows(done.frames, span.first, done.rows)):
        raise BrokenRecord(
            Problem(
                f"a worker says that it played {done.rows} evenings, but returned other ones, or fewer",
                f"rows {span}",
                "a frame for every evening, in the order of the rows",
                "use the same version on all workers; what was played so far is kept, and the rest is played again",
            )
        )


def _count_losses(losses: Counter[Span], spans: Sequence[Span], notice: Callable[[str], None] | None) -> None:
    losses.update(spans)
    for span in spans:
        if losses[span] > LOSSES:
            raise MissingPart.of(
                f"a process that played evenings died {losses[span]} times",
                where=f"rows {span}",
                expected="enough memory for a Python process in each worker",
                remedy="use fewer workers, or find out what kills them; what was played so far is kept",
            )
    if notice is not None:
        rows = ", ".join(map(str, spans))
        notice(f"a worker died; its evenings are played again (rows {rows or 'that were not begun'})")
