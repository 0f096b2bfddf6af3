from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.audience.evenings import SCENARIOS, evening, event
from tests.drama.evening.casts import shipped
from tests.drama.party import AFFAIR
from volition.drama.audience.deeds import describe_deed, describe_instead, describe_interference
from volition.drama.audience.prose import short_names
from volition.drama.evening.grammar import numbered_acts
from volition.drama.rules.catalog import CHAT, CONFIDE, CONFLICT, OBSERVE
from volition.drama.stage.interference import Interference

if TYPE_CHECKING:
    from tests.sentences import Told


@pytest.mark.parametrize("name", SCENARIOS)
def test_everything_that_people_do_has_words(name: str) -> None:
    """Every event of an evening, and every act that there is, is a sentence about who does it, names no id, and tells a secret once."""
    run = evening(name)
    names, ids = short_names(run.scenario), {*run.scenario.people, *run.scenario.rooms, *run.scenario.secrets}
    told = [(one.source, describe_deed(run.scenario, one)) for one in run.events]
    told += [(who, describe_instead(run.scenario, who, act.id)) for act in numbered_acts(run.scenario) for who in names]
    for who, sentence in told:
        assert sentence.startswith(names[who])
        assert "{" not in sentence
        assert all(sentence.count(secret.description) <= 1 for secret in run.scenario.secrets.values())
        assert not {word for word in ids if "_" in word} & set(sentence.split())


def test_deeds_say_what_came_of_them(told: Told) -> None:
    """A deed says whom it was done to, what was told, and what came out."""
    tables = shipped("dinner-party")
    about_the_affair = (
        event(CONFIDE, "elena", "diana", secret=AFFAIR),
        event(CONFLICT, "thorne", "elena", details={"forced": AFFAIR, "thrown_out": True}),
        event(OBSERVE, "victor", focus="elena", details={"found": [AFFAIR]}),
        event(CHAT, "thorne", "elena", details={"question": AFFAIR}),
    )
    deeds = [describe_deed(tables, one) for one in about_the_affair]
    assert all(tables.secrets[AFFAIR].description in deed for deed in deeds)
    told(*deeds, describe_deed(tables, event(CONFIDE, "elena", "diana")))


def test_an_unknown_choice_keeps_its_id() -> None:
    """A choice of custom code that is no act of the scenario is shown as it is."""
    assert describe_instead(shipped("dinner-party"), "thorne", "dance:elena") == "dance:elena"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            Interference(3, "set", "thorne", f"belief.{AFFAIR}", "believes_true", "diana"),
            "Diana tells Thorne in private: ",
        ),
        (Interference(3, "set", "thorne", f"belief.{AFFAIR}", "suspects", "diana"), "Diana drops a hint, and Thorne "),
        (
            Interference(3, "set", "thorne", f"belief.{AFFAIR}", "believes_false", "elena"),
            "Elena tells Thorne that there ",
        ),
        (Interference(3, "set", "thorne", f"belief.{AFFAIR}", "suspects"), "Thorne suspects now: "),
        (Interference(3, "set", "thorne", "trust.elena", -0.5), "Thorne's trust towards Elena is set to -0.5"),
        (Interference(3, "set", "elena", "location", "balcony"), "Elena's location is set to balcony"),
        (Interference(3, "force", "victor", "conflict:marcus"), "Victor is made to confront Marcus"),
        (Interference(3, "veto", "victor", "conflict:marcus"), "Victor is kept from this: to confront Marcus"),
    ],
)
def test_what_was_changed_by_hand_has_words(given: Interference, words: str) -> None:
    """Whatever a fork changed is a sentence, and says who told it if somebody did."""
    assert describe_interference(shipped("dinner-party"), given).startswith(words)
