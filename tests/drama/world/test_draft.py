"""Drafts: a scenario of any size that can be played at once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from volition.core.document import parse_toml
from volition.core.errors import InvalidInput
from volition.drama.evening.play_many import play_many
from volition.drama.world.draft import draft_scenario, pattern_data
from volition.drama.world.scenario import scenario_from_data, scenario_to_data

pytestmark = pytest.mark.req("DE-18")


@settings(max_examples=15)
@given(st.integers(2, 8), st.integers(1, 8), st.integers(0, 8))
def test_any_size_can_be_played(people: int, rooms: int, secrets: int) -> None:
    """A draft has as many people, rooms and secrets as asked for, no problem, and an evening that begins."""
    scenario = scenario_from_data(
        parse_toml(draft_scenario("night-train", people=people, rooms=rooms, secrets=secrets))
    )
    assert (len(scenario.people), len(scenario.rooms), len(scenario.secrets)) == (people, rooms, secrets)
    assert all(person.bonds.keys() == scenario.people.keys() - {id} for id, person in scenario.people.items())
    assert len(play_many(scenario, [1], ticks=3, engine="interpreted")) == 1


def test_the_pattern_is_the_draft_of_its_size() -> None:
    """A draft with as many people, rooms and secrets as the pattern is the pattern, apart from what it is called."""
    drafted = parse_toml(draft_scenario("night-train", people=6, rooms=5, secrets=5))
    written, found = (scenario_to_data(scenario_from_data(data)) for data in (pattern_data("night-train"), drafted))
    assert {**found, "scenario": {}} == {**written, "scenario": {}}


def test_what_cannot_be_drafted() -> None:
    """Numbers out of range are refused all at once, and so is a name that cannot be an id."""
    with pytest.raises(InvalidInput) as refused:
        draft_scenario("night-train", people=1, rooms=0, secrets=9)
    assert [problem.where.rpartition(" ")[2] for problem in refused.value.problems] == ["people", "rooms", "secrets"]
    with pytest.raises(InvalidInput, match="cannot be the id"):
        draft_scenario("Night train", people=3, rooms=2, secrets=1)
