"""Candidates to try an intention on when its author gives none: a few families of common shapes."""

from __future__ import annotations

from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from volition.arbitration.tilemap import TileMap, TileSituation

if TYPE_CHECKING:
    from collections.abc import Mapping


class Family(NamedTuple):
    """Candidates of one shape, and the context in which they make sense."""

    candidates: tuple[Any, ...]
    context: Any = None


_WORLD = TileMap.parse(
    """
    .....
    .~#o.
    .,+=.
    .....
    """
)

_THINGS = (
    {"id": "near", "name": "near", "tag": "floor", "x": 0, "y": 0, "cost": 0.0, "distance": 1.0, "value": 0.5},
    {"id": "far", "name": "far", "tag": "hazard", "x": 4, "y": 3, "cost": 1.0, "distance": 10.0, "value": -0.5},
    {"id": "odd", "name": "odd", "tag": "water", "x": -1, "y": 7, "cost": 0.25, "distance": 0.0, "value": 0.0},
)

BUILT_IN_SAMPLES: Mapping[str, Family] = MappingProxyType(
    {
        "texts": Family(("a", "b", "north", "stay", "hazard", "go home", "Ünïcode", "x" * 64)),
        "numbers": Family((0, 1, -1, 0.5, -0.25, 2, 10, 1e-9)),
        "tiles": Family(_WORLD.moves((1, 2)), TileSituation(_WORLD, (1, 2))),
        "mappings": Family(_THINGS),
        "namespaces": Family(tuple(SimpleNamespace(**thing) for thing in _THINGS)),
    }
)
"""Families by name, in the order in which they are tried."""
