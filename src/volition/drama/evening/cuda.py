"""The laws and the kernel compiled by numba-cuda for a graphics processor, and kept on disk."""

from __future__ import annotations

import sys
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from volition.core.compiling import compile_cached, compiled_folder
from volition.drama.evening import cuda_exact, grid
from volition.drama.evening.compiled import PACKED, compile_as_annotated, compile_laws, made_of, numbers_in
from volition.drama.evening.cuda_exact import OPTIONS, cuda_module
from volition.drama.evening.limits import LIMITS, SMALL
from volition.drama.evening.log import DELTAS, EVENTS, STRAINS
from volition.drama.evening.look import HUNDREDTHS
from volition.drama.evening.measure import BREAKDOWNS
from volition.drama.evening.tension import HAPPENINGS

if TYPE_CHECKING:
    from types import ModuleType

REGISTERS: Final = 80
"""As many as let a block have 768 threads."""
COMPILES: Final = "compiling evenings for the graphics processor: about a minute, once on this machine"
"""What a terminal is told before a kernel is compiled."""


@cache
def compiled_grid(size: str = SMALL, *, measured: bool = False) -> Any:
    """The kernel for a size of packed records, from the disk where it was compiled before; else its first launch does it.

    Measuring is a separate kernel: the room and the registers that it takes would slow down evenings without it.
    """
    if sys.stderr.isatty() and not is_grid_kept(size, measured=measured):
        sys.stderr.write(f"{COMPILES}\n")
    return compile_cached(
        kernel_of(size, measured=measured), grid_made_of(), compiler=cuda_module(), max_registers=REGISTERS, **OPTIONS
    )


def is_grid_kept(size: str = SMALL, *, measured: bool = False) -> bool:
    """Whether this machine has the kernel on its disk."""
    return any(compiled_folder(grid_made_of()).rglob(f"*.{_stored_name(size, measured)}-*.nbi"))


def grid_made_of() -> list[ModuleType]:
    """All that the kernel is made of, and what compiles it."""
    return [*made_of(), grid, cuda_exact, sys.modules[__name__]]


def kernel_of(size: str, *, measured: bool) -> FunctionType:
    """The kernel as a plain function, over laws that are compiled when it is.

    It is no closure: Numba would look for its code by all that it closes over, which is not the same in two processes.
    """
    cuda = cuda_module()
    laws = device_laws(size)
    scope = {name: laws.get(value, value) if callable(value) else value for name, value in vars(grid).items()}
    scope |= {"cuda": cuda, "MEASURED": measured, **sizes_in_kernel(size)}
    for helper in grid.HELPERS:
        scope[helper.__name__] = cuda.jit(FunctionType(helper.__code__, scope), device=True, **OPTIONS)
    kernel = FunctionType(grid.play_grid.__code__, numbers_in(scope), grid.play_grid.__name__)
    kernel.__qualname__ = _stored_name(size, measured)
    return kernel


def sizes_in_kernel(size: str) -> dict[str, Any]:
    """What the module of the kernel leaves open: the types of its records, and how much a log has room for."""
    from numba import from_dtype  # noqa: PLC0415

    types, limits = PACKED[size], LIMITS[size]
    return {
        "STATE": from_dtype(types.state),
        "PERCEIVED": from_dtype(types.perceived),
        "SHEET": from_dtype(types.sheet),
        "MOST_EVENTS": limits[EVENTS],
        "MOST_DELTAS": limits[DELTAS],
        "MOST_STRAINS": limits[STRAINS],
        "MOST_HAPPENINGS": limits[HAPPENINGS],
        "MOST_BREAKDOWNS": limits[BREAKDOWNS],
        "MOST_HUNDREDTHS": limits[HUNDREDTHS],
    }


def device_laws(size: str) -> dict[Any, Any]:
    """Every law with its copy for a device, which is compiled when a kernel first calls for it."""
    cuda = cuda_module()

    def compile_law(copy: FunctionType, law: FunctionType) -> Any:
        compiled = cuda.jit(copy, device=True, **OPTIONS)
        return compile_as_annotated(compiled, compiled.compile_device, law, size)

    return compile_laws(compile_law)


def _stored_name(size: str, measured: bool) -> str:
    return f"{grid.play_grid.__name__}_{size}{'_measured' if measured else ''}"
