"""The embedded arena: a small deterministic world that tries intents, for drives, tests and as a model to implement."""

from __future__ import annotations

from volition.execution.arena.arena import Arena
from volition.execution.arena.ground import LEGEND, SHIPPED_MAPS, ArenaMap, parse_map, read_map, shipped_map
from volition.execution.arena.outcome import Finished, Report
from volition.execution.arena.rules import RULES_VERSION, TICK_MS
from volition.execution.arena.view import render

# fmt: off
__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # the world
    "Arena", "Report", "Finished",
    # its maps
    "ArenaMap", "parse_map", "read_map", "shipped_map", "SHIPPED_MAPS", "LEGEND",
    # its rules and its looks
    "RULES_VERSION", "TICK_MS", "render",
]
# fmt: on
