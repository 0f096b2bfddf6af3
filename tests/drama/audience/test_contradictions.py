from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from tests.drama.audience.evenings import SCENARIOS, evening, event, spoken_lines
from tests.drama.party import AFFAIR, party
from volition.drama.audience.composer import UsedPhrase
from volition.drama.audience.contradictions import (
    contradictions,
    loose_words_of,
    reasons_against,
    sides_of,
    slips_in,
)
from volition.drama.audience.narrator import transcript
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CHAT, LIE, PHYSICAL
from volition.drama.words.people import PRONOUNS
from volition.drama.words.phrasebook import add_layer
from volition.drama.world.scenario import scenario
from volition.drama.world.wording import phrases_of, terms_of

LYDIA_KNOWS = "secret_lydia_knows"
TOLD = (*SCENARIOS, "night-tide")


@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("seed", [1, 2])
def test_no_words_contradict_their_moment(name: str, seed: int) -> None:
    """Nothing that is said or told contradicts who says it, to whom, where or when."""
    assert list(map(str, contradictions(evening(name, seed)))) == []


@pytest.mark.parametrize("name", TOLD)
def test_no_phrase_could_contradict_a_moment(name: str) -> None:
    """No phrase of a shipped scenario uses a word, or a name, without making sure that it fits."""
    assert list(map(str, loose_words_of(scenario(name)))) == []


@pytest.mark.parametrize("name", TOLD)
def test_what_people_say_is_varied(name: str) -> None:
    """In an evening hardly a line comes twice; in two, four of five are different ones, and none is one in a hundred."""
    told = [transcript(evening(name, seed)) for seed in (1, 2)]
    for lines in map(spoken_lines, told):
        assert len(lines) >= 0.95 * lines.total()
    lines = spoken_lines(*told)
    assert len(lines) >= 0.8 * lines.total()
    assert max(lines.values()) <= max(3, 0.01 * lines.total())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Pass the bread.", "food"),
        ("Come back to the table.", "furniture"),
        ("Victor is late.", "victor speaks of Victor"),
        ("Marcus's name is on it.", "marcus is spoken to"),
        ("Marcus is a thief.", "marcus is spoken to"),
        ("Did you know? Elena and Marcus are lovers.", "does not know"),
    ],
)
def test_a_planted_contradiction_is_found(text: str, why: str) -> None:
    """Words that fit neither speaker, listener, place nor moment are found, with the reason."""
    world = begin(scenario("dinner-party"))
    used = UsedPhrase(event(CHAT, "victor", "marcus", "balcony"), "talk.plain", text, {}, "victor", "marcus")
    assert any(why in reason for reason in reasons_against(world, used))
    assert list(reasons_against(world, structs.replace(used, text="Well, Marcus?"))) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('"Who is there?" says Ann.', "a question is said"),
        ('"Who is there?" asks Ann to Ben.', "asked to somebody"),
        ("Ann knows how bad she's at this.", "shortened"),
        ("Ann goes to the the door.", "twice"),
        ("Ann goes to the door. .", "punctuation"),
        ("There is certain evenings to wonder about.", "plural"),
        ("Ann has stopped smiling. Ann sits down.", "two sentences running"),
    ],
)
def test_a_slip_is_found(text: str, why: str) -> None:
    """What is wrong in any paragraph is found in the text alone, and a paragraph without slips passes."""
    everybody = {"Ann": PRONOUNS["she"], "Ben": PRONOUNS["he"]}
    assert any(why in slip for slip in slips_in(text, everybody))
    right = 'Ann has stopped smiling. She sits down. "Who is there? ... Nobody." "Ann?" asks Ben. Ann looks at Ben. Ann nods.'
    assert list(slips_in(right, everybody)) == []


def test_a_toast_needs_somebody() -> None:
    """A toast that is proposed to an empty room is found."""
    alone = {"alone": frozenset({"true"})}
    toast = UsedPhrase(event(PHYSICAL, "elena"), "toast.lines", "To peace!", alone, "elena", there=("elena",))
    world = begin(scenario("dinner-party"))
    assert any("nobody is there" in why for why in reasons_against(world, toast))
    assert list(reasons_against(world, structs.replace(toast, facts={}))) == []


