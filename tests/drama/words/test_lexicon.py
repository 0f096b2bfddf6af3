from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from volition.drama.words.condition import ScenarioTerms, holds
from volition.drama.words.lexicon import find_violations, lexicon, loose_words
from volition.drama.words.phrasebook import Phrasebook, add_layer, phrasebook

if TYPE_CHECKING:
    from tests.sentences import Told


def test_no_general_phrase_takes_anything_for_granted() -> None:
    """Every general phrase with a word that needs something (food, furniture, a couple, a late hour) makes sure of it."""
    assert list(map(str, loose_words(phrasebook()))) == []


@pytest.mark.parametrize(
    ("phrase", "needs"),
    [
        (["Pass the bread.", "Here."], "served"),
        (["Here.", "Whose glass is this?"], "wine"),
        (["I came by taxi.", "Ah."], "setting"),
        (["Good evening, darling.", "Ah."], "relation"),
        (["Thank you for having me.", "Ah."], "whom_resident"),
        (["You have eaten my bread.", "Ah."], "resident"),
        (["It is so late.", "Ah."], "phase"),
        (["After the quarrel one feels better.", "Ah."], "past"),
        (["I have been waiting all evening.", "Ah."], "phase"),
        (["I cannot think in here.", "Ah."], "place"),
        (["Put down the knife.", "Ah."], "place"),
        (["I have held my tongue for years.", "Ah."], "relation"),
    ],
)
def test_a_loose_word_is_found(phrase: list[str], needs: str) -> None:
    """A word that needs something is found where the phrase does not make sure of it, with what is lacking."""
    book = add_layer(Phrasebook({}), {"talk": {"plain": [phrase]}}, ScenarioTerms(), "mine.toml")
    assert needs in {clause.key for loose in loose_words(book) for clause in loose.needs}
    assert all(needs in str(loose) or loose.needs for loose in loose_words(book))


@pytest.mark.parametrize(
    ("pool", "frame", "needs"),
    [
        ("physical.slam", "{who} shuts the door. Everybody has heard.", "crowd"),
        ("conflict.plain", "Heads turn, for {who} and {whom}.", "crowd"),
        ("move.out", "Nobody asks where {who} is going.", "alone"),
        ("move.out", '{who} goes. "Excuse me a moment."', "alone"),
        ("physical.pour", "{who} goes round with the bottle.", "crowd"),
        ("chat.aside", "{who} talks to {whom}, away from the others.", "apart"),
        ("chat.plain", "{who}, who has run out of other people, turns to {whom}.", "relation"),
        ("confide.feeling", "{who} smiles at {whom}, for the rest of the room.", "place"),
        ("ending.reconciliation", "At the end they are closer together than at the beginning.", "departed"),
        ("ending.thrown_out", "There is one place that nobody takes.", "departed"),
        ("ending.ran_its_course", "They promise to do it again soon.", "past"),
    ],
)
def test_a_frame_says_only_what_can_be_seen(pool: str, frame: str, needs: str) -> None:
    """What is told about a company, a room or an ending is found where the frame does not make sure of it."""
    group, name = pool.split(".")
    book = add_layer(Phrasebook({}), {group: {name: [frame]}}, ScenarioTerms(), "mine.toml")
    assert needs in {clause.key for loose in loose_words(book) for clause in loose.needs}


@pytest.mark.parametrize(
    ("pool", "frame"),
    [
        ("observe.found", "There is {matter} between them."),
        ("observe.found", "When {matter} came up, {who} looked at {whom}."),
        ("move.on", "{who} has nothing more to do in {room}."),
        ("chat.plain", '"{line,}" says {who} to {whom}.'),
    ],
)
def test_words_fit_all_that_may_be_filled_in(pool: str, frame: str, told: Told) -> None:
    """A fragment may be a plural or half a sentence, so it is no subject; nobody is in a terrace. One says it otherwise."""
    group, name = pool.split(".")
    book = add_layer(Phrasebook({}), {group: {name: [frame]}}, ScenarioTerms(), "mine.toml")
    (found,) = loose_words(book)
    told(found)


def test_a_reply_is_seen_from_the_other_side() -> None:
    """In an answer the conditions on speaker and listener change places."""
    when = {"resident": True, "whom_resident": False}
    entry = {"when": when, "say": [["Sit down.", "Thank you for having me."]]}
    book = add_layer(Phrasebook({}), {"talk": {"plain": [entry]}}, ScenarioTerms(), "mine.toml")
    assert list(loose_words(book)) == []


def test_every_rule_can_be_broken_and_kept() -> None:
    """Each rule of the lexicon objects to its words where its condition does not hold."""
    for rule in lexicon():
        word = rule.words.pattern.removeprefix(r"\b(?:").split("|")[0].removesuffix(r")\b")
        assert (word, rule.why) in list(find_violations("talk.plain", rule.spoken[0], f"A {word} B", {})) or all(
            not clause.some for clause in rule.when
        )


def test_no_rule_is_overlooked() -> None:
    """What is found in a text, in small letters or in capitals, is what each rule would find by itself."""
    texts = [phrase.parts[0] for phrases in phrasebook().pools.values() for phrase in phrases][::10]
    found = 0
    for text, spoken in product([*texts, *map(str.upper, texts)], (True, False)):
        broken = [rule for rule in lexicon() if rule.find_word(spoken, text) and not holds(rule.when, {})]
        assert [why for _, why in find_violations("", spoken, text, {})] == [rule.why for rule in broken]
        found += len(broken)
    assert found > 100
