"""Scenarios are data: valid data is read, written back exactly, and has a hash of its content."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drama.world.edits import MISSING, Path, edited, party
from tests.processes import under_hash_seeds
from volition.core.canonical import digest
from volition.core.document import dump_json, dump_toml, parse_json, parse_toml
from volition.core.errors import InvalidInput
from volition.drama.evening.world import begin
from volition.drama.world.rulebook import SHARES, default_rules
from volition.drama.world.scenario import (
    literal,
    load_scenario,
    scenario,
    scenario_from_data,
    scenario_names,
    scenario_to_data,
)
from volition.drama.world.wording import without_words

if TYPE_CHECKING:
    import pathlib

    from tests.sentences import Told

pytestmark = pytest.mark.req("DE-18")

ELENA: Path = ("people", "elena")


def test_what_may_be_left_out() -> None:
    """What a file leaves out is filled in: gathering room, goals, pacing, emotions, evening."""
    data = edited(
        party(),
        ((*ELENA, "goals"), {"secrecy": 0.9}),
        *(((*ELENA, key), MISSING) for key in ("role", "resident", "sensitivity", "pacing", "emotions", "commitments")),
        *((("evening", key), MISSING) for key in ("minutes", "ticks", "time_scale", "events", "circumstances")),
        *((("evening", key), MISSING) for key in ("needs", "need_rates", "glass_need")),
        *((("rooms", "foyer", key), MISSING) for key in ("overhears", "description")),
        (("known",), MISSING),
        (("rules",), MISSING),
    )
    read = scenario_from_data(data)
    elena = read.people["elena"]
    assert elena.goals == (0.5, 0.5, 0.9, 0.5, 0.5, 0.5)
    assert (elena.room, elena.role, elena.resident, elena.sensitivity) == ("dining_table", "", False, 1.0)
    assert (elena.stress, elena.composure, elena.commitment, set(elena.emotions.values())) == (0.0, 1.0, 0.0, {0.0})
    assert (read.evening.minutes, read.evening.ticks, read.evening.time_scale) == (150.0, 300, 1.0)
    assert (read.known, read.rules) == (frozenset(), default_rules())


@pytest.mark.parametrize("name", scenario_names())
def test_round_trip(name: str) -> None:
    """A scenario written as data, JSON or TOML and read again is the same, with the same hash."""
    read = scenario(name)
    data = scenario_to_data(read)
    for again in (data, parse_json(dump_json(data)), parse_toml(dump_toml(data))):
        assert scenario_from_data(again) == read
        assert again == data
    assert read.hash == digest(without_words(data))


def reordered(data: Any, chance: Random) -> Any:
    if isinstance(data, dict):
        keys = chance.sample(list(data), len(data))
        return {key: reordered(data[key], chance) for key in keys}
    return [reordered(item, chance) for item in data] if isinstance(data, list) else data


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32))
def test_the_order_of_keys_says_nothing(seed: int) -> None:
    """Whatever the order of the sections and keys, scenario and hash are the same, and so is every order in it."""
    read = scenario("winter-station")
    again = scenario_from_data(reordered(scenario_to_data(read), Random(seed)))
    assert again == read
    assert repr(again.people) == repr(read.people)
    assert [list(part) for part in (again.rooms, again.people, again.secrets, again.rules, again.evening.needs)] == [
        list(part) for part in (read.rooms, read.people, read.secrets, read.rules, read.evening.needs)
    ]


def test_the_hash_is_that_of_what_it_says() -> None:
    """Any change of content changes the hash; writing a default out does not."""
    read = scenario_from_data(party())
    changed = edited(party(), ((*ELENA, "bonds", "victor", 0), 0.31))
    assert scenario_from_data(changed).hash != read.hash
    assert scenario_from_data(edited(party(), (("rules", "noise"), {"sigma": 0.2}))).hash != read.hash
    assert scenario_from_data(edited(party(), (("rules", "alcohol"), {"pull": 0.3}))) == read
    assert scenario_from_data(edited(party(), ((*ELENA, "room"), "dining_table"))) == read


def test_the_hash_seed_says_nothing() -> None:
    """Every process gives the same hash, whatever its hash seed."""
    probe = "from volition.drama.world.scenario import scenario; print(scenario('dinner-party').hash)"
    assert under_hash_seeds(probe, "2") == {f"{scenario('dinner-party').hash}\n".encode()}


def test_literal() -> None:
    """The literal reading has the same people, rooms, courses and wine, and every rule as rules.toml has it. It has no other
    events of the clock, no circumstances, and no secret that implies another."""
    read = scenario("dinner-party")
    bare = literal(read)
    assert bare.rules == default_rules() != read.rules
    assert bare.rules["departures"]["knowledge"] == "omniscient"
    assert (bare.people, bare.rooms) == (read.people, read.rooms)
    assert bare.evening == replace(read.evening, events=(), circumstances=(), things={})
    assert bare.secrets == {id: replace(secret, implies={}) for id, secret in read.secrets.items()}
    assert bare.hash != read.hash
    assert scenario_from_data(scenario_to_data(bare)) == bare == literal(bare)


def test_nothing_is_shared() -> None:
    """Changing one scenario's data changes no other scenario."""
    rules: Any = scenario("dinner-party").rules
    rules["effects"]["CHAT"][0] = 9.0
    sigma = rules["noise"]["sigma"]
    rules["noise"]["sigma"] = 9.0
    assert literal(scenario("dinner-party")).rules["effects"]["CHAT"][0] == 0.1
    assert scenario("dinner-party").rules["noise"]["sigma"] == sigma != 9.0


