"""States as data and back."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.stage.evenings import EVENINGS, scenario_of, watched
from tests.drama.stage.scenes import HALL, scene
from volition.core.canonical import canonical
from volition.drama.evening.person import PERSON_PARTS
from volition.drama.evening.world import WORLD_PARTS
from volition.drama.rules.catalog import CHAT
from volition.drama.stage.replay import state_at
from volition.drama.stage.state import state_digest, state_from_data, state_to_data
from volition.drama.world.model import Happening


@pytest.mark.req("DE-17")
@given(st.sampled_from(EVENINGS), st.integers(0, 300))
def test_a_state_survives_its_data(evening: tuple[str, int], tick: int) -> None:
    """A state of any moment, written as canonical bytes and read again, is equal to itself and has the same bytes."""
    run = watched(*evening).run
    world = state_at(run, min(tick, len(run.ticks)))
    written = canonical(state_to_data(world))
    read = state_from_data(scenario_of(evening[0]), json.loads(written))
    assert read == world
    assert canonical(state_to_data(read)) == written
    assert list(read.agents) == list(world.agents)


@pytest.mark.req("DE-17")
def test_no_part_of_a_state_is_forgotten() -> None:
    """Every field of the world and of a person has its place in the data, but for the definition and the id."""
    data = state_to_data(scene())
    assert set(data) == {*WORLD_PARTS, "recent", "agents"}
    for me in data["agents"].values():
        assert set(me) == set(PERSON_PARTS)


@pytest.mark.req("DE-17")
def test_every_part_of_a_state_counts() -> None:
    """A change of any part changes the digest and survives the round trip."""
    world = scene()
    seen = {state_digest(world)}
    changes: dict[str, object] = {
        "location": "nook", "alcohol": 0.15, "knows": {("ben", "will")}, "sightings": {"ben": ("hall", 3)},
        "grievance": {"ben": 0.5}, "peaks": {"ben": 0.5}, "reconciled": {"ben"}, "grounds": {"ben": 2},
        "fatigue": {"ben": 1.0}, "confronted": {"ben": 3}, "confronted_by": {"ben": 4}, "questions": {("ben", "will"): 5},
        "challenged": 6, "lied": {("ben", "will")}, "planted": {"ring": "ben"}, "wronged": {"ben"}, "needs": {"air": 0.7},
        "task": "pour", "task_since": 8.5, "recent": [(1, "internal")], "moved": 7, "away": 3.5, "last_scene": 9.0,
        "broken": True, "thrown_out": True, "stung": {"ben": 5.5}, "answered": {"ben"}, "suspects": {("ben", "will")},
        "course_seen": 6.5, "wrong": {"ben": "harm:will"}, "forgiven": {"ben"}, "broke_with": {"ben"}, "slammed": 4.5,
        "shunned": {"ben": 2.5}, "comforted": {"ben": 3.0}, "arrival": 12.0,
    }  # fmt: skip
    copies = []
    for part, value in changes.items():
        copies.append(deepcopy(world))
        setattr(copies[-1].agents["ann"], part, value)
    for part in ("tick", "minutes", "catastrophes", "course_served", "courses", "pours", "rung"):
        copies.append(deepcopy(world))
        setattr(copies[-1], part, 4)
    copies.append(deepcopy(world))
    copies[-1].recent.append(Happening(1, CHAT, "ann", ("ben",), HALL, seen_by=("ann", "ben")))
    for copy in copies:
        assert state_from_data(copy.scenario, json.loads(canonical(state_to_data(copy)))) == copy
        seen.add(state_digest(copy))
    assert len(seen) == 1 + len(copies)
    assert set(PERSON_PARTS) - set(changes) == {"pacing", "emotions", "bonds", "beliefs", "carries"}
