"""An evening with its log: played by a player, tick by tick, and read into the records of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.drama.evening.stepping import CompiledSteps, InterpretedSteps
from volition.drama.evening.ending import GOES_ON
from volition.drama.evening.names import names_of
from volition.drama.evening.world import WorldState
from volition.drama.stage.codec import LogReader
from volition.drama.stage.events import TickRecord
from volition.drama.stage.record import Run
from volition.drama.stage.run import ending
from volition.drama.stage.state import state_to_data

if TYPE_CHECKING:
    from tests.drama.evening.stepping import Stepping
    from volition.drama.world.model import Scenario


def play_logged(scenario: Scenario, seed: int, *, ticks: int | None = None, compiled: bool = False) -> Run:
    """Play an evening to its ending, or for at most so many ticks, with everything that happens written down.

    A compiled tick whose log overflows is of no use: then the evening is played again, interpreted.
    """
    player: Stepping = CompiledSteps(scenario) if compiled else InterpretedSteps(scenario)
    return _play_whole(player, seed, ticks) or _finished(InterpretedSteps(scenario), seed, ticks)


def _finished(player: Stepping, seed: int, ticks: int | None) -> Run:
    run = _play_whole(player, seed, ticks)
    assert run is not None, "a plain log has room for any tick"
    return run


def _play_whole(player: Stepping, seed: int, ticks: int | None) -> Run | None:
    """The evening of a seed, or None where a log overflowed."""
    scenario, records = player.scenario, list[TickRecord]()
    most = scenario.evening.ticks if ticks is None else min(ticks, scenario.evening.ticks)
    player.begin(seed)
    state = player.state()
    reader, opening = LogReader(scenario, player.tables), state_to_data(WorldState(state, names_of(scenario)))
    while (stop := player.stop(most)) == GOES_ON:
        tick, minutes = state.tick, state.minutes
        log = player.tick()
        if log is None:
            return None
        state = player.state()
        records.append(reader.tick(state, log, tick, minutes))
    return Run(scenario, seed, opening, tuple(records), ending(scenario, state, player.tables, stop))
