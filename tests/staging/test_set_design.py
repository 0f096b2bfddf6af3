"""A set is its floor plan in whole blocks, and every way through it leads through doors."""

from __future__ import annotations

import pytest

from volition.drama import play, scenario
from volition.drama.audience.timeline import Unfolding
from volition.drama.world.model import DEPARTED
from volition.drama.world.scenario import scenario_names
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
    between neighbours one door; who goes out, or comes in, passes the way out and the street below it."""
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
    assert len(outward) == 3
    assert outward[:2] == inward[:2][::-1], "the doorstep, and the street straight below it"
    assert outward[1] == [outward[0][0], out[1] * SCALE]


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
