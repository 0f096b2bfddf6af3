"""Evenings tick by tick, interpreted or compiled: what one is before each tick, and the log of the tick that just passed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from volition.core.chance import MASK_64
from volition.drama.evening.log import DELTAS, EVENTS, STRAINS, EveningLog
from volition.drama.evening.many import play_evenings
from volition.drama.evening.players import ALL_STEPS, CompiledPlayer, InterpretedPlayer
from volition.drama.evening.record import copy_plain, read_packed
from volition.drama.evening.state import EveningState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.terms import BoundedLaw
    from volition.drama.world.model import Scenario


class Stepping(Protocol):
    """One evening at a time."""

    scenario: Scenario
    tables: ScenarioTables

    def begin(self, seed: int) -> None:
        """Open the evening of a seed."""

    def tick(self) -> EveningLog | None:
        """Let one tick pass; its log, or None where that has too little room for it and the evening is lost."""

    def state(self) -> EveningState:
        """The state now, as a plain record that the next tick may change."""

    def stop(self, ticks: int) -> int:
        """Why an evening of at most so many ticks stops now."""


class InterpretedSteps(InterpretedPlayer):
    """Interpreted; a plain log has room for any tick."""

    def begin(self, seed: int) -> None:
        self.evening = copy_plain(self.start, EveningState)
        self.evening.seed = seed & MASK_64
        self._pass(ALL_STEPS, 0, opens=True)

    def tick(self) -> EveningLog:
        self._pass(ALL_STEPS, 1)
        return self.log

    def state(self) -> EveningState:
        return self.evening

    def stop(self, ticks: int) -> int:
        return self._pass(ticks, 0)

    def _pass(self, ticks: int, steps: int, *, opens: bool = False) -> int:
        stops, endings = [0], [0]
        play_evenings(
            [self.evening], [self.tables], [self.log], [self.seen], [self.sheet], [], [], [], [], [],
            self._add_terms, ticks, steps, opens, stops, endings,
        )  # fmt: skip
        return stops[0]


class CompiledSteps(CompiledPlayer):
    """Compiled."""

    def __init__(self, scenario: Scenario, *, logged: bool = True, laws: Sequence[BoundedLaw] = ()) -> None:
        super().__init__(scenario, laws=laws)
        self.evenings, self.logs = self.start.copy(), self.new_log(logged=logged)

    def begin(self, seed: int) -> None:
        self.evenings = self.open_evenings(np.array([seed & MASK_64], np.uint64))
        self._pass(ALL_STEPS, 0, opens=True)

    def tick(self) -> EveningLog | None:
        self._pass(ALL_STEPS, 1)
        log = self.logs[0]
        if log["overflow"]:
            return None
        return read_packed(log, EveningLog, {size: int(log[size]) for size in (EVENTS, DELTAS, STRAINS)})

    def state(self) -> EveningState:
        return read_packed(self.evenings[0], EveningState, self.sizes)

    def stop(self, ticks: int) -> int:
        return self._pass(ticks, 0)

    def _pass(self, ticks: int, steps: int, *, opens: bool = False) -> int:
        stops, endings = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self.play(self.evenings, self.logs, ticks, steps, opens, stops, endings)
        return int(stops[0])
