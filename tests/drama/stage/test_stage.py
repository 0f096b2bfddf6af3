"""One tick of the stage."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.evening.laws import around, drawing
from tests.drama.mind.perceived import perceive
from tests.drama.stage.evenings import (
    DINNER,
    EVENINGS,
    LITERAL_DINNER,
    STATION,
    fingerprint,
    mind_of,
    scenario_of,
    watched,
)
from tests.drama.stage.scenes import HALL, NOOK, PEOPLE, RING, WILL, YARD, ScriptedStage, act, scene, staged
from volition.drama.mind.mind import Mind, select_action
from volition.drama.rules.catalog import (
    CATASTROPHE,
    CHAT,
    CLOCK,
    CONFIDE,
    CONFLICT,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
    Belief,
    EventType,
)
from volition.drama.rules.stage_tables import Time
from volition.drama.stage.causes import Causes
from volition.drama.stage.replay import state_at, steps, walk
from volition.drama.stage.run import opening
from volition.drama.stage.stage import Stage
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.evening.person import AgentState
    from volition.drama.stage.events import Event, TickRecord


@pytest.mark.req("DE-01", "DE-17")
@pytest.mark.parametrize(("name", "seed", "start"), [(DINNER, 1, 60), (STATION, 12, 0), (LITERAL_DINNER, 12, 0)])
def test_everybody_present_is_asked_once_and_asking_changes_nothing(name: str, seed: int, start: int) -> None:
    """In every tick each person who is here and does not break is asked once, of the state as the tick found it."""
    run, mind = watched(name, seed).run, mind_of(name)
    asked: list[tuple[str, str]] = []

    def decide(me: AgentState, perceived: Any) -> Any:
        decision = mind.choose(me, perceived, seed)
        asked.append((me.id, fingerprint(stage.world)))
        return decision

    past = [event for record in run.ticks[:start] for event in record.events]
    stage = ScriptedStage(state_at(run, start), mind, seed, Causes(past), len(past))
    stage.decide = decide
    for record in run.ticks[start : start + 20]:
        world = stage.world
        before, here = fingerprint(world), [me.id for me in world.agents.values() if me.location != DEPARTED]
        assert stage.tick() == record
        breaking = {event.source for event in record.events if event.type == CATASTROPHE}
        assert asked == [(who, before) for who in here if who not in breaking]
        assert list(record.choices) == sorted(who for who in here if who not in breaking)
        asked.clear()


@pytest.mark.req("DE-01")
@pytest.mark.parametrize(("name", "seed"), [(DINNER, 12), (STATION, 1), (LITERAL_DINNER, 12)])
def test_what_was_chosen_is_what_select_action_answers(name: str, seed: int) -> None:
    """The choices of a record, with score and class, are the answers of the entry point to the state before the tick."""
    mind = mind_of(name)
    for world, record in steps(watched(name, seed).run):
        if record.tick % 13:
            continue
        before = fingerprint(world)
        for who, choice in record.choices.items():
            perception = perceive(world, who)
            action = select_action(world.agents[who], perception, world, mind=mind, seed=seed)
            assert action is not None
            assert (action.id, action.utility_score, action.priority_class) == choice[:3]
        assert fingerprint(world) == before


def minutes(time: Time, *kinds: EventType) -> float:
    """How long a tick lasts in which these happen."""
    if CATASTROPHE in kinds:
        return time.catastrophe
    if {CONFLICT, REVEAL} & set(kinds):
        return time.clash
    return time.exchange if {CONFIDE, LIE, SOCIAL_MOVE} & set(kinds) else time.quiet


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_a_tick_lasts_as_its_gravest_event(name: str, seed: int) -> None:
    """An outburst takes longest, then a clash, an exchange or a move, and the rest: as the rules say, times the evening's
    scale."""
    now = 0.0
    run = watched(name, seed).run
    time = Time(**run.scenario.rules["time"])
    assert time.catastrophe > time.clash > time.exchange > time.quiet
    for count, record in enumerate(run.ticks):
        assert (record.tick, record.minutes) == (count, now)
        assert record.length == run.scenario.evening.time_scale * minutes(
            time, *(event.type for event in record.events)
        )
        now += record.length


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(
    ("kind", "length"),
    [(CHAT, 0.5), (PHYSICAL, 0.5), (SOCIAL_MOVE, 0.75), (CONFIDE, 0.75), (LIE, 0.75), (REVEAL, 1.0), (CONFLICT, 1.0)],
)
def test_what_each_kind_of_act_takes(kind: EventType, length: float) -> None:
    """Each kind of act by itself; a tick in which nothing happens is quiet."""
    world = scene()
    targets = ("eve",) if kind in (CHAT, CONFIDE, LIE, REVEAL, CONFLICT) else ()
    secret = RING if kind in (CONFIDE, LIE, REVEAL) else None
    place, manner = (YARD if kind == SOCIAL_MOVE else None), ("drink" if kind == PHYSICAL else None)
    action = act(world, "ben", kind, *targets, secret=secret, destination=place, manner=manner)
    record = staged(world, [action])
    assert [event.type for event in record.events] == [kind]
    assert (record.length, record.minutes, world.minutes, world.tick) == (length, 0.0, length, 1)
    quiet = staged(scene())
    assert (quiet.length, quiet.events) == (0.5, ())


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_events_say_who_was_there(name: str, seed: int) -> None:
    """Source and targets are in the event's room, its witnesses are all others there, and who overhears is elsewhere."""
    for world, event in walk(watched(name, seed).run):
        if event.type == CLOCK:
            continue  # it may bring or take people
        there = {me.id for me in world.agents.values() if me.location == event.room}
        assert {event.source, *event.targets} <= there
        if "heard" not in event.details:
            assert set(event.witnesses) == there - {event.source, *event.targets}
        for who in event.overheard:
            assert event.room in world.scenario.rooms[world.agents[who].location].overhears
        if event.type == CATASTROPHE:
            assert set(event.targets) == there - {event.source}


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_quiet_thoughts_are_choices_and_no_events(name: str, seed: int) -> None:
    """What nobody could notice and nothing changed by is no event; what was done and can be noticed is one."""
    for record in watched(name, seed).run.ticks:
        sources = Counter(event.source for event in record.events if not event.details.keys() & {"heard", "clock"})
        assert all(count == 1 for count in sources.values())
        for who, choice in record.choices.items():
            gave_way = choice.became != "done"
            word = (choice.became if gave_way else choice.id).split(":")[0]
            if word not in ("internal", "observe"):
                assert who in sources
            elif gave_way or word == "internal":
                assert who not in sources


