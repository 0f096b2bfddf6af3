"""Clocks: time is an argument, and it never goes backwards."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core.clock import Clock, ManualClock, SystemClock
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from tests.sentences import Told


def test_both_clocks_are_clocks() -> None:
    """Both clocks implement the protocol."""
    assert isinstance(SystemClock(), Clock)
    assert isinstance(ManualClock(), Clock)


def test_the_system_clock_tells_the_time_of_the_system() -> None:
    """now is the wall clock, monotonic is the monotonic one, and sleep really waits."""
    clock = SystemClock()
    assert abs(clock.now() - time.time()) < 5
    before = clock.monotonic()
    clock.sleep(0.01)
    assert clock.monotonic() - before >= 0.0099


@given(st.floats(-1e9, 1e9), st.lists(st.floats(0, 1e6), max_size=20))
def test_a_manual_clock_moves_only_when_it_is_moved(start: float, steps: list[float]) -> None:
    """Its time is the start plus all advances and sleeps, and each reading is at least the one before."""
    clock = ManualClock(start)
    elapsed = 0.0
    for position, step in enumerate(steps):
        before = clock.now(), clock.monotonic()
        (clock.sleep if position % 2 else clock.advance)(step)
        elapsed += step
        assert clock.monotonic() == elapsed
        assert clock.now() == start + elapsed
        assert (clock.now(), clock.monotonic()) >= before


@pytest.mark.parametrize("seconds", [-1.0, -1e-300, float("nan"), float("inf")])
@pytest.mark.parametrize("clock", [ManualClock(5.0), SystemClock()], ids=["manual", "system"])
def test_time_never_goes_backwards(clock: Clock, seconds: float, told: Told) -> None:
    """A negative or infinite duration is refused and moves nothing."""
    with told.raises(InvalidInput):
        clock.sleep(seconds)
    if isinstance(clock, ManualClock):
        with told.raises(InvalidInput):
            clock.advance(seconds)
        assert clock.now() == 5.0


def test_a_manual_clock_starts_at_a_number() -> None:
    """A clock cannot start at NaN or infinity."""
    with pytest.raises(InvalidInput):
        ManualClock(float("nan"))


def test_threads_may_share_a_manual_clock() -> None:
    """No advance is lost when several threads sleep on one clock."""
    clock = ManualClock()

    def sleep_often() -> None:
        for _ in range(2_000):
            clock.sleep(1)

    threads = [threading.Thread(target=sleep_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clock.monotonic() == 8_000
    assert repr(clock) == "ManualClock(now=8000.0)"
