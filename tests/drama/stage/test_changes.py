"""The one place where a state changes."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from tests.drama.stage.scenes import HALL, NOOK, WILL, rules_in_force, scene
from volition.core.errors import BrokenRecord
from volition.drama.rules.catalog import CHAT, CONFLICT, EMOTIONS
from volition.drama.stage.events import Delta, Event
from volition.drama.stage.state import forget, remember, replay, value, write
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState

CHANGES = [
    Delta("world", "", "minutes", 0.0, 2.5, "why"),
    Delta("world", "", "course_served", None, 12.0, "why"),
    Delta("location", "ann", None, HALL, NOOK, "why"),
    Delta("task", "ann", None, None, "pour", "why"),
    Delta("grievance", "ann", "ben", None, 0.5, "why"),
    Delta("questions", "ann", ("ben", WILL), None, 4, "why"),
    Delta("needs", "ann", "air", 0.0, 0.4, "why"),
    Delta("grounds", "ann", "ben", 1, 0, "why"),
    Delta("knows", "ann", ("ben", WILL), False, True, "why"),
    Delta("bond", "ann", "ben", 0.2, -0.7, "why", "trust"),
    Delta("bond", "ann", "ben", 0.1, 0.3, "why", "affection"),
    Delta("emotion", "ann", "shame", 0.0, 0.6, "why"),
    Delta("belief", "ben", WILL, 0, 3, "why"),
    Delta("pacing", "ann", None, (1.0, 0.2, 0.8, 0.3, 0, 0), (0.5, 0.1, 0.7, 0.2, 3, 1), "why"),
    Delta("emotions", "ann", None, (0.0,) * 6, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), "why"),
    Delta("recent", "ann", None, (), ((3, "internal"),), "why"),
]
OTHER: dict[type, Any] = {type(None): "thing", bool: True, int: 9, float: 0.77, str: "other", tuple: (1, 2)}


def found(world: WorldState, delta: Delta) -> Any:
    return value(world, delta.kind, delta.agent, delta.key, delta.attribute)


@pytest.mark.req("DE-17")
@pytest.mark.parametrize("delta", CHANGES, ids=lambda delta: f"{delta.kind} {delta.key}")
def test_a_change_is_made_and_unmade(delta: Delta) -> None:
    """What is written is found, nothing else changes, and writing what was before restores the state."""
    world = scene()
    before = deepcopy(world)
    assert found(world, delta) == delta.before
    write(world, delta)
    assert found(world, delta) == delta.after
    assert world != before
    write(world, delta._replace(before=delta.after, after=delta.before))
    assert world == before


@pytest.mark.req("DE-17")
@pytest.mark.parametrize("delta", CHANGES, ids=lambda delta: f"{delta.kind} {delta.key}")
def test_a_change_from_elsewhere_is_refused(delta: Delta) -> None:
    """Replay makes a change that fits, and refuses one that begins elsewhere, naming it and leaving the state alone."""
    world = scene()
    before = deepcopy(world)
    wrong = delta._replace(before=OTHER[type(delta.before)] if delta.before is not True else False)
    with pytest.raises(BrokenRecord) as refusal:
        replay(world, wrong, "tick 3, event e0007")
    assert refusal.value.problems[0].where == "tick 3, event e0007"
    assert delta.kind in refusal.value.problems[0].what
    assert world == before
    replay(world, delta, "tick 3, event e0007")
    assert found(world, delta) == delta.after


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(
    "strange",
    [
        Delta("location", "ann", None, HALL, "cellar", "why"),
        Delta("location", "ann", None, HALL, ["nook"], "why"),
        Delta("pacing", "ann", None, (1.0, 0.2, 0.8, 0.3, 0, 0), (1.0, 0.2), "why"),
        Delta("pacing", "ann", None, (1.0, 0.2, 0.8, 0.3, 0, 0), None, "why"),
        Delta("emotions", "ann", None, (0.0,) * 6, (0.1, 0.2), "why"),
        Delta("emotions", "ann", None, (0.0,) * 6, 3, "why"),
        Delta("belief", "ben", WILL, 0, 17, "why"),
        Delta("belief", "ben", WILL, 0, "perhaps", "why"),
        Delta("recent", "ann", None, (), (3,), "why"),
        Delta("recent", "ann", None, (), (("3", 4),), "why"),
        Delta("recent", "ann", None, (), 7, "why"),
        Delta("world", "", "scenario", None, None, "why"),
        Delta("world", "", ["tick"], 0, 1, "why"),
        Delta("bond", "ann", "ben", 0.2, 0.3, "why", "height"),
        Delta("bond", "ann", "ann", 0.2, 0.3, "why", "trust"),
        Delta("location", "nobody", None, HALL, NOOK, "why"),
        Delta("sings", "ann", None, None, 1, "why"),
    ],
    ids=lambda delta: f"{delta.kind} {delta.after!r}",
)
def test_a_change_to_nothing_that_could_be_is_refused(strange: Delta) -> None:
    """A delta that fits the state before it but leads to an invalid one, or to no part of one, is a broken record and changes nothing."""
    world = scene()
    before = deepcopy(world)
    with pytest.raises(BrokenRecord) as refusal:
        replay(world, strange, "tick 3, its end")
    assert refusal.value.problems[0].where == "tick 3, its end"
    assert world == before


@pytest.mark.req("DE-17")
def test_who_has_left_is_somewhere_to_replay() -> None:
    """Having left is not a room, but a valid location."""
    world = scene()
    replay(world, Delta("location", "ann", None, HALL, DEPARTED, "left"), "here")
    assert world.agents["ann"].location == DEPARTED


@pytest.mark.req("DE-17")
def test_a_flag_is_not_a_number() -> None:
    """A part that is a flag does not begin at 0, although False equals 0."""
    world = scene()
    with pytest.raises(BrokenRecord):
        replay(world, Delta("knows", "ann", ("ben", WILL), 0, True, "why"), "here")


def test_memory_keeps_what_is_near() -> None:
    """An event is remembered with what others saw of it, one tick longer than anything refers to it."""
    world = scene()
    event = Event("e0001", 3, 1.5, 0, CHAT, "ann", ("ben",), HALL, (), (), (), ("cas",), secret=WILL, destination=NOOK)
    recent = [remember(structs.replace(event, tick=tick)) for tick in (3, 5)]
    kept = recent[0]
    assert (kept.tick, kept.type, kept.source, kept.targets) == (3, CHAT, "ann", ("ben",))
    assert (kept.room, kept.secret, kept.destination) == (HALL, WILL, NOOK)
    assert kept.seen_by == ("ann", "ben", "cas")
    memory = rules_in_force(world).memory
    longest = max(memory.conflict, memory.move, memory.challenge)
    for tick, still in ((4 + longest, [3, 5]), (5 + longest, [5]), (7 + longest, [])):
        assert [happening.tick for happening in forget(recent, tick, world.scenario)] == still


@pytest.mark.parametrize("detail", ["forced", "told"])
def test_a_truth_that_came_out_is_remembered_with_its_scene(detail: str) -> None:
    """What a quarrel or an outburst brought out is part of what those present remember."""
    event = Event("e0001", 3, 1.5, 0, CONFLICT, "ann", ("ben",), HALL, (), (), (), details={detail: WILL})
    assert remember(event).secret == WILL


def test_emotions_stand_in_the_order_of_the_catalog() -> None:
    """The six emotions as one value follow the catalog, whatever order a state holds them in."""
    world = scene()
    ann = world.agents["ann"]
    ann.emotions = {emotion: EMOTIONS.index(emotion) / 10 for emotion in reversed(EMOTIONS)}
    assert value(world, "emotions", "ann") == (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
