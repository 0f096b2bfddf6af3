"""Running the loop: compiled where Numba is there, in as many threads as are worth it, else as plain Python."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from volition.arbitration.many import kernel, sums
from volition.core import chance, chance_arrays
from volition.core.compiling import can_compile, compile_cached, warn_slow

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORTH_A_THREAD: Final = 2_000
"""A share of fewer deciders than this is done before a thread would start."""


def run(arrays: dict[str, Any], count: int, threads: int | None) -> NDArray[np.int32]:
    """The winners of all deciders; the same however many threads there are."""
    winners = np.empty(count, dtype=np.int32)
    _spread("choose", arrays, winners, threads)
    return winners


def totals(arrays: dict[str, Any], winners: NDArray[np.int32], threads: int | None) -> NDArray[np.float64]:
    """The exact totals of the winners."""
    found = np.empty(len(winners))
    given = {name: array for name, array in arrays.items() if name not in {"closed", "levels", "reaches"}}
    _spread("totals_of", {**given, "winners": winners}, found, threads)
    return found


def _spread(name: str, arrays: dict[str, Any], out: NDArray[Any], threads: int | None) -> None:
    """Call a loop on shares of the deciders, side by side; it lets go of the interpreter while it runs."""
    loop, count = getattr(_loops(), name), len(out)
    wanted = threads or min(os.cpu_count() or 1, 1 + count // WORTH_A_THREAD)
    edges = [count * share // wanted for share in range(wanted + 1)]

    def work(share: int) -> None:
        start, end = edges[share], edges[share + 1]
        loop(*(_share(given, start, end, count) for given in arrays.values()), out[start:end])

    if wanted == 1 or not can_compile():
        with np.errstate(over="ignore"):
            for share in range(wanted):
                work(share)
    else:
        work_all = _pool().map(work, range(wanted))
        for _ in work_all:
            pass


def _share(given: Any, start: int, end: int, count: int) -> Any:
    """The rows of one share; what all deciders have in common, and what is no array of deciders, stays whole."""
    if isinstance(given, tuple):
        return given[0][start:end] if len(given[0]) == count and count > 1 else given[0]
    return given


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1), thread_name_prefix="volition-many")


@cache
def _loops() -> SimpleNamespace:
    if not can_compile():
        warn_slow("arbitrate_many")
        return SimpleNamespace(choose=kernel.choose, totals_of=kernel.totals_of)
    from volition.core import chance_numba  # noqa: PLC0415 - only where Numba is

    parts = (kernel, sums, chance, chance_arrays)
    made: dict[str, Any] = {"word": chance_numba.word, "gauss": chance_numba.gauss}
    steps = (kernel.highest, kernel.not_below, kernel.total_of, kernel.settle)
    for rule in (sums.exact_sum, *steps, kernel.choose, kernel.totals_of):
        assert isinstance(rule, FunctionType)
        twin = FunctionType(rule.__code__, {**rule.__globals__, **made}, rule.__name__)
        made[rule.__name__] = compile_cached(twin, parts, nogil=True)
    return SimpleNamespace(choose=made["choose"], totals_of=made["totals_of"])
