"""Many evenings of one scenario, measured over several processes; the same whatever their number."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TYPE_CHECKING

from volition.core.errors import MissingPart, refuse
from volition.drama.company.measures import Meter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from volition.drama.company.measures import Measures
    from volition.drama.world.model import Scenario


def ensemble(
    scenario: Scenario,
    seeds: Iterable[int],
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Measures, ...]:
    """Measure the evening of every seed; the results stand in the order of the seeds, each of them once.

    `workers` processes share the work, as many as there are cores unless it says otherwise; with 1 it is done here.
    `progress` is told after every evening how many of how many are done.

    New processes begin with a fresh Python: a script that calls this with more than one worker keeps what it runs
    under `if __name__ == "__main__"`.
    """
    wanted = sorted(set(seeds))
    hands = min(os.cpu_count() or 1 if workers is None else workers, len(wanted))
    if workers is not None and workers < 1:
        refuse(
            f"there are {workers} workers",
            where="workers",
            expected="a whole number from 1 on",
            remedy="leave it out to use every core",
        )
    done = []
    for measures in _one_by_one(scenario, wanted) if hands <= 1 else _side_by_side(scenario, wanted, hands):
        done.append(measures)
        if progress is not None:
            progress(len(done), len(wanted))
    return tuple(done)


def _one_by_one(scenario: Scenario, seeds: Sequence[int]) -> Iterator[Measures]:
    return map(Meter(scenario).measure, seeds)


def _side_by_side(scenario: Scenario, seeds: Sequence[int], workers: int) -> Iterator[Measures]:
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(scenario,))
    try:
        yield from pool.map(_measure, seeds)
    except BrokenProcessPool:
        raise MissingPart.of(
            "a process that played evenings ended by itself",
            where=f"{workers} workers",
            expected="room for a Python process in each",
            remedy="use fewer workers; with 1 no other process is needed",
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


_meters: list[Meter] = []
"""The one that the evenings of a process share, once the first of them has made it."""
_scenarios: list[Scenario] = []


def _begin(scenario: Scenario) -> None:
    # Whoever interrupts speaks to the process that waits for this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _scenarios.append(scenario)


def _measure(seed: int) -> Measures:
    # Made here and not at the beginning, where an error would end the process unheard.
    if not _meters:
        _meters.append(Meter(_scenarios[0]))
    return _meters[0].measure(seed)
