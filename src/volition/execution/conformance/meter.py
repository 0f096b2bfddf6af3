"""How busy this machine is: a law that only the clock calls broken is broken only where nobody had to wait for a core.

An executor that answers late on a machine where every program waits for its turn has broken nothing. Three signs are
read, and each alone is enough: the kernel counted time in which a program waited for a core, there are more programs
that want to run than cores, or naps of the kit took much longer than asked for.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from types import TracebackType

PRESSURE: Final = 0.05
"""The share of the time in which programs may wait for a core on a machine that is called calm."""
OVERSLEPT: Final = 0.025
"""Seconds that a nap may last too long there."""
_NAP: Final = 0.01
_STALLS: Final = Path("/proc/pressure/cpu")


@dataclass(frozen=True, slots=True)
class Calm:
    """What was measured over one stretch of time: the longest oversleeping, the share of waiting, the load per core."""

    overslept: float
    pressure: float
    load: float

    @property
    def busy(self) -> bool:
        return self.overslept > OVERSLEPT or self.pressure > PRESSURE or self.load > 1.0

    def __str__(self) -> str:
        return (
            f"a nap of {_NAP * 1000:.0f} ms lasted up to {self.overslept * 1000:.0f} ms too long, programs waited for a "
            f"core in {self.pressure:.0%} of the time, the load per core was {self.load:.1f}"
        )


class Meter:
    """Measures in a thread while its `with` block runs; `read` gives what was seen since it was last read."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="meter", daemon=True)
        self._worst = 0.0
        self._began, self._stalled = time.monotonic(), _stalled()

    def read(self) -> Calm:
        worst, self._worst = self._worst, 0.0
        began, self._began = self._began, time.monotonic()
        before, self._stalled = self._stalled, _stalled()
        passed = max(self._began - began, _NAP)
        return Calm(worst, (self._stalled - before) / passed, _load())

    def _watch(self) -> None:
        while not self._stop.is_set():
            asked = time.monotonic()
            time.sleep(_NAP)
            self._worst = max(self._worst, time.monotonic() - asked - _NAP)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()


def _stalled() -> float:
    """Seconds since the start of the machine in which some program waited for a core; 0 where nobody counts them."""
    with suppress(OSError, ValueError, IndexError):
        return int(_STALLS.read_text("ascii").splitlines()[0].rpartition("total=")[2]) / 1e6
    return 0.0


def _load() -> float:
    with suppress(OSError, AttributeError):
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    return 0.0
