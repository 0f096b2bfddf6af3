"""Whether the conformance kit blames a good executor on a busy machine: the arena embedded, served and in Java, in real
time, while every core runs busy loops. No law may break; one may be left unjudged.

    python benchmarks/kit.py --quick
    python benchmarks/kit.py --runs 20
"""

from __future__ import annotations

import os
import shlex
import sys
from collections import Counter
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING

from rows import Row, argument_parser, show

from volition.core.clock import SystemClock
from volition.core.errors import MissingPart
from volition.execution.conformance import check
from volition.execution.conformance.reach import Connector, reach
from volition.execution.connecting.connect import find_endpoint
from volition.execution.worlds.arena.probe import ArenaProbe
from volition.execution.worlds.java import arena_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.verdict import Report

WORLDS = ("embedded", "served", "java")
LIMIT = 240.0
QUICK = 40.0


def be_busy() -> None:
    while True:
        pass


@contextmanager
def busy_cores(per_core: int) -> Iterator[None]:
    """Every core has this many programs that never wait."""
    context = get_context("spawn")
    loops = [context.Process(target=be_busy, daemon=True) for _ in range(per_core * (os.cpu_count() or 1))]
    for loop in loops:
        loop.start()
    try:
        yield
    finally:
        for loop in loops:
            loop.terminate()
            loop.join()


@contextmanager
def world(name: str, seed: int) -> Iterator[Connector]:
    """An arena to try, in real time."""
    if name == "embedded":
        way = find_endpoint("embedded", map=None, seed=seed, token=None, allow_remote=False, launch=None, pace="real")
        yield Connector(lambda: way.dial(5.0), SystemClock(), shared=True, restart=None)
        return
    with TemporaryDirectory() as folder:
        memory = Path(folder) / "requests"
        served = (sys.executable, "-m", "volition.cli", "serve-arena", "--seed", str(seed), "--requests", str(memory))
        command = served if name == "served" else arena_command(seed=seed, requests=memory)
        with reach(launch=shlex.join(command)) as connector:
            yield connector


def try_world(name: str, seed: int, limit: float) -> Report:
    with world(name, seed) as way:
        return check(
            way.dial, seed=seed, limit=limit, clock=way.clock, shared=way.shared, restart=way.restart,
            known_probes=(ArenaProbe(),),
        )  # fmt: skip


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--runs", type=int, default=21, help="how many runs, over all worlds")
    parser.add_argument("--busy", type=int, default=1, help="busy loops for each core")
    parser.add_argument("--only", choices=WORLDS, help="only this world")
    given = parser.parse_args()
    worlds = (given.only,) if given.only else WORLDS
    broken: Counter[str] = Counter()
    unjudged: Counter[str] = Counter()
    seconds: list[float] = []
    runs, limit = (1, QUICK) if given.quick else (given.runs, LIMIT)
    with busy_cores(given.busy):
        for n in range(runs):
            name = worlds[n % len(worlds)]
            began = monotonic()
            try:
                report = try_world(name, n, limit)
            except MissingPart as error:
                print(f"{name} is NOT RUN: {error}", file=sys.stderr)
                continue
            seconds.append(monotonic() - began)
            broken.update(report.broken)
            unjudged.update(report.unjudged)
            print(f"run {n + 1} of {runs}, {name}: {report.summary}", file=sys.stderr)
            for row in report.rows:
                if row.verdict in {"breaks", "not judged"}:
                    print(row, file=sys.stderr, flush=True)
    rows = [
        Row("runs", len(seconds), ""),
        Row("laws that broke", broken.total(), "", "none", not broken),
        Row("laws that were not judged", unjudged.total(), ""),
        Row("longest run", round(max(seconds, default=0.0)), "s"),
    ]
    return show("Conformance kit under load", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
