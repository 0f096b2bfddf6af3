"""Numba for graphics processors, held to the arithmetic of all others: no product is fused with a sum.

A fused multiplication and addition rounds once where two operations round twice, so evenings would differ in their last
bits and then altogether. NVVM, the compiler behind numba-cuda, fuses by default and numba-cuda has no switch for it. So
the option is added where numba-cuda calls NVVM: a function that is not public, looked for and refused by name where it
has moved. Optimisation at link time decides again and must be off as well.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import MissingPart
from volition.core.extras import install_line, require

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPILER: Final = "numba.cuda.cudadrv.nvvm"
STEP: Final = "compile_ir"

OPTIONS: Final = {"lto": False, "fastmath": False}
"""What every function compiled for a graphics processor needs."""

NOT_FUSED: Final = {"fma": 0}


def cuda_module() -> Any:
    """`numba.cuda`, as it is; MissingPart says what is not installed."""
    require("numba_cuda")
    numpy: Any = import_module("numpy")
    if not hasattr(numpy, "row_stack"):
        numpy.row_stack = numpy.vstack  # numba-cuda 0.30 looks for it, and numpy 2.5 has it no more
    cuda: Any = import_module("numba.cuda")
    cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # it warns of few blocks, and there is one for each multiprocessor
    return cuda


@contextmanager
def exact() -> Iterator[None]:
    """While it lasts, what is compiled for a graphics processor fuses nothing."""
    compiler, compile_ir = _inner(COMPILER, STEP)

    def compile_unfused(code: Any, **options: Any) -> Any:
        return compile_ir(code, **{**options, **NOT_FUSED})

    setattr(compiler, STEP, compile_unfused)
    try:
        yield
    finally:
        setattr(compiler, STEP, compile_ir)


def _inner(module: str, name: str) -> tuple[Any, Any]:
    """A function inside numba-cuda that is not public, and its module."""
    cuda_module()
    inner = import_module(module)
    if not hasattr(inner, name):
        raise MissingPart.of(
            f"numba-cuda {version('numba-cuda')} has no function {name}",
            where=module,
            expected="the one of numba-cuda 0.30, through which arithmetic is kept exact",
            remedy=f"{install_line('gpu')}, which has it; or use another engine",
        )
    return inner, getattr(inner, name)
