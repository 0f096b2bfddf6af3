"""Playing a plan into a folder: every evening once, continuing where an earlier run stopped."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Final

from volition.core.errors import MissingPart
from volition.drama.ensemble.dispatch import TASK, crew_of, play_spans
from volition.drama.ensemble.folder import EnsembleFolder
from volition.drama.ensemble.lines import from_line
from volition.drama.ensemble.paths import KERNEL, choose_path
from volition.drama.ensemble.plan import EnsemblePlan
from volition.drama.ensemble.results import Ensemble
from volition.drama.ensemble.table import check_format
from volition.drama.ensemble.work import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from os import PathLike

    from volition.arbitration import Intention
    from volition.drama.company.measures import Measures
    from volition.drama.ensemble.crew import Crew
    from volition.drama.ensemble.dispatch import Engine
    from volition.drama.ensemble.paths import Asked
    from volition.drama.ensemble.table import Format
    from volition.drama.world.model import Scenario

    Progress = Callable[[int, int], None]

MANY: Final = 500
"""After every so many parts tasks become twice as long, so a folder holds thousands of files and not millions."""
LONGEST: Final = 60.0
"""The longest task in seconds, unless a single evening takes longer."""


def sweep(
    plan: EnsemblePlan,
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
    """Play a plan into a folder, and write its table. Evenings that the folder already holds are not played again.

    The evenings and the table have the same bytes whatever the engine, the number of workers and the seconds per `task`,
    and however often playing was interrupted. `progress` gets the number of finished evenings and the number of all
    evenings, `notice` any other message. A folder of another plan is refused.

    `path` chooses how people decide: "scalar", "kernel", or "auto" for the faster one. It affects only the time and the
    column `path`; `Ensemble.decided` says which it was, and why.

    Workers are fresh Python processes: a script that calls this has to do so under `if __name__ == "__main__"`.
    """
    check_format(format)
    folder = EnsembleFolder(out)
    with folder.writing(plan):
        if not folder.finished:
            choice = choose_path(plan, path)
            if notice is not None and not choice.expected:
                notice(str(choice))
            _play(plan, folder, engine, workers, task, progress, notice, choice.path)
            folder.gather(plan)
            folder.finish(plan, str(choice))
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
    """Measure the evening of every seed, in memory; the results are in the order of the seeds, without duplicates.

    `workers` processes share the work, one per core unless a number is given; with 1 everything runs in this process.
    `path` and `progress` are those of `sweep`.
    """
    plan = EnsemblePlan(scenario, tuple(sorted(set(seeds))), terms=tuple(terms))
    done: dict[int, Measures] = {}
    crew = _crew(plan, engine, workers, choose_path(plan, path).path)
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
    plan: EnsemblePlan,
    folder: EnsembleFolder,
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


def _crew(plan: EnsemblePlan, engine: Engine, workers: int | None, path: str) -> Crew:
    """The crew for a path; the kernel is compiled here, once, before several workers would compile it."""
    if path == KERNEL:
        from volition.drama.company.kernel import engine as kernel  # noqa: PLC0415  loads numpy

        if not kernel.is_cached():
            kernel.load()
    return crew_of(plan, engine, workers, path)


def _check_whole(there: int, of: int) -> None:
    """Never silently fewer evenings."""
    if there != of:
        raise MissingPart.of(
            f"{of - there} of {of} evenings are missing",
            where="the ensemble",
            expected="every evening of the plan",
            remedy="run it again: the missing evenings are played",
        )
