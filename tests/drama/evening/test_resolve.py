"""Which proposals give way."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.evening.laws import Resolved, resolved
from tests.drama.stage.evenings import EVENINGS, watched
from tests.drama.stage.scenes import HALL, NOOK, PEOPLE, PORCH, RING, YARD, act, scene, staged
from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    INTERNAL,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
    EventType,
)
from volition.drama.stage.replay import walk
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Action

SPOKEN = {CHAT, REVEAL, CONFLICT, CONFIDE, LIE}


def settled(world: WorldState, *actions: Action, broken: Sequence[str] = (), seed: int = 1) -> list[Resolved]:
    return resolved(world, actions, broken, seed)


def became(world: WorldState, *actions: Action, broken: Sequence[str] = (), seed: int = 1) -> dict[str, str]:
    return {
        one.proposed.agent_id: one.because or one.became for one in settled(world, *actions, broken=broken, seed=seed)
    }


@pytest.mark.req("DE-11", "DE-17")
def test_urgency_counts_before_score() -> None:
    """Of two who want the same person the higher class wins, whatever the scores; within a class the higher score."""
    world = scene(conversation_noise=0.0)
    quarrel, secret = (
        act(world, "ann", CONFLICT, "ben", score=0.1),
        act(world, "cas", CONFIDE, "ben", score=0.9, secret=RING),
    )
    assert became(world, secret, quarrel) == {"cas": "confide:ring:ben", "ann": "engaged"}
    world.agents["ann"].pacing.stress = 0.61
    urgent = act(world, "ann", CONFLICT, "ben", score=0.1)
    assert urgent.priority_class == 3
    assert became(world, secret, urgent) == {"ann": "conflict:ben", "cas": "engaged"}
    chat = act(world, "dov", CHAT, "ben", score=5.0)
    assert became(world, chat, secret) == {"cas": "confide:ring:ben", "dov": "engaged"}


@pytest.mark.req("DE-17")
def test_two_who_confront_each_other_quarrel_once() -> None:
    """A mutual confrontation settles into one, by the one with the higher score; the other only thinks."""
    for letter in (False, True):
        world = scene(literal=letter, conversation_noise=0.0)
        one, other = act(world, "ann", CONFLICT, "ben", score=0.4), act(world, "ben", CONFLICT, "ann", score=0.6)
        assert became(world, one, other) == {"ben": "conflict:ann", "ann": "engaged"}
        record = staged(world, [one, other])
        assert [(event.source, event.targets) for event in record.events] == [("ben", ("ann",))]
        assert record.choices["ann"].became == "internal"


@pytest.mark.req("DE-17")
def test_words_take_turns_and_by_the_letter_only_drama_does() -> None:
    """With conversations nobody talks in two; by the letter several may chat with the same person."""
    world, letter = scene(conversation_noise=0.0), scene(literal=True)
    words = [act(world, "ann", CHAT, "ben", score=0.5), act(world, "cas", CHAT, "ben", score=0.4)]
    assert became(world, *words) == {"ann": "chat:ben", "cas": "engaged"}
    assert became(letter, *words) == {"ann": "chat:ben", "cas": "chat:ben"}
    toast = [act(world, "ann", CHAT, "ben", "cas", score=0.5), act(world, "ben", CHAT, "dov", score=0.4),
             act(world, "eve", CHAT, "ann", score=0.3)]  # fmt: skip
    assert became(world, *toast) == {"ann": "chat:all", "ben": "chat:dov", "eve": "engaged"}


@pytest.mark.req("DE-17")
@pytest.mark.parametrize("kind", [CHAT, CONFLICT, REVEAL, CONFIDE, LIE])
def test_who_loses_is_downgraded_and_not_dropped(kind: EventType) -> None:
    """A word turns into listening, anything else into thought; it is remembered as that."""
    world = scene()
    secret = RING if kind in (REVEAL, CONFIDE, LIE) else None
    (lost,) = settled(world, act(world, "ben", kind, "eve", score=0.6, secret=secret), broken=["eve"])
    assert (lost.became, lost.because) == ("observe:room" if kind == CHAT else "internal", "hushed")
    world.agents["dov"].location = world.agents["cas"].location = NOOK
    (lost,) = settled(world, act(world, "ben", SOCIAL_MOVE, score=0.6, destination=NOOK))
    assert (lost.became, lost.because) == ("internal", "full")


@pytest.mark.req("DE-17")
def test_rooms_fill_up_and_empty_in_the_order_of_moves() -> None:
    """Two do not take the last place; who leaves a room makes one, for those who come after."""
    world = scene()
    world.agents["dov"].location = NOOK
    first, second = (act(world, who, SOCIAL_MOVE, destination=NOOK, score=s) for who, s in (("ann", 0.5), ("ben", 0.6)))
    assert became(world, first, second) == {"ben": "move:nook", "ann": "full"}
    out = act(world, "dov", SOCIAL_MOVE, destination=HALL, score=0.55)
    assert became(world, first, second, out) == {"ben": "move:nook", "dov": "move:hall", "ann": "move:nook"}
    late = act(world, "dov", SOCIAL_MOVE, destination=HALL, score=0.1)
    assert became(world, first, second, late) == {"ben": "move:nook", "ann": "full", "dov": "move:hall"}


@pytest.mark.req("DE-17")
def test_before_an_outburst_the_room_is_silent() -> None:
    """Nobody there speaks where people hush; nobody anywhere is engaged with who breaks; others go on."""
    world = scene()
    world.agents["dov"].location = world.agents["eve"].location = YARD
    acts = [act(world, "ann", CHAT, "ben"), act(world, "ben", CONFLICT, "ann"), act(world, "dov", CHAT, "eve"),
            ]  # fmt: skip
    assert became(world, *acts, broken=["cas"]) == {"ann": "hushed", "ben": "hushed", "dov": "chat:eve"}
    moving = act(world, "ann", SOCIAL_MOVE, destination=PORCH)
    looking = act(world, "ben", OBSERVE, focus="cas")
    assert became(world, moving, looking, broken=["cas"]) == {"ann": "move:porch", "ben": "observe:cas"}
    loud = scene(hush=False, conversation_noise=0.0)
    towards = [act(loud, "ann", CONFLICT, "cas"), act(loud, "ben", CHAT, "dov")]
    assert became(loud, *towards, broken=["cas"]) == {"ann": "engaged", "ben": "chat:dov"}


@pytest.mark.req("DE-17")
def test_a_word_to_somebody_who_has_left_is_not_said() -> None:
    """Who goes first is not spoken to any more; a word to several reaches those who are still there."""
    world = scene(conversation_noise=0.0)
    leaving = act(world, "ben", SOCIAL_MOVE, destination=YARD, score=0.9)
    word = act(world, "ann", CHAT, "ben", score=0.5)
    toast = act(world, "dov", CHAT, "ben", "cas", "eve", score=0.4)
    record = staged(world, [word, leaving, toast])
    assert [(event.source, event.type, event.targets) for event in record.events] == [
        ("ben", SOCIAL_MOVE, ()),
        ("dov", CHAT, ("cas", "eve")),
    ]
    assert record.choices["ann"][3:] == ("observe:room", "gone")
    assert record.choices["dov"][3:] == ("done", None)
    other = scene(conversation_noise=0.0)
    quarrel = act(other, "ann", CONFLICT, "ben", score=0.1)
    record = staged(other, [quarrel, leaving])
    assert [event.type for event in record.events] == [CONFLICT, SOCIAL_MOVE]


@pytest.mark.req("DE-17")
def test_a_word_to_all_that_reaches_one_stays_a_word_to_all() -> None:
    """Who addresses everybody and finds one listener left neither asks nor makes up; a word meant for that one may."""
    asked = made_up = 0
    for seed in range(30):
        for alone in (False, True):
            world = scene(conversation_noise=0.0)
            ben = world.agents["ben"]
            ben.grievance["dov"] = ben.peaks["dov"] = 0.5
            leaving = [act(world, who, SOCIAL_MOVE, destination=YARD, score=0.9) for who in ("cas", "eve")]
            word = act(world, "dov", CHAT, *(("ben",) if alone else ("ben", "cas", "eve")), score=0.4)
            record = staged(world, [*leaving, word], seed)
            assert record.choices["dov"][3:] == ("done", None)
            (said,) = (event for event in record.events if event.type == CHAT)
            assert said.targets == ("ben",)
            asked += (part := "question" in said.details)
            mended = any(delta.kind == "grievance" for delta in said.deltas)
            made_up += mended
            assert alone or not (part or mended)
    assert (made_up, 0 < asked < 30) == (30, True)


@pytest.mark.req("DE-17")
def test_nobody_watches_who_has_just_left() -> None:
    """To watch somebody who goes first comes to a thought; somebody who stays is watched, and so is one who goes later."""
    for who, score, outcome in (("ben", 0.9, ("internal", "gone")), ("ben", 0.1, ("done", None)), ("cas", 0.9, ("done", None))):  # fmt: skip
        world = scene(conversation_noise=0.0)
        leaving = act(world, who, SOCIAL_MOVE, destination=YARD, score=score)
        record = staged(world, [act(world, "ann", OBSERVE, focus="ben", score=0.5), leaving])
        assert record.choices["ann"][3:] == outcome
        assert not any(event.source == "ann" for event in record.events if outcome[1])


@pytest.mark.req("DE-08")
def test_luck_in_words_is_keyed() -> None:
    """Who gets a word in by luck depends on seed, tick, person and act alone: another proposal changes no order."""
    world = scene()
    words = [act(world, who, CHAT, "eve", score=0.5) for who in ("ann", "ben", "cas")]
    winners: Counter[str] = Counter()
    for seed in range(120):
        outcome = became(world, *words, seed=seed)
        winner = next(who for who, what in outcome.items() if what == "chat:eve")
        winners[winner] += 1
        assert became(world, *reversed(words), seed=seed) == outcome
        assert became(world, *words, act(world, "dov", SOCIAL_MOVE, destination=YARD), seed=seed).items() >= (
            outcome.items()
        )
    assert min(winners.values()) > 24


def proposed(world: WorldState, chance: Random) -> list[Action]:
    """Something that each person might want."""
    actions = []
    for me in world.agents.values():
        if me.location == DEPARTED:
            continue
        others = [other.id for other in world.agents.values() if other.location == me.location and other.id != me.id]
        kinds = [
            INTERNAL,
            PHYSICAL,
            SOCIAL_MOVE,
            *([CHAT, CHAT, CONFLICT, CONFIDE, LIE, REVEAL, OBSERVE] * bool(others)),
        ]
        kind, score = chance.choice(kinds), chance.choice([0.2, 0.4, 0.4, 0.9])
        targets = chance.sample(others, 1) if kind in SPOKEN else []
        if kind == CHAT and len(others) > 1 and chance.random() < 0.3:
            targets = others
        rooms = world.scenario.rooms[me.location].adjacent
        actions.append(
            act(
                world,
                me.id,
                kind,
                *targets,
                score=score,
                secret=RING if kind in (CONFIDE, LIE, REVEAL) else None,
                destination=chance.choice(rooms) if kind == SOCIAL_MOVE else None,
                focus=chance.choice(others) if kind == OBSERVE else None,
                manner="drink" if kind == PHYSICAL else None,
            )
        )
    chance.shuffle(actions)
    return actions


@pytest.mark.req("DE-11", "DE-17")
@given(st.builds(Random, st.integers(0, 2**32)), st.booleans(), st.booleans(), st.integers(0, 99))
def test_resolution_is_fair_to_all(chance: Random, conversations: bool, hush: bool, seed: int) -> None:
    """Everybody is heard once, by class; nobody is wanted twice, no room overflows, and who gives way had to."""
    world = scene(conversations=conversations, hush=hush)
    for me in world.agents.values():
        me.location = chance.choice([HALL, HALL, NOOK, YARD, PORCH, DEPARTED])
        me.pacing.stress = chance.choice([0.2, 0.8])
    while sum(me.location == NOOK for me in world.agents.values()) > 2:
        next(me for me in world.agents.values() if me.location == NOOK).location = PORCH
    present = [me.id for me in world.agents.values() if me.location != DEPARTED]
    broken = chance.sample(present, min(len(present), chance.choice([0, 0, 1, 2])))
    actions = [action for action in proposed(world, chance) if action.agent_id not in broken]
    outcome = settled(world, *actions, broken=broken, seed=seed)
    assert Counter(one.proposed for one in outcome) == Counter(actions)
    classes = [one.proposed.priority_class or 0 for one in outcome]
    assert classes == sorted(classes, reverse=True)
    _check(world, outcome, broken, conversations, hush)


def _check(
    world: WorldState, outcome: Iterable[Resolved], broken: Sequence[str], conversations: bool, hush: bool
) -> None:
    """Go through the outcome in order, by brute force."""
    taken = set(broken)
    places = {who: me.location for who, me in world.agents.items()}
    silent = {world.agents[who].location for who in broken} if hush else set()
    for proposed, became, because in outcome:
        kind, me = proposed.action_type, proposed.agent_id
        needs = {me, *proposed.target_agents} if len(proposed.target_agents) == 1 else {me}
        engages = kind in SPOKEN and (conversations or kind != CHAT)
        expected = None
        if kind == SOCIAL_MOVE:
            there = sum(place == proposed.destination for place in places.values())
            expected = "full" if there >= world.scenario.rooms[proposed.destination or ""].capacity else None
        elif kind in SPOKEN and proposed.location_id in silent:
            expected = "hushed"
        elif engages and needs & taken:
            expected = "engaged"
        assert because == expected
        assert (became == proposed.id) is (expected is None)
        if expected is None and kind == SOCIAL_MOVE:
            places[me] = proposed.destination or ""
        elif expected is None and engages:
            taken |= needs


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_over_whole_evenings_nobody_is_doubled_and_no_room_overflows(name: str, seed: int) -> None:
    """After every event each room has a place for everybody in it; in a tick nobody is in two conversations of two."""
    run = watched(name, seed).run
    rooms = run.scenario.rooms
    conversations = bool(run.scenario.rules["departures"]["conversations"])
    for world, _ in walk(run):
        there = Counter(me.location for me in world.agents.values())
        assert all(count <= rooms[room].capacity for room, count in there.items() if room != DEPARTED)
    for record in run.ticks:
        engaged: Counter[str] = Counter()
        for event in record.events:
            group = record.choices[event.source].id == "chat:all" if event.source in record.choices else False
            if event.type in SPOKEN and (conversations or event.type != CHAT):
                engaged.update({event.source} if group else {event.source, *event.targets})
        assert all(count == 1 for count in engaged.values())


@pytest.mark.req("DE-11", "DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_over_whole_evenings_the_urgent_go_first(name: str, seed: int) -> None:
    """Within a tick outbursts come first, then the acts of class 3, 2 and 1; what was given up left no event, but for a
    secret that turned out to be known: that became a word."""
    for record in watched(name, seed).run.ticks:
        order = [
            4 if event.type == EventType.CATASTROPHE else record.choices[event.source].priority
            for event in record.events
            if not event.details.keys() & {"heard", "clock"}
        ]
        assert order == sorted(order, reverse=True)
        given_up = {
            who for who, choice in record.choices.items() if choice.became != "done" and choice.because != "known"
        }
        acting = {event.source for event in record.events if not event.details.keys() & {"heard", "clock"}}
        assert not given_up & acting
        for choice in record.choices.values():
            word = choice.id.split(":")[0]
            expected = "observe:room" if word == "chat" else "internal"
            if choice.because == "known":
                assert word in ("reveal", "confide")
                expected = f"chat:{choice.id.split(':')[-1]}"
            assert choice.became in ("done", expected)
            assert (choice.because is None) is (choice.became == "done")


def test_the_house_is_as_the_tests_think() -> None:
    """The nook holds two, so that it can fill up."""
    world = scene()
    assert (world.scenario.rooms[NOOK].capacity, len(PEOPLE)) == (2, 5)
