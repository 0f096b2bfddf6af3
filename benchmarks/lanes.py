"""Evenings on a graphics processor with several threads each, beside a thread for each evening.

There is one way to play evenings on a device, a thread for each; this measures the other. People perceive and choose side
by side, each in a lane of their evening; what follows has one order, which is law, and is done in one lane. Lanes see one
state, so it is in shared memory, where there is room for few, or in global memory. Checksums are compared with the
device's own. Needs an NVIDIA device and the extra 'gpu'; without them it says so and measures nothing.

    python benchmarks/lanes.py --quick
"""

from __future__ import annotations

import sys
from functools import cache, partial
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rows import Row, interleaved, options, show

from volition.core.errors import MissingPart
from volition.drama.evening.acts import perform
from volition.drama.evening.breaking import burst
from volition.drama.evening.checksum import checksum
from volition.drama.evening.choose import choose
from volition.drama.evening.compiled import PACKED
from volition.drama.evening.cuda import device_laws
from volition.drama.evening.cuda_exact import OPTIONS, cuda_module, exact
from volition.drama.evening.device import play_on_device
from volition.drama.evening.ending import GOES_ON, stop_of
from volition.drama.evening.limits import SMALL
from volition.drama.evening.perceive import perceive
from volition.drama.evening.players import CompiledPlayer
from volition.drama.evening.resolve import resolve
from volition.drama.evening.tick import begin_tick, decides, end_tick, open_evening
from volition.drama.world.scenario import load_scenario

if TYPE_CHECKING:
    from numpy.typing import NDArray

LANES = 8


class Layout(NamedTuple):
    """How evenings lie on a multiprocessor, which has one block of them."""

    name: str
    evenings: int  # of a block
    registers: int  # of a thread
    shared: bool


LAYOUTS = (
    Layout("eight lanes, states in shared memory", 19, 128, True),
    Layout("eight lanes, states in global memory", 128, 64, False),
)
"""One block each; the 227 kB of shared memory of an H200's multiprocessor hold 19 states."""


@cache
def lanes_kernel(layout: Layout) -> Any:
    """The kernel of a layout. A thread below `evenings` is the first lane of its evening."""
    from numba import from_dtype

    cuda, types, laws = cuda_module(), PACKED[SMALL], device_laws(SMALL)
    state, perceived, sheet = (from_dtype(type) for type in (types.state, types.perceived, types.sheet))
    opens, begins, has_choice, sees = laws[open_evening], laws[begin_tick], laws[decides], laws[perceive]
    chooses, resolves, bursts, performs = laws[choose], laws[resolve], laws[burst], laws[perform]
    ends, stops_now, sums_up = laws[end_tick], laws[stop_of], laws[checksum]
    count, shared = layout.evenings, layout.shared

    def play_lanes(
        start: Any,
        blank: Any,
        packed_tables: Any,
        logs: Any,
        room: Any,
        seeds: Any,
        ticks: Any,
        taken: Any,
        checksums: Any,
    ) -> None:
        evenings = room
        mine = cuda.blockIdx.x * count + cuda.threadIdx.x % count
        if shared:
            evenings = cuda.shared.array(0, state, alignment=16)
            mine = cuda.threadIdx.x % count
        playing = cuda.shared.array(count, np.int32)
        seen, sheets = cuda.local.array(1, perceived), cuda.local.array(1, sheet)
        evening, tables, log = evenings[mine], packed_tables[0], logs[0]
        who, first, number, is_open = cuda.threadIdx.x // count, cuda.threadIdx.x < count, len(seeds), False
        sheets[0] = blank[0]
        if first:
            number = cuda.atomic.add(taken, 0, 1)
        while cuda.syncthreads_or(np.int32(number < len(seeds))):
            plays = False
            if number < len(seeds):
                if not is_open:
                    evenings[mine] = start[0]
                    evening.seed = seeds[number]
                    opens(evening, tables)
                    is_open = True
                plays = stops_now(evening, tables, ticks) == GOES_ON
                if plays:
                    begins(evening, tables, log)
                else:
                    checksums[number] = sums_up(evening, tables)
                    number, is_open = cuda.atomic.add(taken, 0, 1), False
            if first:
                playing[mine % count] = np.int32(plays)
            cuda.syncthreads()
            decides_now = who < tables.people and playing[mine % count] != 0 and has_choice(evening, who)
            if decides_now:
                sees(evening, tables, who, seen[0])
            cuda.syncthreads()
            if decides_now:
                chooses(evening, tables, who, seen[0], sheets[0])
            cuda.syncthreads()
            if plays:
                resolves(evening, tables)
                for place in range(evening.outbursts):
                    bursts(evening, tables, log, evening.outburst_of[place])
            for place in range(tables.people):
                cuda.syncthreads()
                if plays and place < evening.proposals:
                    performs(evening, tables, log, evening.order[place])
            cuda.syncthreads()
            if plays:
                ends(evening, tables, log)

    return cuda.jit(play_lanes, max_registers=layout.registers, **OPTIONS)


