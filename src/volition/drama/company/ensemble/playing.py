"""Plans played into folders: every evening once, going on where an earlier run stopped."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Final

from volition.core.errors import MissingPart
from volition.drama.company.ensemble.crews import TASK, crew_of, play_spans
from volition.drama.company.ensemble.folder import Folder
from volition.drama.company.ensemble.lines import from_line
from volition.drama.company.ensemble.paths import KERNEL, way_of
from volition.drama.company.ensemble.plan import Plan
from volition.drama.company.ensemble.results import Ensemble
from volition.drama.company.ensemble.table import check_format
from volition.drama.company.ensemble.work import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from os import PathLike

    from volition.arbitration import Intention
    from volition.drama.company.ensemble.crews import Crew, Engine
    from volition.drama.company.ensemble.paths import Asked
    from volition.drama.company.ensemble.table import Format
    from volition.drama.company.measures import Measures
    from volition.drama.world.model import Scenario

    Progress = Callable[[int, int], None]

MANY: Final = 500
"""After so many parts, tasks take twice as long: a folder holds thousands of files, not millions."""
LONGEST: Final = 60.0
"""Seconds that a task takes at the most, but for one evening."""


def sweep(
    plan: Plan,
    out: str | PathLike[str],
    *,
    engine: Engine = "process",
    workers: int | None = None,
    format: Format = "parquet",
    task: float = TASK,
    path: Asked = "auto",
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
) -> Ensemble:
    """Play a plan into a folder, and write its table. What the folder holds already is not played again.

    The evenings and the table are the same to the last byte whatever the engine, the number of workers, the seconds
    that a `task` takes, and however often it was interrupted. `progress` is told how many of how many evenings are
    done, `notice` whatever else there is to say. A folder of another plan is refused.

    `path` says how people decide: "scalar", "kernel", or whichever is sooner here. It changes nothing but the time and
    the column `path`; `Ensemble.decided` tells which it was, and why.

    New processes begin with a fresh Python: a script that calls this keeps what it runs under
    `if __name__ == "__main__"`.
    """
    check_format(format)
    folder = Folder(out)
    with folder.writing(plan):
        if not folder.finished:
            way = way_of(plan, path)
            if notice is not None and not way.plain:
                notice(str(way))
            _play(plan, folder, engine, workers, task, progress, notice, way.path)
            folder.gather(plan)
            folder.finish(plan, str(way))
        done = Ensemble(out, plan.terms)
        done.write(format)
    return done


def ensemble(
    scenario: Scenario,
    seeds: Iterable[int],
    *,
    engine: Engine = "process",
    workers: int | None = None,
    terms: Sequence[Intention] = (),
    path: Asked = "auto",
    progress: Progress | None = None,
) -> tuple[Measures, ...]:
    """Measure the evening of every seed, in memory; the results stand in the order of the seeds, each of them once.

    `workers` processes share the work, as many as there are cores unless it says otherwise; with 1 it is done here.
    `path` is that of `sweep`. `progress` is told after every evening how many of how many are done.
    """
    plan = Plan(scenario, tuple(sorted(set(seeds))), terms=tuple(terms))
    done: dict[int, Measures] = {}
    crew = _crew(plan, engine, workers, way_of(plan, path).path)
    seconds = 0.0 if crew.most == 1 else TASK
    with closing(play_spans(crew, [Span(0, plan.size)] if plan.size else [], lambda: seconds)) as played:
        for _, lines in played:
            for line in lines.splitlines():
                one = from_line(line)
                done[one.row] = one.measures
                if progress is not None:
                    progress(len(done), plan.size)
    _check_whole(len(done), plan.size)
    return tuple(done[row] for row in sorted(done))


def _play(
    plan: Plan,
    folder: Folder,
    engine: Engine,
    workers: int | None,
    task: float,
    progress: Progress | None,
    notice: Callable[[str], None] | None,
    path: str,
) -> None:
    missing, kept = folder.missing(plan), 0
    done = plan.size - sum(span.rows for span in missing)
    if progress is not None:
        progress(done, plan.size)
    if missing:
        crew = _crew(plan, engine, workers, path)
        with closing(play_spans(crew, missing, lambda: min(LONGEST, task * 2.0 ** (kept // MANY)), notice)) as played:
            for span, lines in played:
                folder.keep(plan, span, lines)
                done, kept = done + span.rows, kept + 1
                if progress is not None:
                    progress(done, plan.size)
    _check_whole(plan.size - sum(span.rows for span in folder.missing(plan)), plan.size)


def _crew(plan: Plan, engine: Engine, workers: int | None, path: str) -> Crew:
    """The crew of a path; what it needs compiled is compiled once, before several would."""
    if path == KERNEL:
        from volition.drama.company.kernel import engine as kernel  # noqa: PLC0415  only for those who compile

        if not kernel.kept():
            kernel.load()
    return crew_of(plan, engine, workers, path)


def _check_whole(there: int, of: int) -> None:
    """Never silently fewer evenings."""
    if there != of:
        raise MissingPart.of(
            f"{of - there} of {of} evenings are missing",
            where="the ensemble",
            expected="every evening of the plan",
            remedy="run it again: what is missing is played",
        )
