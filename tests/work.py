"""How much work something takes, counted instead of timed: the same on every machine, however busy."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def calls(act: Callable[[], object]) -> int:
    """How many functions, in Python and in C, are called while this runs."""
    count = 0

    def notice(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(notice)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count
