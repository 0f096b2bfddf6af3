"""Evenings on a graphics processor: whether they are the processor's own, and how many there are in a second.

Needs an NVIDIA device and the extra 'gpu'; without them it says so and measures nothing. A million measured evenings are
played twice, on the device and compiled for this machine, and every bit of their measures and checksums is compared. Rows
are told on standard error as they come.

    python benchmarks/gpu.py --quick
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from rows import Row, interleaved, options, show

from volition.core.errors import MissingPart
from volition.drama.evening.cuda import is_grid_kept
from volition.drama.evening.device import BLOCK, play_on_device
from volition.drama.evening.play_many import EveningBatches, play_many
from volition.drama.evening.players import CompiledPlayer
from volition.drama.world.scenario import literal, load_scenario

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.drama.evening.batches import PlayedEvenings
    from volition.drama.world.model import Scenario

DINNER, STATION = "dinner-party", "winter-station"
MILLION = {(DINNER, False): 500_000, (STATION, False): 250_000, (DINNER, True): 125_000, (STATION, True): 125_000}
"""How many evenings of each scenario are compared, as shipped and read literally."""
QUICK = 50
"""A quick run compares this many times fewer."""
SLICE = 1 << 15
"""How many of them are in this machine's memory at once, with their measures."""
ONE = """
from volition.drama.evening.play_many import play_many
from volition.drama.world.scenario import load_scenario
play_many(load_scenario("dinner-party"), [1], ticks=0, engine="{engine}")
"""


class Told:
    """Rows, each told on standard error as it comes, so that a run that is cut short has said what it knew."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._began = perf_counter()

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.rows.append(row)
            verdict = "" if row.holds is None else f", {'holds' if row.holds else 'DOES NOT HOLD'}"
            at = perf_counter() - self._began
            print(f"[{at:4.0f} s] {row.name}: {row.value:,} {row.unit}{verdict}", file=sys.stderr, flush=True)


def reading(name: str, *, by_the_letter: bool) -> tuple[str, Scenario]:
    """A shipped scenario and what to call it."""
    scenario = load_scenario(name)
    return (f"{name}, read literally", literal(scenario)) if by_the_letter else (name, scenario)


def speed(name: str, scenario: Scenario, count: int) -> list[Row]:
    """Evenings in a second on the device, without measures and with all of them, and decisions."""
    rows = []
    for what, measures in (("on the device", False), ("on the device, measured", True)):
        start = perf_counter()
        played = play_many(scenario, range(count), engine="cuda", measures=measures)
        rows.append(Row(f"{name}: {what}", round(count / (perf_counter() - start)), "1/s"))
    mean = float(played.measures.row["decisions"].mean())
    return [*rows, Row(f"{name}: decisions on the device", round(rows[0].value * mean), "1/s")]


def comparison(name: str, scenario: Scenario, count: int) -> list[Row]:
    """How many of this many measured evenings differ in any bit that comes back, and how many the cores play in a second."""
    ours = EveningBatches(scenario, engine="compiled", measures=True, states=False)
    differ, cores = 0, 0.0
    theirs = play_many(scenario, range(count), engine="cuda", measures=True)
    for first in range(0, count, SLICE):
        last, start = min(first + SLICE, count), perf_counter()
        played = ours.play(range(first, last))
        cores += perf_counter() - start
        differ += differences(played, theirs, first, last)
    return [
        Row(f"{name}: measured evenings that differ, of {count}", differ, "evenings", "<= 0", differ == 0),
        Row(f"{name}: on this machine's cores, measured", round(count / cores), "1/s"),
    ]


def differences(ours: PlayedEvenings, theirs: PlayedEvenings, first: int, last: int) -> int:
    """How many evenings differ from some of another engine's, in a bit of a column, a catastrophe or a spread."""
    mine, part = ours.measures, theirs.measures.part(first, last)
    same = ours.checksums == theirs.checksums[first:last]
    same &= (ours.stops == theirs.stops[first:last]) & (ours.endings == theirs.endings[first:last])
    for column in mine.row.dtype.names or ():
        if column != "state":  # the device keeps its states, so it has no digests of them
            same &= (bits(mine.row[column]) == bits(part.row[column])).all(axis=1)
    for listed, edges in (("broke", "broke_from"), ("tally", "tally_from")):
        one, other = getattr(mine, listed).tobytes(), getattr(part, listed).tobytes()
        if one != other:
            same &= np.array(
                [_listed(mine, listed, edges, n) == _listed(part, listed, edges, n) for n in range(len(same))]
            )
    return int(np.count_nonzero(~same))


def bits(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A column as a line of bytes for each evening."""
    return np.ascontiguousarray(column).reshape(len(column), -1).view(np.uint8)


def _listed(rows: Any, listed: str, edges: str, number: int) -> bytes:
    held: bytes = getattr(rows, listed)[getattr(rows, edges)[number] : getattr(rows, edges)[number + 1]].tobytes()
    return held


def launches(scenario: Scenario, count: int, rounds: int) -> list[Row]:
    """Evenings in a second for blocks of several sizes, in interleaved rounds."""
    player, seeds = CompiledPlayer(scenario), np.arange(count, dtype=np.uint64)
    cases = {
        f"blocks of {block}": partial(play_on_device, player, seeds, scenario.evening.ticks, block=block)
        for block in (BLOCK, BLOCK // 2, BLOCK // 4)
    }
    taken = interleaved(cases, rounds)
    return [Row(name, round(count / median(seconds)), "1/s") for name, seconds in taken.items()]


def main() -> int:
    """Compare, then measure."""
    chosen = options(__doc__)
    first, start, told = load_scenario(DINNER), perf_counter(), Told()
    kept = is_grid_kept() and is_grid_kept(measured=True)
    here = subprocess.Popen([sys.executable, "-c", ONE.format(engine="compiled")])  # both are compiled at the same time
    try:
        for measures in (False, True):
            play_many(first, range(1), engine="cuda", measures=measures)
    except MissingPart as missing:
        print(f"nothing is measured: {missing}", file=sys.stderr)
        return show("gpu", [Row("evenings on a device", 0.0, "not measured")], as_json=chosen.json)
    finally:
        here.wait()
    told.add([Row("loading both kernels" if kept else "compiling both kernels", round(perf_counter() - start, 1), "s")])
    start = perf_counter()
    subprocess.run([sys.executable, "-c", ONE.format(engine="cuda")], check=True)
    told.add([Row("a new process and one evening, kernel on disk", round(perf_counter() - start, 1), "s")])
    share = QUICK if chosen.quick else 1
    for (name, by_the_letter), count in MILLION.items():
        told.add(speed(*reading(name, by_the_letter=by_the_letter), count // share))
    told.add(launches(first, 200_000 // share, 1 if chosen.quick else 3))
    for (name, by_the_letter), count in MILLION.items():
        told.add(comparison(*reading(name, by_the_letter=by_the_letter), count // share))
    return show("gpu", told.rows, as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
