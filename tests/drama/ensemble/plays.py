"""Short evenings to sweep over, and how the folders of two sweeps differ."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from volition.core.compiling import can_compile
from volition.core.document import dump_json
from volition.drama.ensemble import EnsemblePlan, sweep
from volition.drama.world.scenario import scenario
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from volition.drama.ensemble.paths import Asked

SHORT = apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 3)])
QUICK: Asked = "compiled" if can_compile() else "interpreted"
"""The path of sweeps in this process that are about something else: `test_paths` states that every path gives the same."""
SIGMA, STRENGTH = "rules.noise.sigma", "people.victor.flaws[0].strength"
FILES = ("evenings.rows", "table.csv")


def plan(seeds: int = 3, **more: Any) -> EnsemblePlan:
    """A small sweep: two values, two draws, and some seeds."""
    return _made(seeds, **more) if more else _plan(seeds)


@cache
def _plan(seeds: int) -> EnsemblePlan:
    """The same plan every time, so that what it finds out about its points is kept."""
    return _made(1) if seeds == 1 else replace(_plan(1), seeds=tuple(range(1, seeds + 1)))


def _made(seeds: int, **more: Any) -> EnsemblePlan:
    given: dict[str, Any] = {"grid": {SIGMA: [0.1, 0.3]}, "random": {STRENGTH: (0.1, 0.9)}, "draws": 2}
    return EnsemblePlan.of(SHORT, range(1, seeds + 1), **(given | more))


def everything(folder: Path | str) -> str:
    """All that a sweep of the smallest plan leaves: its hash, its files and its figures."""
    done, small = sweep(plan(seeds=1), folder, engine="here", format="csv"), plan(seeds=1)
    figures = [dump_json(group.to_data()) for group in done.figures(SIGMA)]
    return repr((small.hash, [(Path(folder) / name).read_bytes() for name in FILES], figures))


def difference(one: Path, other: Path) -> str:
    """Where two finished ensembles first differ: the row and the column; nothing if they are the same bytes."""
    if all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES):
        return ""
    tables = [list(csv.DictReader((folder / "table.csv").open(newline=""))) for folder in (one, other)]
    for here, there in zip(*tables, strict=False):
        for column in here:
            if here[column] != there[column]:
                return f"row {here['row']}, {column}: {here[column]} and {there[column]}"
    return f"{len(tables[0])} and {len(tables[1])} evenings, and what they share has the same numbers"
