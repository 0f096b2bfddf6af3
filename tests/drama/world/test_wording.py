"""Words of a scenario: pronouns, voices, relations, tags and phrases are checked, and change nothing that is played."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from enum import StrEnum
from math import nan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.world.edits import edited, party
from volition.core.canonical import digest
from volition.core.errors import InvalidInput
from volition.drama.stage.run import run
from volition.drama.stage.state import state_digest
from volition.drama.world.draft import new_scenario
from volition.drama.world.scenario import load_scenario, scenario, scenario_from_data, scenario_to_data
from volition.drama.world.wording import phrases_of, terms_of, without_words

if TYPE_CHECKING:
    from pathlib import Path

ELENA = ("people", "elena")
PHRASES = {"talk": {"plain": [{"when": {"who": "elena"}, "say": [["Hm.", "Hm?"]]}]}}


def test_words_are_not_in_the_hash() -> None:
    """Two scenarios that differ only in words have the same hash, and the same evenings."""
    plain = scenario_from_data(without_words(scenario_to_data(scenario("dinner-party"))))
    told = scenario("dinner-party")
    assert told != plain
    assert told.hash == plain.hash == digest(scenario_to_data(plain))
    first, second = (run(one, 3, ticks=30) for one in (plain, told))
    assert first.ticks == second.ticks
    assert state_digest(first.opening_state()) == state_digest(second.opening_state())


def test_words_are_kept() -> None:
    """Words are written and read back, and what says nothing is left out."""
    changes = [((*ELENA, "pronouns"), ["xe", "xem", "xyr", "xyrs", "xemself"]), (("phrases",), PHRASES)]
    read = scenario_from_data(edited(party(), *changes))
    data = scenario_to_data(read)
    assert scenario_from_data(data) == read
    assert data["people"]["elena"]["pronouns"] == ["xe", "xem", "xyr", "xyrs", "xemself"]
    bare = scenario_from_data(without_words(party()))
    assert all("pronouns" not in person for person in scenario_to_data(bare)["people"].values())


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ((*ELENA, "pronouns"), "it", "people.elena.pronouns"),
        ((*ELENA, "pronouns"), ["a", "b"], "people.elena.pronouns"),
        ((*ELENA, "voice"), ["Dry"], "people.elena.voice[0]"),
        ((*ELENA, "voice"), ["dry", "dry"], "people.elena.voice[1]"),
        ((*ELENA, "relations"), {"marcus": "enemy"}, "people.elena.relations.marcus"),
        ((*ELENA, "relations"), {"nobody": "friend"}, "people.elena.relations.nobody"),
        ((*ELENA, "familiar"), 3, "people.elena.familiar"),
        (("rooms", "kitchen", "tags"), "stove", "rooms.kitchen.tags"),
        (("scenario", "setting"), [3], "scenario.setting[0]"),
        (("phrases",), [], "phrases"),
        (("phrases",), {"talk": {"plain": [{"when": {"who": "nobody"}, "say": [["a", "b"]]}]}}, "phrases, talk.plain[0].when.who"),
        (("phrases",), {"secrets": {"nothing": {"asked": ["Hm?"]}}}, "phrases, secrets.nothing.asked"),
        (("phrases",), {"talk": {"plain": [date(1979, 5, 27)]}}, "phrases, talk.plain[0]"),
    ],
)  # fmt: skip
def test_faults_of_words(path: tuple[str, ...], value: Any, place: str) -> None:
    """Each fault is reported with its place, like every other fault of a scenario."""
    with pytest.raises(InvalidInput) as refused:
        scenario_from_data(edited(party(), (path, value), ((*ELENA, "sensitivity"), -1)))
    assert {problem.where for problem in refused.value.problems} == {place, "people.elena.sensitivity"}


class Spoken(StrEnum):
    """Texts that are no plain texts."""

    HM = "Hm."


def test_what_no_file_can_hold_is_refused_as_what_it_is() -> None:
    """A number that is none, and texts that only resemble plain ones, are refused when they are read, not when a record is
    written; a mapping of another kind than a dict can be told from, as long as nothing is written."""
    with pytest.raises(InvalidInput, match="nan"):
        scenario_from_data(edited(party(), (("phrases",), {"talk": {"plain": [nan]}})))
    with pytest.raises(InvalidInput, match="Spoken"):
        scenario_from_data(edited(party(), (("phrases",), {"talk": {"plain": [["Hm?", Spoken.HM]]}})))
    told = replace(
        scenario("night-tide"), phrases=MappingProxyType({"talk": MappingProxyType({"plain": [["Hm?", "Hm."]]})})
    )
    assert phrases_of(told).pool("talk.plain")[-1].parts == ("Hm?", "Hm.")


def test_phrases_beside_the_file(tmp_path: Path) -> None:
    """A file NAME.phrases.toml beside NAME.toml holds the scenario's phrases; both places at once are refused."""
    file, beside = tmp_path / "night-train.toml", tmp_path / "night-train.phrases.toml"
    file.write_text(new_scenario("night-train"))
    assert load_scenario(file).phrases == {}
    beside.write_text('[[talk.plain]]\nwhen = { who = "emil" }\nsay = [["Hm.", "Hm?"]]\n')
    found = load_scenario(file)
    assert phrases_of(found).pool("talk.plain")[-1].parts == ("Hm.", "Hm?")
    file.write_text(new_scenario("night-train") + "\n[phrases.talk]\nsides = ['Hm.']\n")
    with pytest.raises(InvalidInput, match="one place"):
        load_scenario(file)


def test_the_shipped_phrases_name_what_there_is() -> None:
    """Phrases may name the people, rooms, secrets, needs and tags of their scenario."""
    terms = terms_of(scenario("winter-station"))
    assert {"pavel", "noor"} <= set(terms.people)
    assert {"work", "relief"} <= set(terms.needs)
    assert {"remote", "station"} <= set(terms.settings)
