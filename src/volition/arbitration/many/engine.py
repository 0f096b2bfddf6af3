"""Runs the loop: compiled if Numba is installed, in as many threads as pay off; in plain Python otherwise."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from volition.arbitration.many import kernel
from volition.arbitration.settings import Margin
from volition.core import chance, chance_arrays
from volition.core.compiling import can_compile, compile_cached, warn_slow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from volition.arbitration.settings import HoldBelow

WORTH_A_THREAD: Final = 2_000
"""Fewer deciders than this take less time than starting a thread."""


def run(arrays: dict[str, Any], count: int, threads: int | None) -> NDArray[np.int32]:
    """The winners of all deciders; the same however many threads there are."""
    winners = np.empty(count, dtype=np.int32)
    _spread("choose", arrays, winners, threads)
    return winners


def hold(
    arrays: dict[str, Any], bound: HoldBelow, winners: NDArray[np.int32], threads: int | None
) -> NDArray[np.bool_]:
    """Which winners are below a bound."""
    held = np.empty(len(winners), dtype=np.bool_)
    wanted = ("scores", "weights", "reaches", "closed", "keys", "slots", "sigma")
    chosen: dict[str, Any] = {name: arrays[name] for name in wanted}
    chosen |= {"least": bound.least, "is_margin": isinstance(bound, Margin), "winners": (winners,)}
    _spread("hold_below", chosen, held, threads)
    return held


def totals(arrays: dict[str, Any], winners: NDArray[np.int32], threads: int | None) -> NDArray[np.float64]:
    """The exact totals of the winners."""
    sums = np.empty(len(winners))
    columns = {name: arrays[name] for name in ("scores", "weights", "keys", "slots", "sigma")}
    _spread("totals_of", {**columns, "winners": (winners,)}, sums, threads)
    return sums


def _spread(name: str, arrays: dict[str, Any], out: NDArray[Any], threads: int | None) -> None:
    """Run a loop on shares of the deciders in parallel: compiled, it does not hold the interpreter's lock."""
    loop, count = getattr(_loops(), name), len(out)
    wanted = threads or min(os.cpu_count() or 1, 1 + count // WORTH_A_THREAD)
    edges = [count * share // wanted for share in range(wanted + 1)]

    def work(share: int) -> None:
        start, end = edges[share], edges[share + 1]
        loop(*(_share(array, start, end, count) for array in arrays.values()), out[start:end])

    if wanted == 1 or not can_compile():
        with np.errstate(over="ignore"):
            for share in range(wanted):
                work(share)
    else:
        list(_pool().map(work, range(wanted)))  # to wait for all of them, and to raise what one raised


def _share(array: Any, start: int, end: int, count: int) -> Any:
    """The rows of one share; an array that all deciders have in common, and any other argument, is passed whole."""
    if isinstance(array, tuple):
        return array[0][start:end] if len(array[0]) == count and count > 1 else array[0]
    return array


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1), thread_name_prefix="volition-many")


@cache
def _loops() -> SimpleNamespace:
    if not can_compile():
        warn_slow("arbitrate_many")
        return SimpleNamespace(choose=kernel.choose, totals_of=kernel.totals_of, hold_below=kernel.hold_below)
    from volition.core import chance_numba  # noqa: PLC0415  only where Numba is installed

    parts = (kernel, chance, chance_arrays)
    scope: dict[str, Any] = {"word": chance_numba.word, "gauss": chance_numba.gauss}
    steps = (kernel.highest, kernel.not_below, kernel.total_of, kernel.ahead_by_more, kernel.settle)
    for rule in (kernel.exact_sum, *steps, kernel.choose, kernel.totals_of, kernel.hold_below):
        assert isinstance(rule, FunctionType)
        # The same code, calling the compiled functions instead of the plain ones.
        rebound = FunctionType(rule.__code__, {**rule.__globals__, **scope}, rule.__name__)
        scope[rule.__name__] = compile_cached(rebound, parts, nogil=True)
    return SimpleNamespace(choose=scope["choose"], totals_of=scope["totals_of"], hold_below=scope["hold_below"])
