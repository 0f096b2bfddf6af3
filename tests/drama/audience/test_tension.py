from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.audience.evenings import SCENARIOS, bond, evening, event, events_in
from tests.drama.audience.gauge import PlainGauge, tension_of
from tests.drama.party import party
from tests.drama.worlds import worlds
from volition.core.errors import InvalidInput
from volition.drama.audience.tension import (
    GENRES,
    Components,
    EventTension,
    Gauge,
    Halves,
    halves,
    minutes_of,
    reweight,
    tension,
)
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CHAT, CONFLICT, OBSERVE
from volition.drama.stage.state import state_to_data

if TYPE_CHECKING:
    from tests.sentences import Told


@pytest.mark.parametrize("name", SCENARIOS)
def test_tension_is_the_weighted_mean(name: str) -> None:
    """In every genre, tension is the weighted mean of the components, computed in the simplest way."""
    for genre, weights in GENRES.items():
        for moment in tension(evening(name), genre):
            total = weight = 0.0
            for part in Components._fields:
                total += getattr(moment.components, part) * getattr(weights, part)
                weight += getattr(weights, part)
            assert moment.value == pytest.approx(total / weight)
            assert 0.0 <= moment.value_without_clock <= moment.value <= 1.0


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_laws_feel_what_is_defined(name: str) -> None:
    """Every component of every event, as the laws of an evening feel it, is the one that its definition over objects gives."""
    assert tension(evening(name), "mystery") == tension_of(evening(name), "mystery")


@given(st.data())
def test_they_feel_it_in_any_world(data: st.DataObject) -> None:
    """So it is for any event in any world, after any other."""
    world, laws, plain = data.draw(worlds()), Gauge(), PlainGauge()
    for id in ("e0001", "e0002"):
        happened = data.draw(events_in(world, id))
        if happened is not None:
            assert laws.read(world, happened) == plain.read(world, happened)


def test_without_clock_only_the_clock_is_missing() -> None:
    """Without the clock, tension differs only by the time pressure that is due to the clock alone."""
    for moment in tension(evening()):
        clocked = moment.components.time_pressure - moment.pressure_without_clock
        assert moment.value - moment.value_without_clock == pytest.approx(clocked / 8)
        late = (moment.minutes / 150) ** 2
        late_pressure = max(moment.pressure_without_clock, min(late, 1.0))
        assert moment.components.time_pressure == pytest.approx(late_pressure, abs=1e-13)


def test_reweighting_is_reading_again() -> None:
    """Reweighted tension is that of the other genre."""
    assert reweight(tension(evening()), "mystery") == tension(evening(), "mystery")


def test_a_genre_that_is_not_there(told: Told) -> None:
    """A genre that does not exist is refused with the nearest that does."""
    with told.raises(InvalidInput):
        Gauge("thriler")


@given(st.data())
def test_a_gauge_only_reads(data: st.DataObject) -> None:
    """Computing the tension of an event does not change the world."""
    world = data.draw(worlds())
    happened = data.draw(events_in(world))
    if happened is not None:
        before = state_to_data(world)
        Gauge().read(world, happened)
        assert state_to_data(world) == before


def test_danger_lingers_in_the_room() -> None:
    """A quarrel frustrates those who talk in the same room soon after, and nobody in another room or later."""
    world, gauge = begin(party()), Gauge()
    calm = Gauge().read(world, event(CHAT, "thorne", "elena")).components.goal_frustration
    gauge.read(world, event(CONFLICT, "victor", "marcus"))
    assert gauge.read(world, event(CHAT, "thorne", "elena", id="e2")).components.goal_frustration != calm
    assert gauge.read(world, event(CHAT, "thorne", "elena", "foyer", id="e3")).components.goal_frustration == calm
    assert gauge.read(world, event(CHAT, "thorne", "elena", id="e4", tick=6)).components.goal_frustration == calm


def test_what_is_overheard_endangers_by_half() -> None:
    """Who overhears a quarrel feels half of its danger."""
    world, gauge = begin(party()), Gauge()
    gauge.read(world, event(CONFLICT, "victor", "marcus"))
    heard = event(OBSERVE, "diana", room="kitchen", id="e2", details={"heard": "e0001"})
    assert gauge.read(world, heard).components.danger == pytest.approx(0.4)


def test_only_the_last_five_shared_events_count() -> None:
    """The volatility of bonds depends on the last five events shared by two of the same people, not on others."""
    world, gauge = begin(party()), Gauge()
    gauge.read(world, event(CHAT, "thorne", "elena", deltas=(bond("elena", "thorne", 0.0, 0.5),)))
    for number in range(4):
        gauge.read(world, event(CHAT, "thorne", "elena", id=f"a{number}"))
        lost = (bond("victor", "thorne", 0.5, 0.0),)
        gauge.read(world, event(CONFLICT, "thorne", "victor", id=f"b{number}", deltas=lost))
    fifth = gauge.read(world, event(CHAT, "thorne", "elena", id="c1"))
    sixth = gauge.read(world, event(CHAT, "elena", "thorne", id="c2"))
    assert fifth.components.relationship_volatility == 1.0
    assert sixth.components.relationship_volatility == 0.0


def test_halves_are_of_minutes() -> None:
    """The halves are split at the middle of the minutes, however the events are distributed."""
    parts = Components(*[0.0] * 8)
    moments = [EventTension(str(at), at, parts, 0.0, at, at / 2) for at in (1.0, 2.0, 3.0, 60.0, 90.0)]
    assert halves(moments, 120.0) == Halves(2.0, 75.0, 1.0, 37.5)
    assert halves([], 120.0) == Halves(0.0, 0.0, 0.0, 0.0)


def test_minutes_of_a_run() -> None:
    """A run lasts until its ending; one that was broken off, until its last tick is over."""
    played = evening()
    assert played.ending is not None
    assert minutes_of(played) == played.ending.minutes
    assert minutes_of(replace(played, ending=None)) == pytest.approx(played.ending.minutes)
    assert minutes_of(replace(played, ending=None, ticks=())) == 0.0
