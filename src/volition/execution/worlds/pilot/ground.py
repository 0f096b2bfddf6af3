"""The ground as the pilot knows it: tiles, what a body meets on a straight way over them, and how far it is to a place.

Lengths are tiles; a tile (column, row) spans [column, column + 1) x [row, row + 1), y down. What is not known to be
safe counts as a hazard. Distances are those of ways without a hazard: over safe tiles, in eight directions and never
across a corner, and by leaps over a single hazard from the edge of one safe tile to another.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor, hypot, inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from volition.execution.worlds.arena.ground import BEAM, FLOOR, Tile, TileGrid, search
from volition.execution.worlds.arena.rules import AHEAD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
        return [*self._meets(start, end, MARGIN, self.is_hazard)]

    def meets_wall(self, start: Place, end: Place) -> Tile | None:
        """A wall in the way, if there is one."""
        return next((crossing.tile for crossing in self._meets(start, end, MARGIN, self.is_wall)), None)

    def meets_beam(self, start: Place, end: Place) -> Tile | None:
        """A tile in the way that a body can enter on foot but not in the air, if there is one."""
        beams = self._meets(start, end, MARGIN, lambda tile: self.kind(tile) == BEAM)
        return next((crossing.tile for crossing in beams), None)

    def sees(self, start: Place, end: Place) -> bool:
        """Whether no wall is on the straight line."""
        return not any(self._meets(start, end, 0.0, self.is_wall))

    def _meets(self, start: Place, end: Place, margin: float, is_wanted: Callable[[Tile], bool]) -> Iterator[Crossing]:
        """The wanted tiles whose outline, widened by the margin, the line passes through.

        A body that is already closer to a tile than the margin may move along it, but no closer. The tile that it is on
        counts as met even where the body is exactly on the edge.
        """
        (x0, y0), (x1, y1), here = start, end, tile_of(start)
        columns = range(floor(min(x0, x1) - margin), floor(max(x0, x1) + margin) + 1)
        rows = range(floor(min(y0, y1) - margin), floor(max(y0, y1) + margin) + 1)
        for row in rows:
            for column in columns:
                if not is_wanted((column, row)):
                    continue
                aside = max(column - x0, x0 - column - 1, row - y0, y0 - row - 1)
                room = margin if aside >= margin else _EDGE if (column, row) == here else max(0.0, aside)
                if share := _share(x0, y0, x1 - x0, y1 - y0, column - room, row - room, 1 + 2 * room):
                    yield Crossing((column, row), *share)


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


def distance(start: Place, end: Place) -> float:
    """The distance between two places.

    >>> distance((0.0, 0.0), (3.0, 4.0))
    5.0
    """
    return hypot(start[0] - end[0], start[1] - end[1])


BRINK = 0.1
"""How far from the edge a leap begins."""
LANDING = 0.3
"""How far beyond the hazard a leap aims."""
LEAP_COST = 4.0
"""What a leap counts as, in tiles: it takes time and strength."""
LEAST_LEAP = BRINK + 1 + MARGIN
"""How far a body must be carried for a leap over one tile."""
_DIAGONAL = sqrt(2)
_EQUAL = 1e-9
_HERE = 0.02
"""Tiles: closer than this counts as there."""
_KEPT = 512


class Leap(Struct, frozen=True):
    """From the brink of one tile over a hazard to another tile; `heading` is a facing."""

    heading: str
    brink: Place
    landing: Place
    far: Tile


def leaps(ground: Ground, tile: Tile) -> Iterator[Leap]:
    """The leaps that begin on a tile: over one hazard, with room to jump on both sides."""
    if ground.kind(tile) != FLOOR:
        return
    x, y = centre(tile)
    for heading, (dx, dy) in AHEAD.items():
        far = tile[0] + 2 * dx, tile[1] + 2 * dy
        if ground.is_hazard((tile[0] + dx, tile[1] + dy)) and ground.is_safe(far) and ground.kind(far) != BEAM:
            near, away = 0.5 - BRINK, 1.5 + LANDING
            yield Leap(heading, (x + near * dx, y + near * dy), (x + away * dx, y + away * dy), far)


class DistanceField:
    """The distances from everywhere to one tile; `field[tile]` is infinite where there is no way.

    >>> field = DistanceField(Ground(("######", "#...~#", "#.#..#", "######")), (1, 1))
    >>> field[(1, 2)], field[(3, 1)], field[(4, 1)]
    (1.0, 2.0, inf)
    """

    def __init__(self, ground: Ground, target: Tile, *, can_leap: bool = False) -> None:
        self.ground, self.target, self.can_leap = ground, target, can_leap
        self._legs: dict[Tile, list[tuple[float, Place | None]]] = {}
        reached = search(target, self._neighbours) if ground.is_safe(target) else ()
        self._far: dict[Tile, float] = {tile: far for tile, far, _ in reached}

    def __getitem__(self, tile: Tile) -> float:
        return self._far.get(tile, inf)

    def distance(self, place: Place, goal: Place) -> float:
        """How far it is from a place to a goal on the target tile."""
        return min((far for far, _ in self._ways(place, goal)), default=inf)

    def waypoint(self, place: Place, goal: Place) -> Place | None:
        """Where to go next, in a straight line with nothing in the way; None where there is no way."""
        ways = [way for way in self._ways(place, goal) if way[0] < inf and distance(place, way[1]) > _HERE]
        return min(ways, default=(0.0, None))[1]

    def leap_from(self, place: Place, goal: Place) -> Leap | None:
        """The leap that is the shortest way from here, where the body is at its brink."""
        here = tile_of(place)
        if not self.can_leap or not self.ground.is_safe(here):
            return None
        shortest = self.distance(place, goal)
        for leap in leaps(self.ground, here):
            length = distance(place, leap.brink) + LEAP_COST + self[leap.far]
            if length < inf and length <= shortest + _EQUAL and _at_brink(place, leap):
                return leap
        return None

    def _ways(self, place: Place, goal: Place) -> Iterator[tuple[float, Place]]:
        """Every first straight leg from a place, with the length of the whole way on it.

        Four safe tiles around a corner form a room without corners, so the legs need no test for walls.
        """
        for left, end in self._legs_from(tile_of(place)):
            to = goal if end is None else end
            yield distance(place, to) + left, to

    def _legs_from(self, here: Tile) -> list[tuple[float, Place | None]]:
        """Where a straight line may lead from a tile, and how far it is from there; None stands for the goal."""
        if here not in self._legs:
            legs: list[tuple[float, Place | None]] = []
            if here in self._far:
                near = [here] if here == self.target else [here, *(tile for _, tile in self._walks(here))]
                legs = [
                    (0.0, None) if tile == self.target else (self._far[tile], centre(tile))
                    for tile in near
                    if tile in self._far
                ]
                if here != self.target and self.can_leap:
                    legs += [(LEAP_COST + self[leap.far], leap.brink) for leap in leaps(self.ground, here)]
            self._legs[here] = legs
        return self._legs[here]

    def _neighbours(self, tile: Tile) -> Iterator[tuple[float, Tile]]:
        yield from self._walks(tile)
        if self.can_leap:
            for leap in leaps(self.ground, tile):
                yield 0.5 + LEAP_COST, leap.far

    def _walks(self, tile: Tile) -> Iterator[tuple[float, Tile]]:
        x, y = tile
        safe = self.ground.is_safe
        for dx, dy in AHEAD.values():
            if safe((x + dx, y + dy)):
                yield 1.0, (x + dx, y + dy)
        for dx, dy in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
            if safe((x + dx, y + dy)) and safe((x + dx, y)) and safe((x, y + dy)):
                yield _DIAGONAL, (x + dx, y + dy)


def _at_brink(place: Place, leap: Leap) -> bool:
    dx, dy = AHEAD[leap.heading]
    ahead = (place[0] - leap.brink[0]) * dx + (place[1] - leap.brink[1]) * dy
    aside = abs((place[0] - leap.brink[0]) * dy) + abs((place[1] - leap.brink[1]) * dx)
    return abs(ahead) <= BRINK - MARGIN and aside <= 0.5 - MARGIN


@lru_cache(maxsize=_KEPT)
def field_to(ground: Ground, target: Tile, can_leap: bool) -> DistanceField:
    """The field to a tile, cached: opponents return to where they were."""
    return DistanceField(ground, target, can_leap=can_leap)
