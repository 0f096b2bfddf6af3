"""The probe for the arena's states (docs/arena.md)."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins

from volition.execution.wire.frames import ProbeSight
from volition.execution.wire.probe import ProbeTarget, Sight
from volition.execution.worlds.arena.attempts import PRICES
from volition.execution.worlds.arena.ground import HAZARD, SAFE, WALL, ArenaMap, Tile, centre, search
from volition.execution.worlds.arena.rules import AHEAD, ATTACK_REACH, TILE, is_ahead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from volition.execution.wire.probe import Vector

_CLOCKS: Final = {price.clock: name for name, price in PRICES.items()}
_NEAR: Final = 0.8 * ATTACK_REACH
_NUDGE: Final = 0.02
"""Tiles of a turn: after a longer way, an opponent near the diagonal may be to the side again."""
_LONGEST: Final = 6


class ArenaProbe:
    """Reads arena states: places in milli-tiles, vectors in tiles."""

    def fits(self, schema: Mapping[str, Any]) -> bool:
        return schema.get("name") == "arena"

    def see(self, data: Any) -> Sight:
        actor, opponent = data["actor"], data["opponent"]
        dx, dy = opponent["x"] - actor["x"], opponent["y"] - actor["y"]
        return Sight(
            place=(float(actor["x"]), float(actor["y"]), float(actor["z"])),
            alive=actor["alive"],
            grounded=actor["air"] == 0,
            busy=actor["dashing"] or bool(data["open"]),
            holding=actor["holding"],
            facing=actor["facing"],
            health=float(actor["health"]),
            cooling=frozenset(_CLOCKS[clock] for clock, left in actor["cooldowns"].items() if left),
            tired=frozenset(name for name, price in PRICES.items() if actor["stamina"] < price.stamina),
            target=ProbeTarget(
                alive=opponent["alive"],
                health=float(opponent["health"]),
                in_reach=opponent["alive"] and hypot(dx, dy) <= ATTACK_REACH,
                ahead=is_ahead(actor["facing"], dx, dy) and _is_in_sight(data),
            ),
        )

    def ways(self, data: Any) -> Sequence[Vector]:
        ways = [
            (float(dx * length), float(dy * length), 0.0)
            for dx, dy, free, _ in _straight_ways(data)
            for length in range(1, free + 1)
        ]
        return sorted(ways, key=lambda vector: -hypot(*vector))

    def obstructed_ways(self, data: Any) -> Sequence[Vector]:
        ways = [
            (float(dx * (free + 1)), float(dy * (free + 1)), 0.0)
            for dx, dy, free, beyond in _straight_ways(data)
            if beyond == WALL
        ]
        return sorted(ways, key=lambda vector: hypot(*vector))

    def arrives(self, before: Sight, vector: Vector, after: Sight) -> bool:
        return all(
            abs(then + part * TILE - now) <= 1
            for then, part, now in zip(before.place[:2], vector, after.place[:2], strict=False)
        )

    def step_to_target(self, data: Any) -> Vector | None:
        opponent = data["opponent"]

        def is_near(x: int, y: int) -> bool:
            return hypot(x - opponent["x"], y - opponent["y"]) <= _NEAR

        return _first_stretch(data, is_near, over=SAFE) or _first_stretch(data, is_near, over=SAFE | {HAZARD})

    def step_to_harm(self, data: Any) -> Vector | None:
        ground = _ground(data)
        return _first_stretch(data, lambda x, y: ground.tile(x, y) == HAZARD, over=SAFE | {HAZARD})

    def turn(self, data: Any, *, to_target: bool) -> Vector | None:
        actor, opponent, ground = data["actor"], data["opponent"], _ground(data)
        dx, dy = opponent["x"] - actor["x"], opponent["y"] - actor["y"]
        longer = max(abs(dx), abs(dy))
        for ahead_x, ahead_y in AHEAD.values():
            x, y = actor["x"] + int(ahead_x * _NUDGE * TILE), actor["y"] + int(ahead_y * _NUDGE * TILE)
            ahead = dx * ahead_x + dy * ahead_y
            if (ahead == longer if to_target else ahead < 0) and ground.tile(x, y) in SAFE:
                return (ahead_x * _NUDGE, ahead_y * _NUDGE, 0.0)
        return None


def probe_sight(id: int, data: Any) -> ProbeSight:
    """The arena's answer to a probe: what a full state shows, with places in tiles."""
    probe = ArenaProbe()
    sight = probe.see(data)
    in_tiles = to_builtins(sight) | {
        "place": [part / TILE for part in sight.place],
        "cooling": sorted(sight.cooling),
        "tired": sorted(sight.tired),
    }
    return ProbeSight(
        id=id,
        sight=in_tiles,
        ways=tuple(probe.ways(data)),
        obstructed=tuple(probe.obstructed_ways(data)),
        to_target=probe.step_to_target(data),
        to_harm=probe.step_to_harm(data),
        face_target=probe.turn(data, to_target=True),
        face_away=probe.turn(data, to_target=False),
        precision=2 / TILE,
    )


