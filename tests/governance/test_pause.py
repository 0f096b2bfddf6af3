"""The pause of the garbage collector: it ends, however it ends."""

from __future__ import annotations

import gc

import pytest

from volition.governance.pause import MANY, collector_pause


def test_a_pause_ends() -> None:
    """The collector rests during a pause and works after it, even where the work fails; a pause in a pause ends nothing."""

    def work() -> None:
        with collector_pause(MANY):
            with collector_pause(MANY):
                assert not gc.isenabled()
            assert not gc.isenabled()
            raise KeyError

    assert gc.isenabled()
    with pytest.raises(KeyError):
        work()
    assert gc.isenabled()


def test_a_small_set_needs_no_pause() -> None:
    """Few intents leave the collector alone, and so does a collector that is off already."""
    with collector_pause(MANY - 1):
        assert gc.isenabled()
    gc.disable()
    try:
        with collector_pause(MANY):
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
