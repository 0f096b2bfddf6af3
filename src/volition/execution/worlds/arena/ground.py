"""The ground of an arena: a grid of tiles, the search over it, a map read from text, and where a point may go on it.

A tile is (column, row), counted from (0, 0) at the top left. A place is (x, y) in milli-tiles from the top left corner of
the map; x grows to the right and y down.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from heapq import heappop, heappush
from importlib import resources
from itertools import count
from typing import TYPE_CHECKING, Final, TypeAlias

from volition.core.errors import InvalidInput, Problems, did_you_mean, format_value, refuse
from volition.execution.worlds.arena.rules import LARGEST_MAP, SIGHT_PARTS, TILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


Tile: TypeAlias = tuple[int, int]

WALL, FLOOR, HAZARD, BEAM = "#", ".", "~", "-"
SAFE: Final = frozenset({FLOOR, BEAM})
"""The kinds of tile that harm nobody; whatever is neither safe nor a wall counts as a hazard."""


@dataclass(frozen=True)
class TileGrid:
    """Rows of characters, all of one length: see WALL, FLOOR, HAZARD and BEAM. Beyond the edge all is wall.

    >>> grid = TileGrid(("#####", "#.~.#", "#####"))
    >>> grid.is_safe((1, 1)), grid.is_hazard((2, 1)), grid.is_wall((9, 9))
    (True, True, True)
    """

    rows: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.rows or len({len(row) for row in self.rows}) != 1 or not self.rows[0]:
            refuse(
                "the rows of the grid are not of one length",
                where="rows",
                expected="at least one row, all of the same length",
                remedy="fill the short rows, with '?' for unknown tiles",
            )

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    def kind(self, tile: Tile) -> str:
        column, row = tile
        return self.rows[row][column] if 0 <= row < len(self.rows) and 0 <= column < len(self.rows[0]) else WALL

    def is_wall(self, tile: Tile) -> bool:
        return self.kind(tile) == WALL

    def is_safe(self, tile: Tile) -> bool:
        return tile in self.safe

    def is_hazard(self, tile: Tile) -> bool:
        return tile in self.hazards

    @cached_property
    def safe(self) -> frozenset[Tile]:
        return frozenset(tile for tile in self._tiles() if self.kind(tile) in SAFE)

    @cached_property
    def hazards(self) -> frozenset[Tile]:
        return frozenset(tile for tile in self._tiles() if not self.is_wall(tile)) - self.safe

    def _tiles(self) -> Iterator[Tile]:
        return ((column, row) for row in range(self.height) for column in range(self.width))


def search(
    start: Tile, neighbours: Callable[[Tile], Iterable[tuple[float, Tile]]]
) -> Iterator[tuple[Tile, float, Tile]]:
    """Every tile that can be reached, nearest first: the tile, its distance, and the tile before it on a shortest path.

    `neighbours` gives the tiles that can be reached from a tile in one step, each after the length of that step. Of
    tiles at the same distance, the one found first comes first: where all steps are equally long, the search is breadth
    first, and its paths are those of every other implementation of the arena.
    """
    order = count()
    queue = [(0.0, next(order), start, start)]
    visited: set[Tile] = set()
    while queue:
        distance, _, tile, before = heappop(queue)
        if tile in visited:
            continue
        visited.add(tile)
        yield tile, distance, before
        for step, neighbour in neighbours(tile):
            if neighbour not in visited:
                heappush(queue, (distance + step, next(order), neighbour, tile))


ACTOR, OPPONENT = "@", "&"

LEGEND = {
    WALL: "wall",
    FLOOR: "floor",
    HAZARD: "hazard",
    BEAM: "floor under a beam: room to walk, none to jump",
    ACTOR: "floor, where the actor may start",
    OPPONENT: "floor, where the opponent may start",
}
"""What the characters of a text map mean."""

SHIPPED_MAPS = ("courtyard", "foundry")
"""The names of the maps that come with the arena."""

_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_SMALLEST = 3


@dataclass(frozen=True)
class ArenaMap(TileGrid):
    """A checked map; see `parse_map`. `rows` are walls, floor, hazards and beams."""

    name: str
    actor_starts: tuple[Tile, ...]
    """Where the actor may start, row by row from the left; the seed chooses."""
    opponent_starts: tuple[Tile, ...]
    """Where the opponent may start, and return, likewise."""

    def to_text(self) -> str:
        """The map as `parse_map` reads it.

        >>> print(parse_map("name: closet\\n#####\\n#@&&#\\n#####").to_text())
        name: closet
        #####
        #@&&#
        #####
        """
        rows = [list(row) for row in self.rows]
        for body, tiles in ((ACTOR, self.actor_starts), (OPPONENT, self.opponent_starts)):
            for column, row in tiles:
                rows[row][column] = body
        return "\n".join([f"name: {self.name}", *("".join(row) for row in rows)])

    def tile(self, x: int, y: int) -> str:
        """The kind of tile at a place; beyond the edge all is wall."""
        return self.kind((x // TILE, y // TILE))

    def contains(self, x: int, y: int) -> bool:
        return 0 <= x < self.width * TILE and 0 <= y < self.height * TILE

    def passable(self, x: int, y: int, dx: int, dy: int, closed: str) -> bool:
        """Whether a point at (x, y) may move by less than a tile: no tile that it meets is one of `closed`.

        A step into a diagonal neighbour needs both tiles beside the corner too, so that no corner is cut.
        """
        return (
            self.tile(x + dx, y + dy) not in closed
            and self.tile(x + dx, y) not in closed
            and self.tile(x, y + dy) not in closed
        )

    def clear(self, x: int, y: int, to_x: int, to_y: int) -> bool:
        """Whether no wall is between two places; the line is sampled in SIGHT_PARTS equal parts."""
        dx, dy = to_x - x, to_y - y
        return all(
            self.tile(x + dx * part // SIGHT_PARTS, y + dy * part // SIGHT_PARTS) != WALL
            for part in range(1, SIGHT_PARTS)
        )


def centre(tile: Tile) -> tuple[int, int]:
    """The place in the middle of a tile."""
    return tile[0] * TILE + TILE // 2, tile[1] * TILE + TILE // 2


def parse_map(text: str, where: str = "map") -> ArenaMap:
    """Read a text map: a line `name: NAME`, then the rows; empty lines and lines that begin with `;` are skipped.

    The border is walls, rows have one width, and each body has a place to start, or several for the seed to choose from.
    All errors are reported at once, by line and column counted from 1.

    >>> parse_map('''
    ... name: closet
    ... ######
    ... #@.~&#
    ... ######
    ... ''').rows
    ('######', '#..~.#', '######')
    """
    problems = Problems()
    lines = [(number, line.rstrip(" \t\r")) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith(";")]
    name = ""
    if lines and lines[0][1].startswith("name:"):
        number, line = lines.pop(0)
        name = line.removeprefix("name:").strip(" \t")
        if not _NAME.fullmatch(name):
            problems.add(
                f"the name is {format_value(name)}",
                where=f"{where}, line {number}",
                expected="a small letter, then at most 31 small letters, digits and hyphens",
                remedy="write a line such as 'name: courtyard'",
            )
    else:
        problems.add(
            "the map has no name",
            where=f"{where}, line {lines[0][0] if lines else 1}",
            expected="a line 'name: NAME' before the rows",
            remedy="write a line such as 'name: courtyard'",
        )
    _check_rows(lines, where, problems)
    starts = [_starts(lines, body, where, problems) for body in (ACTOR, OPPONENT)]
    problems.raise_if_any(InvalidInput)
    rows = tuple(line.replace(ACTOR, FLOOR).replace(OPPONENT, FLOOR) for _, line in lines)
    return ArenaMap(rows, name, *starts)


def read_map(path: Path) -> ArenaMap:
    """The map in a file."""
    try:
        return parse_map(path.read_bytes().decode(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        refuse(
            f"the map cannot be read: {error}",
            where=str(path),
            expected="a text file in UTF-8",
            remedy=f"check the path, or use one of the maps {', '.join(SHIPPED_MAPS)}",
        )


def shipped_map(name: str) -> ArenaMap:
    """One of SHIPPED_MAPS.

    >>> shipped_map("courtyard").name
    'courtyard'
    """
    if name not in SHIPPED_MAPS:
        refuse(
            f"there is no map {format_value(name)}",
            where="map",
            expected="the name of a map that comes with the arena",
            remedy=did_you_mean(name, SHIPPED_MAPS),
        )
    return _read_shipped(name)


@cache
def _read_shipped(name: str) -> ArenaMap:
    """The map of a file of this package; it cannot be changed, so that everybody may have the same one."""
    file = resources.files("volition.execution.worlds.arena").joinpath("maps", f"{name}.txt")
    return parse_map(file.read_bytes().decode(), name)


def _check_rows(lines: list[tuple[int, str]], where: str, problems: Problems) -> None:
    width = len(lines[0][1]) if lines else 0
    if not (_SMALLEST <= width <= LARGEST_MAP and _SMALLEST <= len(lines) <= LARGEST_MAP):
        problems.add(
            f"the map is {width} wide and {len(lines)} high",
            where=where,
            expected=f"{_SMALLEST} to {LARGEST_MAP} tiles either way",
            remedy="draw a room with a border of '#'",
        )
    for number, line in lines:
        if len(line) != width:
            problems.add(
                f"the row is {len(line)} wide, and the first one {width}",
                where=f"{where}, line {number}",
                expected="rows of one width",
                remedy="fill the short rows, with '#' for instance",
            )
        for column, character in enumerate(line, 1):
            if character not in LEGEND:
                problems.add(
                    f"{character!r} is not in the legend",
                    where=f"{where}, line {number}, column {column}",
                    expected="a character of the legend",
                    remedy=did_you_mean(character, LEGEND),
                )
        edge = number in {lines[0][0], lines[-1][0]}
        gaps = [column for column, c in enumerate(line, 1) if c != WALL and (edge or column in {1, len(line)})]
        if gaps:
            problems.add(
                f"the border has {'a gap' if len(gaps) == 1 else f'{len(gaps)} gaps'}",
                where=f"{where}, line {number}, column {gaps[0]}",
                expected="walls all around",
                remedy="close the border with '#'",
            )


def _starts(lines: list[tuple[int, str]], body: str, where: str, problems: Problems) -> tuple[Tile, ...]:
    """The tiles of a `body` on the map, row by row; none is a problem."""
    tiles = [(x, y) for y, (_, line) in enumerate(lines) for x, character in enumerate(line) if character == body]
    if not tiles:
        problems.add(
            f"there is no {body!r} on the map",
            where=where,
            expected=f"at least one: {LEGEND[body]}",
            remedy=f"put {body!r} on one tile of floor, or on several for the seed to choose from",
        )
    return tuple(tiles)
