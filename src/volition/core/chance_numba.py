"""Keyed chance compiled by Numba: the rules of `chance_arrays` for uint64 scalars, to be called from compiled loops.

`stream`, `word`, `uniform` and `gauss` take and return uint64 (and float64), with the same bits as `chance`. Pass
uint64: compiled code that mixes a key or a slot with signed integers has turned it into a float before it gets here.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from volition.core import chance_arrays
from volition.core.extras import not_installed

if TYPE_CHECKING:
    from collections.abc import Callable

try:
    import numba
except ImportError as error:
    raise not_installed("numba") from error


def _compile(rule: Callable[..., Any], **callees: Any) -> Any:
    """Compile a copy of `rule` that calls the compiled `callees`: compiled code cannot call Python functions."""
    assert isinstance(rule, FunctionType)
    copy = FunctionType(rule.__code__, {**rule.__globals__, **callees}, rule.__name__.lstrip("_"))
    return numba.njit(copy, error_model="numpy", fastmath=False)


_mix = _compile(chance_arrays._mix)  # noqa: SLF001  only these two modules share the rules
stream = _compile(chance_arrays._stream, _mix=_mix)  # noqa: SLF001
word = _compile(chance_arrays._word)  # noqa: SLF001
uniform = _compile(chance_arrays._uniform)  # noqa: SLF001
gauss = _compile(chance_arrays._gauss)  # noqa: SLF001