@pytest.mark.req("DE-17")
def test_what_is_told_is_overheard_by_chance_and_becomes_a_suspicion() -> None:
    """In a room that hears the hall at .5, half of all tellings there make somebody suspect; a lie is never overheard."""
    for drawn, heard in around(0.5):
        world = scene(literal=True)
        world.agents["eve"].location = NOOK
        world.agents["eve"].beliefs[RING] = Belief.UNKNOWN
        with drawing(drawn):
            record = staged(world, [act(world, "ben", REVEAL, "ann", secret=RING)])
        told, *rest = record.events
        assert bool(rest) is heard
        if heard:
            (listening,) = rest
            assert told.overheard == ("eve",)
            assert (listening.type, listening.source, listening.room) == (OBSERVE, "eve", NOOK)
            assert (listening.causes, listening.details, listening.secret) == ((told.id,), {"heard": told.id}, RING)
            assert (listening.order, listening.targets) == (told.order + 1, ())
            assert world.agents["eve"].beliefs[RING] == Belief.SUSPECTS
        else:
            assert world.agents["eve"].beliefs[RING] == Belief.UNKNOWN
    with drawing(0.0):
        quiet = scene(literal=True)
        quiet.agents["eve"].location = NOOK
        assert len(staged(quiet, [act(quiet, "ben", LIE, "ann", secret=RING)]).events) == 1
        assert quiet.agents["eve"].beliefs[RING] == Belief.UNKNOWN
        deaf = scene(literal=True)
        deaf.agents["eve"].location = YARD
        assert len(staged(deaf, [act(deaf, "ben", REVEAL, "ann", secret=RING)]).events) == 1


