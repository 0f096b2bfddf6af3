"""Numba made to take indices as they are: none counts from the end.

In Python an index below zero counts from the end, so at every index that may be negative Numba checks whether it is. That
is a tenth of the time of code that does little but look things up in tables. Code that never counts from the end is
compiled without the checks: it must be known to, for a negative index would read whatever lies before the table. Numba
has no public name for this; where its own has moved, it compiles as it always does.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

FIX: Final = "fix_integer_index"
"""Numba's function that makes the code for an index."""


@contextmanager
def counted_from_the_start() -> Iterator[None]:
    """While it lasts, functions are compiled to take every index for one that is not negative."""
    arrays: Any = import_module("numba.np.arrayobj")
    fix = getattr(arrays, FIX, None)
    if fix is None:
        yield
        return

    def take(context: Any, builder: Any, kind: Any, index: Any, _: Any) -> Any:
        return context.cast(builder, index, kind, arrays.types.intp if kind.signed else arrays.types.uintp)

    setattr(arrays, FIX, take)
    try:
        yield
    finally:
        setattr(arrays, FIX, fix)
