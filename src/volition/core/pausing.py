"""Long work has pauses: points at which whoever started it may end it.

The work does not know who that is. A check travels with the context, also into threads that copy it; without one a pause
does nothing, and costs a look at a context variable.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_check: Final[ContextVar[Callable[[], None] | None]] = ContextVar("check", default=None)


def pause() -> None:
    """A point at which the work may end: the check around it raises where it is no longer wanted."""
    check = _check.get()
    if check is not None:
        check()


@contextmanager
def pausing(check: Callable[[], None]) -> Iterator[None]:
    """Let `check` be asked at every pause inside the block.

    >>> def enough() -> None:
    ...     raise TimeoutError("enough")
    >>> with pausing(enough):
    ...     pause()
    Traceback (most recent call last):
    ...
    TimeoutError: enough
    """
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)