class Grid:
    """A layout on the device, with the tables of a scenario."""

    def __init__(self, player: CompiledPlayer, layout: Layout) -> None:
        cuda = cuda_module()
        self.cuda, self.layout, self.ticks = cuda, layout, player.scenario.evening.ticks
        self.kernel = lanes_kernel(layout)
        self.blocks = cuda.get_current_device().MULTIPROCESSOR_COUNT
        self.shared = layout.evenings * PACKED[SMALL].state.itemsize if layout.shared else 0
        records = (player.start, player.new_sheet(), player.packed_tables, player.new_log(logged=False))
        self.records = [cuda.to_device(record) for record in records]
        self.room = cuda.device_array(1 if layout.shared else self.blocks * layout.evenings, PACKED[SMALL].state)
        self.play(np.zeros(0, np.uint64), 0)  # compiles
        self._allow_shared()

    def _allow_shared(self) -> None:
        """Let a block have more than the usual 48 kB of shared memory, for which numba-cuda has no option."""
        driver: Any = import_module("cuda.bindings.driver")
        most = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        handle = int(next(iter(self.kernel.overloads.values())).library.get_cufunc().handle)
        driver.cuKernelSetAttribute(most, self.shared, driver.CUkernel(handle), driver.cuCtxGetDevice()[1])

    def play(self, seeds: NDArray[np.uint64], shared: int | None = None) -> NDArray[np.uint64]:
        """Play the evenings of some seeds with this much shared memory, and return their checksums."""
        shared = self.shared if shared is None else shared
        sums, taken = self.cuda.device_array(len(seeds), np.uint64), self.cuda.to_device(np.zeros(1, np.int64))
        with exact():
            self.kernel[self.blocks, self.layout.evenings * LANES, 0, shared](
                *self.records, self.room, self.cuda.to_device(seeds), self.ticks, taken, sums
            )
        back: NDArray[np.uint64] = sums.copy_to_host()
        return back


def compared(name: str, count: int, rounds: int) -> list[Row]:
    """Evenings in a second for each layout, and how many differ from those with a thread for each."""
    player, seeds = CompiledPlayer(load_scenario(name)), np.arange(count, dtype=np.uint64)
    ticks, rows, grids = player.scenario.evening.ticks, list[Row](), list[Grid]()
    expected = play_on_device(player, seeds, ticks).columns.checksums
    for layout in LAYOUTS:
        start = perf_counter()
        grids.append(grid := Grid(player, layout))
        differ = int(np.count_nonzero(grid.play(seeds) != expected))
        print(f"{name}: {layout.name}: ready after {perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        rows.append(Row(f"{name}: {layout.name}, that differ, of {count}", differ, "evenings", "<= 0", differ == 0))
    cases = {grid.layout.name: partial(grid.play, seeds) for grid in grids}
    taken = interleaved({"a thread each": partial(play_on_device, player, seeds, ticks), **cases}, rounds)
    speeds = [Row(f"{name}: {case}", round(count / median(seconds)), "1/s") for case, seconds in taken.items()]
    return [*rows, *speeds]


def main() -> int:
    """Compare, then measure."""
    chosen = options(__doc__)
    try:
        rows = compared("dinner-party", 20_000 if chosen.quick else 100_000, 1 if chosen.quick else 3)
        rows += [] if chosen.quick else compared("winter-station", 100_000, 3)
    except MissingPart as missing:
        print(f"nothing is measured: {missing}", file=sys.stderr)
        rows = [Row("evenings on a device", 0.0, "not measured")]
    return show("lanes", rows, as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
