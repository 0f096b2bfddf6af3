from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from tests.drama.audience.evenings import SCENARIOS, evening, event, spoken_lines, told_of
from tests.drama.evening.casts import shipped
from tests.drama.party import AFFAIR, party
from volition.drama.audience.chronicle import Chronicle
from volition.drama.audience.composer import UsedPhrase
from volition.drama.audience.contradictions import (
    contradictions,
    loose_words_of,
    reasons_against,
    sides_of,
    slips_in,
)
from volition.drama.audience.moment import facts_of
from volition.drama.audience.narrator import TemplateNarrator, transcript
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFLICT, LIE, OBSERVE, PHYSICAL, REVEAL, Belief
from volition.drama.words.people import PRONOUNS
from volition.drama.words.phrasebook import add_layer, phrasebook
from volition.drama.world.wording import phrases_of, terms_of

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.drama.stage.events import Event

LYDIA_KNOWS = "secret_lydia_knows"
TOLD = (*SCENARIOS, "night-tide")


@pytest.mark.req("DE-27")
@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("seed", [1, 2])
def test_no_words_contradict_their_moment(name: str, seed: int) -> None:
    """Nothing that is said or told contradicts who says it, to whom, where or when."""
    assert list(map(str, contradictions(evening(name, seed)))) == []


@pytest.mark.req("DE-27")
@pytest.mark.parametrize("name", TOLD)
def test_no_phrase_could_contradict_a_moment(name: str) -> None:
    """No phrase of a shipped scenario uses a word, or a name, without making sure that it fits."""
    assert list(map(str, loose_words_of(shipped(name)))) == []


@pytest.mark.req("DE-27")
@pytest.mark.parametrize("name", TOLD)
def test_ten_evenings_do_not_sound_alike(name: str) -> None:
    """Over ten evenings at least 40 % of what is said is said once or in other words, and no line is more than 1 % of it."""
    lines = spoken_lines(*(told_of(name, seed) for seed in range(1, 11)))
    assert len(lines) >= 0.4 * lines.total()
    assert max(lines.values()) <= 0.01 * lines.total()


@pytest.mark.parametrize("name", TOLD)
def test_what_people_say_is_varied(name: str) -> None:
    """In an evening hardly a line comes twice; in two, four of five are different ones, and none is one in a hundred."""
    told = [told_of(name, seed) for seed in (1, 2)]
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
        ("Victor is late.", "victor speaks of victor"),
        ("Marcus's name is on it.", "marcus is spoken to"),
        ("Marcus is a thief.", "marcus is spoken to"),
        ("Did you know? Elena and Marcus are lovers.", "does not know"),
    ],
)
def test_a_planted_contradiction_is_found(text: str, why: str) -> None:
    """Words that fit neither speaker, listener, place nor moment are found, with the reason."""
    world = begin(shipped("dinner-party"))
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
        ('"Every Tuesday, for a year." Ann asks one question: "How long?"', "a time is asked for"),
    ],
)
def test_a_slip_is_found(text: str, why: str) -> None:
    """What is wrong in any paragraph is found in the text alone, and a paragraph without slips passes."""
    everybody = {"Ann": PRONOUNS["she"], "Ben": PRONOUNS["he"]}
    assert any(why in slip for slip in slips_in(text, everybody))
    right = 'Ann has stopped smiling. She sits down. "Who is there? ... Nobody." "Ann?" asks Ben. Ann looks at Ben. Ann nods.'
    assert list(slips_in(right, everybody)) == []


def test_a_toast_needs_somebody(told: Told) -> None:
    """A toast that is proposed to an empty room is found."""
    alone = {"alone": frozenset({"true"})}
    toast = UsedPhrase(event(PHYSICAL, "elena"), "toast.lines", "To peace!", alone, "elena", there=("elena",))
    world = begin(shipped("dinner-party"))
    told(*reasons_against(world, toast))
    assert list(reasons_against(world, structs.replace(toast, facts={}))) == []


def test_an_ending_is_read_too(told: Told) -> None:
    """Words of an ending that do not fit what happened are found: here, that nobody had left."""
    played = next(evening(name, seed) for name in TOLD for seed in (1, 2) if len(evening(name, seed).left) > 1)
    assert played.ending is not None
    pool = f"ending.{played.ending.kind}"
    data = {
        "replace": [pool],
        "ending": {played.ending.kind: ["At the end they are closer together than at the beginning."]},
    }
    book = add_layer(phrases_of(played.scenario), data, terms_of(played.scenario), "planted")
    told(*(one.why for one in contradictions(played, book) if one.pool == pool))


