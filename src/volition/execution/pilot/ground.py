"""The ground as the pilot knows it: tiles, and what the way of a body meets on them.

Lengths are tiles; a tile (column, row) spans [column, column + 1) x [row, row + 1), y down. What is not known to be
safe counts as a hazard.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor
from typing import NamedTuple

from volition.core.errors import refuse

WALL, FLOOR, LOW = "#", ".", "-"
"""Closed; free; free to walk and too low to jump. Any other character is a hazard."""
MARGIN = 0.06
"""How near the way of a body may come to what it must not meet."""
_EDGE = 1e-9

Place = tuple[float, float]
Tile = tuple[int, int]


class Meeting(NamedTuple):
    """A tile that a way meets, and the share of the way, from 0 to 1, that lies before and up to the end of it."""

    tile: Tile
    enters: float
    leaves: float


@dataclass(frozen=True, slots=True)
class Ground:
    """Rows of characters, all of one length: see WALL, FLOOR and LOW; beyond the edge all is wall.

    >>> ground = Ground(("#####", "#.~.#", "#####"))
    >>> ground.is_safe((1, 1)), ground.is_hazard((2, 1)), ground.is_wall((9, 9))
    (True, True, True)
    """

    rows: tuple[str, ...]
    hazards: frozenset[Tile] = field(init=False, compare=False, repr=False)
    walls: frozenset[Tile] = field(init=False, compare=False, repr=False)
    low: frozenset[Tile] = field(init=False, compare=False, repr=False)
    safe: frozenset[Tile] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.rows or len({len(row) for row in self.rows}) != 1 or not self.rows[0]:
            refuse(
                "the rows of the ground are not of one length",
                where="ground.rows",
                expected="at least one row, all of the same length",
                remedy="fill the short rows, with '?' where nothing is known",
            )
        tiles = [((x, y), kind) for y, row in enumerate(self.rows) for x, kind in enumerate(row)]
        put = object.__setattr__
        put(self, "walls", frozenset(tile for tile, kind in tiles if kind == WALL))
        put(self, "low", frozenset(tile for tile, kind in tiles if kind == LOW))
        put(self, "safe", frozenset(tile for tile, kind in tiles if kind in {FLOOR, LOW}))
        put(self, "hazards", frozenset(tile for tile, _ in tiles) - self.walls - self.safe)

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    def is_wall(self, tile: Tile) -> bool:
        return tile in self.walls or not (0 <= tile[0] < self.width and 0 <= tile[1] < self.height)

    def is_hazard(self, tile: Tile) -> bool:
        return tile in self.hazards

    def is_safe(self, tile: Tile) -> bool:
        return tile in self.safe

    def meets_hazard(self, start: Place, end: Place) -> list[Meeting]:
        """The hazards that a body meets on its way, with MARGIN around it."""
        return [meeting for meeting in self._meets(start, end, MARGIN) if meeting.tile in self.hazards]

    def meets_wall(self, start: Place, end: Place) -> Tile | None:
        """A wall that is in the way, if there is one."""
        return next((meeting.tile for meeting in self._meets(start, end, MARGIN) if self.is_wall(meeting.tile)), None)

    def meets_beam(self, start: Place, end: Place) -> Tile | None:
        """A tile in the way that a body in the air cannot enter although it could on foot, if there is one."""
        return next((meeting.tile for meeting in self._meets(start, end, MARGIN) if meeting.tile in self.low), None)

    def sees(self, start: Place, end: Place) -> bool:
        """Whether no wall stands on the straight line."""
        return not any(self.is_wall(meeting.tile) for meeting in self._meets(start, end, 0.0))

    def _meets(self, start: Place, end: Place, margin: float) -> list[Meeting]:
        """The tiles whose outline, widened by the margin, the line passes through.

        A body that is nearer to a tile than the margin already may go on along it, and not nearer. The tile that it is
        on counts as met even where it stands at the very edge.
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
                    met.append(Meeting((column, row), *share))
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
    """The part of the way from (x, y) by (dx, dy) that lies inside a square; None where none of it does."""
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
