"""Whether flows keep their promises under random faults: no effect twice, none missing, none stuck, the record intact.

Each case is a flow of three nodes on a SQLite file or a private PostgreSQL server, with an executor that remembers requests
or one that does not, functions, or an HTTP service, and one fault at a random moment: a driver is killed or stopped past
its lease, an effect is slower than its deadline, a connection is lost, the executor or the database is killed, the disk is
full. A simulated person does what the status asks for. A seed fixes a case; its timeline is printed if it fails.

    python benchmarks/faults.py --quick
    python benchmarks/faults.py --only 17
"""

from __future__ import annotations

import shutil
import signal
import sys
from collections import Counter
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rows import Row, argument_parser, show

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.keys import use_test_key
from tests.workflow.clusters import binaries, make_cluster
from tests.workflow.fault_cases import COMBINATIONS, make_case
from tests.workflow.fault_runs import FaultRun
from tests.workflow.fault_verdicts import Verdict
from tests.workflow.killing import start

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from tests.workflow.clusters import Cluster
    from tests.workflow.fault_cases import FaultCase

LANES = 2
"""Cases at a time; each lane has a database server that only its cases stop."""
QUICK_SECONDS = 30.0
"""After this time, a quick run begins no other case."""


def parse_options() -> Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--cases", type=int, default=500, metavar="N", help="how many cases (default 500)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first case; the others follow (default 1)")
    parser.add_argument("--only", type=int, metavar="SEED", help="run one case and print its timeline")
    return parser.parse_args()


@contextmanager
def servers(count: int) -> Iterator[list[Cluster | None]]:
    """Private PostgreSQL servers, or nothing where it is not installed."""
    made: list[Cluster] = []
    try:
        if binaries() is not None:
            for _ in range(count):
                made.append(make_cluster())
                made[-1].new_database()
        yield list(made) or [None] * count
    finally:
        for cluster in made:
            cluster.stop()
            shutil.rmtree(cluster.folder, ignore_errors=True)


def run_case(case: FaultCase, cluster: Cluster | None) -> Verdict | None:
    """One case in a new folder; None if it needs a server and there is none."""
    if case.store == "postgresql" and cluster is None:
        return None
    with TemporaryDirectory(prefix="volition-faults-") as name:
        folder = Path(name)
        place = cluster.address("test_1") if case.store == "postgresql" and cluster else str(folder / "team.db")
        return FaultRun(case, place, folder, cluster).run()


def work_through(seeds: Any, verdicts: Any, cluster: Cluster | None, until: float) -> None:
    """Be a lane: run cases until there are none, or the time is over."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    while monotonic() < until and (seed := seeds.get()) is not None:
        try:
            verdicts.put((seed, run_case(make_case(seed), cluster)))
        except Exception as error:  # noqa: BLE001  one case that cannot be run must not hide the others
            verdicts.put((seed, f"{type(error).__name__}: {error}"))
    verdicts.put(None)


def run_all(seeds: Sequence[int], seconds: float) -> tuple[list[Verdict], int]:
    """All cases, in lanes, and how many could not be run; those that fail are printed as they come."""
    context, console = get_context("fork"), Console(stderr=True)
    todo, done = context.Queue(), context.Queue()
    for seed in [*seeds, *[None] * LANES]:
        todo.put(seed)
    until = monotonic() + seconds
    with servers(LANES) as clusters:
        lanes = [start(work_through, todo, done, cluster, until) for cluster in clusters]
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}"), TimeElapsedColumn())
        found, not_run = list[Verdict](), 0
        try:
            with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
                bar = progress.add_task("cases", total=len(seeds))
                ended = 0
                while ended < LANES:
                    if (item := done.get()) is None:
                        ended += 1
                        continue
                    seed, verdict = item
                    progress.advance(bar)
                    if isinstance(verdict, Verdict):
                        found.append(verdict)
                        if not verdict.holds:
                            console.print(describe(verdict), markup=False, highlight=False, soft_wrap=True)
                            progress.update(bar, description=f"cases ({sum(not each.holds for each in found)} failed)")
                    elif verdict is not None:
                        not_run += 1
                        console.print(f"seed {seed} could not be run: {verdict}", markup=False, soft_wrap=True)
        finally:
            todo.cancel_join_thread()
            for lane in lanes:
                lane.terminate()
                lane.join()
    return found, not_run


def describe(verdict: Verdict) -> str:
    """A case that failed, and how to run just it."""
    return f"{verdict}\n  again: python benchmarks/faults.py --only {verdict.case.seed}\n"


def tally(verdicts: Sequence[Verdict], not_run: int = 0) -> list[Row]:
    """The counts with their bars, and which combinations they come from."""
    effects = sum(verdict.effects for verdict in verdicts)
    counts = {
        "effects twice": sum(len(verdict.twice) for verdict in verdicts),
        "effects missing": sum(len(verdict.missing) for verdict in verdicts),
        "flows stuck": sum(bool(verdict.stuck) for verdict in verdicts),
        "registries that do not verify": sum(bool(verdict.broken) for verdict in verdicts),
    }
    where = Counter(
        f"{verdict.case.store}, {verdict.case.target}, {verdict.case.fault}"
        for verdict in verdicts
        if not verdict.holds
    )
    return [
        Row("cases", len(verdicts), "cases"),
        Row("cases that could not be run", not_run, "cases", "= 0", not_run == 0),
        Row("effects", effects, "effects"),
        Row("questions to a person", sum(verdict.asked for verdict in verdicts), "questions"),
        Row(
            "drivers that ended with an unexpected error", sum(len(verdict.crashes) for verdict in verdicts), "drivers"
        ),
        *(Row(name, count, name.split()[0], "= 0", count == 0) for name, count in counts.items()),
        *(Row(f"failed: {name}", count, "cases") for name, count in sorted(where.items())),
    ]


def main() -> int:
    given = parse_options()
    use_test_key()
    if binaries() is None:
        print("PostgreSQL is not installed: its cases are NOT run", file=sys.stderr)
    if given.only is not None:
        with servers(1) as (cluster,):
            verdict = run_case(make_case(given.only), cluster)
        print(verdict or "this case needs PostgreSQL")
        return show("Faults", tally([verdict] if verdict else []), as_json=given.json)
    count = 20 * len(COMBINATIONS) if given.quick else given.cases
    seconds = QUICK_SECONDS if given.quick else float("inf")
    return show("Faults", tally(*run_all(range(given.seed, given.seed + count), seconds)), as_json=given.json)


if __name__ == "__main__":
    raise SystemExit(main())
