"""How every benchmark here measures and prints.

Cases run in interleaved rounds, so that a busy moment of the machine falls on all of them alike; a row shows the median
and the spread; a bar is a ratio between two cases of the same run wherever it can be, because seconds are the machine's.
"""

from __future__ import annotations

import argparse
import gc
import platform
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Timing:
    """The seconds that one case took, one number per round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def spread(self) -> tuple[float, float]:
        """The quartiles around the median."""
        low, _, high = quantiles(self.seconds, n=4, method="inclusive") if len(self.seconds) > 1 else self.seconds * 3
        return low, high

    def per(self, times: int) -> Timing:
        """The seconds of one of `times` equal steps."""
        return Timing(tuple(second / times for second in self.seconds))


@dataclass(frozen=True, slots=True)
class Row:
    """One printed line: a case, what was measured, and, where there is one, the bar and whether it was kept."""

    name: str
    measured: str
    bar: str = ""
    kept: bool = True


def options(description: str) -> argparse.Namespace:
    """The command line of every benchmark: `--quick` for fewer rounds."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes")
    return parser.parse_args()


def interleaved(cases: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Timing]:
    """Time each case once per round, all cases in every round, after one round that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds + 1):
        for name, case in cases.items():
            gc.collect()
            start = perf_counter()
            case()
            seconds[name].append(perf_counter() - start)
    return {name: Timing(tuple(taken[1:])) for name, taken in seconds.items()}


def span(seconds: float) -> str:
    """Seconds in the unit in which they read best.

    >>> span(0.0000021), span(0.0312), span(2.5)
    ('2.10 µs', '31.2 ms', '2.50 s')
    """
    unit, size = next((u for u in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)) if seconds >= u[1]), ("ns", 1e-9))
    return f"{f'{seconds / size:#.3g}'.rstrip('.')} {unit}"


def timed(name: str, timing: Timing) -> Row:
    """The row of a case without a bar."""
    low, high = timing.spread
    return Row(name, f"{span(timing.median)}  ({span(low)} - {span(high)})")


def ratio(name: str, timing: Timing, to: Timing, *, of: str, at_most: float) -> Row:
    """The row of a case whose bar is a multiple of another case of the same run."""
    times = timing.median / to.median
    return Row(name, f"{times:.2f} x {of}", f"<= {at_most:g} x", kept=times <= at_most)


def show(title: str, rows: Iterable[Row]) -> int:
    """Print the rows under a title; the exit code says whether every bar was kept."""
    lines = list(rows)
    width = max(len(row.name) for row in lines)
    measured = max(len(row.measured) for row in lines)
    print(f"{title}  [Python {platform.python_version()}, {platform.machine()}]")
    for row in lines:
        verdict = f"{row.bar}  {'kept' if row.kept else 'MISSED'}" if row.bar else ""
        print(f"  {row.name:<{width}}  {row.measured:<{measured}}  {verdict}".rstrip())
    return 0 if all(row.kept for row in lines) else 1