def _is_in_sight(data: Any) -> bool:
    """Whether no wall is between the two, as far as the state shows."""
    actor, opponent = data["actor"], data["opponent"]
    return "map" not in data or _ground(data).clear(actor["x"], actor["y"], opponent["x"], opponent["y"])


def _ground(data: Any) -> ArenaMap:
    return ArenaMap(rows=tuple(data["map"]["rows"]), name=data["map"]["name"], actor_starts=(), opponent_starts=())


def _tile_of(data: Any) -> Tile:
    return data["actor"]["x"] // TILE, data["actor"]["y"] // TILE


def _straight_ways(data: Any) -> Iterator[tuple[int, int, int, str]]:
    """In each facing: its unit step, how many free tiles follow one another, and the kind of the tile after them."""
    ground, (column, row) = _ground(data), _tile_of(data)
    for dx, dy in AHEAD.values():
        free = 0
        while free < _LONGEST and ground.kind((column + dx * (free + 1), row + dy * (free + 1))) in SAFE:
            free += 1
        yield dx, dy, free, ground.kind((column + dx * (free + 1), row + dy * (free + 1)))


def _first_stretch(data: Any, is_there: Callable[[int, int], bool], *, over: frozenset[str]) -> Vector | None:
    """The first straight stretch of a shortest way over tiles of these kinds to a place where `is_there` holds."""
    start, steps = _tile_of(data), tuple(AHEAD.values())
    x, y = data["actor"]["x"], data["actor"]["y"]
    free = {
        (column, row)
        for row, kinds in enumerate(data["map"]["rows"])
        for column, kind in enumerate(kinds)
        if kind in over
    }

    def neighbours(tile: Tile) -> list[tuple[float, Tile]]:
        column, row = tile
        return [(1.0, step) for dx, dy in steps if (step := (column + dx, row + dy)) in free]

    came_from: dict[Tile, Tile] = {}
    for tile, _, before in search(start, neighbours):
        came_from[tile] = before
        if is_there(*((x, y) if tile == start else centre(tile))):
            return _stretch(came_from, start, tile, x, y)
    return None


def _stretch(came_from: Mapping[Tile, Tile], start: Tile, end: Tile, x: int, y: int) -> Vector:
    way = [end]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    way.reverse()
    if len(way) == 1:
        return (0.0, 0.0, 0.0)
    direction = (way[1][0] - way[0][0], way[1][1] - way[0][1])
    last = 1
    while last + 1 < len(way) and (way[last + 1][0] - way[last][0], way[last + 1][1] - way[last][1]) == direction:
        last += 1
    # To the middle of the tile where the stretch ends: from there the next stretch is free too.
    to_x, to_y = centre(way[last])
    return ((to_x - x) / TILE, (to_y - y) / TILE, 0.0)
