"""Evenings on a graphics processor: whether they are the processor's own, and how many there are in a second.

Needs an NVIDIA device and the extra 'gpu'; without them it says so and measures nothing. Every evening is played twice, on
the device and compiled for this machine, and their checksums, stops and endings are compared.

    python benchmarks/gpu.py --quick
"""

from __future__ import annotations

import sys
from functools import partial
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from rows import Row, interleaved, options, show

from volition.core.errors import MissingPart
from volition.drama.evening.cuda import BLOCK, play_on_device
from volition.drama.evening.play_many import play_many
from volition.drama.evening.players import CompiledPlayer
from volition.drama.world.scenario import literal, load_scenario

if TYPE_CHECKING:
    from volition.drama.world.model import Scenario

SCENARIOS = ("dinner-party", "winter-station")


def mismatches(scenario: Scenario, count: int) -> tuple[int, float, float]:
    """How many of this many evenings differ, and the evenings in a second of the device and of this machine's cores."""
    start = perf_counter()
    theirs = play_many(scenario, range(count), engine="cuda")
    device = perf_counter() - start
    start = perf_counter()
    ours = play_many(scenario, range(count), engine="compiled", states=False)
    cores = perf_counter() - start
    same: Any = ours.checksums == theirs.checksums
    same &= (ours.stops == theirs.stops) & (ours.endings == theirs.endings)
    return int(np.count_nonzero(~same)), count / device, count / cores


def decisions(scenario: Scenario, count: int = 1_000) -> float:
    """How many decisions there are in an evening, on average."""
    measures = play_many(scenario, range(count), engine="compiled", measures=True, states=False).measures
    return float(measures.row["decisions"].mean())


def launches(scenario: Scenario, count: int, rounds: int) -> list[Row]:
    """Evenings in a second for blocks of several sizes, in interleaved rounds."""
    player, seeds = CompiledPlayer(scenario), np.arange(count, dtype=np.uint64)
    cases = {
        f"blocks of {block}": partial(play_on_device, player, seeds, scenario.evening.ticks, block=block)
        for block in (BLOCK, BLOCK // 2, BLOCK // 4, 32)
    }
    taken = interleaved(cases, rounds)
    return [Row(name, round(count / median(seconds)), "1/s") for name, seconds in taken.items()]


def main() -> int:
    """Compare, then measure."""
    chosen = options(__doc__)
    count, rounds = (20_000, 1) if chosen.quick else (1_000_000, 3)
    first, start = load_scenario(SCENARIOS[0]), perf_counter()
    try:
        play_many(first, range(1), engine="cuda")
    except MissingPart as missing:
        print(f"nothing is measured: {missing}", file=sys.stderr)
        return show("gpu", [Row("evenings on a device", 0.0, "not measured")], as_json=chosen.json)
    rows = [Row("compiling for the device", round(perf_counter() - start, 1), "s")]
    play_many(first, range(1), engine="compiled")  # it is compiled here too, before anything is timed
    readings = {SCENARIOS[0]: first, SCENARIOS[1]: load_scenario(SCENARIOS[1])}
    readings |= {f"{name}, by the letter": literal(scenario) for name, scenario in readings.items()}
    for reading, scenario in readings.items():
        differ, device, cores = mismatches(scenario, count if scenario is first else count // 4)
        rows += [
            Row(f"{reading}: evenings that differ", differ, "evenings", "<= 0", differ == 0),
            Row(f"{reading}: on the device", round(device), "1/s"),
            Row(f"{reading}: decisions", round(device * decisions(scenario)), "1/s"),
            Row(f"{reading}: on this machine's cores", round(cores), "1/s"),
        ]
    return show("gpu", [*rows, *launches(first, count // 5, rounds)], as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
