"""The ground as the pilot knows it: tiles, and what a body meets on a straight way over them.

Lengths are tiles; a tile (column, row) spans [column, column + 1) x [row, row + 1), y down. What is not known to be
safe counts as a hazard.
"""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from volition.execution.worlds.arena.grid import BEAM, Tile, TileGrid

MARGIN = 0.06
"""How close the way of a body may come to what it must not meet."""
_EDGE = 1e-9

Place = tuple[float, float]


class Crossing(NamedTuple):
    """A tile that a way meets, and the shares of the way, from 0 to 1, at which it enters and leaves that tile."""

    tile: Tile
    enters: float
    leaves: float


class Ground(TileGrid):
    """A grid with lines on it: which tiles a straight way meets, and whether a wall is between two places."""

    def meets_hazard(self, start: Place, end: Place) -> list[Crossing]:
        """The hazards that a body meets on its way, with MARGIN around it."""
        return [crossing for crossing in self._meets(start, end, MARGIN) if crossing.tile in self.hazards]

    def meets_wall(self, start: Place, end: Place) -> Tile | None:
        """A wall in the way, if there is one."""
        return next(
            (crossing.tile for crossing in self._meets(start, end, MARGIN) if self.is_wall(crossing.tile)), None
        )

    def meets_beam(self, start: Place, end: Place) -> Tile | None:
        """A tile in the way that a body can enter on foot but not in the air, if there is one."""
        tiles = (crossing.tile for crossing in self._meets(start, end, MARGIN))
        return next((tile for tile in tiles if self.kind(tile) == BEAM), None)

    def sees(self, start: Place, end: Place) -> bool:
        """Whether no wall is on the straight line."""
        return not any(self.is_wall(crossing.tile) for crossing in self._meets(start, end, 0.0))

    def _meets(self, start: Place, end: Place, margin: float) -> list[Crossing]:
        """The tiles whose outline, widened by the margin, the line passes through.

        A body that is already closer to a tile than the margin may move along it, but no closer. The tile that it is on
        counts as met even where the body is exactly on the edge.
        """
        (x0, y0), (x1, y1), here = start, end, tile_of(start)
        columns = range(floor(min(x0, x1) - margin), floor(max(x0, x1) + margin) + 1)
        rows = range(floor(min(y0, y1) - margin), floor(max(y0, y1) + margin) + 1)
        met = []
        for row in rows:
            for column in columns:
                aside = max(column - x0, x0 - column - 1, row - y0, y0 - row - 1)
                room = margin if aside >= margin else _EDGE if (column, row) == here else max(0.0, aside)
                if share := _share(x0, y0, x1 - x0, y1 - y0, column - room, row - room, 1 + 2 * room):
                    met.append(Crossing((column, row), *share))
        return met


def tile_of(place: Place) -> Tile:
    """The tile that holds a place.

    >>> tile_of((2.5, 1.0))
    (2, 1)
    """
    return floor(place[0]), floor(place[1])


def centre(tile: Tile) -> Place:
    """The middle of a tile."""
    return tile[0] + 0.5, tile[1] + 0.5


def _share(
    x: float, y: float, dx: float, dy: float, left: float, top: float, side: float
) -> tuple[float, float] | None:
    """The part of the way from (x, y) by (dx, dy) that is inside a square; None where none of it is."""
    enters, leaves = 0.0, 1.0
    for at, by, low in ((x, dx, left), (y, dy, top)):
        high = low + side
        if not by:
            if not low < at < high:
                return None
            continue
        near, far = (low - at) / by, (high - at) / by
        if near > far:
            near, far = far, near
        enters, leaves = max(enters, near), min(leaves, far)
        if enters >= leaves:
            return None
    return enters, leaves
