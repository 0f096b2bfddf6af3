"""Wrongs: who learns of one, how it is answered, and that no truth comes out that everybody knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.drama.stage.scenes import DEBT, NOOK, RING, WILL, act, asked, done, house, scene, staged
from volition.drama.evening.world import WorldState, begin
from volition.drama.rules.catalog import CHAT, CONFIDE, CONFLICT, PHYSICAL, REVEAL, Belief, Effect
from volition.drama.world.model import Commitment

pytestmark = pytest.mark.req("DE-25")
TRUE, SUSPECTS = Belief.BELIEVES_TRUE, Belief.SUSPECTS
ANSWERING: dict[str, Any] = {"outrage": 0.6, "swallow": 0.3, "cold": 0.4, "ally": 0.15}


def wronged() -> WorldState:
    """The house after the will came out before Ben and Cas, whom it wrongs."""
    world = scene(**ANSWERING)
    world.minutes = 30.0
    done(world, act(world, "ann", REVEAL, "ben", secret=WILL))
    return world


def test_a_wrong_waits_for_an_answer() -> None:
    """Whoever learns of a secret that harms them enough is wronged by those who kept it; a small harm is none."""
    world = wronged()
    assert {who: me.stung for who, me in world.agents.items() if me.stung} == {
        "ben": {"ann": 30.0},
        "cas": {"ann": 30.0},
    }
    other = scene(**ANSWERING)
    other.agents["ben"].beliefs[RING] = TRUE
    done(other, act(other, "ben", REVEAL, "ann", secret=RING))
    assert not any(me.stung for me in other.agents.values())


def test_being_told_on_is_a_wrong() -> None:
    """The person whom a secret is about is wronged by whoever else says it aloud before them."""
    world = scene(**ANSWERING)
    world.agents["dov"].beliefs[WILL] = TRUE
    done(world, act(world, "dov", REVEAL, "ben", secret=WILL))
    assert world.agents["ann"].stung == {"dov": 0.0}


def test_a_confrontation_answers_it() -> None:
    """To their face: the wrong waits no longer. Turning away, or telling somebody else, answers it only for now."""
    world = wronged()
    done(world, act(world, "ben", CONFLICT, "ann"))
    assert (world.agents["ben"].stung, world.agents["cas"].stung) == ({}, {"ann": 30.0})
    world.agents["ben"].beliefs[DEBT] = TRUE
    world.agents["eve"].beliefs[DEBT] = SUSPECTS
    done(world, act(world, "cas", CONFIDE, "eve", secret=DEBT))
    assert (world.agents["cas"].stung, world.agents["cas"].answered) == ({"ann": 30.0}, {"ann"})
    done(world, act(world, "ann", CONFLICT, "cas"))
    assert world.agents["cas"].stung == {"ann": 30.0}, "being confronted is no answer"


def test_turning_away_hurts_and_whoever_swallows_a_wrong_shows_it() -> None:
    """The other feels it; the event says by which trait a wrong is swallowed, and nothing where there is none."""
    for swallows in (False, True):
        scenario = house(**ANSWERING)
        if swallows:
            ben = scenario.people["ben"]
            flaw = replace(ben.flaws[0], kind="cowardice", effect=Effect.AVOID_CONFRONTATION)
            scenario = replace(scenario, people={**scenario.people, "ben": replace(ben, flaws=(flaw,))})
        world = begin(scenario)
        world.agents["ben"].stung = {"ann": 0.0}
        shame, trust = world.agents["ann"].emotions["shame"], world.agents["ann"].bonds["ben"].trust
        hand = done(world, act(world, "ben", PHYSICAL, "ann", manner="shun"))
        assert asked(hand, "ann", "stress") > 0.0
        assert world.agents["ann"].emotions["shame"] > shame
        assert world.agents["ann"].bonds["ben"].trust < trust
        assert world.agents["ben"].answered == {"ann"}
        assert hand.details == ({"swallowed": "cowardice"} if swallows else {})


def test_comfort_relieves() -> None:
    """Somebody who is comforted is less strained, and likes the other more."""
    world = scene(comfort=0.4)
    liked = world.agents["ben"].bonds["ann"].affection
    hand = done(world, act(world, "ann", PHYSICAL, "ben", manner="comfort"))
    assert asked(hand, "ben", "stress") < 0.0
    assert world.agents["ben"].bonds["ann"].affection > liked


def test_a_protector_takes_it_as_a_wrong() -> None:
    """Whoever is committed to protect somebody and sees them confronted is wronged by it; elsewhere nobody is."""
    for room, hurt in (("hall", True), (NOOK, False)):
        scenario = house(protect=0.3, **ANSWERING)
        eve = replace(scenario.people["eve"], commitments=(Commitment("protect", person="ben"),))
        world = begin(replace(scenario, people={**scenario.people, "eve": eve}))
        world.agents["eve"].location = room
        done(world, act(world, "ann", CONFLICT, "ben"))
        assert bool(world.agents["eve"].stung) is bool(world.agents["eve"].grievance) is hurt
        assert not world.agents["dov"].stung


@pytest.mark.parametrize("known_by", [(), ("cas",), ("cas", "dov", "eve")])
def test_a_truth_is_forced_out_only_where_it_is_news(known_by: tuple[str, ...]) -> None:
    """In a quarrel the weightiest secret comes out that is news to somebody present; if it is none, the next is tried."""
    world = scene()
    ben = world.agents["ben"]
    ben.beliefs[WILL] = TRUE
    for who in known_by:
        world.agents[who].beliefs[WILL] = TRUE
    world.agents["ann"].pacing.composure = 0.0
    forced = set()
    for seed in range(40):
        hand = done(world, act(world, "ben", CONFLICT, "ann"), seed)
        forced.add(hand.details.get("forced"))
        for me in world.agents.values():
            me.beliefs[WILL] = TRUE if me.id in ("ann", "ben", "dov", *known_by) else Belief.UNKNOWN
    assert forced == ({None} if len(known_by) == 3 else {None, WILL})


def test_a_secret_that_is_known_is_not_told() -> None:
    """Whoever begins to tell somebody what they know finds it out: it becomes a word, costs nothing, and both know."""
    world = scene()
    world.agents["dov"].beliefs[WILL] = world.agents["eve"].beliefs[WILL] = TRUE
    world.agents["ann"].location = world.agents["ben"].location = world.agents["cas"].location = NOOK
    record = staged(world, [act(world, "dov", CONFIDE, "eve", secret=WILL)])
    (event,) = record.events
    assert (event.type, event.targets, event.details["known"], event.is_dramatic) == (CHAT, ("eve",), WILL, False)
    assert (record.choices["dov"].became, record.choices["dov"].because) == ("chat:eve", "known")
    assert ("eve", WILL) in world.agents["dov"].knows
    assert ("dov", WILL) in world.agents["eve"].knows
    assert world.agents["dov"].pacing.dramatic_budget == 1.0


def test_where_the_weightiest_secret_is_old_news_the_next_is_tried() -> None:
    """Everybody present knows of the debt, so the ring comes out."""
    forced = set()
    for seed in range(40):
        world = scene()
        for me in world.agents.values():
            me.beliefs[DEBT] = TRUE
        world.agents["ann"].beliefs[RING] = SUSPECTS
        world.agents["ben"].pacing.composure = 0.0
        forced.add(done(world, act(world, "ann", CONFLICT, "ben"), seed).details.get("forced"))
    assert forced == {None, RING}
