"""What `volition doctor --fix` makes of two untouched scenarios that it was not made for.

Rows are the targets that hold before and after, on evenings that were not used for tuning. `--quick` takes a few rounds
on a few evenings, without bars.

    python benchmarks/cure.py --rounds 12
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

from rows import Row, show

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.drama.doctor.writers import AUTHORS, untouched
from volition.drama.doctor import find_cure
from volition.drama.doctor.cure import count_targets
from volition.drama.doctor.targets import SHAPE, STORY

TUNED, FRESH, ROUNDS = 50, 200, 12
LEAST, MOST_BEFORE, STORIES = 15, 12, 12
"""How many of the sixteen targets of the shape have to hold afterwards, may hold before, and how many of the story."""


def main() -> int:
    given = _options()
    rows: list[Row] = []
    for name in AUTHORS:
        start, quick = perf_counter(), given.quick
        tuned, fresh = (range(8), range(900, 924)) if quick else (range(TUNED), range(9000, 9000 + FRESH))
        cure = find_cure(untouched(name), tuned, fresh, rounds=1 if quick else given.rounds)
        before, after = count_targets(cure.before), count_targets(cure.after)
        bars = (None, None) if quick else (f"<= {MOST_BEFORE}", before[SHAPE][0] <= MOST_BEFORE)
        rows.append(Row(f"{name}: shape before, of {before[SHAPE][1]}", before[SHAPE][0], "", *bars))
        bars = (None, None) if quick else (f">= {LEAST}", after[SHAPE][0] >= LEAST)
        rows.append(Row(f"{name}: shape after", after[SHAPE][0], "", *bars))
        rows.append(Row(f"{name}: story before, of {before[STORY][1]}", before[STORY][0], ""))
        bars = (None, None) if quick else (f">= {STORIES}", after[STORY][0] >= STORIES)
        rows.append(Row(f"{name}: story after", after[STORY][0], "", *bars))
        rows.append(Row(f"{name}: settings changed", len(cure.settings), ""))
        rows.append(Row(f"{name}: trials", cure.trials, ""))
        rows.append(Row(f"{name}: time", round(perf_counter() - start, 1), "s"))
    return show("Untouched scenarios, cured", rows, as_json=given.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round on a few evenings")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how many rounds ({ROUNDS})")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
