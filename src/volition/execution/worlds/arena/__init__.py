"""The arena: a small world of our own behind the executor contract.

The world:
    Arena          the world, tick by tick
    ArenaExecutor  the arena as an executor
    ArenaMap       where things are
    shipped_map    a map that is shipped, by name
    read_map       a map from a file
"""

from volition.execution.worlds.arena.arena import Arena
from volition.execution.worlds.arena.executor import ArenaExecutor
from volition.execution.worlds.arena.ground import ArenaMap, read_map, shipped_map

__all__ = [  # noqa: RUF022  in the order of the page above
    "Arena",
    "ArenaExecutor",
    "ArenaMap",
    "shipped_map",
    "read_map",
]
