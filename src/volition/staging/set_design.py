"""The set of an evening: its floor plan in whole blocks, and the ways from room to room through the doors."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from volition.drama.audience.floor_plan import draw_plan
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.audience.floor_plan import DoorShape, FloorPlan, Point
    from volition.drama.world.model import Scenario

SCALE: Final = 2
"""Blocks for each unit of the plan: a room is ten blocks wide and eight deep, and its doors two blocks."""


class SetDesign:
    """Where the rooms of a scenario stand on a stage, and how to get from one to the other."""

    def __init__(self, scenario: Scenario) -> None:
        self.plan: FloorPlan = draw_plan(scenario)
        self.title = scenario.name
        self.names = {id: person.name for id, person in scenario.people.items()}
        self._doors: dict[str, list[DoorShape]] = {room.id: [] for room in self.plan.rooms}
        for door in self.plan.doors:
            for room in door.rooms:
                self._doors[room].append(door)

    def to_parameters(self) -> dict[str, Any]:
        """The parameters of SET. Rooms that the plan shows apart have no door here: nobody could walk through it."""
        rooms = [
            {
                "id": room.id,
                "name": room.name,
                "x": room.x * SCALE,
                "y": room.y * SCALE,
                "width": room.width * SCALE,
                "height": room.height * SCALE,
            }
            for room in self.plan.rooms
        ]
        doors = [{"start": blocks(door.start), "end": blocks(door.end)} for door in self.plan.doors if door.touching]
        doors.append(self._way_out())
        return {"title": self.title, "rooms": rooms, "doors": doors}

    def way(self, start: str, goal: str, place: Point) -> list[list[float]]:
        """The points from one room to a place in another: the doors between them, and the place.

        The shortest way is taken. It may lead through rooms that are drawn apart: a stage has no door there, the guest does
        not arrive, and is put where they have to be.
        """
        passed = [blocks(_middle(door)) for door in self._between(self._inside(start), self._inside(goal))]
        if start != goal:
            out = self._way_to_street()
            passed = out[::-1] * (start == DEPARTED) + passed + out * (goal == DEPARTED)
        return [*passed, blocks(place)]

    def _between(self, start: str, goal: str) -> list[DoorShape]:
        """The doors on the shortest way from room to room."""
        came: dict[str, tuple[str, DoorShape] | None] = {start: None}
        waiting = deque([start])
        while waiting and goal not in came:
            here = waiting.popleft()
            for door in self._doors[here]:
                there = door.rooms[door.rooms[0] == here]
                if there not in came:
                    came[there] = (here, door)
                    waiting.append(there)
        doors: list[DoorShape] = []
        step = came.get(goal)
        while step is not None:
            goal, door = step
            doors.append(door)
            step = came[goal]
        return doors[::-1]

    def _inside(self, room: str) -> str:
        """A room, or the one with the way out for those who are outside."""
        return self.plan.exit if room == DEPARTED else room

    def _doorstep(self) -> Point:
        """The way out: in the lower wall of the room that has it, since the street is below the house."""
        room = next(room for room in self.plan.rooms if room.id == self.plan.exit)
        return (room.x + room.width / 2, room.y + room.height)

    def _way_to_street(self) -> list[list[float]]:
        """From the doorstep straight down to the street: other rooms may be lower than the one with the way out."""
        doorstep = self._doorstep()
        return [blocks(doorstep), blocks((doorstep[0], self.plan.outside[0][1]))]

    def _way_out(self) -> dict[str, Any]:
        x, y = self._doorstep()
        return {"start": blocks((x - 0.5, y)), "end": blocks((x + 0.5, y))}


def blocks(point: Point) -> list[float]:
    """A point of the plan in blocks of the stage."""
    return [point[0] * SCALE, point[1] * SCALE]


def _middle(door: DoorShape) -> Point:
    (x, y), (to_x, to_y) = door.start, door.end
    return (x + to_x) / 2, (y + to_y) / 2
