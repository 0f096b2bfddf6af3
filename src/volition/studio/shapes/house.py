"""The floor plan of a house: rooms and doors with their positions."""

from __future__ import annotations

from msgspec import Struct

Point = tuple[float, float]


class RoomShape(Struct, frozen=True):
    """A room and where to draw it; `places` are the positions for people, in the order in which they are taken."""

    id: str
    name: str
    description: str
    privacy: float
    capacity: int
    adjacent: list[str]
    overhears: dict[str, float]
    x: float
    y: float
    width: float
    height: float
    places: list[Point]


class DoorShape(Struct, frozen=True):
    """A door between two adjacent rooms; a passage where they are drawn apart."""

    rooms: tuple[str, str]
    start: Point
    end: Point
    touching: bool


class FloorPlan(Struct, frozen=True):
    """The house as drawn; y grows downwards. `outside` are the positions of people who have left."""

    width: float
    height: float
    rooms: list[RoomShape]
    doors: list[DoorShape]
    gathering: str
    exit: str
    outside: list[Point]
