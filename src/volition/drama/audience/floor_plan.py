"""The floor plan of a house: a scenario says which rooms are adjacent, and this finds where each can be drawn.

Rooms take the cells of a grid, so that adjacent ones share a wall wherever possible. The same scenario always gets the
same plan.
"""

from __future__ import annotations

from itertools import combinations, product
from math import ceil, sqrt
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.drama.world.model import Room, Scenario


Point = tuple[float, float]


class RoomShape(Struct, frozen=True):
    """A room and where to draw it; `places` are the positions for people, in the order in which they are taken."""

    id: str
    """The id of the room."""
    name: str
    """Its name."""
    description: str
    """What it is like."""
    privacy: float
    """How private it is, 0 to 1."""
    capacity: int
    """How many people fit."""
    adjacent: list[str]
    """The rooms that it has a door to."""
    overhears: dict[str, float]
    """How likely each other room is heard from here."""
    x: float
    """The left edge."""
    y: float
    """The upper edge."""
    width: float
    """The width."""
    height: float
    """The height."""
    places: list[Point]
    """Where to draw people, in the order in which places are taken."""


class DoorShape(Struct, frozen=True):
    """A door between two adjacent rooms; a passage where they are drawn apart."""

    rooms: tuple[str, str]
    """The two rooms."""
    start: Point
    """One end."""
    end: Point
    """The other end."""
    touching: bool
    """Whether the rooms are drawn side by side."""


class FloorPlan(Struct, frozen=True):
    """The house as drawn; y grows downwards. `outside` are the positions of people who have left."""

    width: float
    """The width of the drawing."""
    height: float
    """The height of the drawing."""
    rooms: list[RoomShape]
    """The rooms."""
    doors: list[DoorShape]
    """The doors."""
    gathering: str
    """The room where people gather."""
    exit: str
    """The room with the way out."""
    outside: list[Point]
    """Where to draw people who have left."""


WIDTH: Final = 5.0
HEIGHT: Final = 4.0
MARGIN: Final = 0.8
STREET: Final = 1.2
"""The height of the strip below the house for people who have left."""
ROUNDS: Final = 20
MOST_ROOMS: Final = 40
"""With more rooms the first arrangement is kept: improving it would take too long."""
Cell = tuple[int, int]
Cells = dict[str, Cell]


def draw_plan(scenario: Scenario) -> FloorPlan:
    """Where every room of a scenario is drawn, with places for everybody in each."""
    rooms = scenario.rooms
    evening, people = scenario.evening, len(scenario.people)
    links = sorted({(min(a, b), max(a, b)) for a, room in rooms.items() for b in room.adjacent})
    cells = _arrange(list(rooms), links, evening.gathering)
    shapes = [_room(room, cells[id], max(room.capacity, people)) for id, room in rooms.items()]
    width = WIDTH * (1 + max(column for column, _ in cells.values()))
    height = HEIGHT * (1 + max(row for _, row in cells.values())) + STREET
    outside = [(_round(width * (n + 0.5) / people), _round(height - STREET / 2)) for n in range(people)]
    doors = [_door(pair, cells) for pair in links]
    return FloorPlan(width, height, shapes, doors, evening.gathering, evening.exit, outside)


def _arrange(rooms: Sequence[str], links: Sequence[tuple[str, str]], first: str) -> Cells:
    """A cell for every room, starting at (0, 0): rooms are moved as long as that shortens the ways."""
    cells = _arrange_outwards(rooms, links, first)
    best = _length(cells, links)
    for _ in range(ROUNDS if len(rooms) <= MOST_ROOMS else 0):
        before = best
        for room in rooms:
            for cell in _cells_around(cells.values()):
                tried = _move(cells, room, cell)
                if (length := _length(tried, links)) < best:
                    cells, best = tried, length
        if best == before:
            break
    left, top = min(column for column, _ in cells.values()), min(row for _, row in cells.values())
    return {id: (column - left, row - top) for id, (column, row) in cells.items()}


