"""The end of a tick, and courses and rounds of wine."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.laws import Hand, serve, settle
from tests.drama.rules.numbers import near
from tests.drama.stage.evenings import DINNER, EVENINGS, STATION, settling, watched
from tests.drama.stage.oracle import paced
from tests.drama.stage.scenes import HALL, NOOK, PORCH, YARD, act, scene, staged
from volition.drama.rules.catalog import (
    CATASTROPHE,
    CHAT,
    CLOCK,
    CONFIDE,
    CONFLICT,
    EMOTIONS,
    INTERNAL,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
    Belief,
)
from volition.drama.stage.record import leaves
from volition.drama.stage.replay import steps, walk
from volition.drama.world.model import DEPARTED, Happening

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_pacing_is_paid_once_and_exactly(name: str, seed: int) -> None:
    """For everybody present at every tick, the six numbers are those of the formulas over the tick's strains."""
    for world, record in settling(watched(name, seed).run):
        changed = {delta.agent: delta.after for delta in record.after if delta.kind == "pacing"}
        for me in world.agents.values():
            was = me.pacing
            before = (was.dramatic_budget, was.stress, was.composure, was.commitment, was.recovery_timer, was.suppression_count)  # fmt: skip
            if me.location == DEPARTED:
                assert me.id not in changed
            else:
                assert changed.get(me.id, before) == paced(world, me, record.events), (record.tick, me.id)


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_who_has_left_takes_no_part_any_more(name: str, seed: int) -> None:
    """From the tick after somebody's departure nobody hears, sees, addresses or changes them, and they do nothing."""
    gone: dict[str, object] = {}
    for world, record in steps(watched(name, seed).run):
        for me in world.agents.values():
            if me.location == DEPARTED and me.arrival is None:
                assert gone.setdefault(me.id, deepcopy(me)) == me
        for event in record.events:
            assert not gone.keys() & {event.source, *event.targets, *event.witnesses, *event.overheard}
            assert not gone.keys() & {delta.agent for delta in event.deltas}
            assert not gone.keys() & {strain.agent for strain in event.strains}
        assert not gone.keys() & set(record.choices)
        assert not gone.keys() & {delta.agent for delta in record.after}


@pytest.mark.req("DE-17")
def test_feelings_and_grievances_fade() -> None:
    """An emotion loses .02, a grievance .004 and fatigue 6 percent a tick; what is nothing is gone."""
    world = scene()
    ann = world.agents["ann"]
    ann.emotions = dict.fromkeys(EMOTIONS, 0.5) | {"fear": 0.01}
    ann.grievance = {"ben": 0.5, "cas": 0.003}
    ann.fatigue = {"ben": 2.0}
    settle(Hand(world))
    assert ann.emotions == dict.fromkeys(EMOTIONS, near(0.48)) | {"fear": 0.0}
    assert ann.grievance == {"ben": near(0.496)}
    assert ann.fatigue == {"ben": near(1.88)}


@pytest.mark.req("DE-17")
def test_needs_grow_at_a_personal_pace() -> None:
    """By the usual .01 or the evening's rate, times .6 to 1.4 by person, the same every tick, up to 1.2."""
    paces: list[float] = []
    for seed in range(40):
        world = scene()
        settle(Hand(world, seed))
        first = {who: me.needs["air"] for who, me in world.agents.items()}
        assert all(0.006 <= grown <= 0.014 for grown in first.values())
        world.tick += 1
        settle(Hand(world, seed))
        assert all(me.needs["air"] == near(2 * first[who]) for who, me in world.agents.items())
        paces.extend(first.values())
    assert min(paces) < 0.007
    assert max(paces) > 0.013
    world.agents["ann"].needs["air"] = 1.1999
    settle(Hand(world))
    assert world.agents["ann"].needs["air"] == 1.2
    letter = scene(literal=True)
    settle(Hand(letter))
    assert letter.evening.needs == [[0.0]] * len(letter.agents)


@pytest.mark.req("DE-17")
def test_a_private_room_calms_and_restores() -> None:
    """A quiet tick in private: budget +.12, stress -.05, composure +.01; in public +.08, -.03 and nothing."""
    world = scene(literal=True)
    for who, place in (("ann", HALL), ("ben", YARD)):
        world.agents[who].location = place
        world.agents[who].pacing.dramatic_budget = 0.5
    settle(Hand(world))
    hall, yard = world.agents["ann"].pacing, world.agents["ben"].pacing
    assert (hall.dramatic_budget, hall.stress, hall.composure) == (near(0.58), near(0.17), 0.8)
    assert (yard.dramatic_budget, yard.stress, yard.composure) == (near(0.62), near(0.15), near(0.81))