def test_the_words_of_those_whose_secret_it_is_are_theirs(told: Told) -> None:
    """Whoever lies about somebody else's secret is found out if they use the words of those who hold it."""
    world = begin(shipped("dinner-party"))
    used = UsedPhrase(
        event(LIE, "diana", "thorne"), f"secrets.{AFFAIR}.denied", "Ask me.", {"secret": frozenset({AFFAIR})}
    )
    assert list(reasons_against(world, structs.replace(used, speaker="elena"))) == []
    told(*reasons_against(world, structs.replace(used, speaker="diana")))
    covered = structs.replace(used, pool=f"secrets.{AFFAIR}.covered")
    told(*reasons_against(world, structs.replace(covered, speaker="elena")))
    assert list(reasons_against(world, structs.replace(covered, speaker="diana"))) == []


def test_people_who_are_elsewhere_are_found() -> None:
    """Whoever is spoken of as being there is there, and whoever is addressed is the one who listens."""
    world = begin(shipped("dinner-party"))
    world.agents["marcus"].location = "balcony"
    told = UsedPhrase(event(CHAT, "victor", "elena"), "chat.plain", "Marcus nods.", {}, there=("victor", "marcus"))
    assert list(reasons_against(world, told)) == ["marcus is not in the room"]
    assert list(reasons_against(world, structs.replace(told, there=("victor", "elena")))) == []
    said = UsedPhrase(event(CHAT, "victor", "elena"), "talk.plain", "You are tired, James.", {}, "victor", "elena")
    assert list(reasons_against(world, said)) == ["thorne is addressed, and elena is listening"]
    assert list(reasons_against(world, structs.replace(said, listener="thorne"))) == []


def test_nobody_accuses_on_their_own_behalf_as_of_another() -> None:
    """An accusation that speaks of the person wronged as 'him' is found if that person could make it."""
    tables = shipped("dinner-party")
    line = {"secrets": {LYDIA_KNOWS: {"accused": ["You typed his letters."]}}}
    book = add_layer(phrases_of(tables), line, terms_of(tables), "planted")
    assert [loose.word for loose in loose_words_of(tables, book)] == ["his"]


def _against(
    name: str, happened: Event, pool: str, text: str, speaker: str | None = None, past: Chronicle | None = None
) -> str:
    """Why a text contradicts an event at the beginning of an evening, where its source is in the room with the others."""
    world = begin(shipped(name))
    for id in happened.participants:
        world.agents[id].location = happened.room
    listener = happened.targets[0] if happened.targets else None
    facts = facts_of(world, happened, past or Chronicle(), happened.source, listener)
    used = UsedPhrase(happened, pool, text, facts, speaker, listener if speaker is not None else None)
    return "; ".join(reasons_against(world, used))


@pytest.mark.req("DE-27")
def test_an_outburst_of_somebody_alone_has_no_company() -> None:
    """What is shouted at others, or seen by them, is found where nobody is there, and may be told where somebody is."""
    alone, seen = event(CATASTROPHE, "elena", room="balcony"), event(CATASTROPHE, "elena")
    for text in ('Elena\'s fist comes down. "Every one of you!"', "Elena is gone before anybody can move."):
        assert "company" in _against("dinner-party", alone, "catastrophe.explosion", text)
        assert _against("dinner-party", seen, "catastrophe.explosion", text) == ""


@pytest.mark.req("DE-27")
def test_nobody_is_spoken_of_to_their_face(told: Told) -> None:
    """A line that speaks of its listener as of somebody else is found, and one that only calls them by name is not."""
    asks = event(CHAT, "halvard", "noor", "mess_hall")
    told(_against("winter-station", asks, "evaded.lines", "Noor can explain the method to you.", "halvard"))
    assert _against("winter-station", asks, "evaded.lines", "Explain the method, Noor.", "halvard") == ""


@pytest.mark.req("DE-27")
def test_nobody_thanks_themself(told: Told) -> None:
    """Somebody who is told to do something to themself is found; nor does a cook drink to the cook."""
    learns = event(CONFLICT, "thorne", "marcus")
    told(_against("dinner-party", learns, "after.hurt", "Thorne thanks Thorne."))
    assert _against("dinner-party", learns, "after.hurt", "Thorne thanks Marcus.") == ""
    past = Chronicle()
    past.add(event(PHYSICAL, "elena", manner="serve"))
    toast = event(PHYSICAL, "elena", manner="pour")
    told(_against("dinner-party", toast, "toast.lines", "To whoever did the cooking!", "elena", past))


@pytest.mark.req("DE-27")
def test_a_title_belongs_to_somebody(told: Told) -> None:
    """A form of address is found where the listener does not have it."""
    words = "You have never held a core in your life, Madame."
    for whom in ("noor", "mireille"):
        said = event(CHAT, "halvard", whom, "mess_hall")
        told(f"{whom}: {_against('winter-station', said, 'talk.cold', words, 'halvard') or 'nothing'}")


