"""Playing a plan into a folder: every evening once, continuing where an earlier run stopped.

Where a plan stops early, seeds are played until the interval of a column is narrow enough. The rule looks at rows in the
order of the seeds, at fixed numbers of seeds, so it stops at the same seed whatever the engine and the number of workers.
Every point gets the same seeds.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Final

from volition.core.errors import MissingPart, refuse
from volition.drama.ensemble.folder import EnsembleFolder
from volition.drama.ensemble.frames import Played, Span, evenings_of, read_frames
from volition.drama.ensemble.intervals import Interval, mean, share
from volition.drama.ensemble.paths import COMPILED, Asked, choose_path, is_compiled
from volition.drama.ensemble.plan import EnsemblePlan
from volition.drama.ensemble.pools import TASK, Engine, play_spans, pool_of
from volition.drama.ensemble.results import Ensemble
from volition.drama.ensemble.table import Column, Format, check_format, columns, find_column
from volition.drama.evening.play_many import COMPILES, EveningBatches
from volition.drama.mind.custom import Constraints, CustomMind, Terms, gather

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from os import PathLike

    from volition.drama.batch.measures import Measures
    from volition.drama.ensemble.pools import WorkerPool
    from volition.drama.mind.outside import OutsideMinds
    from volition.drama.world.model import Scenario

    Progress = Callable[[int, int], None]

MANY: Final = 500
"""The number of parts after which tasks become twice as long, again and again, so a folder holds thousands of files and not millions."""
LONGEST: Final = 60.0
"""The longest task in seconds, unless a single evening takes longer."""
FIRST: Final = 50
"""The number of seeds after which an interval is looked at for the first time."""


def sweep(
    plan: EnsemblePlan,
    out: str | PathLike[str],
    *,
    engine: Engine = "auto",
    workers: int | None = None,
    format: Format = "parquet",
    task: float = TASK,
    path: Asked = "auto",
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
) -> Ensemble:
    """Play a plan into a folder, and write its table. Evenings that the folder already holds are not played again.

    The evenings and the table have the same bytes whatever the engine, the number of workers and the seconds per `task`,
    and however often playing was interrupted. `progress` gets the number of finished evenings and the number of all
    evenings, `notice` any other message. A folder of another plan is refused.

    `path` chooses how evenings are played: "compiled", "interpreted", or "auto" for the faster one. It affects only the
    time and the column `path`; `Ensemble.decided` says which it was, and why. A plan with `until` plays its seeds in
    order, and stops when the interval of its column is narrow enough at every point.

    Workers that are processes are fresh Pythons, kept for the next sweep: a script that calls this has to do so under
    `if __name__ == "__main__"`.
    """
    check_format(format)
    check_until(plan)
    folder = EnsembleFolder(out)
    with folder.writing(plan):
        if not folder.finished:
            choice = choose_path(plan, path)
            if notice is not None and not choice.expected:
                notice(str(choice))
            _compile_first(plan, choice.path, notice)
            pool = partial(pool_of, plan, engine, workers, choice.path)
            seeds = _play_until(plan, folder, partial(_play, plan, folder, pool, task, progress, notice))
            folder.gather(plan, seeds)
            folder.finish(plan, str(choice), seeds)
        played = Ensemble(folder, plan.terms)
        played.write(format)
    return played


def ensemble(
    scenario: Scenario,
    seeds: Iterable[int],
    *,
    engine: Engine = "auto",
    workers: int | None = None,
    terms: Terms = (),
    minds: Mapping[str, CustomMind] | None = None,
    constraints: Constraints = (),
    outside: OutsideMinds | None = None,
    path: Asked = "auto",
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
) -> tuple[Measures, ...]:
    """Measure the evening of every seed, in memory; the results are in the order of the seeds, without duplicates.

    `workers` share the work, one per core unless a number is given; with 1 everything runs in this process. `engine`,
    `path`, `progress` and `notice` are those of `sweep`; `minds`, `terms`, `constraints` and `outside` are those of `play`.
    """
    plan = EnsemblePlan(scenario, tuple(sorted(set(seeds))), terms=gather(minds, terms, constraints, outside))
    plan.check()
    measured: dict[int, Measures] = {}
    chosen = choose_path(plan, path).path
    _compile_first(plan, chosen, notice)
    pool = pool_of(plan, engine, workers, chosen)
    seconds = 0.0 if pool.most == 1 else TASK
    with closing(play_spans(pool, [Span(0, plan.size)] if plan.size else [], lambda: seconds)) as played:
        for answer in played:
            for evening in evenings_of(read_frames(BytesIO(answer.frames)), plan):
                measured[evening.row] = evening.measures
                if progress is not None:
                    progress(len(measured), plan.size)
    _check_whole(len(measured), plan.size)
    return tuple(measured[row] for row in sorted(measured))


def _play_until(plan: EnsemblePlan, folder: EnsembleFolder, play: Callable[[int], None]) -> int:
    """Play all seeds, or in stages until the interval of the plan's column is narrow enough; how many seeds that took."""
    every = len(plan.seeds)
    if plan.until is None:
        play(every)
        return every
    for seeds in stages(every):
        play(seeds)
        frames = (frame for frame in folder.frames(plan) if frame.row % every < seeds)
        if is_narrow(plan, evenings_of(frames, plan)):
            return seeds
    return every


