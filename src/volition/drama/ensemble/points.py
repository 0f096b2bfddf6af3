"""Who plays the evenings of one point of a sweep: the one source of evenings, or minds with custom terms."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput
from volition.drama.ensemble.paths import COMPILED, INTERPRETED
from volition.drama.evening.batches import InterpretedBatches
from volition.drama.evening.play_many import BATCH, EveningBatches
from volition.drama.evening.players import fits
from volition.drama.evening.terms import is_law_term
from volition.drama.stage.measured import MindPlayer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from volition.arbitration import Intention
    from volition.drama.evening.rows import MeasureRows
    from volition.drama.world.model import Scenario


class PointPlayer(NamedTuple):
    """Plays evenings of one scenario; `engine` says how, and `batch` how many a thread plays at once.

    `measure` plays the evenings of some seeds in some threads, and measures them.
    """

    engine: str
    batch: int
    measure: Callable[[Sequence[int], int], MeasureRows]


def point_player(scenario: Scenario, terms: Sequence[Intention], *, compiled: bool) -> PointPlayer:
    """Who plays the evenings of a point: compiled if that is asked for, can be done here, and the point fits.

    Whole evenings are played without custom terms or with those that are laws. Others are arrays, with which compiled
    evenings go in lockstep, or functions, with which minds decide.
    """
    if all(map(is_law_term, terms)):
        faster = compiled and fits(scenario)
        batches = EveningBatches(
            scenario, engine="compiled" if faster else "interpreted", measures=True, states=False, terms=terms
        )
        return PointPlayer(
            batches.engine, BATCH if faster else 1, lambda seeds, threads: batches.play(seeds, threads).measures
        )
    player = MindPlayer(scenario, terms)
    minds = InterpretedBatches(scenario, scenario.evening.ticks, measured=True, laws=(), player=player)
    if compiled and can_compile():
        from volition.drama.ensemble.arrays import LOCKSTEP, LockstepEvenings  # noqa: PLC0415  loads what is compiled

        with suppress(InvalidInput):
            evenings = LockstepEvenings(scenario, terms)
            return PointPlayer(COMPILED, LOCKSTEP, lambda seeds, _: evenings.measure(seeds, minds))
    return PointPlayer(INTERPRETED, 1, lambda seeds, _: minds.play(np.array(seeds, np.uint64)).measures)
