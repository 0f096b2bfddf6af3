"""The set of an evening: its floor plan in whole blocks, and the ways from room to room through the doors."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from volition.drama.audience.floor_plan import HEIGHT, WIDTH, draw_plan
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.audience.floor_plan import Cell, DoorShape, FloorPlan, Point, RoomShape
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
        cells = {room.id: _cell(room) for room in self.plan.rooms}
        self._taken, self._exit_cell = frozenset(cells.values()), cells[self.plan.exit]

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
        doors += self._gaps()
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

    def _way_to_street(self) -> list[list[float]]:
        """From the way out to the street below the house: straight down, or around the rooms that are in between."""
        cells = self._cells_to_street()
        doorstep = _between_cells(self._exit_cell, cells[0])
        points = [doorstep, *map(_centre, cells[:-1]), (_centre(cells[-1])[0], self.plan.outside[0][1])]
        # A point on the straight line between its neighbours is no turn.
        turns = [
            there
            for before, there, after in zip(points, points[1:], points[2:], strict=False)
            if not (before[0] == there[0] == after[0] or before[1] == there[1] == after[1])
        ]
        return [blocks(point) for point in (doorstep, *turns, points[-1])]

    def _gaps(self) -> list[dict[str, Any]]:
        """The gaps in the walls on the way out: one, in the wall of the room that has it; more where that room is enclosed, so
        that whoever goes out passes through others."""
        way = [self._exit_cell, *self._cells_to_street()]
        gaps = []
        for here, there in pairwise(way):
            if here in self._taken or there in self._taken:
                x, y = _between_cells(here, there)
                across, along = (0.5, 0.0) if here[0] == there[0] else (0.0, 0.5)
                gaps.append({"start": blocks((x - across, y - along)), "end": blocks((x + across, y + along))})
        return gaps

    def _cells_to_street(self) -> list[Cell]:
        """The shortest way over free ground from the room with the way out, cell by cell, to the row below the house; straight
        down through whatever is there where that room is enclosed."""
        columns = max(column for column, _ in self._taken) + 1
        street = max(row for _, row in self._taken) + 1
        came: dict[Cell, Cell] = {}
        waiting = deque([self._exit_cell])
        while waiting:
            here = waiting.popleft()
            if here[1] == street:
                way = [here]
                while (here := came[here]) != self._exit_cell:
                    way.append(here)
                return way[::-1]
            for column, row in ((0, 1), (-1, 0), (1, 0), (0, -1)):
                there = (here[0] + column, here[1] + row)
                on_ground = -1 <= there[0] <= columns and -1 <= there[1] <= street
                if on_ground and there not in self._taken and there not in came:
                    came[there] = here
                    waiting.append(there)
        column, row = self._exit_cell
        return [(column, below) for below in range(row + 1, street + 1)]


def _cell(room: RoomShape) -> Cell:
    return round(room.x / WIDTH), round(room.y / HEIGHT)


def _centre(cell: Cell) -> Point:
    return (cell[0] + 0.5) * WIDTH, (cell[1] + 0.5) * HEIGHT


def _between_cells(one: Cell, other: Cell) -> Point:
    """The middle of the wall between two cells that lie side by side."""
    (x, y), (to_x, to_y) = _centre(one), _centre(other)
    return (x + to_x) / 2, (y + to_y) / 2


def blocks(point: Point) -> list[float]:
    """A point of the plan in blocks of the stage."""
    return [point[0] * SCALE, point[1] * SCALE]


def _middle(door: DoorShape) -> Point:
    (x, y), (to_x, to_y) = door.start, door.end
    return (x + to_x) / 2, (y + to_y) / 2
