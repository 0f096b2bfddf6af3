"""Evenings on a graphics processor: launching them, and what comes back.

States stay where they are. What comes back is why each evening stopped, how it ended, the checksum of its last state, and
its measures where they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from volition.core.errors import MissingPart
from volition.drama.evening.compiled import PACKED
from volition.drama.evening.cuda import compiled_grid
from volition.drama.evening.cuda_exact import cuda_module, exact
from volition.drama.evening.rows import TALLY, MeasureRows, join_records, join_rows, no_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from volition.drama.evening.players import CompiledPlayer

BLOCK: Final = 768
"""Threads in a block, of which each multiprocessor has one: with fewer it waits, with more they have no room."""
ROUNDS: Final = 2
"""How many measured evenings are launched at once for each thread: some 10 kB come back of each evening."""
TALLIES: Final = 1024
"""How many tallies of an evening there is room for, on average of a batch."""


class GridColumns(NamedTuple):
    """What comes back of every evening, in the order of the seeds."""

    stops: NDArray[np.int64]
    endings: NDArray[np.int64]
    checksums: NDArray[np.uint64]


class GridResults(NamedTuple):
    """All that comes back, in the order of the seeds."""

    columns: GridColumns
    rows: MeasureRows | None
    lacking: NDArray[np.int64]  # the numbers of the evenings whose rows do not count, since they had too little room


class LaunchedBatch(NamedTuple):
    """What was copied back of one batch."""

    columns: GridColumns
    measures: NDArray[Any]
    looks: NDArray[Any]
    tallies: NDArray[np.int64]
    tally_from: NDArray[np.int64]
    tally: NDArray[np.uint8]


def play_on_device(
    player: CompiledPlayer, seeds: NDArray[np.uint64], ticks: int, *, measured: bool = False, block: int = BLOCK
) -> GridResults:
    """Play the evenings of many seeds on the first graphics processor.

    While a batch is played there, the rows of the last one are packed here.
    """
    most = _usable().get_current_device().MULTIPROCESSOR_COUNT * block * ROUNDS
    size = max(min(len(seeds), most) if measured else len(seeds), 1)
    grid, results, waiting = _Grid(player, ticks, size, measured, block), list[GridResults](), list[LaunchedBatch]()
    for first in range(0, len(seeds), size):
        batch = seeds[first : first + size]
        grid.launch(batch)
        results += [results_of(player, waiting.pop(), measured=measured)] if waiting else []
        waiting.append(grid.copy_back(len(batch)))
    results += [results_of(player, batch, measured=measured) for batch in waiting]
    return _together(player, results, measured)


class _Grid:
    """What is on a device: tables, scratch for every thread, and room for the results of a batch."""

    def __init__(self, player: CompiledPlayer, ticks: int, size: int, measured: bool, block: int) -> None:
        cuda, types = _usable(), PACKED[player.size]
        self._cuda, self._ticks, self._block = cuda, ticks, block
        self._blocks = min(cuda.get_current_device().MULTIPROCESSOR_COUNT, -(-size // block))
        if measured:
            scratch = sum(type.itemsize for type in (types.log, types.moments, types.spreads))
            free = cuda.current_context().get_memory_info().free
            self._blocks = max(min(self._blocks, free // 2 // (block * scratch)), 1)
        self._kernel = compiled_grid(player.size, measured=measured)
        sheet, threads, each = player.new_sheet(), self._blocks * block if measured else 1, size if measured else 0
        sheet["looked_at"] = measured
        self._tables = [cuda.to_device(table) for table in (player.start, sheet, player.packed_tables)]
        if measured:
            self._tables += [cuda.device_array(threads, types.log)]
        else:
            self._tables += [cuda.to_device(player.new_log(logged=False))]
        self._tables += [cuda.device_array(threads, type) for type in (types.moments, types.spreads)]
        self._columns = [cuda.device_array(size, type) for type in (np.int64, np.int64, np.uint64)]
        self._measured = [cuda.device_array(each, type) for type in (types.measures, types.looks, np.int64, np.int64)]
        self._tally = cuda.device_array(TALLIES * each * TALLY.itemsize, np.uint8)
        self._taken = cuda.to_device(np.zeros(2, np.int64))

    def launch(self, seeds: NDArray[np.uint64]) -> None:
        """Let a batch be played, without waiting for it."""
        self._taken.copy_to_device(np.zeros(2, np.int64))
        self._seeds = self._cuda.to_device(seeds)  # kept while they are read
        with exact():
            self._kernel[self._blocks, self._block](
                *self._tables, self._seeds, self._ticks, self._taken, *self._columns, *self._measured,
                self._tally,
            )  # fmt: skip

    def copy_back(self, count: int) -> LaunchedBatch:
        """Wait for a batch of this many evenings, and copy what comes back of it."""
        listed = int(self._taken.copy_to_host()[1]) * TALLY.itemsize
        stops, endings, checksums = (_copy_column(column, count) for column in self._columns)
        measures, looks, tallies, starts = (_copy_column(column, count) for column in self._measured)
        columns = GridColumns(stops, endings, checksums)
        return LaunchedBatch(columns, measures, looks, tallies, starts, _copy_column(self._tally, listed))


def _copy_column(column: Any, count: int) -> NDArray[Any]:
    """The first entries of an array on a device; none where it has none."""
    count = min(count, len(column))
    copied: NDArray[Any] = column[:count].copy_to_host() if count else np.zeros(0, column.dtype)
    return copied


def results_of(player: CompiledPlayer, batch: LaunchedBatch, *, measured: bool) -> GridResults:
    """The results of one batch."""
    if not measured:
        return GridResults(batch.columns, None, np.zeros(0, np.int64))
    lacking = np.flatnonzero(batch.measures["overflow"])
    counts = batch.tallies.copy()
    counts[lacking] = 0
    listed, ends = batch.tally.view(TALLY), batch.tally_from + counts
    each = [listed[first:end] for first, end in zip(batch.tally_from.tolist(), ends.tolist(), strict=True)]
    tally = join_records([listed[:0], *each])
    rows = join_rows(batch.measures, batch.looks, counts, tally, player.sizes)
    return GridResults(batch.columns, rows, lacking)


def _together(player: CompiledPlayer, parts: list[GridResults], measured: bool) -> GridResults:
    """The results of all batches, one after the other."""
    none, nothing = np.zeros(0, np.int64), np.zeros(0, np.uint64)
    columns = GridColumns(
        np.concatenate([none, *(part.columns.stops for part in parts)]),
        np.concatenate([none, *(part.columns.endings for part in parts)]),
        np.concatenate([nothing, *(part.columns.checksums for part in parts)]),
    )
    edges = np.cumsum([0, *(len(part.columns.stops) for part in parts)])
    lacking = [part.lacking + first for part, first in zip(parts, edges, strict=False)]
    rows = [part.rows for part in parts if part.rows is not None]
    together = MeasureRows.together(rows or [no_rows(len(player.scenario.people))]) if measured else None
    return GridResults(columns, together, np.concatenate([none, *lacking]))


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