@pytest.mark.req("DE-17")
def test_a_confrontation_is_charged_once() -> None:
    """Its source ends the tick with budget .65 and .15 more commitment, both with .12 more stress, times sensitivity."""
    world = scene(literal=True)
    staged(world, [act(world, "dov", CONFLICT, "eve")])
    dov, eve = world.agents["dov"].pacing, world.agents["eve"].pacing
    assert (dov.dramatic_budget, eve.dramatic_budget) == (near(0.65), 1.0)
    assert (dov.stress, eve.stress) == (near(0.2 + 0.12), near(0.2 + 2.0 * 0.12))
    assert (dov.commitment, eve.commitment) == (near(0.44), near(0.29))
    assert (dov.recovery_timer, eve.recovery_timer) == (3, 0)
    assert world.agents["ann"].pacing.stress == near(0.2 + 0.05 - 0.03)


def seen(world: WorldState, who: str) -> dict[str, str]:
    return {other: room for other, (room, _) in world.agents[who].sightings.items()}


@pytest.mark.req("DE-16", "DE-17")
def test_one_sees_who_is_here_and_where_they_go() -> None:
    """Somebody seen leaving is known to be where they went; somebody not seen leaving is noticed as missing."""
    world = scene(conversation_noise=0.0)
    for me in world.agents.values():
        me.sightings = {other: (HALL, 0) for other in world.agents if other != me.id}
    staged(world, [act(world, "eve", SOCIAL_MOVE, destination=YARD)])
    assert seen(world, "ann") == {"ben": HALL, "cas": HALL, "dov": HALL, "eve": YARD}
    assert seen(world, "eve") == dict.fromkeys(("ann", "ben", "cas", "dov"), HALL)
    passing = act(world, "dov", SOCIAL_MOVE, destination=PORCH, score=0.9)
    staged(world, [act(world, "eve", SOCIAL_MOVE, destination=HALL), passing])
    assert seen(world, "eve") == {"ann": HALL, "ben": HALL, "cas": HALL}
    assert seen(world, "ann")["dov"] == PORCH
    assert seen(world, "dov") == {"ann": HALL, "ben": HALL, "cas": HALL, "eve": YARD}
    world.agents["cas"].location = PORCH
    staged(world, [act(world, "dov", PHYSICAL, manner="leave")])
    assert seen(world, "cas")["dov"] == DEPARTED
    assert seen(world, "ann")["dov"] == PORCH
    assert "cas" not in seen(world, "ann")


@pytest.mark.req("DE-16", "DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_nobody_learns_a_place_without_seeing_it(name: str, seed: int) -> None:
    """A new sighting is of somebody in the same room, or of one who went from it before one's eyes; else it is lost.

    What is kept of a place was true when it was seen, and nobody is taken to be here who is not.
    """
    for world, record in settling(watched(name, seed).run):
        for delta in record.after:
            if delta.kind != "sightings":
                continue
            me, other = world.agents[delta.agent], world.agents[delta.key]
            if delta.after is None:
                assert delta.before[0] == me.location != other.location
                continue
            room, tick = delta.after
            assert (tick, room) == (record.tick, other.location)
            went = [event for event in record.events if event.source == other.id and me.id in event.witnesses]
            left = [event for event in record.events if event.type == CLOCK and leaves(event, other.id)]
            assert room == me.location or left or any(room in (event.destination, DEPARTED) for event in went)
        changed = {(delta.agent, delta.key): delta.after for delta in record.after if delta.kind == "sightings"}
        for me in world.agents.values():
            if me.location == DEPARTED:
                continue
            for other in world.agents.values():
                sight = changed.get((me.id, other.id), me.sightings.get(other.id))
                taken = sight[0] if sight else None
                if other.id != me.id:
                    assert (taken == me.location) is (other.location == me.location)


@pytest.mark.req("DE-17")
def test_what_one_did_recently_is_remembered_as_it_turned_out() -> None:
    """The last acts of so many ticks; what was given up is remembered as what it became."""
    world = scene(conversation_noise=0.0)
    world.tick, world.agents["ann"].recent = 1, [(0, "chat:eve")]
    world.agents["ben"].beliefs["debt"] = Belief.UNKNOWN
    words = [act(world, "ann", CHAT, "ben", score=0.4), act(world, "cas", CONFIDE, "ben", score=0.5, secret="debt")]
    staged(world, words)
    assert world.agents["ann"].recent == ((0, "chat:eve"), (1, "observe:room"))
    assert world.agents["cas"].recent == ((1, "confide:debt:ben"),)
    for _ in range(3):
        staged(world, [act(world, "ann", INTERNAL)])
    assert [*world.agents["ann"].recent] == [(2, "internal"), (3, "internal"), (4, "internal")]
    assert world.agents["ann"].location != NOOK


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
    assert rounds >= 3
