"""Evenings on a graphics processor: the same laws compiled by numba-cuda, a thread for each evening.

A thread plays one evening after the other in its own memory, where neighbours' numbers lie side by side; the tables of the
scenario are shared. Threads of a block go in step, from one step of a tick to the next: the laws are much more code than a
multiprocessor keeps at hand, so it pays that all read the same page. States stay where they are: what comes back is why
each evening stopped, how it ended, and its checksum.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from volition.core.errors import MissingPart
from volition.drama.evening.acts import perform
from volition.drama.evening.breaking import burst
from volition.drama.evening.checksum import checksum
from volition.drama.evening.choose import choose
from volition.drama.evening.compiled import PACKED, twins_of, typed
from volition.drama.evening.cuda_exact import OPTIONS, cuda_module, exact, imagined
from volition.drama.evening.ending import GOES_ON, ending_of, stop_of
from volition.drama.evening.limits import SMALL
from volition.drama.evening.perceive import perceive
from volition.drama.evening.resolve import resolve
from volition.drama.evening.tick import begin_tick, decides, end_tick, open_evening

if TYPE_CHECKING:
    from types import FunctionType

    from numpy.typing import NDArray

    from volition.drama.evening.players import CompiledPlayer

BLOCK: Final = 512
"""Threads in a block, of which each multiprocessor has one: with fewer it waits, with more they have no room."""
REGISTERS: Final = 128
"""As many as let a block be that large."""


class GridResults(NamedTuple):
    """What comes back of each evening, in the order of the seeds."""

    stops: NDArray[np.int64]
    endings: NDArray[np.int64]
    checksums: NDArray[np.uint64]


def play_on_device(player: CompiledPlayer, seeds: NDArray[np.uint64], ticks: int, *, block: int = BLOCK) -> GridResults:
    """Play the evenings of many seeds on the first graphics processor."""
    cuda = _usable()
    if len(seeds) == 0:
        return GridResults(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint64))
    blocks = min(cuda.get_current_device().MULTIPROCESSOR_COUNT, -(-len(seeds) // block))
    tables = [
        cuda.to_device(table)
        for table in (player.start, player.new_desk(), player.houses, player.new_log(logged=False))
    ]
    taken = cuda.to_device(np.zeros(1, np.int64))
    results = [cuda.device_array(len(seeds), type) for type in (np.int64, np.int64, np.uint64)]
    with exact():
        compiled_grid(player.size)[blocks, block](*tables, cuda.to_device(seeds), ticks, taken, *results)
        cuda.synchronize()
    return GridResults(*(column.copy_to_host() for column in results))


@cache
def compiled_grid(size: str = SMALL) -> Any:
    """The kernel for a size of packed records; it is compiled when it is first launched."""
    return cuda_module().jit(_grid(size), max_registers=REGISTERS, **OPTIONS)


def grid_code(size: str = SMALL, capability: tuple[int, int] = (9, 0)) -> str:
    """The kernel as PTX for a compute capability: what is done to numbers can be read there, with no device at hand."""
    from numba import from_dtype  # noqa: PLC0415 - half a second, for those alone who compile

    cuda, types = cuda_module(), PACKED[size]
    numbers: Any = cuda.types
    tables = [from_dtype(type)[::1] for type in (types.state, types.desk, types.house, types.log)]
    words, counts = numbers.uint64[::1], numbers.int64[::1]
    with exact(), imagined(capability):
        taken = (*tables, words, numbers.int64, counts, counts, counts, words)
        return str(cuda.compile_ptx(_grid(size), taken, cc=capability)[0])


def _grid(size: str) -> Any:
    """The kernel as a plain function over compiled laws."""
    from numba import from_dtype  # noqa: PLC0415

    cuda, types = cuda_module(), PACKED[size]
    state, perceived, desk = (from_dtype(type) for type in (types.state, types.perceived, types.desk))

    def compile_law(twin: FunctionType, law: FunctionType) -> Any:
        compiled = cuda.jit(twin, device=True, **OPTIONS)
        return typed(compiled, compiled.compile_device, law, size)

    laws = twins_of(compile_law)
    opens, begins, has_choice, sees = laws[open_evening], laws[begin_tick], laws[decides], laws[perceive]
    chooses, resolves, bursts, performs = laws[choose], laws[resolve], laws[burst], laws[perform]
    ends, stops_now, ends_as, sums_up = laws[end_tick], laws[stop_of], laws[ending_of], laws[checksum]

    def play_grid(
        start: Any, blank: Any, houses: Any, logs: Any, seeds: Any, ticks: Any, taken: Any, stops: Any, endings: Any,
        checksums: Any,
    ) -> None:  # fmt: skip
        """Play evenings while there are any; a tick is that of `many`, with a stop for all after each step."""
        evenings, seen, desks = cuda.local.array(1, state), cuda.local.array(1, perceived), cuda.local.array(1, desk)
        evening, house, log = evenings[0], houses[0], logs[0]
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
                stop = stops_now(evening, house, ticks)
                plays = stop == GOES_ON
                if not plays:
                    stops[number] = stop
                    endings[number] = ends_as(evening, house, stop)
                    checksums[number] = sums_up(evening, house)
                    number, is_open = cuda.atomic.add(taken, 0, 1), False
            if plays:
                begins(evening, house, log)
            for who in range(house.people):
                cuda.syncthreads()
                decides_now = plays and has_choice(evening, who)
                if decides_now:
                    sees(evening, house, who, seen[0])
                cuda.syncthreads()
                if decides_now:
                    chooses(evening, house, who, seen[0], desks[0])
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

    return play_grid


def _usable() -> Any:
    """`numba.cuda`, where there is a device; MissingPart says what is missing."""
    cuda = cuda_module()
    if not cuda.is_available():
        raise MissingPart.of(
            "no graphics processor was found",
            where="this machine",
            expected="an NVIDIA one with its driver",
            remedy="use the compiled engine, which gives the same evenings",
        )
    return cuda
