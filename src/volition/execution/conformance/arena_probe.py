"""The probe for the arena's states (docs/arena.md)."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict
from math import hypot
from typing import TYPE_CHECKING, Any, Final

from volition.execution.arena.bodies import DIRECTIONS, FACINGS
from volition.execution.arena.checks import PRICES
from volition.execution.arena.ground import ArenaMap
from volition.execution.arena.rules import ATTACK_REACH, TILE
from volition.execution.conformance.probe import Sight, Target
from volition.execution.frames import ProbeSight

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from volition.execution.conformance.probe import Vector

_CLOCKS: Final = {"attack": "PRIMARY_ATTACK", "evade": "EVADE", "jump": "JUMP"}
_NEAR: Final = 0.8 * ATTACK_REACH
_NUDGE: Final = 0.1
_LONGEST: Final = 6


class ArenaProbe:
    """Reads arena states: places in milli-tiles, vectors in tiles."""

    def fits(self, schema: Mapping[str, Any]) -> bool:
        return schema.get("name") == "arena"

    def see(self, data: Any) -> Sight:
        actor, opponent = data["actor"], data["opponent"]
        dx, dy = opponent["x"] - actor["x"], opponent["y"] - actor["y"]
        ahead_x, ahead_y = DIRECTIONS[FACINGS.index(actor["facing"])]
        ahead, aside = dx * ahead_x + dy * ahead_y, abs(dx * ahead_y) + abs(dy * ahead_x)
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
            target=Target(
                alive=opponent["alive"],
                health=float(opponent["health"]),
                in_reach=opponent["alive"] and hypot(dx, dy) <= ATTACK_REACH,
                ahead=aside <= ahead and _in_sight(data),
            ),
        )

    def ways(self, data: Any) -> Sequence[Vector]:
        ground = _ground(data)
        x, y = data["actor"]["x"], data["actor"]["y"]
        found: list[Vector] = []
        for dx, dy in DIRECTIONS:
            free = 0
            while free < _LONGEST and ground.tile(x + dx * TILE * (free + 1), y + dy * TILE * (free + 1)) in ".-":
                free += 1
            found += [(float(dx * length), float(dy * length), 0.0) for length in range(1, free + 1)]
        return sorted(found, key=lambda vector: -hypot(*vector))

    def obstructed(self, data: Any) -> Sequence[Vector]:
        ground = _ground(data)
        x, y = data["actor"]["x"], data["actor"]["y"]
        found: list[Vector] = []
        for dx, dy in DIRECTIONS:
            free = 0
            while free < _LONGEST and ground.tile(x + dx * TILE * (free + 1), y + dy * TILE * (free + 1)) in ".-":
                free += 1
            if ground.tile(x + dx * TILE * (free + 1), y + dy * TILE * (free + 1)) == "#":
                found.append((float(dx * (free + 1)), float(dy * (free + 1)), 0.0))
        return sorted(found, key=lambda vector: hypot(*vector))

    def arrives(self, before: Sight, vector: Vector, after: Sight) -> bool:
        return all(
            abs(then + part * TILE - now) <= 1
            for then, part, now in zip(before.place[:2], vector, after.place[:2], strict=False)
        )

    def step_to_target(self, data: Any) -> Vector | None:
        opponent = data["opponent"]

        def near(x: int, y: int) -> bool:
            return hypot(x - opponent["x"], y - opponent["y"]) <= _NEAR

        return _step(data, near, over=".-") or _step(data, near, over=".-~")

    def step_to_harm(self, data: Any) -> Vector | None:
        ground = _ground(data)
        return _step(data, lambda x, y: ground.tile(x, y) == "~", over=".-~")

    def turn(self, data: Any, *, to_target: bool) -> Vector | None:
        actor, opponent, ground = data["actor"], data["opponent"], _ground(data)
        dx, dy = opponent["x"] - actor["x"], opponent["y"] - actor["y"]
        longer = max(abs(dx), abs(dy))
        for ahead_x, ahead_y in DIRECTIONS:
            x, y = actor["x"] + int(ahead_x * _NUDGE * TILE), actor["y"] + int(ahead_y * _NUDGE * TILE)
            ahead = dx * ahead_x + dy * ahead_y
            if (ahead == longer if to_target else ahead < 0) and ground.tile(x, y) in ".-":
                return (ahead_x * _NUDGE, ahead_y * _NUDGE, 0.0)
        return None


def probe_sight(id: int, data: Any) -> ProbeSight:
    """The arena's answer to a probe: what is read in a full state, with places in tiles."""
    probe = ArenaProbe()
    sight = probe.see(data)
    plain = asdict(sight) | {
        "place": [part / TILE for part in sight.place],
        "cooling": sorted(sight.cooling),
        "tired": sorted(sight.tired),
    }
    return ProbeSight(
        id=id,
        sight=plain,
        ways=tuple(probe.ways(data)),
        obstructed=tuple(probe.obstructed(data)),
        to_target=probe.step_to_target(data),
        to_harm=probe.step_to_harm(data),
        face_target=probe.turn(data, to_target=True),
        face_away=probe.turn(data, to_target=False),
        precision=2 / TILE,
    )


def _in_sight(data: Any) -> bool:
    """Whether no wall stands between the two, as far as the state shows."""
    actor, opponent = data["actor"], data["opponent"]
    return "map" not in data or _ground(data).clear(actor["x"], actor["y"], opponent["x"], opponent["y"])


def _ground(data: Any) -> ArenaMap:
    rows = tuple(data["map"]["rows"])
    return ArenaMap(name=data["map"]["name"], rows=rows, actor=(1, 1), opponent=(1, 1))


def _step(data: Any, there: Callable[[int, int], bool], *, over: str) -> Vector | None:
    """The first straight stretch of a shortest way over tiles to a place where `there` holds."""
    ground = _ground(data)
    x, y = data["actor"]["x"], data["actor"]["y"]
    start = (x // TILE, y // TILE)
    came: dict[tuple[int, int], tuple[int, int]] = {start: start}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        middle = (x, y) if here == start else (here[0] * TILE + TILE // 2, here[1] * TILE + TILE // 2)
        if there(*middle):
            return _stretch(came, start, here, x, y)
        for dx, dy in DIRECTIONS:
            after = (here[0] + dx, here[1] + dy)
            if after not in came and ground.tile(after[0] * TILE, after[1] * TILE) in over:
                came[after] = here
                queue.append(after)
    return None


def _stretch(
    came: Mapping[tuple[int, int], tuple[int, int]], start: tuple[int, int], end: tuple[int, int], x: int, y: int
) -> Vector:
    way = [end]
    while way[-1] != start:
        way.append(came[way[-1]])
    way.reverse()
    if len(way) == 1:
        return (0.0, 0.0, 0.0)
    direction = (way[1][0] - way[0][0], way[1][1] - way[0][1])
    last = 1
    while last + 1 < len(way) and (way[last + 1][0] - way[last][0], way[last + 1][1] - way[last][1]) == direction:
        last += 1
    # Towards the middle of the tile where the stretch ends: from there the next one is free too.
    to_x, to_y = way[last][0] * TILE + TILE // 2, way[last][1] * TILE + TILE // 2
    return ((to_x - x) / TILE, (to_y - y) / TILE, 0.0)
