"""A small tile world: an immutable map of tagged tiles, the moves it offers, and the distances in it.

A position is (x, y): x to the right, y down, from (0, 0) at the top left. Only the tag "wall" is impassable by nature;
every other tag is ground that intentions may judge.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from volition.core.errors import InvalidInput, Problems, did_you_mean, refuse
from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Position = tuple[int, int]

WALL = "wall"
STAY = "stay"

LEGEND = {
    "#": WALL,
    ".": "floor",
    "~": "hazard",
    ",": "grass",
    "+": "door",
    "=": "bridge",
    "o": "water",
}
"""What the characters of a text map mean, unless a legend says otherwise."""

STEPS: dict[str, Position] = {STAY: (0, 0), "north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
"""The moves in the order in which they are offered, which is the last tie-break: without a reason to move, nobody
moves."""

_FIELDS_KEPT = 64


class Tile(FrozenStruct, frozen=True):
    """A candidate: the move `id` leads to the tile at `position`, whose ground is `tag`."""

    id: str
    position: Position
    tag: str


@dataclass(frozen=True, slots=True)
class TileMap:
    """Rows of tags, all of one width; `version` tells one state of the world from the next.

    >>> world = TileMap.parse('''
    ...     #####
    ...     #.~.#
    ...     #####
    ... ''')
    >>> world.width, world.height, world.tag((2, 1))
    (5, 3, 'hazard')
    >>> [move.id for move in world.moves((1, 1))]
    ['stay', 'east']
    """

    rows: tuple[tuple[str, ...], ...]
    version: int = 0
    tags: frozenset[str] = frozenset(LEGEND.values())
    _fields: dict[tuple[Position, tuple[str, ...]], dict[Position, int]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        if not self.rows or not self.rows[0] or len({len(row) for row in self.rows}) != 1:
            refuse(
                "the rows of the map are empty or of different widths",
                where="map",
                expected="at least one tile, and rows of one width",
                remedy="fill the short rows, with walls for instance",
            )
        if isinstance(self.version, bool) or not isinstance(self.version, int):
            refuse(
                f"the version is {self.version!r}",
                where="map.version",
                expected="an integer",
                remedy="count the states of the world",
            )
        object.__setattr__(self, "tags", self.tags.union(*self.rows))

    @classmethod
    def parse(cls, text: str, legend: Mapping[str, str] | None = None, version: int = 0) -> TileMap:
        """Read a text map, one character a tile; `legend` adds to LEGEND, or overrides it.

        The indentation that all rows share and empty lines around them are dropped, unless the legend gives the space
        a meaning. All errors arrive at once, by row and column counted from 0.
        """
        known = {**LEGEND, **(legend or {})}
        problems = Problems()
        _check_legend(known, problems)
        lines = (text if " " in known else dedent(text)).strip("\n").splitlines()
        _check_lines(lines, known, problems)
        problems.raise_if_any(InvalidInput)
        rows = tuple(tuple(known[character] for character in line) for line in lines)
        return cls(rows, version, frozenset(known.values()))

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    def __contains__(self, position: object) -> bool:
        return (
            isinstance(position, tuple)
            and len(position) == 2
            and all(type(part) is int for part in position)
            and 0 <= position[0] < self.width
            and 0 <= position[1] < self.height
        )

    def tag(self, position: Position) -> str:
        """The ground at a position; outside the map is an error."""
        self._check_inside(position, "position")
        return self.rows[position[1]][position[0]]

    def moves(self, position: Position) -> tuple[Tile, ...]:
        """What somebody at this position can do, in the order of STEPS; walls and the outside are never offered."""
        if self.tag(position) == WALL:
            refuse(
                f"the position {position!r} is in a wall",
                where="position",
                expected="a tile that can be stood on",
                remedy="check where the actor is, and whether x and y are in this order",
            )
        return tuple(Tile(id, there, tag) for id, there, tag in self._around(position))

    def distances(self, target: Position, around: Iterable[str] = ()) -> Mapping[Position, int]:
        """How many steps each tile is from the target on paths that avoid walls and the tags in `around`.

        Tiles without such a path are missing; all are, where the target itself is such a tile. Computed once for a
        target and tags, by breadth-first search, and kept.
        """
        self._check_inside(target, "target")
        key = (target, tuple(sorted(set(around))))
        distances = self._fields.get(key)
        if distances is None:
            distances = self._search(target, {WALL, *key[1]})
            if len(self._fields) >= _FIELDS_KEPT:
                self._fields.pop(next(iter(self._fields)), None)
            self._fields[key] = distances
        return distances

    def _search(self, target: Position, closed: set[str]) -> dict[Position, int]:
        if self.tag(target) in closed:
            return {}
        distances = {target: 0}
        edge = deque([target])
        while edge:
            here = edge.popleft()
            for _, there, tag in self._around(here):
                if there not in distances and tag not in closed:
                    distances[there] = distances[here] + 1
                    edge.append(there)
        return distances

    def _around(self, position: Position) -> Iterator[tuple[str, Position, str]]:
        width, height = self.width, self.height
        for id, (dx, dy) in STEPS.items():
            x, y = position[0] + dx, position[1] + dy
            if 0 <= x < width and 0 <= y < height and self.rows[y][x] != WALL:
                yield id, (x, y), self.rows[y][x]

    def _check_inside(self, position: Any, where: str) -> None:
        if position not in self:
            refuse(
                f"the {where} {position!r} is not on the map",
                where=where,
                expected=f"(x, y), whole numbers, x from 0 to {self.width - 1} and y from 0 to {self.height - 1}",
                remedy="check the order: x to the right first, then y down",
            )


class TileSituation(FrozenStruct, frozen=True):
    """The context of intentions over a tile world: the map, and where the actor stands on it."""

    map: TileMap
    position: Position


def read_position(value: Any, what: str, where: str, problems: Problems) -> Position | None:
    """A position as two whole numbers, on whatever map, or a problem."""
    if isinstance(value, (list, tuple)) and len(value) == 2 and all(type(part) is int for part in value):
        return (value[0], value[1])
    problems.add(
        f"the {what} is {value!r}",
        where=where,
        expected="[x, y], two whole numbers",
        remedy="count tiles from 0: x to the right, y down",
    )
    return None


def _check_legend(legend: Mapping[str, str], problems: Problems) -> None:
    for character, tag in legend.items():
        if not (isinstance(character, str) and len(character) == 1 and isinstance(tag, str) and tag):
            problems.add(
                f"{character!r} means {tag!r}",
                where=f"legend[{character!r}]",
                expected="one character, and a tag that is not empty",
                remedy="write a legend such as {'!': 'fire'}",
            )


def _check_lines(lines: list[str], legend: Mapping[str, str], problems: Problems) -> None:
    if not lines:
        problems.add("the map is empty", where="map", expected="at least one tile", remedy="draw a row")
    for y, line in enumerate(lines):
        if len(line) != len(lines[0]):
            problems.add(
                f"row {y} has {len(line)} columns, and row 0 has {len(lines[0])}",
                where=f"map, row {y}, column {min(len(line), len(lines[0]))}",
                expected="rows of one width",
                remedy="fill the short rows, with '#' for instance",
            )
        for x, character in enumerate(line):
            if character not in legend:
                problems.add(
                    f"{character!r} is not in the legend",
                    where=f"map, row {y}, column {x}",
                    expected="a character of the legend",
                    remedy=did_you_mean(character, legend),
                )
