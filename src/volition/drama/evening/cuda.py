"""Evenings on a graphics processor: the same laws compiled by numba-cuda, a thread for each evening.

A thread plays one evening after the other in its own records; the tables of the scenario are shared. Threads of a warp go
in step, so an evening that ends is followed by the next at once and not when its neighbours have ended too. States stay
where they are: what comes back is why each evening stopped, how it ended, and its checksum.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from volition.core.errors import MissingPart
from volition.drama.evening.checksum import checksum
from volition.drama.evening.compiled import packed_types, twins_of, typed
from volition.drama.evening.cuda_exact import OPTIONS, cuda_module, exact, imagined
from volition.drama.evening.ending import GOES_ON, ending_of, stop_of
from volition.drama.evening.limits import SMALL
from volition.drama.evening.tick import open_evening, play_tick

if TYPE_CHECKING:
    from types import FunctionType

    from numpy.typing import NDArray

    from volition.drama.evening.players import CompiledPlayer

BLOCK: Final = 64
"""Threads in a block."""
THREADS: Final = 256
"""Threads at once on each multiprocessor: more hide more waiting, and have less of the cache each."""


class GridResults(NamedTuple):
    """What comes back of each evening, in the order of the seeds."""

    stops: NDArray[np.int64]
    endings: NDArray[np.int64]
    checksums: NDArray[np.uint64]


def play_on_device(
    player: CompiledPlayer, seeds: NDArray[np.uint64], ticks: int, *, block: int = BLOCK, threads: int = THREADS
) -> GridResults:
    """Play the evenings of many seeds on the first graphics processor."""
    cuda = _usable()
    types = packed_types(player.size)
    workers = min(threads * cuda.get_current_device().MULTIPROCESSOR_COUNT, -(-len(seeds) // block) * block)
    workers -= workers % block
    memory = cuda.device_array((workers, types.state.itemsize // 8), np.uint64)
    seen, desks = cuda.device_array(workers, types.perceived), cuda.to_device(np.zeros(workers, types.desk))
    start = cuda.to_device(player.start.view(np.uint64))
    houses, logs = cuda.to_device(player.houses), cuda.to_device(player.new_log(logged=False))
    stops, endings = cuda.device_array(len(seeds), np.int64), cuda.device_array(len(seeds), np.int64)
    checksums = cuda.device_array(len(seeds), np.uint64)
    taken = cuda.to_device(np.zeros(1, np.int64))
    with exact():
        compiled_grid(player.size)[workers // block, block](
            start, memory, memory.view(types.state).reshape(workers), houses, logs, seen, desks, cuda.to_device(seeds),
            taken, ticks, stops, endings, checksums,
        )  # fmt: skip
        cuda.synchronize()
    return GridResults(stops.copy_to_host(), endings.copy_to_host(), checksums.copy_to_host())


@cache
def compiled_grid(size: str = SMALL) -> Any:
    """The kernel for a size of packed records; it is compiled when it is first launched."""
    cuda = cuda_module()
    return cuda.jit(_grid(size), **OPTIONS)


def grid_code(size: str = SMALL, capability: tuple[int, int] = (9, 0)) -> str:
    """The kernel as PTX for a compute capability: what is done to numbers can be read there, with no device at hand."""
    from numba import from_dtype  # noqa: PLC0415 - half a second, for those alone who compile

    cuda, types = cuda_module(), packed_types(size)
    numbers: Any = cuda.types
    records = [from_dtype(type)[::1] for type in types]
    state, house, log, seen, desk = records
    words, counts = numbers.uint64[::1], numbers.int64[::1]
    taken = (
        words, numbers.uint64[:, ::1], state, house, log, seen, desk, words, counts, numbers.int64, counts, counts, words,
    )  # fmt: skip
    with exact(), imagined(capability):
        return str(cuda.compile_ptx(_grid(size), taken, cc=capability)[0])


def _grid(size: str) -> FunctionType:
    """The kernel as a plain function over compiled laws."""
    cuda = cuda_module()

    def compile_law(twin: FunctionType, law: FunctionType) -> Any:
        compiled = cuda.jit(twin, device=True, **OPTIONS)
        return typed(compiled, compiled.compile_device, law, size)

    laws = twins_of(compile_law)
    opens, plays, stops_now = laws[open_evening], laws[play_tick], laws[stop_of]
    ends_as, sums_up = laws[ending_of], laws[checksum]

    def play_grid(
        start: Any, memory: Any, evenings: Any, houses: Any, logs: Any, seen: Any, desks: Any, seeds: Any, taken: Any,
        ticks: Any, stops: Any, endings: Any, checksums: Any,
    ) -> None:  # fmt: skip
        worker = cuda.grid(1)
        evening, house, log = evenings[worker], houses[0], logs[0]
        number, opened = cuda.atomic.add(taken, 0, 1), False
        while number < len(seeds):
            if not opened:
                for word in range(len(start)):
                    memory[worker][word] = start[word]
                evening.seed = seeds[number]
                opens(evening, house)
                opened = True
            stop = stops_now(evening, house, ticks)
            if stop == GOES_ON:
                plays(evening, house, log, seen[worker], desks[worker])
            else:
                stops[number] = stop
                endings[number] = ends_as(evening, house, stop)
                checksums[number] = sums_up(evening, house)
                number, opened = cuda.atomic.add(taken, 0, 1), False

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
