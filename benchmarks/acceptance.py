"""Whether the built-in dinner party meets its targets on evenings that it was not tuned on.

The rows are the doctor's: each is a figure over all evenings with its bar. `--quick` plays at least 40 evenings and
stops after about 45 s; the bars are meant for 200.

    python benchmarks/acceptance.py --first-seed 50001
"""

from __future__ import annotations

import argparse
import sys
from time import perf_counter
from typing import TYPE_CHECKING

from rows import Row, show

from volition.drama.doctor import examine
from volition.drama.ensemble import ensemble
from volition.drama.world.scenario import load_scenario

if TYPE_CHECKING:
    from volition.drama.company.measures import Measures
    from volition.drama.doctor.targets import Target
    from volition.drama.world.model import Scenario

EVENINGS, QUICK, SECONDS = 200, 40, 45.0


def main() -> int:
    given = _options()
    scenario = load_scenario("dinner-party")
    start = perf_counter()
    records = _play(scenario, given.first_seed, given.workers, quick=given.quick)
    taken = perf_counter() - start
    report = examine(records, scenario)
    rows = [_row(target) for target in report.targets]
    rows += [
        Row("evenings played", len(records), ""),
        Row("evenings a second", round(len(records) / taken, 2), "1/s"),
        Row("symptoms", len(report.symptoms), "", "<= 0", not report.symptoms),
    ]
    return show(f"Dinner party, seeds {report.seeds[0]} to {report.seeds[1]}", rows, as_json=given.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="as many evenings as fit into 45 s, at least 40")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--first-seed", type=int, default=50001, help="the first of the seeds (50001)")
    parser.add_argument("--workers", type=int, default=None, help="how many processes (one for each core)")
    return parser.parse_args()


def _play(scenario: Scenario, first: int, workers: int | None, *, quick: bool) -> tuple[Measures, ...]:
    if not quick:
        return ensemble(scenario, range(first, first + EVENINGS), workers=workers)
    start = perf_counter()
    records = ensemble(scenario, range(first, first + QUICK), workers=workers)
    taken = perf_counter() - start
    # Fewer than the first ones suggest: the machine may be busier later.
    more = max(0, min(EVENINGS - QUICK, int(0.7 * (SECONDS - taken) * QUICK / taken)))
    return records + ensemble(scenario, range(first + QUICK, first + QUICK + more), workers=workers)


def _row(target: Target) -> Row:
    return Row(target.name, round(target.value, 3), target.unit, target.bar, target.holds)


if __name__ == "__main__":
    sys.exit(main())