@pytest.mark.req("DE-17")
def test_who_knows_already_overhears_nothing_new() -> None:
    """A listener who knows or suspects has no event of their own, and is named among those who heard it."""
    heard = set()
    for seed in range(40):
        world = scene()
        world.agents["eve"].location = NOOK
        record = staged(world, [act(world, "dov", REVEAL, "cas", secret=WILL)], seed)
        assert len(record.events) == 1
        heard.add(record.events[0].overheard)
    assert heard == {(), ("eve",)}


@pytest.mark.req("DE-17")
def test_nobody_reacts_within_a_tick() -> None:
    """All choose from the state before the tick: who is told something now does not act on it now."""
    name, seed = DINNER, 12
    mind = mind_of(name)
    for world, record in steps(watched(name, seed).run):
        if len(record.events) > 3 and record.tick % 5 == 0:
            alone = deepcopy(world)
            for who, choice in record.choices.items():
                assert mind.decide(alone, who, seed).id == choice.id


def changes_of(events: tuple[Event, ...], kind: EventType) -> dict[tuple[str, str], float]:
    """Listener and speaker -> how much warmer the one is to the other."""
    return {
        (delta.agent, delta.key): delta.after - delta.before
        for event in events
        if event.type == kind
        for delta in event.deltas
        if delta.kind == "bond" and delta.attribute == "affection"
    }


@pytest.mark.req("DE-08")
@given(st.integers(0, 2**32), st.integers(0, 4))
def test_one_person_less_changes_nobody_elses_luck(seed: int, silent: int) -> None:
    """What a word does between two is drawn for them alone: it is the same whatever a third one does, or if they do."""
    words = [("ann", "ben"), ("cas", "dov"), ("eve", "ann"), ("dov", "eve"), ("ben", "cas")]
    everybody, fewer = scene(literal=True), scene(literal=True)
    all_words = [act(everybody, who, CHAT, whom) for who, whom in words]
    warm = changes_of(staged(everybody, all_words, seed).events, CHAT)
    some = changes_of(staged(fewer, all_words[:silent] + all_words[silent + 1 :], seed).events, CHAT)
    who, whom = words[silent]
    assert len(warm) == 5
    assert some == {pair: value for pair, value in warm.items() if pair != (whom, who)}


@pytest.mark.req("DE-08")
def test_a_guest_more_or_less_changes_nobodys_draws() -> None:
    """Whether one person is in the house or not, the needs of all others begin and grow the same."""
    scenario = scenario_of(DINNER)
    mind = mind_of(DINNER)
    whole = opening(scenario, 9, mind)
    fewer = opening(scenario, 9, mind)
    gone = next(iter(fewer.agents))
    fewer.agents[gone].location = DEPARTED
    assert all(fewer.agents[who].needs == me.needs for who, me in whole.agents.items())
    for world in (whole, fewer):
        staged(world, seed=9)
    for who, me in whole.agents.items():
        if who != gone:
            assert fewer.agents[who].needs == me.needs


@pytest.mark.req("DE-17")
def test_two_may_break_in_one_tick_before_all_else() -> None:
    """Both outbursts come first, in their order; those in their rooms say nothing, and the tick is long."""
    world = scene(threshold_rise=0.0)
    for who, stress in (("ann", 0.9), ("ben", 0.8)):
        pacing = world.agents[who].pacing
        pacing.stress, pacing.commitment, pacing.composure = stress, 1.0, 0.1
    word = act(world, "cas", CHAT, "dov")
    record: TickRecord = staged(world, [word, act(world, "eve", SOCIAL_MOVE, destination=YARD)])
    assert [(event.type, event.source) for event in record.events] == [
        (CATASTROPHE, "ann"),
        (CATASTROPHE, "ben"),
        (SOCIAL_MOVE, "eve"),
    ]
    assert (record.length, world.catastrophes) == (1.5, 2)
    assert set(record.choices) == {"cas", "dov", "eve"}
    assert record.choices["cas"][3:] == ("observe:room", "hushed")
    assert [world.agents[who].pacing.recovery_timer for who in PEOPLE] == [8, 8, 0, 0, 0]
    assert world.agents["cas"].location == HALL


def test_a_custom_mind_may_be_given() -> None:
    """A stage without a custom `decide` uses the mind of its scenario."""
    world = scene()
    stage = Stage(world, Mind(world.scenario), 1, Causes())
    record = stage.tick()
    assert set(record.choices) == set(PEOPLE)
    assert stage.count == len(record.events)
