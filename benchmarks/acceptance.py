"""Whether the shipped scenarios and the starter meet their targets on evenings that they were not tuned on.

The rows are the doctor's, of shape, story and telling: for each target the least favourable figure among several blocks of
200 evenings, with its bar. The starter is what `volition scenario new NAME` writes. `--first` says where other blocks begin.
`--quick` plays one block of 40 evenings of each and lays out ten, for which the bars of shape and story are not meant.

    python benchmarks/acceptance.py --blocks 5
"""

from __future__ import annotations

import argparse
import sys
from time import perf_counter
from typing import TYPE_CHECKING

from rows import Row, show

from volition.drama.doctor import examine
from volition.drama.doctor.cure import measure_evenings
from volition.drama.doctor.told import tell_evenings
from volition.drama.world.draft import pattern_data
from volition.drama.world.scenario import load_scenario, scenario_from_data, scenario_names

if TYPE_CHECKING:
    from volition.drama.doctor.report import DoctorReport
    from volition.drama.doctor.targets import Target
    from volition.drama.world.model import Scenario

FIRSTS = (1, 1_001, 5_001, 20_001, 70_001)
"""The first seeds of the blocks. No search ran on them, but the starter's last changes were made after a look at them."""
EVENINGS, QUICK, QUICK_TOLD = 200, 40, 10


def main() -> int:
    given = _options()
    firsts = tuple(given.first or FIRSTS)[: given.blocks]
    evenings, told, firsts = (QUICK, QUICK_TOLD, firsts[:1]) if given.quick else (EVENINGS, EVENINGS, firsts)
    rows: list[Row] = []
    for name, scenario in _scenarios().items():
        start = perf_counter()
        measured = [measure_evenings(scenario, range(first, first + evenings)) for first in firsts]
        seconds = perf_counter() - start
        laid_out = [list(tell_evenings(scenario, range(first, first + told))) for first in firsts]
        reports = [examine(block, scenario, read) for block, read in zip(measured, laid_out, strict=True)]
        rows += [_row(name, reports, place, judged=not given.quick) for place in range(len(reports[0].targets))]
        rows.append(Row(f"{name}: symptoms", sum(len(report.symptoms) for report in reports), ""))
        rows.append(Row(f"{name}: evenings a second", round(len(reports) * evenings / seconds), "1/s"))
    return show(f"Targets, {evenings} evenings from each of the seeds {firsts}", rows, as_json=given.json)


def _scenarios() -> dict[str, Scenario]:
    starter = scenario_from_data(pattern_data("starter"))
    return {name: load_scenario(name) for name in scenario_names()} | {"starter": starter}


def _row(name: str, reports: list[DoctorReport], place: int, *, judged: bool) -> Row:
    """The block in which a target fares worst."""
    worst = min((report.targets[place] for report in reports), key=_margin)
    bars = (worst.bar, worst.holds) if judged else (None, None)
    return Row(f"{name}: {worst.name}", round(worst.value, 3), worst.unit, *bars)


def _margin(target: Target) -> tuple[bool, float]:
    """How far within its bounds a target is; one that fails comes before one that holds."""
    above = float("inf") if target.least is None else target.value - target.least
    below = float("inf") if target.most is None else target.most - target.value
    return target.holds, min(above, below)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one block of 40 evenings of each scenario, without bars")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--first", type=int, nargs="+", metavar="SEED", help="the first seeds of the blocks")
    parser.add_argument("--blocks", type=int, default=len(FIRSTS), help="how many blocks, at most five (five)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
