"""A grid of tiles, and the search over it that the probe and the pilot share.

A tile is (column, row), counted from (0, 0) at the top left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Final, TypeAlias

from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
    done: set[Tile] = set()
    while queue:
        distance, _, tile, before = heappop(queue)
        if tile in done:
            continue
        done.add(tile)
        yield tile, distance, before
        for step, neighbour in neighbours(tile):
            if neighbour not in done:
                heappush(queue, (distance + step, next(order), neighbour, tile))