@pytest.mark.req("DE-27")
def test_features_and_histories_belong_to_somebody() -> None:
    """A beard on a woman, and the patience of somebody who has quarrelled all evening, are found."""
    beard, said = "My beard freezes.", event(CHAT, "noor", "joon", "mess_hall")
    assert "beard" in _against("winter-station", said, "talk.plain", beard, "noor")
    assert _against("winter-station", event(CHAT, "joon", "noor", "mess_hall"), "talk.plain", beard, "joon") == ""
    burst, past = event(CATASTROPHE, "thorne", minutes=120.0), Chronicle()
    patient = "Thorne has been polite for hours."
    assert _against("dinner-party", burst, "catastrophe.explosion", patient, None, past) == ""
    past.add(event(CONFLICT, "victor", "thorne"))
    assert "quarrelled" in _against("dinner-party", burst, "catastrophe.explosion", patient, None, past)


@pytest.mark.req("DE-27")
def test_linen_belongs_to_a_dinner() -> None:
    """A napkin is found where nobody dines, and away from the table."""
    told = "Somebody folds a napkin."
    assert "linen" in _against("winter-station", event(OBSERVE, "noor", room="mess_hall"), "thought.plain", told)
    assert "linen" in _against("dinner-party", event(OBSERVE, "elena", room="balcony"), "thought.plain", told)


@pytest.mark.req("DE-27", "DE-30")
def test_what_was_heard_is_no_news(told: Told) -> None:
    """How a truth is taken that its hearer knew or suspected, and a question about what was heard said, are examined."""
    world, secret = begin(shipped("dinner-party")), shipped("dinner-party").secrets[AFFAIR]
    learns = event(REVEAL, "diana", "thorne", secret=AFFAIR)
    fits = {Belief.UNKNOWN: "after.hurt", Belief.SUSPECTS: "after.confirmed", Belief.BELIEVES_TRUE: "after.knew"}
    for belief, pool in fits.items():
        world.agents["thorne"].beliefs[AFFAIR] = belief
        facts = facts_of(world, learns, Chronicle(), "diana", "thorne", secret)
        for other in fits.values():
            found = list(reasons_against(world, UsedPhrase(learns, other, "Thorne nods.", facts)))
            assert (found == []) == (other == pool)
    past = Chronicle()
    past.add(event(CONFLICT, "diana", "elena", details={"about": AFFAIR, "stated": True}, witnesses=("victor",)))
    asks = event(CHAT, "victor", "elena", details={"question": AFFAIR})
    facts = facts_of(world, asks, past, "victor", "elena", secret)
    asked = UsedPhrase(asks, "asked.affair", "Are you in love?", facts, "victor", "elena")
    told(*reasons_against(world, asked))
    assert list(reasons_against(world, structs.replace(asked, pool="asked.heard"))) == []


@pytest.mark.req("DE-27")
def test_planted_lines_are_found_in_every_pool() -> None:
    """A phrase without its condition is found before any evening is played, whatever pool it is in."""
    tables, line = shipped("dinner-party"), "Pass the soup."
    planted: dict[str, dict[str, list[Any]]] = {
        "talk": {"plain": [[line, "The soup?"]]},
        "evaded": {"lines": [line]},
        "hinted": {"affair": [line]},
        "after": {"confirmed": [line]},
        "conflict": {"hint": [line]},
    }
    book = add_layer(phrases_of(tables), planted, terms_of(tables), "planted")
    found = {(loose.pool, loose.text, loose.word) for loose in loose_words_of(tables, book)}
    assert found >= {(f"{group}.{name}", line, "soup") for group, pools in planted.items() for name in pools}


def test_planted_lines_are_found_in_an_evening() -> None:
    """A phrase without its condition is found in the evenings where it is used, also where somebody evades a question."""
    played = evening()
    data = {
        "replace": ["talk.plain", "talk.warm", "evaded.lines"],
        "talk": {"plain": [["Pass the bread.", "Soup."]], "warm": [["Pass the bread.", "Soup."]]},
        "evaded": {"lines": ["Come back to the generator."]},
    }
    book = add_layer(phrasebook(), data, terms_of(played.scenario), "planted")
    found = {(one.pool, one.why) for one in contradictions(played, book)}
    assert any("food" in why for _, why in found)
    assert any(pool == "evaded.lines" and "ice" in why for pool, why in found)


@pytest.mark.req("DE-27")
def test_names_are_chosen_for_who_listens() -> None:
    """A line that names its speaker or listener as a third, or calls somebody else, is not drawn, if there is any other."""
    tables = shipped("dinner-party")
    lines = ["Marcus can explain it to you.", "You are tired, James.", "Diana is late.", "Well?"]
    data = {"replace": ["talk.sides"], "talk": {"sides": lines}}
    book = add_layer(phrases_of(tables), data, terms_of(tables), "planted")
    said = {"marcus": set[str](), "thorne": set[str]()}
    for seed in range(30):
        for whom, heard in said.items():
            narrator = TemplateNarrator(seed, book)
            narrator.tell(begin(tables), event(CHAT, "diana", whom, details={"sides": True}))
            heard.update(used.text for used in narrator.said if used.speaker is not None)
    assert said["marcus"] == {"Well?"}
    assert said["thorne"] == {"Marcus can explain it to you.", "You're tired, James.", "Well?"}


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
