"""How long the kit waits, and whether this machine is to blame where something comes late.

No wait goes beyond the end of its law's time, and what never comes is waited for more and more briefly: what two laws have
waited for in vain, with all their patience, the others look for only a moment, and are blocked by the law that has proven
the silence. One answer to a law that waits, and the patience is back.

A late answer counts against an executor only where no program had to wait for a core; where one had to, every answer is
waited for three times as long, since silence proves nothing. There are three signs of a busy
machine, and one is enough: the kernel counted time in which programs waited for a core, more programs want to run than
there are cores, or the kit's own sleeps took much longer than requested.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Final, Self, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable


T = TypeVar("T")

PROVEN: Final = 2
"""After this many laws that waited in vain, it is known that nothing comes."""
TICKS: Final = "a tick after the other"
_SHORTEST: Final = 0.25
_ROUNDING: Final = 1e-6
"""A manual clock may stop slightly before the intended moment."""


class Unjudged(Exception):
    """Raised in a check: there is no verdict, and why."""


class Blocked(Unjudged):
    """Raised in a check: what it waits for is known to be missing, since another law has waited for it in vain."""


@dataclass(slots=True)
class _Missing:
    """What never came: the laws that waited for it, and how often it was missed since that is known."""

    laws: list[str] = field(default_factory=list)
    shortened: int = 0


class Waiting:
    """The patience of one run: when the current law must end, and what has never come."""

    def __init__(self) -> None:
        self._law = ""
        self._ends: float | None = None
        self._why = ""
        self._patience = 1.0
        self._missing: dict[str, _Missing] = {}

    def begin(self, law: str, ends: float | None, why: str, patience: float = 1.0) -> None:
        """From here on this law waits, until `ends` at the latest, and then for the reason `why` without a verdict.

        It waits `patience` times as long as usual for what is not known to be missing.
        """
        self._law, self._ends, self._why, self._patience = law, ends, why, patience

    def left(self, now: float) -> float | None:
        """The seconds that are left to the current law; None where it has no end."""
        return None if self._ends is None else max(0.0, self._ends - now)

    def until(self, now: float, within: float) -> float:
        """When a wait that begins now must be over."""
        return now + within if self._ends is None else min(now + within, self._ends)

    def expect_time(self, now: float) -> None:
        """Unjudged where the time of the current law is over."""
        if self._ends is not None and now >= self._ends - _ROUNDING:
            raise Unjudged(self._why)

    def time_for(self, kind: str, usual: float) -> float:
        """How long to wait for something of this kind."""
        missing = self._missing.get(kind)
        if missing is None or not self.is_known(kind) or self._law in missing.laws:
            return usual * self._patience
        return min(usual, max(_SHORTEST, usual * 0.5 ** (missing.shortened + 1)))

    def is_known(self, kind: str) -> bool:
        """Whether it is known that nothing of this kind comes."""
        return kind in self._missing and len(self._missing[kind].laws) >= PROVEN

    def note_answer(self, kind: str) -> None:
        """Something of this kind came: it is worth waiting for."""
        if self._missing:
            self._missing.pop(kind, None)

    def note_silence(self, kind: str) -> None:
        """Nothing of this kind came in its time; Blocked where that was known, and it was hardly waited for."""
        missing = self._missing.setdefault(kind, _Missing())
        if self._law in missing.laws:
            return
        if not self.is_known(kind):
            missing.laws.append(self._law)
            return
        missing.shortened += 1
        raise Blocked(f"blocked by {missing.laws[0]}: there too, {kind} was missing")

    def forgive(self) -> None:
        """Forget what never came: a busy machine may be why."""
        self._missing.clear()


def call_within(call: Callable[[], T], seconds: float, give_up: Callable[[T], None]) -> T | None:
    """What a call returns or raises, or None where it takes longer; what it returns later goes to `give_up`."""
    done, late = Event(), Event()
    results: list[T] = []
    raised: list[Exception] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as error:  # noqa: BLE001  raised again below
            raised.append(error)
        done.set()
        if late.is_set() and results:
            give_up(results[0])

    Thread(target=run, name="volition-dial", daemon=True).start()
    if not done.wait(seconds):
        late.set()
        if not done.is_set():
            return None
    if raised:
        raise raised[0]
    return results[0]


PRESSURE: Final = 0.05
"""The share of the time in which programs may wait for a core on a calm machine."""
OVERSLEPT: Final = 0.025
"""Seconds by which a sleep may take too long on a calm machine."""
_NAP: Final = 0.01
_STALLS: Final = Path("/proc/pressure/cpu")


class LoadReading(Struct, frozen=True):
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
