"""Time as an argument: the system clock for real work, and a manual clock for tests and simulations."""

from __future__ import annotations

import math
import time
from threading import Lock
from typing import Protocol, runtime_checkable

from volition.core.errors import refuse


@runtime_checkable
class Clock(Protocol):
    """Everything that Volition may know about time."""

    def now(self) -> float:
        """Seconds since the epoch, for people and records; it may be corrected either way."""

    def monotonic(self) -> float:
        """Seconds since some fixed moment, for deadlines; it never goes backwards."""

    def sleep(self, seconds: float) -> None:
        """Return after at least `seconds` have passed on this clock."""


class SystemClock:
    """The clock of this computer."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(_duration(seconds))


class ManualClock:
    """A clock that moves only when told to; sleeping advances it, so nothing ever waits.

    Threads may share it: no advance is lost.

    >>> clock = ManualClock(start=100.0)
    >>> clock.advance(2.5)
    >>> clock.sleep(1)
    >>> clock.now(), clock.monotonic()
    (103.5, 3.5)
    """

    def __init__(self, start: float = 0.0) -> None:
        if not math.isfinite(start):
            refuse(f"a clock that starts at {start}", where="start", expected="a finite number", remedy="start at 0")
        self._start = float(start)
        self._elapsed = 0.0
        self._moving = Lock()

    def __repr__(self) -> str:
        return f"ManualClock(now={self.now()})"

    def now(self) -> float:
        return self._start + self._elapsed

    def monotonic(self) -> float:
        return self._elapsed

    def advance(self, seconds: float) -> None:
        """Move the clock forward."""
        seconds = _duration(seconds)
        with self._moving:
            self._elapsed += seconds

    def sleep(self, seconds: float) -> None:
        self.advance(seconds)


def _duration(seconds: float) -> float:
    if not 0 <= seconds < math.inf:
        refuse(
            f"a clock cannot move by {seconds} seconds",
            where="seconds",
            expected="a finite number >= 0",
            remedy="give 0 to stay; make a new clock to start earlier",
        )
    return seconds
