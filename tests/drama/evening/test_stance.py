"""When a chat commits the speaker."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.laws import is_asked, is_public, is_upheld, keeps_from
from tests.drama.stage.scenes import HALL, NOOK, PORCH, RING, WILL, YARD, act, done, scene
from tests.drama.worlds import moved_to
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFLICT, Belief, EventType
from volition.drama.world.model import Commitment, Happening

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState


def quarrel(world: WorldState, ago: int, kind: EventType = CONFLICT) -> None:
    world.tick = 10
    world.recent.append(Happening(10 - ago, kind, "ben", ("cas",), HALL, seen_by=("ben", "cas", "ann", "dov")))


def bound(world: WorldState, who: str, secret: str) -> WorldState:
    people = world.scenario.people
    person = replace(people[who], commitments=(Commitment("conceal", secret),))
    return moved_to(world, replace(world.scenario, people={**people, who: person}))


def says(world: WorldState, who: str, *listeners: str) -> set[str]:
    """What a word of somebody is beside a word: "stance" where it states a position, "sides" where it takes a side."""
    return {"stance", "sides"} & done(deepcopy(world), act(world, who, CHAT, *listeners)).details.keys()


def test_a_room_of_little_privacy_is_public() -> None:
    """What is said below a privacy of .3 is said in public."""
    world = scene()
    assert [is_public(world, room) for room in (HALL, PORCH, NOOK, YARD)] == [True, True, False, False]


@pytest.mark.req("DE-17")
def test_a_question_counts_for_eight_ticks_and_only_about_what_one_knows() -> None:
    """Asked about a secret that one knows, one is asked for 8 ticks."""
    world = scene()
    ann = world.agents["ann"]
    ann.questions["eve", WILL] = 4
    for tick, still in ((4, True), (12, True), (13, False)):
        world.tick = tick
        assert is_asked(world, "ann") is still
    world.tick = 4
    ann.beliefs[WILL] = Belief.SUSPECTS
    assert not is_asked(world, "ann")


@pytest.mark.req("DE-17")
def test_one_keeps_a_secret_from_those_it_would_harm() -> None:
    """A secret held or bound to be concealed, that would harm the other, who is not thought to know it."""
    world = scene()
    assert keeps_from(world, "ann", "ben")
    assert not keeps_from(world, "ann", "eve")
    assert not keeps_from(world, "dov", "ben")
    world = bound(world, "dov", WILL)
    assert keeps_from(world, "dov", "ben")
    world.agents["ann"].knows.add(("ben", WILL))
    assert not keeps_from(world, "ann", "ben")
    assert keeps_from(world, "ann", "cas")


@pytest.mark.req("DE-17")
def test_a_position_is_stated_in_public_when_asked_or_to_a_face() -> None:
    """A word in public is a statement when one was asked, or when its one listener is somebody it is kept from."""
    world = scene()
    ann = world.agents["ann"]
    assert "stance" in says(world, "ann", "ben")
    assert "stance" not in says(world, "ann", "ben", "eve")
    assert "stance" not in says(world, "ann", "eve")
    ann.questions["eve", WILL] = 0
    assert "stance" in says(world, "ann", "ben", "eve")
    assert "stance" not in says(world, "eve", "ben")
    ann.location = NOOK
    assert "stance" not in says(world, "ann", "ben")


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("ago", "counts"), [(0, False), (1, True), (3, True), (4, False)])
def test_a_side_is_taken_within_three_ticks_of_a_quarrel(ago: int, counts: bool) -> None:
    """A word with one party of a quarrel takes a side, not within its own tick, and no more after three."""
    world = scene()
    quarrel(world, ago)
    ann = world.agents["ann"]
    assert ("sides" in says(world, "ann", "ben")) is counts
    assert ("sides" in says(world, "ann", "cas")) is counts
    assert "sides" not in says(world, "ann", "dov")
    assert "sides" not in says(world, "ann", "ben", "dov")
    assert "sides" not in says(world, "ben", "cas")
    ann.location = NOOK
    assert "sides" not in says(world, "ann", "ben")


@pytest.mark.req("DE-17")
def test_nobody_takes_a_side_in_a_quarrel_that_they_did_not_see() -> None:
    """Who came in afterwards knows of no sides, whichever room it was in; who saw it does, and may have moved on."""
    world = scene()
    quarrel(world, 1)
    assert "sides" not in says(world, "eve", "ben")
    for who in ("ann", "ben"):
        world.agents[who].location = PORCH
    assert "sides" in says(world, "ann", "ben")


def test_an_outburst_is_no_quarrel_to_take_a_side_in() -> None:
    """Only a confrontation has sides."""
    world = scene()
    quarrel(world, 1, CATASTROPHE)
    assert "sides" not in says(world, "ann", "ben")


@pytest.mark.req("DE-17")
def test_commitment_is_upheld_before_those_it_is_about() -> None:
    """In public, in the company of somebody it is kept from or against whom there is a grievance above .3."""
    world = scene()
    ann, eve = world.agents["ann"], world.agents["eve"]
    assert is_upheld(world, "ann")
    assert not is_upheld(world, "eve")
    eve.grievance["dov"] = 0.3
    assert not is_upheld(world, "eve")
    eve.grievance["dov"] = 0.31
    assert is_upheld(world, "eve")
    world.agents["dov"].location = PORCH
    assert not is_upheld(world, "eve")
    ann.location = world.agents["ben"].location = NOOK
    assert not is_upheld(world, "ann")
    letter = scene(literal=True)
    assert not is_upheld(letter, "ann")


def test_what_harms_nobody_is_not_kept() -> None:
    """A secret without harm upholds nothing."""
    world = scene()
    assert RING in world.scenario.secrets
    assert not keeps_from(world, "ben", "eve")
    assert keeps_from(world, "ben", "ann")