def _play(
    plan: EnsemblePlan,
    folder: EnsembleFolder,
    pool: Callable[[], WorkerPool],
    task: float,
    progress: Progress | None,
    notice: Callable[[str], None] | None,
    seeds: int,
) -> None:
    """Play the first `seeds` seeds of every point, as far as they are missing."""
    missing, parts = folder.missing(plan, seeds), 0
    size = len(plan.points) * seeds
    present = size - sum(span.rows for span in missing)
    if progress is not None:
        progress(present, size)
    if missing:
        longer: Callable[[], float] = lambda: min(LONGEST, task * 2.0 ** (parts // MANY))  # noqa: E731
        with closing(play_spans(pool(), missing, longer, notice)) as played:
            for answer in played:
                folder.keep(plan, answer.span, answer.frames)
                present, parts = present + answer.span.rows, parts + 1
                if progress is not None:
                    progress(present, size)
    _check_whole(size - sum(span.rows for span in folder.missing(plan, seeds)), size)


def _compile_first(plan: EnsemblePlan, path: str, notice: Callable[[str], None] | None) -> None:
    """Compile what a path needs here, once, before several workers would compile it; and say so."""
    if path != COMPILED or is_compiled(plan):
        return
    if notice is not None:
        notice(COMPILES)
    EveningBatches(plan.scenario_at(0), ticks=0, engine="compiled").play(plan.seeds[:1], 1)


def _check_whole(there: int, of: int) -> None:
    """Never silently fewer evenings."""
    if there != of:
        raise MissingPart.of(
            f"{of - there} of {of} evenings are missing",
            where="the ensemble",
            expected="every evening of the plan",
            remedy="run it again: the missing evenings are played",
        )


def stages(seeds: int) -> Iterator[int]:
    """The numbers of seeds after which the interval is looked at; the last one is all of them.

    >>> list(stages(260))
    [50, 100, 150, 200, 250, 260]
    """
    reached = 0
    while reached < seeds:
        reached = min(seeds, reached + max(FIRST, reached // 4))
        yield reached


def check_until(plan: EnsemblePlan) -> None:
    """Refuse a plan that stops early by a column that there is not, that has no interval, or by no width."""
    if plan.until is None:
        return
    _column(plan)
    if not plan.until[1] > 0.0:
        refuse(
            f"the interval of {plan.until[0]} is to be {plan.until[1]} wide",
            where="until",
            expected="a width above 0",
            remedy="give the width of the 95 % interval at which to stop",
        )


def is_narrow(plan: EnsemblePlan, evenings: Iterable[Played]) -> bool:
    """Whether the column's interval is at most as wide as the plan says at every point."""
    assert plan.until is not None
    column, width = _column(plan), plan.until[1]
    cells: dict[int, list[float]] = {point: [] for point in range(len(plan.points))}
    for evening in evenings:
        if (cell := column.cell(evening)) is not None:
            cells[evening.point].append(cell)
    return all(_is_within(_interval(column, numbers), width) for numbers in cells.values())


def _column(plan: EnsemblePlan) -> Column:
    assert plan.until is not None
    measured = [column for column in columns(plan) if not column.setting and column.kind != "text"]
    return find_column(measured, plan.until[0], where="until", expected="a column of numbers or flags")


def _interval(column: Column, cells: list[float]) -> Interval:
    return share(int(sum(cells)), len(cells)) if column.kind == "bool" else mean([float(cell) for cell in cells])


def _is_within(interval: Interval, width: float) -> bool:
    return interval.low is not None and interval.high is not None and interval.high - interval.low <= width
