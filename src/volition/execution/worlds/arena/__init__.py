"""The embedded arena: a small deterministic world that attempts intents, for drives, tests and as a reference."""

from __future__ import annotations

from volition.execution.worlds.arena.arena import Arena
from volition.execution.worlds.arena.attempts import ArenaReport, FinishedIntent
from volition.execution.worlds.arena.ground import LEGEND, SHIPPED_MAPS, ArenaMap, parse_map, read_map, shipped_map
from volition.execution.worlds.arena.rules import RULES_VERSION, TICK_MS
from volition.execution.worlds.arena.view import render

# fmt: off
__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # the world
    "Arena", "ArenaReport", "FinishedIntent",
    # its maps
    "ArenaMap", "parse_map", "read_map", "shipped_map", "SHIPPED_MAPS", "LEGEND",
    # its rules and its picture
    "RULES_VERSION", "TICK_MS", "render",
]
# fmt: on
