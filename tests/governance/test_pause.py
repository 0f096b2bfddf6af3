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


def test_what_was_made_in_a_pause_is_old() -> None:
    """After a pause the next look at the young does not go through what was made during it."""
    usual = gc.get_threshold()
    gc.set_threshold(0)  # no look by itself, for that would make it old too
    try:
        with collector_pause(MANY):
            made = [[number] for number in range(1000)]
        young = {id(one) for one in gc.get_objects(generation=0)}
    finally:
        gc.set_threshold(*usual)
    assert young.isdisjoint(map(id, made))


def test_what_is_frozen_stays_frozen() -> None:
    """A pause thaws nothing that somebody else has frozen."""
    gc.freeze()
    try:
        before = gc.get_freeze_count()
        with collector_pause(MANY):
            pass
        assert before > 0
        assert gc.get_freeze_count() > before // 2
    finally:
        gc.unfreeze()
