"""How busy this machine is: a late answer counts against an executor only where no program had to wait for a core.

There are three signs of a busy machine, and one is enough: the kernel counted time in which programs waited for a core,
more programs want to run than there are cores, or the kit's own sleeps took much longer than requested.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

PRESSURE: Final = 0.05
"""The share of the time in which programs may wait for a core on a calm machine."""
OVERSLEPT: Final = 0.025
"""Seconds by which a sleep may take too long on a calm machine."""
_NAP: Final = 0.01
_STALLS: Final = Path("/proc/pressure/cpu")


@dataclass(frozen=True, slots=True)
class LoadReading:
    """One measurement: the longest delay of a sleep, the share of time spent waiting for a core, the load per core."""

    overslept: float
    pressure: float
    load: float

    @property
    def busy(self) -> bool:
        return self.overslept > OVERSLEPT or self.pressure > PRESSURE or self.load > 1.0

    def __str__(self) -> str:
        return (
            f"a sleep of {_NAP * 1000:.0f} ms took up to {self.overslept * 1000:.0f} ms too long, programs waited for a "
            f"core in {self.pressure:.0%} of the time, the load per core was {self.load:.1f}"
        )


class LoadMeter:
    """Measures in a thread while its `with` block runs; `read` returns the measurement since the last call."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="meter", daemon=True)
        self._worst = 0.0
        self._began, self._stalled = time.monotonic(), _stall_time()

    def read(self) -> LoadReading:
        worst, self._worst = self._worst, 0.0
        began, self._began = self._began, time.monotonic()
        before, self._stalled = self._stalled, _stall_time()
        passed = max(self._began - began, _NAP)
        return LoadReading(worst, (self._stalled - before) / passed, _load())

    def _watch(self) -> None:
        while not self._stop.is_set():
            asked = time.monotonic()
            time.sleep(_NAP)
            self._worst = max(self._worst, time.monotonic() - asked - _NAP)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def _stall_time() -> float:
    """Seconds since boot in which some program waited for a core; 0 where the kernel does not count them."""
    with suppress(OSError, ValueError, IndexError):
        return int(_STALLS.read_text("ascii").splitlines()[0].rpartition("total=")[2]) / 1e6
    return 0.0


def _load() -> float:
    with suppress(OSError, AttributeError):
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    return 0.0
