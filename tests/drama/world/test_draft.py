"""Drafts: a scenario of any size that can be played at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from volition.core.document import parse_toml
from volition.core.errors import InvalidInput
from volition.drama.doctor import examine
from volition.drama.doctor.cure import measure_evenings
from volition.drama.evening.play_many import play_many
from volition.drama.world.draft import copy_scenario, draft_scenario, pattern_data
from volition.drama.world.rulebook import scenario_names, shipped_text
from volition.drama.world.scenario import scenario_from_data, scenario_to_data

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("DE-18")
SIZES = [(3, 4, 3), (4, 5, 4), (5, 5, 4), (6, 5, 5), (7, 6, 5), (8, 6, 6)]
UNSEEN = range(600_001, 600_041)


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


def test_what_cannot_be_drafted(told: Told) -> None:
    """Numbers out of range are refused all at once, and so is a name that cannot be an id."""
    with pytest.raises(InvalidInput) as refused:
        draft_scenario("night-train", people=1, rooms=0, secrets=9)
    assert [problem.where.rpartition(" ")[2] for problem in refused.value.problems] == ["people", "rooms", "secrets"]
    with told.raises(InvalidInput):
        draft_scenario("Night train", people=3, rooms=2, secrets=1)


@settings(max_examples=10)
@given(st.integers(2, 8), st.integers(1, 8), st.integers(0, 8))
def test_nothing_is_served_without_a_table(people: int, rooms: int, secrets: int) -> None:
    """A draft without a table has as much of everything, no kitchen, courses or wine, and a deadline."""
    text = draft_scenario("night-train", people=people, rooms=rooms, secrets=secrets, table=False)
    scenario = scenario_from_data(parse_toml(text))
    assert (len(scenario.people), len(scenario.rooms), len(scenario.secrets)) == (people, rooms, secrets)
    evening = scenario.evening
    assert (evening.kitchen, evening.courses, evening.pours, evening.servers) == (None, (), (), ())
    assert pattern_data("night-train")["evening"]["kitchen"] not in scenario.rooms
    assert [event.ends for event in evening.events if event.ends] == ["time_is_up"]
    assert any(event.news for event in evening.events) == (secrets > 0)
    assert len(play_many(scenario, [1], ticks=3, engine="interpreted")) == 1


@pytest.mark.parametrize("name", scenario_names())
def test_a_copy_is_the_shipped_scenario_under_another_name(name: str) -> None:
    """A copy has every comment and line of the shipped file but its id and its name, and plays the same."""
    text, phrases = copy_scenario("my-evening", name)
    shipped, beside = shipped_text(name)
    assert phrases == beside
    differing = [
        (one, other) for one, other in zip(shipped.splitlines(), text.splitlines(), strict=True) if one != other
    ]
    assert [line.partition(" =")[0] for _, line in differing] == ["id", "name"]
    copied, read = (
        scenario_to_data(scenario_from_data(parse_toml(text))),
        scenario_to_data(scenario_from_data(parse_toml(shipped))),
    )
    assert copied["scenario"] | {"id": name, "name": read["scenario"]["name"]} == read["scenario"]
    assert {**copied, "scenario": {}} == {**read, "scenario": {}}


@pytest.mark.req("DE-24", "DE-30", "DE-32", "DE-34")
@pytest.mark.parametrize("table", [True, False])
@pytest.mark.parametrize(("people", "rooms", "secrets"), SIZES)
def test_most_targets_hold_at_any_size(people: int, rooms: int, secrets: int, table: bool) -> None:
    """A start of three to eight people, with or without a table, holds thirty of the doctor's targets or more."""
    pytest.importorskip("numba")
    text = draft_scenario("night-train", people=people, rooms=rooms, secrets=secrets, table=table)
    scenario = scenario_from_data(parse_toml(text))
    report = examine(measure_evenings(scenario, UNSEEN), scenario)
    assert sum(target.holds for target in report.targets) >= 30, [one.id for one in report.targets if not one.holds]
