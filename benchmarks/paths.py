"""What the choice of an ensemble's path is based on: what compiled evenings save, and what loading them costs.

All are CPU seconds of one process; each row is followed by the number that `ensemble/paths.py` uses.

    python benchmarks/paths.py --quick
"""

from __future__ import annotations

import sys
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

from batch import fresh
from rows import Row, options, show

from volition.drama.ensemble import paths
from volition.drama.evening.play_many import BATCH, EveningBatches
from volition.drama.world.scenario import scenario

SHIPPED = ("dinner-party", "winter-station")


def evenings(name: str, count: int) -> list[Row]:
    """What an evening costs on either path in turn, and what that saves for each person and possible tick."""
    played, made = scenario(name), []
    for _ in range(5):
        began = process_time()
        compiled = EveningBatches(played, engine="compiled", measures=True, states=False)
        made.append(process_time() - began)
    plain = EveningBatches(played, engine="interpreted", measures=True, states=False)
    taken: dict[str, list[float]] = {"interpreted": [], "compiled": []}
    for seed in range(count + 1):
        for batches, seeds in ((plain, [seed]), (compiled, range(seed, seed + BATCH))):
            began = process_time()
            batches.play(seeds, 1)
            taken[batches.engine].append((process_time() - began) / len(seeds))
    saved = median(one - other for one, other in zip(taken["interpreted"][1:], taken["compiled"][1:], strict=True))
    places = played.evening.ticks * len(played.people)
    return [
        *(Row(f"evening of {name}, {path} path", round(median(each[1:]), 4), "s") for path, each in taken.items()),
        beside(f"saved for each person and tick of {name}", saved / places, paths.SAVED),
        beside(f"the tables of {name}", median(made[1:]), paths.MAKING),
    ]


def beside(name: str, value: float, chosen: float) -> Row:
    """A figure, and how far from it the number is that a path is chosen by."""
    unit, size = ("s", 1.0) if chosen >= 1e-2 else ("us", 1e-6)
    return Row(f"{name} (chosen by: {chosen / size:g})", round(value / size, 3), unit)


def main() -> int:
    given = options(__doc__)
    rows = [row for name in SHIPPED for row in evenings(name, 6 if given.quick else 30)]
    loaded = median(fresh(None) for _ in range(2 if given.quick else 9))
    rows.append(beside("loading the compiled loop", loaded, paths.LOADING))
    if not given.quick:
        with TemporaryDirectory() as cache:
            rows.append(beside("compiling it", fresh(cache) - loaded, paths.COMPILING))
    return show("Paths of an ensemble", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
