"""How every benchmark measures and prints.

Cases run in interleaved rounds, so that a busy moment of the machine affects all of them alike, and a row shows the
median of the rounds. A bar is a ratio between two cases of the same run: seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import sys
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Rounds = dict[str, list[float]]
"""The seconds that each case took, one number for each round."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: its name, value and unit, and its bar with whether it is met, if it has one."""

    name: str
    value: float
    unit: str
    bar: str | None = None
    holds: bool | None = None


def options(description: str | None) -> argparse.Namespace:
    """The command line of every benchmark."""
    return argument_parser(description).parse_args()


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    """The options of every benchmark, for one that has others too."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes, within 50 s")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    return parser


def interleaved(
    cases: Mapping[str, Callable[[], object]],
    rounds: int,
    times: int = 1,
    clock: Callable[[], float] = perf_counter,
) -> Rounds:
    """Time each case in every round, after a first round that does not count; the seconds are those of one call.

    With `process_time` as the clock, time in which other processes had the core does not count.
    """
    seconds: Rounds = {name: [] for name in cases}
    for _ in range(rounds + 1):
        for name, case in cases.items():
            gc.collect()
            start = clock()
            for _ in range(times):
                case()
            seconds[name].append((clock() - start) / times)
    return {name: taken[1:] for name, taken in seconds.items()}


def timed(name: str, seconds: Iterable[float]) -> Row:
    """The median time of a case, in the most readable unit."""
    middle = median(seconds)
    unit, size = next((u for u in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)) if middle >= u[1]), ("ns", 1e-9))
    return Row(name, round(middle / size, 3), unit)


def ratio(
    name: str,
    one: Iterable[float],
    to: Iterable[float],
    *,
    at_most: float | None = None,
    at_least: float | None = None,
) -> Row:
    """How many times as long one case took as another in the same round; the median over the rounds."""
    times = median(this / that for this, that in zip(one, to, strict=True))
    bar, holds = None, None
    if at_most is not None:
        bar, holds = f"<= {at_most:g}", times <= at_most
    elif at_least is not None:
        bar, holds = f">= {at_least:g}", times >= at_least
    return Row(name, round(times, 3), "times", bar, holds)


def show(title: str, rows: Iterable[Row], *, as_json: bool) -> int:
    """Print the rows; the exit code says whether every bar is met."""
    lines = list(rows)
    if as_json:
        print(json.dumps([asdict(row) for row in lines], indent=2))
    else:
        width = max(len(row.name) for row in lines)
        print(f"{title}  [Python {platform.python_version()}, {platform.machine()}]")
        for row in lines:
            verdict = "" if row.holds is None else f"  {row.bar}  {'holds' if row.holds else 'DOES NOT HOLD'}"
            print(f"  {row.name:<{width}}  {row.value:>12,.3f} {row.unit}{verdict}")
    sys.stdout.flush()
    return 0 if all(row.holds is not False for row in lines) else 1
