from __future__ import annotations

import re
from typing import Any

import pytest

from volition.core.errors import InvalidInput
from volition.drama.stage.run import ENDINGS as PLAYED
from volition.drama.words.condition import ScenarioTerms
from volition.drama.words.phrase import fill, placeholders
from volition.drama.words.phrasebook import Phrasebook, add_layer, phrasebook
from volition.drama.words.pools import ENDINGS, POOLS, SECRET_LINES
from volition.drama.world.scenario import scenario, scenario_names
from volition.drama.world.wording import phrases_of

TERMS = ScenarioTerms(people=("ann", "bob"), rooms=("hall",), secrets=("letter",), needs=("prayer",))
PRONOUNS = re.compile(r"\b(he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
QUIET = ("opening.", "ending.", "link.", "course.", "after.", "matter.", "subject.")


def with_layer(data: Any) -> Phrasebook:
    return add_layer(phrasebook(), data, TERMS, "mine.toml")


def faults_of(data: Any) -> set[str]:
    with pytest.raises(InvalidInput) as refused:
        with_layer(data)
    return {problem.where.removeprefix("mine.toml, ") for problem in refused.value.problems}


def test_everybody_in_it_is_named() -> None:
    """A frame for an act of one person towards another names both, so a transcript always says who did what to whom."""
    for name, pool in POOLS.items():
        if pool.kind == "frame" and not name.startswith(QUIET):
            named = {"who", "whom"} & pool.always
            lacking = [phrase.parts[0] for phrase in phrasebook().pool(name) if not named <= phrase.needs]
            assert lacking == [], name


def test_there_is_enough_to_say() -> None:
    """Talk has dozens of frames and lines, and every kind of event at least five."""
    book = phrasebook()
    pools = {name: len(book.pool(name)) for name, pool in POOLS.items() if pool.kind in {"frame", "line", "exchange"}}
    few = {name for name, count in pools.items() if count < 5}
    assert {name for name in few if not name.startswith(("ending.", "opening."))} == set()
    assert min(pools["talk.plain"], pools["talk.warm"]) >= 60


@pytest.mark.parametrize("name", scenario_names())
def test_no_phrase_is_duplicated(name: str) -> None:
    """No pool contains a phrase twice, also across layers."""
    for pool, phrases in phrases_of(scenario(name)).pools.items():
        said = [phrase.parts for phrase in phrases]
        assert sorted(parts for parts in set(said) if said.count(parts) > 1) == [], pool


def test_nobody_is_named() -> None:
    """No general phrase names a person or secret of a scenario, or has a pronoun that is not a placeholder's."""
    frames = [name for name, pool in POOLS.items() if pool.kind == "frame"]
    told = " ".join(part for name in frames for phrase in phrasebook().pool(name) for part in phrase.parts)
    assert PRONOUNS.findall(told) == []
    text = " ".join(part for phrases in phrasebook().pools.values() for phrase in phrases for part in phrase.parts)
    for shipped in map(scenario, scenario_names()):
        names = [word for person in shipped.people.values() for word in person.name.split()]
        names += [secret.description for secret in shipped.secrets.values()]
        assert [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)] == []


def test_every_ending_has_a_pool() -> None:
    """The endings that can be told are the endings that there are."""
    assert set(ENDINGS) == set(PLAYED)


def test_a_layer_adds() -> None:
    """The phrases of a layer join those below it, and a text takes the place of the one below."""
    book = with_layer({"talk": {"plain": [["Hm.", "Hm?"]]}, "ending": {"heading": "Curtain"}})
    assert book.pool("talk.plain")[:-1] == phrasebook().pool("talk.plain")
    assert book.pool("talk.plain")[-1].parts == ("Hm.", "Hm?")
    assert book.text("ending.heading") == "Curtain"


def test_a_layer_replaces() -> None:
    """A pool that a layer replaces has only the layer's phrases."""
    book = with_layer({"replace": ["talk.plain"], "talk": {"plain": [["Hm.", "Hm?"]]}})
    assert [phrase.parts for phrase in book.pool("talk.plain")] == [("Hm.", "Hm?")]


