"""Short evenings to sweep over, and custom terms that can be sent to other processes."""

from __future__ import annotations

import csv
import os
import signal
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from volition.arbitration import Heuristic
from volition.drama.ensemble import EnsemblePlan, array_term, law_term, work
from volition.drama.ensemble.frames import to_frames
from volition.drama.evening.record import NONE
from volition.drama.rules.catalog import CHAT
from volition.drama.world.scenario import scenario
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from volition.drama.batch.decider import BatchDecider
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.rows import MeasureRows
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.world.model import Action

SHORT = apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 3)])
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


def talkative(action: Action) -> float:
    """Somebody who likes to talk."""
    return 1.0 if action.action_type.name == "CHAT" else 0.0


TALK = Heuristic("talk", talkative, weight=2.0)


def calm(action: Action) -> float:
    """Somebody who avoids drama."""
    return -0.3 if action.is_dramatic else 0.1


def calm_array(decider: BatchDecider, states: NDArray[Any]) -> NDArray[Any]:
    added = np.full((len(states), len(decider.people), len(decider.acts)), 0.1)
    added[:, :, [number for number, act in enumerate(decider.names.numbered) if act.dramatic]] = -0.3
    return added


def tipsy(action: Action, context: Any) -> float:
    """Somebody who talks to others the more, the more they drank and the less they trust them."""
    me = context.me
    if action.action_type.name != "CHAT" or len(action.target_agents) != 1:
        return 0.0
    return float(0.5 * me.alcohol - 0.7 * me.bonds[action.target_agents[0]].trust)


def tipsy_array(decider: BatchDecider, states: NDArray[Any]) -> NDArray[Any]:
    people = range(len(decider.people))
    added = np.zeros((len(states), len(people), len(decider.acts)))
    for me in people:
        for other in people:
            chat = decider.number[f"chat:{decider.people[other]}"]
            added[:, me, chat] = 0.5 * states["alcohol"][:, me] - 0.7 * states["trust"][:, me, other]
    return added


def calm_law(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, act: int) -> float:
    return -0.3 if tables.dramatic[act] != 0 else 0.1


def tipsy_law(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, act: int) -> float:
    other = tables.target[act]
    if tables.kind[act] != CHAT or other == NONE:
        return 0.0
    return tipsiness(evening.alcohol[me], evening.trust[me][other])


def tipsiness(alcohol: float, trust: float) -> float:
    return 0.5 * alcohol - 0.7 * trust


CALM = array_term("calm", calm, calm_array)
TIPSY = array_term("tipsy", tipsy, tipsy_array, most=2.0)
CALM_LAW = law_term("calm", calm_law)
TIPSY_LAW = law_term("tipsy", tipsy_law, most=2.0)


@dataclass(frozen=True)
class Deadly:
    """A term that kills its process, so many times in all: a real worker, killed in the middle of a decision."""

    folder: str
    times: int

    def __call__(self, action: Action) -> float:
        for number in range(self.times):
            try:
                (Path(self.folder) / f"killed-{number}").touch(exist_ok=False)
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        return 0.0


@dataclass(frozen=True)
class Thief:
    """A term that makes its process lose the frame of a row but claim that it was played: a real worker with a defect."""

    row: int

    def __call__(self, action: Action) -> float:
        def lost(first: int, path: str, rows: MeasureRows) -> bytes:
            return b"" if first == self.row else to_frames(first, path, rows)

        vars(work)["to_frames"] = lost
        return 0.0


def deadly(folder: Path, times: int) -> Heuristic:
    folder.mkdir(exist_ok=True)
    return Heuristic("deadly", Deadly(str(folder), times))
