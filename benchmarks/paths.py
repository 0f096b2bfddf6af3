"""What the choice of an ensemble's path is based on: what the kernel saves, and what loading it costs.

All are CPU seconds of one process; each row is followed by the number that `ensemble/paths.py` uses.

    python benchmarks/paths.py --quick
"""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

from rows import Row, options, show

from volition.drama.company.measures import Meter
from volition.drama.company.watch import Watch
from volition.drama.ensemble import paths
from volition.drama.world.scenario import scenario

FRESH = """
from time import process_time
import volition.drama.ensemble.work
began = process_time()
from volition.drama.company.kernel import engine
engine.load()
print(process_time() - began)
"""
SHIPPED = ("dinner-party", "winter-station")


def fresh(cache: str) -> float:
    """The seconds that a new process takes until it has the compiled loop."""
    env = {**os.environ, "VOLITION_CACHE": cache}
    return float(subprocess.run([sys.executable, "-c", FRESH], env=env, capture_output=True, check=True).stdout)


def evenings(name: str, count: int) -> list[Row]:
    """What an evening costs by either path in turn, and what that saves for each person and possible tick."""
    scalar = Meter(scenario(name))
    made = []
    for _ in range(5):
        began = process_time()
        watch = Watch(scalar.mind)
        made.append(process_time() - began)
    meters = {"scalar": scalar, "kernel": Meter(scalar.scenario, watch=watch)}
    taken: dict[str, list[float]] = {path: [] for path in meters}
    for seed in range(count + 1):
        for path, meter in meters.items():
            began = process_time()
            meter.measure(seed)
            taken[path].append(process_time() - began)
    saved = median(one - other for one, other in zip(taken["scalar"][1:], taken["kernel"][1:], strict=True))
    places = scalar.scenario.evening.ticks * len(scalar.scenario.people)
    return [
        *(Row(f"evening of {name}, {path} path", round(median(each[1:]), 4), "s") for path, each in taken.items()),
        beside(f"saved for each person and tick of {name}", saved / places, paths.SAVED),
        beside(f"the tables of {name}", median(made), paths.MAKING),
    ]


def beside(name: str, value: float, chosen: float) -> Row:
    """A figure, and how far from it the number is that a path is chosen by."""
    unit, size = ("s", 1.0) if chosen >= 1e-2 else ("us", 1e-6)
    return Row(f"{name} (chosen by: {chosen / size:g})", round(value / size, 3), unit)


def main() -> int:
    given = options(__doc__)
    rows = [row for name in SHIPPED for row in evenings(name, 6 if given.quick else 30)]
    with TemporaryDirectory() as cache:
        compiled = fresh(cache)
        loaded = median(fresh(cache) for _ in range(3 if given.quick else 9))
    rows += [
        beside("loading the compiled loop", loaded, paths.LOADING),
        beside("compiling it", compiled - loaded, paths.COMPILING),
    ]
    return show("Paths of an ensemble", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
