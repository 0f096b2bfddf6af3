"""Custom terms that can be sent to other processes: whoever receives one imports this file, and loads no scenario by it."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from volition.arbitration import Heuristic
from volition.drama.ensemble import array_term, law_term, work
from volition.drama.ensemble.frames import to_frames
from volition.drama.evening.record import NONE
from volition.drama.rules.catalog import CHAT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from volition.drama.batch.decider import BatchDecider
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.rows import MeasureRows
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.world.model import Action


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
