"""The laws compiled by numba-cuda for a graphics processor: a thread for each evening.

A thread plays one evening after the other in its own memory, where neighbours' numbers lie side by side; the tables of the
scenario are shared. Threads of a block go in step, from one step of a tick to the next: the laws are much more code than a
multiprocessor keeps at hand, so it pays that all read the same page. `device` launches what is compiled here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from volition.drama.evening.acts import perform
from volition.drama.evening.breaking import burst
from volition.drama.evening.checksum import checksum
from volition.drama.evening.choose import choose
from volition.drama.evening.compiled import PACKED, compile_as_annotated, twins_of
from volition.drama.evening.cuda_exact import OPTIONS, cuda_module, exact, pretend_device
from volition.drama.evening.ending import GOES_ON, ending_of, stop_of
from volition.drama.evening.limits import LIMITS, SMALL
from volition.drama.evening.log import DELTAS, EVENTS, STRAINS
from volition.drama.evening.look import HUNDREDTHS, SPREADS, clear_looks, look
from volition.drama.evening.many import measure
from volition.drama.evening.measure import BREAKDOWNS, begin_measures, end_measures
from volition.drama.evening.perceive import make_out, survey
from volition.drama.evening.resolve import resolve
from volition.drama.evening.rows import TALLY
from volition.drama.evening.story import begin_story
from volition.drama.evening.tension import HAPPENINGS, look_on
from volition.drama.evening.tick import begin_tick, decides, end_tick, open_evening

if TYPE_CHECKING:
    from types import FunctionType

REGISTERS: Final = 80
"""As many as let a block have 768 threads."""


@cache
def compiled_grid(size: str = SMALL, *, measured: bool = False) -> Any:
    """The kernel for a size of packed records; it is compiled when it is first launched.

    Measuring is a separate kernel: the room and the registers that it takes would slow down evenings without it.
    """
    return cuda_module().jit(_grid(size, measured), max_registers=REGISTERS, **OPTIONS)


def grid_code(size: str = SMALL, capability: tuple[int, int] = (9, 0), *, measured: bool = True) -> str:
    """The kernel as PTX for a compute capability: what is done to numbers can be read there, with no device at hand."""
    from numba import from_dtype  # noqa: PLC0415 - half a second, for those alone who compile

    cuda, types = cuda_module(), PACKED[size]
    numbers: Any = cuda.types
    words, counts = numbers.uint64[::1], numbers.int64[::1]

    def records(*types: Any) -> list[Any]:
        return [from_dtype(type)[::1] for type in types]

    with exact(), pretend_device(capability):
        taken = (
            *records(types.state, types.desk, types.house, types.log, types.moments, types.spreads),
            words, numbers.int64, counts, counts, counts, words,
            *records(types.measures, types.looks), counts, counts, numbers.uint8[::1],
        )  # fmt: skip
        return str(cuda.compile_ptx(_grid(size, measured), taken, cc=capability)[0])


def device_laws(size: str) -> dict[Any, Any]:
    """Every law with its twin for a device, which is compiled when a kernel first calls for it."""
    cuda = cuda_module()

    def compile_law(twin: FunctionType, law: FunctionType) -> Any:
        compiled = cuda.jit(twin, device=True, **OPTIONS)
        return compile_as_annotated(compiled, compiled.compile_device, law, size)

    return twins_of(compile_law)


def _grid(size: str, measuring: bool) -> Any:
    """The kernel as a plain function over compiled laws."""
    from numba import from_dtype  # noqa: PLC0415

    cuda, types, limits = cuda_module(), PACKED[size], LIMITS[size]
    state, perceived, desk = (from_dtype(type) for type in (types.state, types.perceived, types.desk))
    laws = device_laws(size)
    opens, begins, surveys, has_choice = laws[open_evening], laws[begin_tick], laws[survey], laws[decides]
    makes_out, chooses, resolves = laws[make_out], laws[choose], laws[resolve]
    bursts, performs = laws[burst], laws[perform]
    ends, stops_now, ends_as, sums_up = laws[end_tick], laws[stop_of], laws[ending_of], laws[checksum]
    begins_measures, begins_story, clears_looks = laws[begin_measures], laws[begin_story], laws[clear_looks]
    looks_on, looks_at, measures_tick, ends_measures = laws[look_on], laws[look], laws[measure], laws[end_measures]
    most_events, most_deltas, most_strains = limits[EVENTS], limits[DELTAS], limits[STRAINS]
    most_happenings, most_breakdowns, hundredths = limits[HAPPENINGS], limits[BREAKDOWNS], limits[HUNDREDTHS]
    kinds, each = len(SPREADS), TALLY.itemsize

    @cuda.jit(device=True, **OPTIONS)  # type: ignore[untyped-decorator]
    def make_room(log: Any, moment: Any, spread: Any) -> None:
        log.on = 1
        log.brief = 1
        log.overflow = 0
        log.most_events = most_events
        log.most_deltas = most_deltas
        log.most_strains = most_strains
        moment.most = most_happenings
        spread.hundredths = hundredths

    @cuda.jit(device=True, **OPTIONS)  # type: ignore[untyped-decorator]
    def count_tallies(spread: Any) -> Any:
        count = 0
        for which in range(kinds):
            for place in range(hundredths):
                count += int(spread.spread[which][place] != 0)
        return count

    @cuda.jit(device=True, **OPTIONS)  # type: ignore[untyped-decorator]
    def list_tallies(spread: Any, tally: Any, first: Any) -> None:
        at = first * each
        for which in range(kinds):
            for place in range(hundredths):
                count = spread.spread[which][place]
                if count != 0:
                    tally[at] = which  # an entry of TALLY, byte by byte: its numbers are not aligned
                    for byte in range(4):
                        tally[at + 1 + byte] = (place - hundredths // 2) >> 8 * byte & 255
                        tally[at + 5 + byte] = count >> 8 * byte & 255
                    at += each

    def play_grid(
        start: Any, blank: Any, houses: Any, logs: Any, moments: Any, spreads: Any, seeds: Any, ticks: Any, taken: Any,
        stops: Any, endings: Any, checksums: Any, measures: Any, looks: Any, tallies: Any, tally_from: Any, tally: Any,
    ) -> None:  # fmt: skip
        """Play evenings while there are any; a tick is that of `many`, with a stop for all after each step.

        Where it measures, every thread has a log, moments and spreads, and tallies are listed as evenings end.
        """
        evenings, seen, desks = cuda.local.array(1, state), cuda.local.array(1, perceived), cuda.local.array(1, desk)
        slot = cuda.grid(1) if measuring else 0
        evening, house, log, moment, spread = evenings[0], houses[0], logs[slot], moments[slot], spreads[slot]
        if measuring:
            make_room(log, moment, spread)
        desks[0] = blank[0]
        number, is_open = cuda.atomic.add(taken, 0, 1), False
        while cuda.syncthreads_or(np.int32(number < len(seeds))):
            plays = False
            if number < len(seeds):
                if not is_open:
                    evenings[0] = start[0]
                    evening.seed = seeds[number]
                    opens(evening, house)
                    is_open = True
                    if measuring:
                        measures[number].most_breakdowns = most_breakdowns
                        begins_measures(evening, house, moment, measures[number])
                        begins_story(house, measures[number])
                        clears_looks(house, looks[number], spread)
                stop = stops_now(evening, house, ticks)
                plays = stop == GOES_ON
                if not plays:
                    stops[number] = stop
                    endings[number] = ends_as(evening, house, stop)
                    checksums[number] = sums_up(evening, house)
                    if measuring:
                        ends_measures(evening, endings[number], moment, measures[number])
                        tallies[number] = count_tallies(spread)
                        tally_from[number] = cuda.atomic.add(taken, 1, tallies[number])
                        if (tally_from[number] + tallies[number]) * each <= len(tally):
                            list_tallies(spread, tally, tally_from[number])
                        else:
                            measures[number].overflow = 1
                    number, is_open = cuda.atomic.add(taken, 0, 1), False
            if plays:
                if measuring:
                    looks_on(evening, house, moment)
                begins(evening, house, log)
                surveys(evening, house, seen[0])
            for who in range(house.people):
                cuda.syncthreads()
                decides_now = plays and has_choice(evening, who)
                if decides_now:
                    makes_out(evening, house, who, seen[0])
                cuda.syncthreads()
                if decides_now:
                    chooses(evening, house, who, seen[0], desks[0])
                if measuring:
                    cuda.syncthreads()
                    if decides_now:
                        looks_at(evening, house, who, desks[0], looks[number], spread)
            cuda.syncthreads()
            if plays:
                resolves(evening, house)
                for place in range(evening.outbursts):
                    bursts(evening, house, log, evening.outburst_of[place])
            for place in range(house.people):
                cuda.syncthreads()
                if plays and place < evening.proposals:
                    performs(evening, house, log, evening.order[place])
            cuda.syncthreads()
            if plays:
                ends(evening, house, log)
            if measuring:
                cuda.syncthreads()
                if plays:
                    measures_tick(evening, house, log, moment, measures[number], spread)

    return play_grid
