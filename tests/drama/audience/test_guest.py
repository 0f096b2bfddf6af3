"""What a guest is told: everything that they may do and have seen, and nothing that they do not know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from tests.drama.audience.evenings import SCENARIOS, evening, event, told_of
from tests.drama.evening.casts import shipped
from volition.drama.audience.blocks import arrange
from volition.drama.audience.guest import _KINDS as KINDS
from volition.drama.audience.guest import Hearing, describe_seen
from volition.drama.audience.introduction import describe_knowledge, describe_scene
from volition.drama.audience.offers import describe_act, describe_outcome, group_act
from volition.drama.evening.names import names_of
from volition.drama.evening.world import begin
from volition.drama.mind.mind import Mind
from volition.drama.playing.guest import Attendance
from volition.drama.rules.catalog import CHAT, CLOCK, CONFIDE, INTERNAL, LIE, OBSERVE, REVEAL, Belief
from volition.drama.stage.causes import Causes
from volition.drama.stage.events import Choice
from volition.drama.stage.replay import walk
from volition.drama.stage.stage import Stage

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run


ALL_SCENARIOS = (*SCENARIOS, "night-tide")


def is_stated(one: Event, secret: str) -> bool:
    """Whether an event says a secret before everybody who is there."""
    aloud = one.secret if one.type in (REVEAL, CLOCK) else None
    accused = one.details.get("about") if one.details.get("stated") and "wrong" not in one.details else None
    harm = one.details.get("about") if one.details.get("wrong") == "harm" and one.details.get("stated") else None
    return secret in (aloud, accused, harm, one.details.get("forced"), one.details.get("told"))


@pytest.mark.req("DE-28", "DE-16", "DE-30")
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", ALL_SCENARIOS)
def test_no_secret_is_named_to_somebody_who_does_not_know_it(name: str, seed: int) -> None:
    """Whatever happens in an evening, what anybody is told of it, words that were said included, names no secret that they
    do not know after it and that was not stated before them, and no lie as a lie; of what they did not see they are told
    nothing."""
    run = evening(name, seed)
    secrets, told, quoted = run.scenario.secrets, 0, 0
    hearing = Hearing(run.seed)
    for world, one in walk(run):
        everything = hearing.hear(world, one, run.scenario.people)
        for who, me in world.agents.items():
            learned = {delta.key: delta.after for delta in one.deltas if (delta.kind, delta.agent) == ("belief", who)}
            there = who in (*one.participants, *one.witnesses)
            heard = everything.get(who)
            text = "" if heard is None else "\n".join(heard.lines(run.scenario, who))
            told += bool(text)
            quoted += heard is not None and bool(heard.quotes) and who not in one.participants
            for secret in secrets.values():
                knows = learned.get(secret.id, me.beliefs[secret.id]) == Belief.BELIEVES_TRUE
                stated = there and is_stated(one, secret.id)
                assert knows or stated or secret.description.rstrip(".") not in text, (one.id, who, text)
                never = me.beliefs[secret.id] == Belief.UNKNOWN and secret.id not in learned and not stated
                assert not (never and KINDS[secret.content] in text and _only_one(run, secret.content))
            assert there or learned or not text
    assert told > len(run.events)
    assert quoted > 10


@pytest.mark.req("DE-28")
def test_what_is_said_at_the_same_table_is_heard() -> None:
    """Of every event in their room somebody hears who did what to whom, and the words; of a confidence between others only
    that there was one, and of a question or a lie between others nothing of its words, unless they know or suspect it."""
    run, seen = evening(), set[str]()
    hearing = Hearing(run.seed)
    for world, one in walk(run):
        everything = hearing.hear(world, one, run.scenario.people)
        for who in run.scenario.people:
            heard = everything.get(who)
            if who not in one.witnesses or one.type in (OBSERVE, INTERNAL):
                continue
            assert heard is not None
            assert (heard.who, heard.whom, heard.kind) == (one.source, one.targets, one.type.name)
            private = one.secret if one.type == LIE else one.details.get("question")
            understands = private is None or world.agents[who].beliefs[private] in (
                Belief.SUSPECTS,
                Belief.BELIEVES_TRUE,
            )
            if one.type == CONFIDE or not understands:
                assert (heard.quotes, heard.subject) == ((), "")
                seen.add("closed")
            elif heard.quotes:
                assert {quote.speaker for quote in heard.quotes} <= {*one.participants}
                seen.add(one.type.name)
    assert {"closed", "CHAT", "CONFLICT"} <= seen


def _only_one(run: Run, content: str) -> bool:
    return sum(secret.content == content for secret in run.scenario.secrets.values()) == 1


@pytest.mark.req("DE-28")
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_act_has_words(name: str) -> None:
    """Every act of a scenario is described, each differently, with names and not with ids."""
    played = shipped(name)
    names = names_of(played)
    who, room = names.people[0], played.evening.gathering
    acts = names.actions(range(len(names.acts)), who, room, 0b110)
    words = [describe_act(played, act) for act in acts]
    assert len(set(words)) == len(words)
    assert not any(secret in text for secret in played.secrets for text in words)


@pytest.mark.req("DE-28")
def test_a_guest_knows_where_they_are_and_what_they_know(told: Told) -> None:
    """The scene and the knowledge of an offer, in words; an act that gave way says why."""
    party = shipped("dinner-party")
    stage = Stage(begin(party), Mind(party), 1, Causes())
    offer = stage.offer("lydia")
    assert offer is not None
    known = "\n".join(describe_knowledge(party, offer))
    assert "lovers" not in known
    told(describe_scene(party, offer), known)
    act = offer.act("chat:elena")
    assert describe_outcome(party, act, "lydia", Choice("chat:elena", 1.0, 2), shows=True) == ""
    gave_way = Choice("chat:elena", 1.0, 2, "internal", "engaged")
    told(describe_outcome(party, act, "lydia", gave_way, shows=True))


def test_a_question_is_only_as_clear_as_one_knows(told: Told) -> None:
    """Who is asked about something unknown does not learn what it is; who knows it is told; a witness hears nothing."""
    world = begin(shipped("dinner-party"))
    asked = event(CHAT, "lydia", "marcus", details={"question": "secret_affair_01"}, witnesses=("thorne",))
    other = structs.replace(asked, targets=("thorne",), witnesses=())
    seen = [("marcus", asked), ("thorne", asked), ("thorne", other), ("lydia", other)]
    (knowing,), (witness,), (unknowing,), (asking,) = (describe_seen(world, one, who) for who, one in seen)
    assert ["lovers" in line for line in (knowing, witness, unknowing, asking)] == [True, False, False, False]
    assert ["Elena" in line for line in (witness, unknowing, asking)] == [False, False, True]
    told(knowing, witness, unknowing, asking)
    assert describe_seen(world, other, "victor") == []


@pytest.mark.req("DE-28")
def test_a_guest_hears_the_words_of_the_transcript() -> None:
    """The words that a guest hears are those that the transcript quotes, wherever it tells of the event, also where the
    evening was put down and continued."""
    run = evening()
    begun = replace(run, ticks=run.ticks[:20], ending=None)
    whole, later = Attendance(replace(begun, ticks=()), "victor"), Attendance(begun, "victor")
    text, quotes = told_of(), 0
    read = {one.id for block in arrange(run) for one in block.events}
    for record in run.ticks:
        lived = whole.live(record)
        if record.tick >= 20:
            assert later.live(record) == lived
        for of, quote in ((heard.event, quote) for heard in lived.heard for quote in heard.quotes):
            quotes += 1
            assert of not in read or quote.text.rstrip(".,!?") in text
    assert quotes > 10


@pytest.mark.req("DE-28")
def test_acts_are_listed_with_those_like_them() -> None:
    """Every act of an offer has a group, and a separate place in it."""
    party = shipped("dinner-party")
    offer = Stage(begin(party), Mind(party), 1, Causes()).offer("marcus")
    assert offer is not None
    listed = [group_act(party, act) for act in offer.acts]
    assert len(set(listed)) == len(listed)
    assert ("talk to", "everybody", "") in listed
    assert ("go to", "the kitchen", "") in listed
    assert {verb for verb, _, about in listed if about} <= {"say it aloud to", "confide in", "deny it to", "confront"}
