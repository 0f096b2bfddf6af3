"""Who plays the evenings of one point of a sweep: the one source of evenings, or minds with custom terms."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import numpy as np

from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput
from volition.drama.ensemble.paths import COMPILED, INTERPRETED
from volition.drama.evening.batches import InterpretedBatches
from volition.drama.evening.play_many import BATCH, EveningBatches
from volition.drama.evening.players import fits
from volition.drama.evening.rows import MeasureRows
from volition.drama.evening.terms import is_law_term
from volition.drama.stage.measured import MindPlayer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration import Intention
    from volition.drama.evening.play_many import Engine
    from volition.drama.world.model import Scenario


class PointPlayer(Protocol):
    """Plays evenings of one scenario; `engine` says how, and `batch` how many a thread plays at once."""

    engine: str
    batch: int

    def measure(self, seeds: Sequence[int], threads: int) -> MeasureRows:
        """Play the evenings of some seeds, and measure them."""


class EveningPlayers:
    """Plays whole evenings, without custom terms or with those that are laws."""

    def __init__(self, scenario: Scenario, terms: Sequence[Intention], engine: Engine) -> None:
        self._batches = EveningBatches(scenario, engine=engine, measures=True, states=False, terms=terms)
        self.engine = self._batches.engine
        self.batch = BATCH if self.engine == COMPILED else 1

    def measure(self, seeds: Sequence[int], threads: int) -> MeasureRows:
        """Play the evenings of some seeds, and measure them."""
        return self._batches.play(seeds, threads).measures


class MindPlayers:
    """Lets minds decide with custom terms, by their functions."""

    engine, batch = INTERPRETED, 1

    def __init__(self, scenario: Scenario, terms: Sequence[Intention]) -> None:
        player = MindPlayer(scenario, terms)
        self._batches = InterpretedBatches(scenario, scenario.evening.ticks, measured=True, laws=(), player=player)

    def measure(self, seeds: Sequence[int], threads: int) -> MeasureRows:
        """Play the evenings of some seeds one after the other, and measure them."""
        return self._batches.play(np.array(seeds, np.uint64)).measures


class ArrayPlayer:
    """Plays compiled evenings in lockstep with the arrays of custom terms; some may be laws."""

    engine = COMPILED

    def __init__(self, scenario: Scenario, terms: Sequence[Intention]) -> None:
        from volition.drama.ensemble.arrays import LOCKSTEP, LockstepEvenings  # noqa: PLC0415  loads what is compiled

        self._evenings, self._minds = LockstepEvenings(scenario, terms), MindPlayers(scenario, terms)
        self.batch = LOCKSTEP

    def measure(self, seeds: Sequence[int], threads: int) -> MeasureRows:
        """Play the evenings of some seeds together; measures that had too little room are taken by minds."""
        rows, lacking = self._evenings.measure(seeds)
        each = [rows.part(number, number + 1) for number in range(len(rows))]
        for number in lacking:
            each[number] = self._minds.measure(seeds[number : number + 1], 1)
        return MeasureRows.together(each) if lacking else rows


def point_player(scenario: Scenario, terms: Sequence[Intention], *, compiled: bool) -> PointPlayer:
    """Who plays the evenings of a point: compiled if that is asked for, can be done here, and the point fits."""
    if all(map(is_law_term, terms)):
        return EveningPlayers(scenario, terms, "compiled" if compiled and fits(scenario) else "interpreted")
    if compiled and can_compile():
        with suppress(InvalidInput):
            return ArrayPlayer(scenario, terms)
    return MindPlayers(scenario, terms)
