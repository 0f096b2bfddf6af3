"""Running the loop: compiled, in a suitable number of threads, if Numba is installed; else as Python."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from threading import Lock, Timer
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from volition.core import chance, chance_arrays
from volition.core.chance import MASK_64, uid
from volition.core.compiling import can_compile, compile_cached, compiled_folder, warn_slow
from volition.drama.company.kernel import dramatic, layout, look, loop, quiet, tables
from volition.drama.rules import catalog, stage_tables
from volition.drama.rules import tables as coefficients
from volition.drama.rules.compiled import MODULES, compiled_rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from volition.drama.company.kernel.tables import Model

WORTH_A_THREAD: Final = 4_000
"""With fewer deciders than this, starting a thread takes longer than deciding."""
NOTED_AFTER: Final = 1.5
"""Seconds after which a user at a terminal is told that code is being compiled."""

LOOP: Final = loop.choose_many.__name__

_PURPOSE = np.uint64(uid("noise"))
_NONE_ADDED = np.empty((0, layout.SLOTS))
_NO_LOOKS = np.empty(0, dtype=layout.LOOK)
_first = Lock()


def run(
    model: Model,
    records: NDArray[Any],
    seeds: NDArray[np.uint64],
    ticks: NDArray[np.uint64],
    sigma: float,
    added: NDArray[np.float64] | None,
    threads: int | None,
    looks: NDArray[Any] | None = None,
) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """The slot and total of each decider's best act, whatever the number of threads.

    `seeds` and `ticks` have one number for all, or one for each. `looks`, if given, has one for each, and is filled in.
    """
    with _first:
        decide = _loop()
    count, fast = len(records), decide is not loop.choose_many
    chosen, totals = np.empty(count, dtype=np.int16), np.empty(count)
    given = (model.people, model.house, model.weights if fast else (model.named,))
    wanted = threads or min(os.cpu_count() or 1, 1 + count // WORTH_A_THREAD)
    edges = [count * share // wanted for share in range(wanted + 1)]

    def work(share: int) -> None:
        part = slice(edges[share], edges[share + 1])
        decide(
            records[part],
            seeds[part] if len(seeds) > 1 else seeds,
            ticks[part] if len(ticks) > 1 else ticks,
            _PURPOSE,
            sigma,
            _NONE_ADDED if added is None else added[part],
            *given,
            np.zeros(1, dtype=layout.DESK),
            chosen[part],
            totals[part],
            _NO_LOOKS if looks is None else looks[part],
        )

    if wanted == 1 or not fast:
        with np.errstate(over="ignore"):
            for share in range(wanted):
                work(share)
    else:
        for _ in _pool().map(work, range(wanted)):
            pass
    return chosen, totals


def contiguous(array: Any, kind: Any) -> NDArray[Any]:
    """An array as the loop was compiled for: contiguous, aligned and writable."""
    return np.require(array, kind, ["C", "A", "W"])


def lanes(numbers: Any) -> NDArray[np.uint64]:
    """Integers modulo 2^64, one for each decider or one for all."""
    if isinstance(numbers, np.ndarray) and numbers.dtype.kind in "iu":
        return contiguous(numbers, np.uint64)
    return np.array([int(number) & MASK_64 for number in np.ravel(np.asarray(numbers, dtype=object))], dtype=np.uint64)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1), thread_name_prefix="volition-company")


@cache
def _loop() -> Any:
    """The compiled loop; without Numba the interpreted one, with a single warning."""
    if not can_compile():
        warn_slow("the kernel of many decisions")
        return loop.choose_many
    note = Timer(NOTED_AFTER, _say_compiling)
    note.start()
    try:
        return _compiled_loop()
    finally:
        note.cancel()


def _compiled_loop() -> Any:
    """The loop with compiled twins of everything it calls, cached on disk as one unit."""
    from numba import njit  # noqa: PLC0415  importing it takes half a second

    from volition.core import chance_numba  # noqa: PLC0415

    scopes = {module.__name__: dict(vars(module)) for module in (quiet, dramatic, look, loop)}
    twins: dict[Any, Any] = {}
    for function in {value for scope in scopes.values() for value in scope.values() if isinstance(value, FunctionType)}:
        home, name = function.__module__, function.__name__
        if home in scopes:
            twin = FunctionType(function.__code__, scopes[home], name)
            twins[function] = twin if name == LOOP else njit(twin, error_model="numpy", fastmath=False)
        elif home == chance_arrays.__name__:
            twins[function] = getattr(chance_numba, name.lstrip("_"))
        else:
            twins[function] = getattr(getattr(compiled_rules(), home.rpartition(".")[2]), name)
    for scope in scopes.values():
        scope.update({name: twins[value] for name, value in scope.items() if isinstance(value, FunctionType)})
    work = compile_cached(twins[loop.choose_many], source_modules(), nogil=True)
    _decide_for_nobody(work)
    return work


def is_cached() -> bool:
    """Whether the compiled loop is cached on disk, so that it need not be compiled."""
    return any(compiled_folder(source_modules()).rglob(f"*{LOOP}*.nbi"))


def load() -> None:
    """Load the compiled loop, or compile and cache it for other processes."""
    with _first:
        _loop()


def source_modules() -> list[ModuleType]:
    """The sources of the compiled loop: if one of them changes, it is compiled again."""
    rules = [import_module(f"{coefficients.__package__}.{name}") for name in MODULES]
    return [
        loop,
        look,
        quiet,
        dramatic,
        layout,
        tables,
        chance,
        chance_arrays,
        catalog,
        coefficients,
        stage_tables,
        *rules,
    ]


def _decide_for_nobody(work: Any) -> None:
    """Call the loop with empty arrays, so that it is compiled once, before several threads would compile it."""
    none, one = np.empty(0, dtype=layout.RECORD), np.zeros(1, dtype=np.uint64)
    given = (np.zeros(1, dtype=kind) for kind in (tables.PERSON, tables.HOUSE, tables.WEIGHTS, layout.DESK))
    work(none, one, one, _PURPOSE, 0.0, _NONE_ADDED, *given, np.empty(0, dtype=np.int16), np.empty(0), _NO_LOOKS)


def _say_compiling() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("compiling the kernel of many decisions; this happens once ...\n")
