"""When an evening is over, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.laws import ending, stop_reason
from tests.drama.stage.evenings import EVENINGS, watched
from tests.drama.stage.scenes import PEOPLE, RESIDENTS, rules_in_force, scene
from volition.drama.evening import ending as laws
from volition.drama.stage.replay import state_at, steps
from volition.drama.stage.run import ENDINGS
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState

BROKEN_OFF, SPENT = laws.STOPS[laws.BROKEN_OFF], laws.STOPS[laws.SPENT]
GUESTS = tuple(who for who in PEOPLE if who not in RESIDENTS)


def left(world: WorldState, *who: str) -> WorldState:
    for one in who:
        world.agents[one].location = DEPARTED
    return world


def why(world: WorldState, ticks: int = 300) -> str | None:
    return stop_reason(world, ticks)


@pytest.mark.req("DE-17")
def test_an_evening_stops_by_the_clock_and_by_ticks() -> None:
    """At 150 minutes, and after so many ticks; the hour goes first."""
    world = scene()
    assert why(world) is None
    world.minutes, world.tick = 149.5, 299
    assert why(world) is None
    world.tick = 300
    assert why(world) == "it has gone on for long enough"
    assert why(world, 20) == BROKEN_OFF
    world.minutes = 150.0
    assert why(world) == "the hour is late"


@pytest.mark.req("DE-17")
def test_an_evening_stops_when_hardly_anybody_is_left() -> None:
    """Where guests may leave: with two left, or only residents; by the letter with fewer than two."""
    assert why(left(scene(), "cas", "dov")) is None
    assert why(left(scene(), "ann", "cas", "dov")) == "hardly anybody is left"
    assert why(left(scene(), *GUESTS)) == "only those who live here are left"
    assert why(left(scene(), *PEOPLE)) == "hardly anybody is left"
    letter = left(scene(literal=True), "cas", "dov", "eve")
    assert why(letter) is None
    assert why(left(letter, "ben")) == "hardly anybody is left"


@pytest.mark.req("DE-17")
def test_by_the_letter_an_evening_stops_when_all_are_spent() -> None:
    """Everybody present recovers and has a stress below .2; one who does not is enough to go on."""
    world = left(scene(literal=True), "eve")
    for me in world.agents.values():
        me.pacing.recovery_timer, me.pacing.stress = 1, 0.19
    world.agents["eve"].pacing.recovery_timer = 0
    assert why(world) == SPENT == "everybody is spent"
    world.agents["ann"].pacing.stress = 0.21
    assert why(world) is None
    world.agents["ann"].pacing.stress, world.agents["ben"].pacing.recovery_timer = 0.1, 0
    assert why(world) is None
    full = scene()
    for me in full.agents.values():
        me.pacing.recovery_timer, me.pacing.stress = 1, 0.1
    assert why(full) is None


def kind(world: WorldState, **leaving: float) -> str:
    """How an evening ends that stops now; numbers of its rules about leaving may differ."""
    reason = why(world)
    assert reason is not None
    rules = rules_in_force(world)
    end = ending(world, reason, rules._replace(leaving=rules.leaving._replace(**leaving)))
    assert (end.stopped, end.tick, end.minutes, end.because) == (reason, world.tick, world.minutes, ENDINGS[end.kind])
    return end.kind


def late(world: WorldState) -> WorldState:
    world.minutes = 150.0
    return world


@pytest.mark.req("DE-17")
def test_somebody_thrown_out_who_went() -> None:
    """Above all: one who was shown the door has left; one who has not left yet does not count."""
    world = late(left(scene(), "eve"))
    world.agents["eve"].thrown_out = True
    assert kind(world) == "thrown_out"
    world.agents["eve"].location, world.agents["dov"].location = "hall", DEPARTED
    assert kind(world) == "ran_its_course"


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("since", "expected"), [(30.0, "broke_up"), (30.5, "guests_left")])
def test_an_evening_that_stops_early_after_an_outburst_broke_up(since: float, expected: str) -> None:
    """Within 30 minutes of a scene that anybody knows of, even one who has left."""
    world = left(scene(), *GUESTS, "ann")
    world.agents["ann"].location = "hall"
    world.minutes = 90.0
    world.agents["eve"].last_scene = 90.0 - since
    world.agents["ann"].last_scene = 20.0
    assert kind(world) == ("broke_up" if expected == "broke_up" else "only_two_left")
    alone = left(scene(), *GUESTS, "ann")
    alone.minutes = 90.0
    alone.agents["eve"].last_scene = 90.0 - since
    assert kind(alone) == expected
    assert kind(alone, broke_up_minutes=since) == "broke_up"
    assert kind(alone, broke_up_minutes=since - 0.5) == "guests_left"


@pytest.mark.req("DE-17")
def test_an_evening_that_stops_early_without_an_outburst() -> None:
    """Two are left, or the guests have gone."""
    assert kind(left(scene(), "ann", "cas", "dov")) == "only_two_left"
    assert kind(left(scene(), *GUESTS)) == "only_two_left"
    assert kind(left(scene(), *GUESTS, "ann")) == "guests_left"


@pytest.mark.req("DE-17")
def test_an_evening_that_lasts() -> None:
    """Made up, here and in peace; or after scenes two have gone; or it ran its course."""
    world = late(scene())
    assert kind(world) == "ran_its_course"
    world.catastrophes = 1
    assert kind(left(world, "dov")) == "ran_its_course"
    assert kind(left(world, "eve")) == "thinned_out"
    world.agents["ann"].reconciled = {"ben"}
    assert kind(world) == "reconciliation"
    world.agents["ben"].grievance = {"cas": 0.4, "eve": 0.9}
    assert kind(world) == "reconciliation"
    world.agents["ben"].grievance = {"cas": 0.41}
    assert kind(world) == "thinned_out"
    assert kind(world, resented=0.41) == "reconciliation"
    short = scene()
    short.tick, short.minutes, short.agents["ann"].last_scene = 300, 100.0, 90.0
    assert kind(short) == "ran_its_course"


@pytest.mark.req("DE-17")
def test_it_is_no_reconciliation_where_two_left_in_bitterness_or_one_who_made_up_is_gone() -> None:
    """Angry, or with a grievance, however early they left; one such departure is outweighed by what was made up."""
    for angry, aggrieved in ((True, True), (True, False), (False, True)):
        world = left(late(scene()), "dov", "eve")
        world.catastrophes = 1
        world.agents["ann"].reconciled = {"ben"}
        world.agents["dov"].emotions["anger"] = 0.41 if angry else 0.4
        world.agents["eve"].grievance = {"dov": 0.41 if aggrieved else 0.4}
        assert kind(world) == ("thinned_out" if angry and aggrieved else "reconciliation")
        world.agents["ann"].reconciled = {"eve"}
        assert kind(world) == "thinned_out"


@pytest.mark.req("DE-17")
def test_who_is_spent_has_not_stopped_early() -> None:
    """If everybody is exhausted, at whatever time, the evening counts as one that lasted."""
    world = scene(literal=True)
    for me in world.agents.values():
        me.pacing.recovery_timer, me.pacing.stress, me.last_scene = 1, 0.1, 88.0
    world.minutes = 90.0
    assert why(world) == SPENT
    assert kind(world) == "ran_its_course"
    rules = rules_in_force(world)
    calm = rules._replace(leaving=rules.leaving._replace(spent_stress=0.1))
    assert stop_reason(world, 300, calm) is None


@pytest.mark.req("DE-17")
def test_an_evening_that_was_to_be_no_longer_is_broken_off() -> None:
    """Asked for so many ticks and no more, whatever has happened so far, even to somebody shown the door."""
    world = left(scene(), "eve")
    world.agents["eve"].thrown_out, world.tick = True, 20
    assert why(world, 21) is None
    reason = why(world, 20)
    assert reason == BROKEN_OFF
    assert ending(world, reason).kind == "broken_off"


def test_every_kind_of_ending_is_named() -> None:
    """The kinds that states above reach are all there are."""
    assert tuple(ENDINGS) == laws.ENDINGS
    assert set(ENDINGS) == {
        "thrown_out", "broke_up", "only_two_left", "guests_left", "reconciliation", "thinned_out", "ran_its_course",
        "broken_off",
    }  # fmt: skip


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_a_run_stops_when_it_must_and_not_before(name: str, seed: int) -> None:
    """Before every tick there was no reason to stop, after the last there is, and the ending says it."""
    run = watched(name, seed).run
    end = run.ending
    assert end is not None
    last = state_at(run, len(run.ticks))
    assert why(last) == end.stopped
    assert (end.tick, end.minutes) == (last.tick, last.minutes)
    assert [why(world) for world, _ in steps(run)] == [None] * len(run.ticks)
