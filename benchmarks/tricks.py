"""What the small tricks of the code are worth: each beside the plain way to do the same, in interleaved rounds.

A trick that is not at least a fifth faster than the plain way is not worth its line; its bar is lower than what is
measured on a quiet machine.

    python benchmarks/tricks.py --quick
"""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from time import process_time
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from rows import Row, interleaved, options, ratio, show

from volition.core import chance
from volition.drama.ensemble import EnsemblePlan, pools
from volition.drama.evening.play_many import play_many
from volition.drama.evening.rows import join_records
from volition.drama.rules.catalog import CHAT, EventType
from volition.drama.words import phrasebook
from volition.drama.world import wording
from volition.drama.world.scenario import load_scenario

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.context import BaseContext

    from numpy.typing import NDArray

DRAWS, COMPARISONS = 200, 2_000
TIMES = 20
"""How often each is done in a round."""


def compared(name: str, trick: Callable[[], object], plain: Callable[[], object], rounds: int, at_least: float) -> Row:
    """How many times as long the plain way takes."""
    taken = interleaved({"trick": trick, "plain": plain}, rounds, TIMES, process_time)
    return ratio(name, taken["plain"], taken["trick"], at_least=at_least)


def draw() -> None:
    """Draw by names, as terms of users do."""
    for tick in range(DRAWS):
        chance.noise(1, tick, "victor", "choice", "conflict:marcus")


def draw_without_cache() -> None:
    """The same, with every name hashed again."""
    with patch.object(chance, "uid", chance.uid.__wrapped__):
        draw()


def compare_with_constants() -> None:
    """Compare a kind of event with a constant."""
    kind = EventType.CHAT
    for _ in range(COMPARISONS):
        kind == CHAT  # noqa: B015  timed


def compare_with_members() -> None:
    """The same with the member of its class."""
    kind = EventType.CHAT
    for _ in range(COMPARISONS):
        kind == EventType.CHAT  # noqa: B015  timed


def measured_rows() -> NDArray[Any]:
    """The packed rows of 64 short evenings."""
    played = play_many(load_scenario("dinner-party"), range(2), ticks=5, engine="interpreted", measures=True)
    row = played.measures.row
    return np.tile(row.view(np.uint8), 32).view(row.dtype)


def start_workers(processes: BaseContext) -> None:
    """Start two workers that have all that plays evenings, and end them."""
    with ProcessPoolExecutor(2, processes, initializer=import_module, initargs=(pools.__name__,)) as workers:
        list(workers.map(abs, range(2)))


def compare_starts(rounds: int) -> Row:
    """How many times as long workers take that are not forked; here the clock counts, since others do the work."""
    ways = {"forked": pools.process_context(), "spawned": get_context("spawn")}
    taken = interleaved({way: partial(start_workers, processes) for way, processes in ways.items()}, rounds)
    return ratio("workers forked from a server", taken["spawned"], taken["forked"], at_least=2.0)


def read_first_point(job: bytes) -> None:
    """Read the scenario of the first point of a plan, as a worker does that has read none before."""
    for remembered in (phrasebook.phrasebook, wording._remember_phrases):  # noqa: SLF001  what a new process lacks
        remembered.cache_clear()
    pickle.loads(job).scenario_at(0)


def compare_jobs(rounds: int) -> Row:
    """How many times as long a worker reads the first point of a sweep that is sent with its phrases."""
    plan = EnsemblePlan.of(load_scenario("dinner-party"), [1], grid={"rules.noise.sigma": [0.0, 0.1]})
    jobs = {"without": pickle.dumps(plan.without_phrases()), "with": pickle.dumps(plan)}
    reads = {name: partial(read_first_point, job) for name, job in jobs.items()}
    taken = interleaved(reads, rounds, clock=process_time)
    return ratio("plans sent without phrases", taken["with"], taken["without"], at_least=5.0)


def main() -> int:
    """Measure every trick."""
    given = options(__doc__)
    rounds, row = 7 if given.quick else 25, measured_rows()
    names, parts = row.dtype.names or (), [row] * 32
    rows = [
        compared("a draw by names: ids cached", draw, draw_without_cache, rounds, 1.5),
        compared("kinds of events as constants", compare_with_constants, compare_with_members, rounds, 2.0),
        compared("rows joined as bytes", lambda: join_records(parts), lambda: np.concatenate(parts), rounds, 5.0),
        compared(
            "rows read by columns",
            lambda: [row[name].tolist() for name in names],
            lambda: [[one[name].tolist() for name in names] for one in row],
            rounds,
            5.0,
        ),
        compare_starts(3 if given.quick else 9),
        compare_jobs(3 if given.quick else 9),
    ]
    return show("Tricks", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
