"""Courses and rounds of wine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.laws import Hand, serve
from tests.drama.stage.evenings import DINNER, EVENINGS, STATION, watched
from tests.drama.stage.scenes import HALL, NOOK, YARD, act, scene, staged
from volition.drama.rules.catalog import CATASTROPHE, CONFLICT, PHYSICAL, REVEAL
from volition.drama.stage.replay import steps, walk
from volition.drama.world.model import DEPARTED, Happening

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState


def at(minutes: float, *, courses: int = 0, pours: int = 0) -> WorldState:
    """The house at a minute, with so many courses and rounds called for already."""
    world = scene()
    world.minutes, world.courses, world.pours = minutes, courses, pours
    return world


def tasks(world: WorldState) -> dict[str, str]:
    return {who: me.task for who, me in world.agents.items() if me.task is not None}


@pytest.mark.req("DE-17")
def test_a_course_is_called_when_it_is_due() -> None:
    """At its minute the first who serves is sent to fetch it, once."""
    world = at(9.5)
    serve(Hand(world))
    assert (tasks(world), world.courses) == ({}, 0)
    world.minutes = 10.0
    serve(Hand(world))
    assert (tasks(world), world.courses, world.agents["ann"].task_since) == ({"ann": "fetch"}, 1, 10.0)
    serve(Hand(world))
    assert (tasks(world), world.courses) == ({"ann": "fetch"}, 1)


@pytest.mark.req("DE-17")
def test_the_first_who_is_free_serves() -> None:
    """In the house and without another task, as all can see; to pour, at the gathering."""
    for change in ({"location": DEPARTED}, {"task": "pour"}):
        world = at(10.0)
        for part, value in change.items():
            setattr(world.agents["ann"], part, value)
        serve(Hand(world))
        assert tasks(world)["ben"] == "fetch"
    recovering = at(10.0)
    recovering.agents["ann"].pacing.recovery_timer = 5
    serve(Hand(recovering))
    assert tasks(recovering) == {"ann": "fetch"}, "nobody sees that"
    world = at(20.0, courses=1)
    world.agents["ann"].location = YARD
    serve(Hand(world))
    assert tasks(world) == {"ben": "pour"}
    away = at(10.0)
    away.agents["ann"].location = YARD
    serve(Hand(away))
    assert tasks(away) == {"ann": "fetch"}


@pytest.mark.req("DE-25")
def test_nobody_is_called_while_a_scene_is_fresh() -> None:
    """For three ticks after a quarrel or an outburst at the gathering nobody is called to serve; elsewhere it does not count."""
    for room, kind, ago, called in (
        (HALL, CONFLICT, 3, False),
        (HALL, CATASTROPHE, 1, False),
        (HALL, CONFLICT, 4, True),
        (HALL, REVEAL, 1, True),
        (YARD, CONFLICT, 1, True),
    ):
        world = at(10.0)
        world.tick = 20
        world.recent = [Happening(20 - ago, kind, "ann", ("ben",), room, seen_by=("ann", "ben"))]
        serve(Hand(world))
        assert bool(tasks(world)) == called


@pytest.mark.req("DE-17")
def test_what_nobody_can_serve_waits_and_lapses() -> None:
    """A round waits 8 minutes for somebody, a course 12; then it is over."""
    for due, counts, lapse in ((20.0, {"courses": 1}, 8.0), (40.0, {"courses": 1, "pours": 1}, 12.0)):
        for late, still in ((0.0, True), (lapse, True), (lapse + 0.5, False)):
            world = at(due + late, **counts)
            for who in ("ann", "ben"):
                world.agents[who].location = DEPARTED
            before = world.courses + world.pours
            serve(Hand(world))
            assert tasks(world) == {}
            assert (world.courses + world.pours == before) is still


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("task", "lapse"), [("fetch", 12.0), ("serve", 12.0), ("pour", 8.0)])
def test_a_task_that_takes_too_long_is_dropped(task: str, lapse: float) -> None:
    """After its time, or when its bearer has left, nobody has it any more."""
    for minutes, kept in ((lapse, True), (lapse + 0.5, False)):
        world = at(30.0 + minutes, courses=2, pours=1)
        ann = world.agents["ann"]
        ann.task, ann.task_since = task, 30.0
        serve(Hand(world))
        assert tasks(world) == ({"ann": task} if kept else {})
        assert (ann.task_since is None) is (not kept)
    world = at(31.0, courses=2, pours=1)
    ann.task, ann.task_since = None, None
    gone = world.agents["ann"]
    gone.task, gone.task_since, gone.location = task, 30.0, DEPARTED
    serve(Hand(world))
    assert tasks(world) == {}


@pytest.mark.req("DE-17")
def test_by_the_letter_nobody_serves() -> None:
    """Without courses nothing is called for."""
    world = scene(literal=True)
    world.minutes = 60.0
    hand = Hand(world)
    serve(hand)
    assert hand.deltas == []


@pytest.mark.req("DE-17")
def test_a_course_is_fetched_and_served() -> None:
    """From the kitchen to the table, and a glass for everybody who is there."""
    world = at(9.5)
    staged(world, [act(world, "ann", PHYSICAL, manner="drink")])
    ann = world.agents["ann"]
    assert (world.minutes, ann.task, ann.task_since) == (10.0, "fetch", 10.0)
    ann.location = NOOK
    staged(world, [act(world, "ann", PHYSICAL, manner="fetch")])
    assert (ann.task, ann.task_since) == ("serve", 10.0)
    ann.location, world.agents["eve"].location = HALL, YARD
    staged(world, [act(world, "ann", PHYSICAL, manner="serve")])
    assert (ann.task, world.course_served) == (None, 10.5)
    assert [round(me.alcohol, 2) for me in world.agents.values()] == [0.3, 0.15, 0.15, 0.15, 0.0]


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), [pair for pair in EVENINGS if pair[0] in (DINNER, STATION)])
def test_over_whole_evenings_the_table_is_served(name: str, seed: int) -> None:
    """Only those who serve have tasks, nothing is called early, and most of it comes: glasses for those at the table."""
    run = watched(name, seed).run
    evening = run.scenario.evening
    for world, _ in steps(run):
        assert {who for who, me in world.agents.items() if me.task is not None} <= set(evening.servers)
        assert all(due <= world.minutes for due in evening.courses[: world.courses])
        assert all(due <= world.minutes for due in evening.pours[: world.pours])
        for me in world.agents.values():
            assert (me.task is None) is (me.task_since is None)
    rounds = 0
    for world, event in walk(run):
        if event.manner in ("serve", "pour"):
            rounds += 1
            assert event.room == evening.gathering
            glasses = [strain.agent for strain in event.strains if strain.number == "drinks"]
            assert glasses == [me.id for me in world.agents.values() if me.location == evening.gathering]
            assert world.agents[event.source].task == event.manner
        elif event.manner == "fetch":
            assert event.room == evening.kitchen
    assert rounds >= 4
