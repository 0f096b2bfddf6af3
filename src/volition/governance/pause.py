"""A pause of the cyclic garbage collector, for work that makes many objects and no garbage."""

from __future__ import annotations

import gc
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY: Final = 100
"""For fewer intents than this a pause is not worth its while."""


def collector_pause(size: int) -> AbstractContextManager[None]:
    """While it lasts, no garbage is looked for, where `size` intents are many; afterwards all is as it was.

    A large set is hundreds of thousands of objects that live until the end: to look through them again and again finds
    nothing and takes as long as the work itself. What was made counts as old when the pause ends, so that the next look
    at what is young does not go through all of it.

    >>> with collector_pause(1_000):
    ...     gc.isenabled()
    False
    """
    return _pause() if size >= MANY and gc.isenabled() else nullcontext()


@contextmanager
def _pause() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        # To freeze and to thaw moves everything to the oldest generation, and looks at nothing. What somebody else has
        # frozen must stay so.
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        gc.enable()
