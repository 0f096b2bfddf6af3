"""Quarrels have subjects, secrets imply others, and a wrong owes a scene: laws over whole evenings."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.casts import shipped
from tests.drama.evening.logged import play_logged
from volition.drama.evening.building import build_tables
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CLOCK, COMFORT, CONFIDE, CONFLICT, LIE, PHYSICAL, Belief
from volition.drama.stage.replay import steps, unfold
from volition.drama.world.scenario import scenario_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run

SEEDS = range(901, 903)
BELIEVED = (Belief.BELIEVES_TRUE, Belief.SUSPECTS)
SETTLING = ("forgive", "break_with")
"""How a wrong is settled without a quarrel."""


@cache
def runs() -> tuple[Run, ...]:
    """Some evenings of every scenario that ships."""
    return tuple(play_logged(shipped(name), seed, compiled=True) for name in scenario_names() for seed in SEEDS)


def moments() -> Iterator[tuple[WorldState, Event]]:
    """Every event of these evenings, with the state before it; the state after it is there at the next one."""
    for run in runs():
        world = run.opening_state()
        for record in run.ticks:
            for event in unfold(world, record):
                yield world, event


def after(world: WorldState, event: Event, who: str, secret: str) -> int:
    """What `who` believes of a secret after an event."""
    changed = [d.after for d in event.deltas if d.kind == "belief" and (d.agent, d.key) == (who, secret)]
    return changed[-1] if changed else world.agents[who].beliefs[secret]


def events() -> Iterator[Event]:
    """Every event of these evenings."""
    for run in runs():
        yield from run.events


@cache
def scenes() -> tuple[tuple[WorldState, Event], ...]:
    """Every quarrel and outburst of these evenings, and whatever else wrongs somebody or settles a wrong, with the state
    before it, to be read and not written."""
    return tuple((world.copy(), event) for world, event in moments() if is_scene(event))


def is_scene(event: Event) -> bool:
    settles = event.manner in SETTLING or any(delta.kind == "wrong" for delta in event.deltas)
    return event.type in (CONFLICT, CATASTROPHE) or settles


def quarrels() -> Iterator[tuple[WorldState, Event]]:
    """Every quarrel of these evenings, likewise."""
    return ((world, event) for world, event in scenes() if event.type == CONFLICT)


@cache
def decided() -> tuple[tuple[WorldState, Event], ...]:
    """Every quarrel, forgiving and break of these evenings, with the state that they were chosen in, likewise."""
    found: list[tuple[WorldState, Event]] = []
    for run in runs():
        for world, record in steps(run):
            chosen = [event for event in record.events if event.type == CONFLICT or event.manner in SETTLING]
            before = world.copy() if chosen else world
            found += [(before, event) for event in chosen]
    return tuple(found)


@pytest.mark.req("DE-30")
def test_whoever_hears_it_stated_knows_or_suspects_it() -> None:
    """After a quarrel in which a secret is stated or admitted, nobody who was there is unaware of it."""
    stated = [(world, event) for world, event in quarrels() if event.details.get("stated")]
    assert stated
    for world, event in stated:
        secret = event.details["about"]
        for who in (event.source, *event.targets, *event.witnesses):
            assert after(world, event, who, secret) in BELIEVED, (event.id, who)


@pytest.mark.req("DE-30")
def test_who_only_suspects_hints() -> None:
    """Nobody states what they do not know: a secret is stated by who knows it, or admitted by the accused."""
    hints = 0
    for world, event in quarrels():
        if "about" not in event.details or event.details.get("wrong") in ("attack", "exposure"):
            continue
        knows = world.agents[event.source].beliefs[event.details["about"]] == Belief.BELIEVES_TRUE
        assert event.details["stated"] == (knows or "forced" in event.details), event.id
        hints += not knows
    assert hints


@pytest.mark.req("DE-30")
def test_a_hint_makes_nobody_know() -> None:
    """What is only hinted at is suspected at most: nobody learns a secret from somebody who does not know it."""
    for _, event in quarrels():
        if event.details.get("stated") is False:
            learned = {d.agent for d in event.deltas if d.kind == "belief" and d.after == Belief.BELIEVES_TRUE}
            assert not learned, event.id


@pytest.mark.req("DE-30")
def test_the_subject_is_part_of_the_choice() -> None:
    """Whoever confronted somebody about something chose to: the id of the act names the secret, or the wrong."""
    for run in runs():
        for record in run.ticks:
            for event in record.events:
                if event.type == CONFLICT:
                    choice, details = record.choices[event.source].id, event.details
                    subject = "wrong:" if "wrong" in details else f"{details['about']}:" if "about" in details else ""
                    assert choice == f"conflict:{subject}{event.targets[0]}", event.id


@pytest.mark.req("DE-31")
def test_what_is_implied_is_believed_at_once() -> None:
    """Whoever learns a secret believes, after the same event, all that it implies; a lie may shake what is suspected."""
    implied = {run.scenario.id: build_tables(run.scenario).implied for run in runs()}
    followed = 0
    for world, event in moments():
        secrets = list(world.scenario.secrets)
        for delta in event.deltas:
            if delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE:
                for other, least in zip(secrets, implied[world.scenario.id][secrets.index(delta.key)], strict=True):
                    if least:
                        wanted = BELIEVED[:1] if least == Belief.BELIEVES_TRUE else BELIEVED
                        assert after(world, event, delta.agent, other) in wanted, (event.id, delta.agent, other)
                        followed += 1
    assert followed


@pytest.mark.req("DE-32")
def test_no_kind_word_before_the_scene() -> None:
    """While a wrong is open, who suffered it neither chats with, confides in nor comforts who did it."""
    open_wrongs = 0
    for world, event in moments():
        kind_word = event.type in (CHAT, CONFIDE) or (event.type == PHYSICAL and event.manner == COMFORT)
        wrongs = world.agents[event.source].stung
        open_wrongs += len(wrongs)
        if kind_word and len(event.targets) == 1 and "known" not in event.details:
            assert event.targets[0] not in wrongs, event.id
    assert open_wrongs


@pytest.mark.req("DE-32")
def test_forgiving_takes_time_fondness_and_clean_hands() -> None:
    """Nobody forgives at once, nor somebody of whom they are not fond; who has wronged the other forgives them nothing."""
    manners = set[str | None]()
    for world, event in decided():
        if event.manner in SETTLING:
            manners.add(event.manner)
            me, (other,), rules = world.agents[event.source], event.targets, world.scenario.rules
            assert other not in me.wronged, event.id
            if event.manner == "forgive":
                if other in me.stung:
                    waited, least = event.minutes - me.stung[other], rules["situation"]["forgive_minutes"]
                else:
                    waited, least = event.tick - me.confronted[other], rules["departures"]["ground_ticks"]
                assert waited >= least, event.id
                assert me.bonds[other].affection > 0.0, event.id
    assert manners == {*SETTLING}


@pytest.mark.req("DE-30")
def test_a_quarrel_about_nothing_is_not_repeated() -> None:
    """Two people who have just quarrelled do not quarrel again unless there is a subject."""
    for run in runs():
        last: dict[frozenset[str], int] = {}
        span = run.scenario.rules["departures"]["ground_ticks"]
        for event in run.events:
            if event.type == CONFLICT:
                pair = frozenset(event.participants)
                assert "about" in event.details or event.tick - last.get(pair, -span - 2) >= span, event.id
                last[pair] = event.tick


@pytest.mark.req("DE-30")
def test_nobody_asks_the_same_again_and_again() -> None:
    """A question that was put and not answered is not put again to the same person before some time has passed."""
    for run in runs():
        last: dict[tuple[str, str, str], int] = {}
        span = run.scenario.rules["memory"]["asking"]
        for event in run.events:
            if (secret := event.details.get("question")) is not None:
                put = (event.source, event.targets[0], secret)
                assert event.tick - last.get(put, -span - 2) > span, event.id
                last[put] = event.tick
            elif event.type == LIE and event.secret is not None:
                last.pop((event.targets[0], event.source, event.secret), None)


@pytest.mark.req("DE-33")
def test_the_clock_brings_what_is_new_where_people_are() -> None:
    """News of the clock is news to somebody there, and a thing changes hands between two people in one room."""
    told = handed = 0
    for world, event in moments():
        if event.type == CLOCK and event.secret is not None:
            heard = (event.source, *event.targets)
            assert any(world.agents[who].beliefs[event.secret] != Belief.BELIEVES_TRUE for who in heard), event.id
            told += 1
        if event.type == CLOCK and any(delta.kind == "carries" for delta in event.deltas):
            assert len({world.agents[who].location for who in event.participants}) == 1, event.id
            handed += 1
    assert told
    assert handed


@pytest.mark.req("DE-32")
def test_a_wrong_ends_with_a_scene_about_it() -> None:
    """A wrong is closed by confronting over it, by forgiving, by breaking, or by leaving: by nothing else."""
    ways = set()
    for event in events():
        for delta in event.deltas:
            if delta.kind == "stung" and delta.after is None:
                left = event.manner == "leave" and delta.agent == event.source
                settled = event.source == delta.agent and event.targets == (delta.key,) and "wrong" in event.details
                assert left or settled, event.id
                ways.add(event.manner or event.type.name)
    assert ways >= {"wrong", "forgive", "break_with", "leave"}


def test_a_row_next_door_strains_only_those_who_overhear_it() -> None:
    """The stress of a quarrel or an outburst is felt by those in it, around it, and those who overheard it."""
    for event in events():
        if event.type.name in ("CONFLICT", "CATASTROPHE"):
            strained = {strain.agent for strain in event.strains if strain.reason in ("conflict", "catastrophe")}
            near = {event.source, *event.targets, *event.witnesses, *event.overheard}
            assert {strain for strain in strained if strain} <= near, event.id
