"""A floor plan is drawn from a scenario's rooms."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.drama import scenario
from volition.drama.audience.floor_plan import draw_plan
from volition.drama.world.scenario import scenario_names

PARTY = scenario("dinner-party")


@pytest.mark.parametrize("name", scenario_names())
def test_rooms_that_lead_into_each_other_touch(name: str) -> None:
    """A door is in a shared wall, except for one in each triangle of adjacent rooms, which no grid has."""
    drawn = scenario(name)
    triangles = [
        three
        for three in combinations(drawn.rooms, 3)
        if all(b in drawn.rooms[a].adjacent for a, b in combinations(three, 2))
    ]
    assert sum(not door.touching for door in draw_plan(drawn).doors) <= len(triangles)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20))
def test_rooms_never_overlap(links: list[tuple[int, int]]) -> None:
    """Whatever rooms are adjacent, no two overlap, all are on the plan, and the plan is always the same."""
    first = PARTY.evening.gathering
    ids = [first, *(f"room{n}" for n in range(1, 10))]
    doors = {(ids[a], ids[b]) for a, b in links if a != b}
    doors |= {(b, a) for a, b in doors}
    rooms = {
        id: replace(PARTY.rooms[first], id=id, adjacent=tuple(sorted(b for a, b in doors if a == id))) for id in ids
    }
    made = replace(PARTY, rooms=rooms)
    plan = draw_plan(made)
    assert plan == draw_plan(made)
    for one, two in combinations(plan.rooms, 2):
        apart = abs(one.x - two.x) >= one.width or abs(one.y - two.y) >= one.height
        assert apart
    for room in plan.rooms:
        assert 0 <= room.x <= plan.width - room.width
        assert 0 <= room.y <= plan.height - room.height
        assert len(room.places) >= len(made.people)
        assert len(set(room.places)) == len(room.places)
    assert {frozenset(door.rooms) for door in plan.doors} == {frozenset(pair) for pair in doors}
