"""A set is its floor plan in whole blocks, and every way through it leads through doors."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from volition.drama import play, scenario
from volition.drama.audience.floor_plan import draw_plan
from volition.drama.audience.timeline import Unfolding
from volition.drama.world.model import DEPARTED
from volition.drama.world.scenario import scenario_names
from volition.staging import set_design
from volition.staging.set_design import SCALE, SetDesign


@pytest.mark.parametrize("name", scenario_names())
def test_rooms_are_whole_blocks_and_doors_are_in_walls(name: str) -> None:
    """Of every shipped scenario: a stage made of blocks can build it, and each door lies on the edge of its rooms."""
    built = SetDesign(scenario(name)).to_parameters()
    edges = set()
    for room in built["rooms"]:
        assert all(float(room[side]).is_integer() for side in ("x", "y", "width", "height"))
        edges |= {("x", room["x"]), ("x", room["x"] + room["width"])}
        edges |= {("y", room["y"]), ("y", room["y"] + room["height"])}
    for door in built["doors"]:
        (x, y), (to_x, to_y) = door["start"], door["end"]
        assert (("x", x) in edges and x == to_x) or (("y", y) in edges and y == to_y)
        assert abs(x - to_x) + abs(y - to_y) == SCALE


@pytest.mark.parametrize("name", scenario_names())
def test_a_way_leads_from_door_to_door(name: str) -> None:
    """Between any two rooms the points on the way are middles of doors of rooms that follow each other, and then the place;
    between neighbours one door; who goes out, and who comes in, takes the same way."""
    house = scenario(name)
    design = SetDesign(house)
    for start in house.rooms:
        for goal in house.rooms:
            place = next(room.places[0] for room in design.plan.rooms if room.id == goal)
            way = design.way(start, goal, place)
            assert way[-1] == [place[0] * SCALE, place[1] * SCALE]
            if goal in house.rooms[start].adjacent:
                assert len(way) == 2
            assert (len(way) == 1) == (start == goal)
    inside, out = design.plan.exit, design.plan.outside[0]
    outward, inward = design.way(inside, DEPARTED, out), design.way(DEPARTED, inside, out)
    assert outward[:-1] == inward[:-1][::-1]
    assert outward[-2][1] == out[1] * SCALE, "in the street"


def walls_hit(design: SetDesign, way: list[list[float]]) -> list[tuple[str, list[float]]]:
    """Where a way meets a wall of a room and no gap is, and where it runs along one."""
    built = design.to_parameters()
    gaps = [(*door["start"], *door["end"]) for door in built["doors"]]
    hit = []
    for (x, y), (to_x, to_y) in pairwise(way):
        assert x == to_x or y == to_y, "squarely"
        for room in built["rooms"]:
            left, top, right, low = (
                room["x"], room["y"], room["x"] + room["width"], room["y"] + room["height"],
            )  # fmt: skip
            for wall in (left, right):
                meets = min(x, to_x) <= wall <= max(x, to_x) and top <= y <= low
                if meets and not any(a == c == wall and b < y < d for a, b, c, d in gaps):
                    hit.append((room["id"], [wall, y]))
            for wall in (top, low):
                meets = min(y, to_y) <= wall <= max(y, to_y) and left <= x <= right
                if meets and not any(b == d == wall and a < x < c for a, b, c, d in gaps):
                    hit.append((room["id"], [x, wall]))
    return hit


@pytest.mark.parametrize("name", scenario_names())
def test_no_wall_is_in_the_way_of_those_who_go_out(name: str) -> None:
    """Of every shipped scenario: from the way out to the street no wall is met, whatever rooms are below; rooms that are
    passed on the way have no gap for it."""
    design = SetDesign(scenario(name))
    for out in design.plan.outside:
        assert walls_hit(design, design.way(design.plan.exit, DEPARTED, out)) == []
    touching = sum(door.touching for door in design.plan.doors)
    assert len(design.to_parameters()["doors"]) == touching + 1


def test_who_is_enclosed_goes_out_through_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rooms are on all four sides of the one with the way out, there are gaps straight down to the street."""
    house = scenario("dinner-party")
    plan = draw_plan(house)
    enclosed = next(room.id for room in plan.rooms if (room.x, room.y) == (5.0, 4.0))
    monkeypatch.setattr(set_design, "draw_plan", lambda _: replace(plan, exit=enclosed))
    design = SetDesign(house)
    for out in plan.outside:
        assert walls_hit(design, design.way(enclosed, DEPARTED, out)) == []


def test_nobody_stands_in_a_wall() -> None:
    """Every place at which the record has somebody is inside their room, at least half a block from its walls."""
    evening = play(scenario("dinner-party"), 8)
    design = SetDesign(evening.scenario)
    rooms = {room.id: room for room in design.plan.rooms}
    unfolding = Unfolding(evening.run, design.plan)
    for record in evening.run.ticks:
        before, _ = unfolding.step(record)
        for person in before.people.values():
            if person.room != DEPARTED:
                room = rooms[person.room]
                assert room.x + 0.25 <= person.at[0] <= room.x + room.width - 0.25
                assert room.y + 0.25 <= person.at[1] <= room.y + room.height - 0.25
