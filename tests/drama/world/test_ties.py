"""Ties by relation: what a file leaves out follows from it, and what it says stands."""

from __future__ import annotations

import pytest

from tests.drama.world.edits import MISSING, edited, party
from volition.drama.words.people import RELATIONS
from volition.drama.world.scenario import scenario_from_data, scenario_to_data
from volition.drama.world.ties import TIES, USUAL, Tie

pytestmark = pytest.mark.req("DE-18")
ELENA = ("people", "elena")


def test_every_relation_has_a_tie() -> None:
    """Each relation that a file may name has a tie, with numbers that a file may contain."""
    assert TIES.keys() == RELATIONS.keys()
    for tie in TIES.values():
        trust, affection, obligation = tie.bond
        assert min(tie.closeness, trust, affection) >= -1.0
        assert 0.0 <= obligation <= max(1.0, tie.closeness)


def test_what_is_left_out_follows_from_the_relation() -> None:
    """Somebody left out is tied by their relation, given on either side; without any, as an acquaintance."""
    changes = [
        ((*ELENA, part, other), MISSING) for part in ("closeness", "bonds") for other in ("marcus", "victor", "diana")
    ]
    relations = {"marcus": ["lover", "friend"], "thorne": "spouse"}
    given = edited(party(), *changes, ((*ELENA, "relations"), relations), (("people", "victor", "relations"), {"elena": "employee"}),
                   (("people", "diana", "relations"), {}))  # fmt: skip
    elena, thorne = (scenario_from_data(given).people[id] for id in ("elena", "thorne"))
    for other, relation in (("marcus", "lover"), ("victor", "employer"), ("diana", USUAL)):
        assert Tie(elena.closeness[other], elena.bonds[other]) == TIES[relation]
    written = scenario_from_data(party()).people
    assert (elena.closeness["thorne"], elena.bonds["thorne"]) == (
        written["elena"].closeness["thorne"],
        written["elena"].bonds["thorne"],
    )
    assert thorne.bonds == written["thorne"].bonds


def test_nothing_need_be_written() -> None:
    """A person without closeness and bonds is tied to everybody, and the scenario comes back from its data."""
    read = scenario_from_data(edited(party(), ((*ELENA, "closeness"), MISSING), ((*ELENA, "bonds"), MISSING)))
    assert read.people["elena"].bonds.keys() == read.people.keys() - {"elena"} == read.people["elena"].closeness.keys()
    assert scenario_from_data(scenario_to_data(read)) == read
