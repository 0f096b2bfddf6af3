"""How every benchmark here measures and prints.

Cases run in interleaved rounds, so that a busy moment of the machine falls on all of them alike; a row shows the median
of the rounds; a bar is a ratio between two cases of the same run wherever it can be, because seconds are the machine's.
Where a bar is in seconds, `Pace` tells the rounds in which others held the machine, and they do not count.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import sys
from dataclasses import asdict, dataclass, field
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Rounds = dict[str, list[float]]
"""The seconds that each case took, one number per round."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: its name, value and unit, and, where there is one, the bar and whether it holds."""

    name: str
    value: float
    unit: str
    bar: str | None = None
    holds: bool | None = None


def options(description: str | None) -> argparse.Namespace:
    """The command line of every benchmark."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes, within 50 s")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    return parser.parse_args()


def interleaved(cases: Mapping[str, Callable[[], object]], rounds: int, times: int = 1) -> Rounds:
    """Time each case in every round, after one round that does not count; seconds are of one of `times` calls."""
    seconds: Rounds = {name: [] for name in cases}
    for _ in range(rounds + 1):
        for name, case in cases.items():
            gc.collect()
            start = perf_counter()
            for _ in range(times):
                case()
            seconds[name].append((perf_counter() - start) / times)
    return {name: taken[1:] for name, taken in seconds.items()}


@dataclass(frozen=True, slots=True)
class Moment:
    """The seconds that a round took, and those of the yardstick around it."""

    seconds: float
    yardstick: float


@dataclass(slots=True)
class Timed:
    """What is measured in rounds, each of which says what it took; so many of them should fall into free moments."""

    round: Callable[[], float]
    wanted: int
    moments: list[Moment] = field(default_factory=list)


class Pace:
    """How fast the machine is at the moment, by a yardstick of plain work that is always the same.

    A moment is free where the yardstick takes at most `FREE` times its fastest of the whole run: on a shared machine
    everything is slower by half or by more for as long as others work, and so is the yardstick.
    """

    FREE = 1.15
    LEAST = 3
    """Where fewer moments than this are free, all of them count."""
    TURN = 0.1
    """So many seconds at least one case is measured before it is the next one's turn."""

    def __init__(self) -> None:
        self._text = json.dumps([{"name": f"item {n}", "parts": [n, n + 1, str(n)]} for n in range(300)])
        self._fastest = min(self.yardstick() for _ in range(100))

    def yardstick(self) -> float:
        """The seconds of the yardstick now, the least of three."""
        return min(self._worked() for _ in range(3))

    def wait(self, cases: Sequence[Timed], patience: float) -> None:
        """Measure all cases in turn, until each has its free rounds, for so many seconds at most and at least once.

        What lay about before is not their garbage.
        """
        gc.collect()
        end = perf_counter() + patience
        waiting = list(cases)
        while waiting:
            for case in waiting:
                self._turn(case)
            waiting = [case for case in waiting if len(self._free(case)) < case.wanted] if perf_counter() < end else []

    def counted(self, case: Timed) -> list[Moment]:
        """The moments of a case in which the machine was free; to be asked when all is measured."""
        found = self._free(case)
        return found if len(found) >= min(self.LEAST, len(case.moments)) else case.moments

    def _turn(self, case: Timed) -> None:
        end = perf_counter() + self.TURN
        before = self.yardstick()
        while True:
            seconds = case.round()
            after = self.yardstick()
            self._fastest = min(self._fastest, before, after)
            case.moments.append(Moment(seconds, max(before, after)))
            before = after
            if perf_counter() >= end:
                return

    def _free(self, case: Timed) -> list[Moment]:
        return [moment for moment in case.moments if moment.yardstick <= self.FREE * self._fastest]

    def _worked(self) -> float:
        start = perf_counter()
        counts: dict[str, int] = {}
        for item in json.loads(self._text):
            for part in item["parts"]:
                counts[str(part)] = counts.get(str(part), 0) + 1
        return perf_counter() - start


def timed(name: str, seconds: Iterable[float]) -> Row:
    """The median time of a case, in the unit in which it reads best."""
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
    """How many times as long one case took as another in the same round: the median over the rounds."""
    times = median(this / that for this, that in zip(one, to, strict=True))
    bar, holds = None, None
    if at_most is not None:
        bar, holds = f"<= {at_most:g}", times <= at_most
    elif at_least is not None:
        bar, holds = f">= {at_least:g}", times >= at_least
    return Row(name, round(times, 3), "times", bar, holds)


def show(title: str, rows: Iterable[Row], *, as_json: bool) -> int:
    """Print the rows; the exit code says whether every bar holds."""
    lines = list(rows)
    if as_json:
        print(json.dumps([asdict(row) for row in lines], indent=2))
    else:
        width = max(len(row.name) for row in lines)
        print(f"{title}  [Python {platform.python_version()}, {platform.machine()}]")
        for row in lines:
            verdict = "" if row.bar is None else f"  {row.bar}  {'holds' if row.holds else 'DOES NOT HOLD'}"
            print(f"  {row.name:<{width}}  {row.value:>12,.3f} {row.unit}{verdict}")
    sys.stdout.flush()
    return 0 if all(row.holds is not False for row in lines) else 1
