"""Keyed chance compiled by Numba: the rules of `chance_arrays` for uint64 scalars, to be called from compiled loops.

`stream`, `word`, `uniform` and `gauss` take and give uint64 (and float64) and have the bits of `chance`. Pass uint64:
compiled code that computes a key or a slot from signed integers gets floats before it gets here.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from volition.core import chance_arrays
from volition.core.errors import MissingPart, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

try:
    import numba
except ImportError as error:
    raise MissingPart(
        Problem("Numba is not installed", "volition.core.chance_numba", "numba 0.60 or newer", "install volition[fast]")
    ) from error


def _compiled(rule: Callable[..., Any], **callees: Any) -> Any:
    """A compiled twin of `rule` that calls compiled twins: compiled code cannot call plain functions."""
    assert isinstance(rule, FunctionType)
    twin = FunctionType(rule.__code__, {**rule.__globals__, **callees}, rule.__name__.lstrip("_"))
    return numba.njit(twin, error_model="numpy", fastmath=False)


_mix = _compiled(chance_arrays._mix)  # noqa: SLF001 - the rules are shared by these two modules alone
stream = _compiled(chance_arrays._stream, _mix=_mix)  # noqa: SLF001
word = _compiled(chance_arrays._word)  # noqa: SLF001
uniform = _compiled(chance_arrays._uniform)  # noqa: SLF001
gauss = _compiled(chance_arrays._gauss)  # noqa: SLF001