def test_files_and_names(tmp_path: pathlib.Path, told: Told) -> None:
    """A path, as text or not, reads a TOML or JSON file; a name reads a shipped scenario; a misspelt one is refused with the nearest."""
    data = scenario_to_data(scenario("winter-station"))
    (tmp_path / "a.toml").write_text(dump_toml(data), encoding="utf-8")
    (tmp_path / "a.json").write_text(dump_json(data), encoding="utf-8")
    read = load_scenario("winter-station")
    assert load_scenario(tmp_path / "a.toml") == load_scenario(str(tmp_path / "a.json")) == read
    with told.raises(InvalidInput):
        load_scenario("diner-party")
    with told.raises(InvalidInput):
        load_scenario(str(tmp_path / "aa.toml"))
    with told.raises(InvalidInput):
        scenario("../rules")


def test_a_large_file_is_refused_unread(tmp_path: pathlib.Path) -> None:
    """A file of 50 MB is refused for its size, without reading it all."""
    file = tmp_path / "large.toml"
    with file.open("wb") as stream:
        stream.write(b'[scenario]\nid = "')
        stream.truncate(50 * 2**20)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match="larger than"):
            load_scenario(file)
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()


unit = st.one_of(st.floats(0, 1), st.sampled_from([0, 1]))
signed = st.one_of(st.floats(-1, 1), st.sampled_from([-1, 0, 1]))
line = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=30)


@st.composite
def valid(draw: st.DrawFn) -> Any:
    """The dinner party with a handful of other values that its format allows."""
    people = sorted(party()["people"])
    person, other = draw(st.permutations(people))[:2]
    secret = draw(st.sampled_from(sorted(party()["secrets"])))
    room = draw(st.sampled_from(sorted(party()["rooms"])))
    rules = default_rules()["departures"].items()
    numbers = [rule for rule, value in rules if type(value) is float and ("departures", rule) not in SHARES]
    changes: list[tuple[Path, Any]] = [
        (("scenario", "name"), draw(line)),
        (("rooms", room, "privacy"), draw(unit)),
        (("rooms", room, "capacity"), draw(st.integers(6, 1000))),
        (("people", person, "name"), draw(line)),
        (("people", person, "room"), room),
        (("people", person, "closeness", other), draw(signed)),
        (("people", person, "bonds", other), [draw(signed), draw(signed), draw(unit)]),
        (("people", person, "emotions"), draw(st.dictionaries(st.sampled_from(["anger", "hope"]), unit))),
        (("people", person, "sensitivity"), draw(st.floats(0, 10))),
        (("people", person, "flaws", 0, "strength"), draw(unit)),
        (("secrets", secret, "weight"), draw(unit)),
        (("secrets", secret, "harm"), draw(st.dictionaries(st.sampled_from(people), unit))),
        (("evening", "events", 1, "minutes"), sorted(draw(st.sets(st.integers(0, 150), max_size=10)))),
        (("rules", "departures", draw(st.sampled_from(numbers))), draw(st.floats(1, 10))),
    ]
    chosen = draw(st.sets(st.integers(0, len(changes) - 1)))
    return edited(party(), *(changes[index] for index in sorted(chosen)), (("rooms", room, "capacity"), 6))


@settings(max_examples=10, deadline=None)
@given(valid())
def test_valid_changes_load(data: Any) -> None:
    """Whatever the format allows is read, comes back exactly, and can begin."""
    read = scenario_from_data(data)
    assert scenario_from_data(scenario_to_data(read)) == read
    assert scenario_from_data(json.loads(json.dumps(data))) == read
    assert sorted(begin(read).agents) == sorted(data["people"])