def _arrange_outwards(rooms: Sequence[str], links: Sequence[tuple[str, str]], first: str) -> Cells:
    """A first arrangement: from the gathering room outwards, each room as near to its neighbours as possible."""
    near: Mapping[str, set[str]] = {id: {b for pair in links if id in pair for b in pair if b != id} for id in rooms}
    cells: Cells = {first: (0, 0)}
    waiting = [id for id in rooms if id != first]
    while waiting:
        next_one = max(waiting, key=lambda id: (len(near[id] & cells.keys()), -rooms.index(id)))
        waiting.remove(next_one)
        wanted = [pair for pair in links if next_one in pair and set(pair) <= {*cells, next_one}]
        cells[next_one] = min(
            (cell for cell in _cells_around(cells.values()) if cell not in cells.values()),
            key=lambda cell: (_length({**cells, next_one: cell}, wanted), cell[1], cell[0]),
        )
    return cells


def _cells_around(taken: Iterable[Cell]) -> list[Cell]:
    """The taken cells, and those beside them."""
    steps = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
    return sorted({(column + x, row + y) for (column, row), (x, y) in product(taken, steps)})


def _move(cells: Cells, room: str, cell: Cell) -> Cells:
    """Put a room into another cell; a room that was there takes the old room."""
    there = {at: id for id, at in cells.items()}
    moved = {**cells, room: cell}
    if cell in there:
        moved[there[cell]] = cells[room]
    return moved


def _length(cells: Cells, links: Sequence[tuple[str, str]]) -> float:
    """The total length of all ways between adjacent rooms; among equals, a compact house is better."""
    ways = sum(abs(cells[a][0] - cells[b][0]) + abs(cells[a][1] - cells[b][1]) - 1 for a, b in links)
    sprawl = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in combinations(cells.values(), 2))
    return 100.0 * ways + sprawl


def _room(room: Room, cell: Cell, places: int) -> RoomShape:
    x, y = cell[0] * WIDTH, cell[1] * HEIGHT
    return RoomShape(
        id=room.id,
        name=room.name,
        description=room.description,
        privacy=room.privacy,
        capacity=room.capacity,
        adjacent=list(room.adjacent),
        overhears=dict(room.overhears),
        x=x,
        y=y,
        width=WIDTH,
        height=HEIGHT,
        places=_places(x, y, places),
    )


def _places(x: float, y: float, count: int) -> list[Point]:
    """Points inside a room, in even rows; the upper strip is left for its name."""
    across = max(1, ceil(sqrt(count * WIDTH / HEIGHT)))
    down = ceil(count / across)
    inner_width, inner_height = WIDTH - 2 * MARGIN, HEIGHT - 2.5 * MARGIN
    points = []
    for number in range(count):
        row, column = divmod(number, across)
        in_row = min(across, count - row * across)
        points.append(
            (
                _round(x + MARGIN + inner_width * (column + 0.5) / in_row),
                _round(y + 1.5 * MARGIN + inner_height * (row + 0.5) / down),
            )
        )
    return points


def _door(pair: tuple[str, str], cells: Cells) -> DoorShape:
    (ax, ay), (bx, by) = cells[pair[0]], cells[pair[1]]
    first, second = ((ax + 0.5) * WIDTH, (ay + 0.5) * HEIGHT), ((bx + 0.5) * WIDTH, (by + 0.5) * HEIGHT)
    touching = abs(ax - bx) + abs(ay - by) == 1
    if not touching:
        return DoorShape(pair, first, second, touching)
    x, y = (first[0] + second[0]) / 2, (first[1] + second[1]) / 2
    across, along = (0.5, 0.0) if ax == bx else (0.0, 0.5)
    return DoorShape(pair, (x - across, y - along), (x + across, y + along), touching)


def _round(value: float) -> float:
    return round(value, 3)