def test_needs_and_secrets_have_pools() -> None:
    """A scenario's phrases may be about its own needs and secrets; every kind of line about a secret has its pool."""
    lines = {kind: ["the matter" if kind == "matter" else "Well, {whom}?"] for kind in SECRET_LINES}
    book = with_layer({"physical": {"prayer": ["{who} kneels."]}, "secrets": {"letter": lines}})
    assert book.pool("physical.prayer")[0].parts == ("{who} kneels.",)
    assert all(book.pool(f"secrets.letter.{kind}") for kind in SECRET_LINES)
    assert faults_of({"secrets": {"lettre": {"asked": ["Well?"]}}}) == {"secrets.lettre.asked"}


def test_all_problems_at_once() -> None:
    """A broken phrase file is refused with all of its problems and their places."""
    assert faults_of(
        {
            "chat": {
                "plain": ["{who} and {whom}", "{who} to {nobody}", "{who} {whom.them"],
                "cold": [],
                "sings": ["la"],
                "warm": [{"when": {"mod": "fond"}, "say": ['{who} "{line}" {whom}']}, {"when": {}}, {"sya": [], "say": [7]}],
            },
            "talk": {"plain": [["no answer"], "a string"], "group": ['a "quoted" line', 7]},
            "ending": {"heading": ""},
            "secrets": {"letter": {"asked": [{"when": {"who": "cyd"}, "say": ["Well?"]}]}},
            "replace": ["talk.warm"],
            "physical": 3,
        }
    ) == {
        "chat.plain[1]", "chat.plain[2]", "chat.cold", "chat.sings", "chat.warm[0].when.mod", "chat.warm[1].say",
        "chat.warm[2].sya", "chat.warm[2].say[0]", "talk.plain[0]", "talk.plain[1]", "talk.group[0]", "talk.group[1]",
        "ending.heading", "secrets.letter.asked[0].when.who", "replace[0]", "physical",
    }  # fmt: skip


@pytest.mark.parametrize(
    "phrases",
    [
        [{"when": {"served": True}, "say": [["Soup.", "Yes."]]}],
        [["What does {third} say?", "Nothing."]],
        [{"when": {"mood": "calm"}, "say": [["A.", "B."]]}, ["Is {gone} gone?", "Yes."]],
    ],
)
def test_no_event_is_left_without_words(phrases: list[Any]) -> None:
    """A pool that is replaced must have a phrase that fits always: without a condition, with people who are always there."""
    with pytest.raises(InvalidInput, match="without words"):
        with_layer({"replace": ["talk.plain"], "talk": {"plain": phrases}})


def test_a_relation_is_only_named_where_there_is_one() -> None:
    """A phrase that calls somebody a wife or a brother has a condition on the relation."""
    assert faults_of({"thought": {"person": ["{who} looks at {whom}, {who.their} {whom.relation}."]}}) == {
        "thought.person[0]"
    }


@pytest.mark.parametrize("data", [["la"], None, 3, {"chat": ["la"]}])
def test_no_phrase_file_at_all(data: Any) -> None:
    """Data that is not a table of tables is refused, without a crash."""
    with pytest.raises(InvalidInput):
        with_layer(data)


def test_every_template_can_be_filled() -> None:
    """Every general phrase can be filled in with what its pool promises, and no placeholder remains."""
    for name, phrases in phrasebook().pools.items():
        for phrase in phrases:
            for part in phrase.parts:
                plain = re.sub(r"\{(\w+)[^{}]*\}", r"{\1}", part)
                texts = {fact: f"<{fact}>" for fact in placeholders(plain)}
                assert not re.search("[{}]", fill(plain, texts, {})), name


def test_all_faults_of_a_file_are_named_at_once_each_with_its_remedy() -> None:
    """Faults of different kinds do not hide each other, not even a replaced pool that could leave an event without words."""
    data = {
        "replace": ["talk.plain", "talk.none"],
        "talk": {"plain": [{"when": {"mood": "angry"}, "say": [["a", "b"]]}], "group": ["{whoo}", "x {", "y" * 3000]},
        "secrets": {"letter": {"asket": ["a"]}, "leter": {"asked": ["a"]}},
    }
    with pytest.raises(InvalidInput) as found:
        add_layer(phrasebook(), data, ScenarioTerms(secrets=("letter",)), "mine.toml")
    told = str(found.value)
    for part in (
        "'talk.none' is replaced by nothing",
        "the pool 'talk.plain' could leave an event without words",
        "did you mean {who}?",
        "a brace is out of place",
        "it has 3000: shorten it",
        "did you mean 'asked'",
        "did you mean 'letter'?",
    ):
        assert part in told
    assert len(found.value.problems) == 7
