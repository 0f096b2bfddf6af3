"""How phrases are chosen: by what holds at a moment, by keyed chance, and without repeating what was said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.drama.audience.evenings import evening, event
from tests.drama.evening.casts import shipped
from tests.drama.party import AFFAIR, EMBEZZLE, party
from volition.drama.audience.blocks import arrange
from volition.drama.audience.chronicle import Chronicle
from volition.drama.audience.moment import facts_of, moods, phase
from volition.drama.audience.narrator import TemplateNarrator, transcript
from volition.drama.audience.thoughts import thinkers_of
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFIDE, CONFLICT, PHYSICAL, REVEAL, SOCIAL_MOVE, Belief
from volition.drama.stage.replay import unfold
from volition.drama.words.phrasebook import add_layer
from volition.drama.world.wording import phrases_of, terms_of

LYDIA_KNOWS = "secret_lydia_knows"
VICTOR_WRITES = "secret_victor_investigation"


def test_what_holds_at_a_moment() -> None:
    """The facts of a moment are those of the state, the scenario and what has happened so far."""
    world, past = begin(shipped("dinner-party")), Chronicle()
    happened = event(CHAT, "thorne", "elena", minutes=120.0)
    secret = world.scenario.secrets[AFFAIR]
    facts = facts_of(world, happened, past, "thorne", "elena", secret)
    assert facts["relation"] == {"spouse"}
    assert facts["resident"] == facts["whom_resident"] == {"true"}
    assert [set(facts[key]) for key in ("knows", "whom_knows", "about")] == [{"unknown"}, {"holds"}, {"whom"}]
    assert [set(facts[key]) for key in ("served", "wine", "past", "phase")] == [set(), set(), {"calm"}, {"late"}]
    assert {"gathering", "public", "table"} <= facts["place"]
    assert facts["alone"] == facts["again"] == set()
    for one in (
        event(PHYSICAL, "thorne", manner="serve"),
        event(CONFLICT, "victor", "marcus", witnesses=("thorne",)),
        event(CATASTROPHE, "lydia", overheard=("thorne",)),
        event(PHYSICAL, "lydia", manner="leave"),
        happened,
    ):
        past.add(one)
    later = facts_of(world, happened, past, "thorne", "elena")
    assert later["served"] == later["wine"] == later["again"] == {"true"}
    assert later["past"] == {"quarrel", "outburst", "departure"}


def test_moods_and_phases() -> None:
    """A mood shows above its threshold, and calm is the lack of unrest."""
    me = begin(party()).agents["marcus"]
    assert "calm" in moods(me)
    me.emotions["anger"], me.alcohol = 0.9, 0.9
    assert {"angry", "tipsy"} <= moods(me)
    assert "calm" not in moods(me)
    tables = party()
    assert [phase(minutes, tables) for minutes in (0.0, 60.0, 149.0)] == ["early", "middle", "late"]


def test_conditions_choose_among_phrasings() -> None:
    """A phrase with a condition is used where it holds and nowhere else."""
    tables = shipped("dinner-party")
    data = {
        "replace": ["chat.plain", "talk.plain"],
        "chat": {"plain": ['{who} to {whom}: "{line}" "{reply}"']},
        "talk": {"plain": [["Anything.", "Yes."], {"when": {"who": "thorne", "whom": "lydia"}, "say": [["Only to you.", "Yes."]]}]},
    }  # fmt: skip
    book = add_layer(phrases_of(tables), data, terms_of(tables), "mine")
    world = begin(tables)
    to_lydia = {TemplateNarrator(seed, book).tell(world, event(CHAT, "thorne", "lydia"))[0] for seed in range(30)}
    assert any("Only to you" in text for text in to_lydia)
    others = [TemplateNarrator(seed, book).tell(world, event(CHAT, "thorne", "diana"))[0] for seed in range(30)]
    assert not any("Only to you" in text for text in others)


@pytest.mark.req("DE-34")
def test_the_words_of_a_pair_come_first() -> None:
    """Of lines that fit and are new, some for this speaker and listener come before those of a voice, and these before others."""
    tables = shipped("dinner-party")
    pair = {"when": {"who": "thorne", "whom": "lydia"}, "say": [[f"Pair {n}.", "Yes."] for n in range(12)]}
    voice = {"when": {"voice": "grand"}, "say": [[f"Voice {n}.", "Yes."] for n in range(40)]}
    general = [[f"General {n}.", "Yes."] for n in range(12)]
    data = {
        "replace": ["chat.plain", "talk.plain"],
        "chat": {"plain": ['{who} to {whom}: "{line}" "{reply}"']},
        "talk": {"plain": [pair, *general, voice]},
    }
    book, world = add_layer(phrases_of(tables), data, terms_of(tables), "mine"), begin(tables)
    for seed in range(20):
        for whom, first, later in (("lydia", "Pair", "Voice"), ("diana", "Voice", "General")):
            narrator = TemplateNarrator(seed, book)
            said = [narrator.tell(world, event(CHAT, "thorne", whom, id=f"e{n}"))[0].split('"')[1] for n in range(14)]
            kinds = [line.split()[0] for line in said if line.split()[0] in (first, later)]
            assert kinds[0] == first


@pytest.mark.req("DE-34")
def test_a_gesture_is_told_otherwise_the_next_time() -> None:
    """No phrase of a gesture is used again for the same two people while one that they have not had fits."""
    world, narrator = begin(shipped("dinner-party")), TemplateNarrator(4)
    for manner in ("shun", "comfort"):
        pool = phrases_of(world.scenario).pool(f"physical.{manner}")
        told: dict[str, list[str]] = {"thorne": [], "victor": []}
        for number in range(3 * len(pool)):
            who = "thorne" if number % 3 == 0 else "victor"
            shuns = event(PHYSICAL, who, "diana", manner=manner, id=f"{manner}{number}")
            narrator.tell(world, shuns)
            (frame,) = [used.text for used in narrator.said if used.speaker is None]
            told[who].append(frame)
        fitting = len(set(told["victor"]))
        assert fitting >= 8
        assert len(set(told["thorne"][:fitting])) == len(told["thorne"][:fitting])


def test_a_familiar_name_is_for_those_who_are_close() -> None:
    """People close to somebody use the familiar name when they speak; the narrator and others do not."""
    tables = shipped("dinner-party")
    data = {
        "replace": ["talk.sides", "chat.sides"],
        "talk": {"sides": ["Come, {whom}."]},
        "chat": {"sides": ['{who}, {whom}: "{line}"']},
    }
    book = add_layer(phrases_of(tables), data, terms_of(tables), "mine")
    wife = TemplateNarrator(1, book).tell(begin(tables), event(CHAT, "elena", "thorne", details={"sides": True}))
    assert wife == ['Elena, Thorne: "Come, James."']
    clerk = TemplateNarrator(1, book).tell(begin(tables), event(CHAT, "lydia", "thorne", details={"sides": True}))
    assert clerk == ['Lydia, Thorne: "Come, Thorne."']


def test_nobody_says_a_truth_that_names_the_listener_as_a_third() -> None:
    """A secret that names its listener or its speaker is never quoted as the scenario words it."""
    tables = replace(shipped("dinner-party"), phrases={})
    words, book = tables.secrets[EMBEZZLE].description, phrases_of(tables)
    for seed in range(40):
        for kind in (REVEAL, CONFIDE):
            told = TemplateNarrator(seed, book).tell(begin(tables), event(kind, "thorne", "marcus", secret=EMBEZZLE))[0]
            assert f'"{words}' not in told
            assert words in told


def test_a_confession_is_in_the_words_of_who_makes_it() -> None:
    """A secret that names its teller is told in the teller's own words, wherever the scenario has any."""
    tables = shipped("dinner-party")
    words, book = tables.secrets[LYDIA_KNOWS].description, phrases_of(tables)
    for seed in range(20):
        told = TemplateNarrator(seed, book).tell(begin(tables), event(CONFIDE, "lydia", "thorne", secret=LYDIA_KNOWS))[
            0
        ]
        assert words not in told
        assert '"' in told


