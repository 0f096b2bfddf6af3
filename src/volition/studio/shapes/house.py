"""The plan of a house: rooms and doors with their places."""

from __future__ import annotations

from msgspec import Struct

Point = tuple[float, float]


class RoomShape(Struct, frozen=True):
    """A room and where to draw it; `places` are the centres of where people stand, in the order in which they fill."""

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


class Door(Struct, frozen=True):
    """Two rooms that lead into each other; where they stand apart, a passage from one to the other."""

    rooms: tuple[str, str]
    start: Point
    end: Point
    touching: bool


class Plan(Struct, frozen=True):
    """The house, drawn; y grows downwards. `outside` is where those stand who have left."""

    width: float
    height: float
    rooms: list[RoomShape]
    doors: list[Door]
    gathering: str
    exit: str
    outside: list[Point]