def test_an_ending_is_read_too() -> None:
    """Words of an ending that do not fit what happened are found: here, that nobody had left."""
    played = next(evening(name, seed) for name in TOLD for seed in (1, 2) if len(evening(name, seed).left) > 1)
    assert played.ending is not None
    pool = f"ending.{played.ending.kind}"
    data = {
        "replace": [pool],
        "ending": {played.ending.kind: ["At the end they are closer together than at the beginning."]},
    }
    book = add_layer(phrases_of(played.scenario), data, terms_of(played.scenario), "planted")
    assert any(one.pool == pool and "those who left" in one.why for one in contradictions(played, book))


def test_the_words_of_those_whose_secret_it_is_are_theirs() -> None:
    """Whoever lies about somebody else's secret is found out if they use the words of those who hold it."""
    world = begin(scenario("dinner-party"))
    used = UsedPhrase(
        event(LIE, "diana", "thorne"), f"secrets.{AFFAIR}.denied", "Ask me.", {"secret": frozenset({AFFAIR})}
    )
    assert list(reasons_against(world, structs.replace(used, speaker="elena"))) == []
    assert any("as if it were theirs" in why for why in reasons_against(world, structs.replace(used, speaker="diana")))
    told = structs.replace(used, pool=f"secrets.{AFFAIR}.covered")
    assert any("somebody else's" in why for why in reasons_against(world, structs.replace(told, speaker="elena")))
    assert list(reasons_against(world, structs.replace(told, speaker="diana"))) == []


def test_people_who_are_elsewhere_are_found() -> None:
    """Whoever is spoken of as being there is there, and whoever is addressed is the one who listens."""
    world = begin(scenario("dinner-party"))
    world.agents["marcus"].location = "balcony"
    told = UsedPhrase(event(CHAT, "victor", "elena"), "chat.plain", "Marcus nods.", {}, there=("victor", "marcus"))
    assert list(reasons_against(world, told)) == ["marcus is not in the room"]
    assert list(reasons_against(world, structs.replace(told, there=("victor", "elena")))) == []
    said = UsedPhrase(event(CHAT, "victor", "elena"), "talk.plain", "You are tired, James.", {}, "victor", "elena")
    assert list(reasons_against(world, said)) == ["thorne is addressed, and elena is listening"]
    assert list(reasons_against(world, structs.replace(said, listener="thorne"))) == []


def test_nobody_accuses_on_their_own_behalf_as_of_another() -> None:
    """An accusation that speaks of the person wronged as 'him' is found if that person could make it."""
    tables = scenario("dinner-party")
    line = {"secrets": {LYDIA_KNOWS: {"accused": ["You typed his letters."]}}}
    book = add_layer(phrases_of(tables), line, terms_of(tables), "planted")
    assert [loose.word for loose in loose_words_of(tables, book)] == ["his"]


def test_planted_lines_are_found_in_an_evening() -> None:
    """A phrase without its condition is found before any evening is played, and in the evenings where it is used."""
    played = evening()
    lines = [["Pass the bread, Diana's bread.", "Soup."]]
    data = {"replace": ["talk.plain", "talk.warm"], "talk": {"plain": lines, "warm": lines}}
    book = add_layer(phrases_of(played.scenario), data, terms_of(played.scenario), "planted")
    assert {loose.word for loose in loose_words_of(played.scenario, book)} >= {"bread", "Soup", "Diana Forrest"}
    found = {one.why for one in contradictions(played, book)}
    assert any("food" in why for why in found)
    assert any("Diana" in why for why in found)


def test_who_could_say_a_line() -> None:
    """Holders confess and deny, others ask, accuse and tell; conditions narrow it down."""
    tables = party()
    holders = set(tables.secrets[AFFAIR].holders)
    assert sides_of(f"secrets.{AFFAIR}.confessed", (), tables)[0] == holders
    assert sides_of(f"secrets.{AFFAIR}.asked", (), tables) == (set(tables.people) - holders, holders)
    assert sides_of("talk.group", (), tables) == (set(tables.people), set())


def test_nobody_speaks_before_the_first_tick() -> None:
    """A transcript of an evening without ticks has no spoken lines."""
    assert not spoken_lines(transcript(replace(evening(), ticks=(), ending=None)))