def test_nobody_thinks_of_themself_by_name() -> None:
    """What a secret is about does not name who acts or the person acted on, where it can be said otherwise."""
    tables = shipped("dinner-party")
    book = phrases_of(tables)
    for seed in range(30):
        told = TemplateNarrator(seed, book).tell(
            begin(tables), event(CHAT, "marcus", "victor", details={"known": VICTOR_WRITES})
        )
        assert told[0].count("Victor") - told[0].count("Victor's") <= 2
        assert "why Victor came" not in told[0]


def test_the_reader_is_told_where_they_are() -> None:
    """A change of room is announced, unless the reader has just seen the person go there; coming back is seen as well."""
    tables = shipped("dinner-party")
    narrator, world = TemplateNarrator(3), begin(tables)
    narrator.heading(world, event(CHAT, "thorne", "elena"))
    leaves = event(SOCIAL_MOVE, "lydia", destination="balcony")
    air = event(PHYSICAL, "lydia", room="balcony", manner="air")
    assert not narrator.tell(world, leaves)[0].startswith("*")
    assert not narrator.tell(world, air)[0].startswith("*")
    back_to_talk = narrator.tell(world, event(CHAT, "thorne", "elena"))[0]
    assert back_to_talk.startswith("*")
    assert narrator.tell(world, air)[0].startswith("*The balcony.*")
    returns = event(SOCIAL_MOVE, "lydia", room="balcony", destination="dining_table")
    assert not narrator.tell(world, returns)[0].startswith("*")
    assert not narrator.tell(world, event(CHAT, "thorne", "elena"))[0].startswith("*")


def test_thoughts_are_told() -> None:
    """Some of those who chose to keep to themselves have their thoughts told, in the room where something happens."""
    played = evening()
    narrator, world, told = TemplateNarrator(played.seed), played.opening_state(), []
    read = {one.id for block in arrange(played) for one in block.events}
    for record in played.ticks:
        for happened in unfold(world, record):
            narrator.tell(world, happened)
            thinkers = thinkers_of(world, record, happened)
            for thought in narrator.think(world, happened, thinkers) if happened.id in read else ():
                told.append(thought)
                assert any(narrator_name in thought for narrator_name in _names(played.scenario, thinkers))
            assert all(record.choices[who].id == "internal" for who in thinkers)
            assert not {happened.source, *happened.targets} & set(thinkers)
    assert 4 <= len(told) <= 40
    whole = transcript(played)
    assert all(thought in whole for thought in told)


def _names(tables: object, people: list[str]) -> list[str]:
    from volition.drama.audience.prose import short_names

    return [short_names(tables)[who] for who in people]  # type: ignore[arg-type]


def test_a_thought_knows_no_more_than_its_thinker() -> None:
    """A thought about a secret is only had by somebody who has heard of it."""
    played = evening()
    narrator, world = TemplateNarrator(played.seed), played.opening_state()
    for record in played.ticks:
        for happened in unfold(world, record):
            narrator.tell(world, happened)
            before = len(narrator.said)
            narrator.think(world, happened, thinkers_of(world, record, happened))
            for used in narrator.said[before:]:
                if used.pool == "thought.secret":
                    (who,), (secret,) = used.facts["who"], used.facts["secret"]
                    assert world.agents[who].beliefs[secret] != Belief.UNKNOWN
