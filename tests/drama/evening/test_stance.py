"""Where people stand: words that commit, wrongs and their answers."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.evening.laws import is_asked, is_public, is_upheld, keeps_from, mind_of
from tests.drama.stage.scenes import DEBT, HALL, NOOK, PORCH, RING, WILL, YARD, act, asked, done, house, scene, staged
from tests.drama.worlds import moved_to
from volition.arbitration.why_answers import Vetoed
from volition.drama.evening.acts import is_withheld
from volition.drama.evening.world import WorldState, begin
from volition.drama.rules.catalog import (
    CATASTROPHE,
    CHAT,
    CONFIDE,
    CONFLICT,
    PHYSICAL,
    REVEAL,
    Belief,
    Effect,
    EventType,
)
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


def wronged_friend(**departures: Any) -> WorldState:
    """A state in which ann is fond of ben, has just seen him quarrel, and is alone with him after the scene about his wrong."""
    world = scene(**{"owed": 1.0, "forgive": 0.3, "comfort": 0.5, "unforgiven": True, **departures})
    quarrel(world, 2)
    ann = world.agents["ann"]
    ann.location = world.agents["ben"].location = NOOK
    ann.bonds["ben"].affection = ann.bonds["ben"].trust = 0.9
    ann.wrong["ben"] = f"harm:{DEBT}"
    return world


def offered(world: WorldState) -> tuple[set[str], set[str]]:
    """Which of the warm acts towards ben are open to ann, and which are vetoed because she has not forgiven him."""
    warm = {"physical:comfort:ben", "physical:forgive:ben", f"confide:{WILL}:ben"}
    decision = mind_of(world.scenario).decide(world, "ann", 1)
    reasons = map(decision.why_not, decision.trace.vetoed)
    vetoed = {why.candidate for why in reasons if isinstance(why, Vetoed) and why.by.keys() == {"unforgiven"}}
    return warm & {*decision.trace.survivors}, vetoed


@pytest.mark.req("DE-32")
def test_after_the_scene_there_is_forgiving_and_before_it_no_warmth() -> None:
    """A person who has not forgiven a wrong can forgive it. Until then comfort and confidences are vetoed, and withheld even if
    they were chosen before; they are free once the wrong is gone, and where wrongs need no forgiving."""
    world = wronged_friend()
    warm = {"physical:comfort:ben", f"confide:{WILL}:ben"}
    assert offered(world) == ({"physical:forgive:ben"}, warm)
    mind = mind_of(world.scenario)
    acts = {id: mind.names.acts.index(id) for id in (*warm, "chat:ben")}
    assert {id for id, number in acts.items() if is_withheld(world.evening, mind.tables, 0, number)} == warm
    assert offered(wronged_friend(unforgiven=False)) == (warm, set())
    del world.agents["ann"].wrong["ben"]
    assert offered(world) == (warm, set())
    assert not any(is_withheld(world.evening, mind.tables, 0, number) for number in acts.values())


@pytest.mark.req("DE-32")
def test_forgiving_comes_from_fondness_and_with_time() -> None:
    """Nobody forgives a person they do not like, one they have wronged, or one they confronted a moment ago."""
    assert "physical:forgive:ben" in offered(wronged_friend())[0]
    cold, guilty, heated, cooled = (wronged_friend(ground_ticks=8) for _ in range(4))
    cold.agents["ann"].bonds["ben"].affection = 0.0
    guilty.agents["ann"].wronged.add("ben")
    heated.agents["ann"].confronted["ben"] = heated.tick - 8
    cooled.agents["ann"].confronted["ben"] = cooled.tick - 9
    assert ["physical:forgive:ben" in offered(world)[0] for world in (cold, guilty, heated, cooled)] == [
        False,
        False,
        False,
        True,
    ]
