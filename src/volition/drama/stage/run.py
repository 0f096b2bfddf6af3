"""An evening from its beginning to its ending."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from volition.drama.mind.mind import Mind
from volition.drama.rules.passing import need_start
from volition.drama.stage.causes import Causes
from volition.drama.stage.ending import BROKEN_OFF, ending, stop_reason
from volition.drama.stage.record import Run
from volition.drama.stage.scribe import draw_share
from volition.drama.stage.state import state_to_data
from volition.drama.stage.tick import Stage
from volition.drama.world.model import begin

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.interference import Interference
    from volition.drama.world.model import Action, Scenario, WorldState


def opening(scenario: Scenario, seed: int, mind: Mind) -> WorldState:
    """The first state of an evening with this seed: needs have their first values, and people see who is there."""
    world = begin(scenario)
    for me in world.agents.values():
        if mind.tables.departures.needs:
            for need in scenario.evening.needs:
                me.needs[need] = need_start(draw_share(seed, 0, me.id, "need start", need), mind.tables.wants)
        for other in world.agents.values():
            if other.id != me.id and other.location == me.location:
                me.sightings[other.id] = (other.location, 0)
    return world


def run(
    scenario: Scenario,
    seed: int,
    *,
    ticks: int | None = None,
    mind: Mind | None = None,
    interference: tuple[Interference, ...] = (),
    on_begin: Callable[[Run], None] | None = None,
    on_tick: Callable[[WorldState, TickRecord], None] | None = None,
    propose: Callable[[WorldState, list[str]], list[Action]] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Run:
    """Play an evening to its ending, for at most `ticks`, or until `stop()` returns true before a tick.

    `on_begin` gets the run before its first tick, `on_tick` the state after each tick and its record. `propose` decides
    for everybody at once, instead of the mind.
    """
    mind = mind or Mind(scenario)
    world = opening(scenario, seed, mind)
    begun = Run(scenario, seed, state_to_data(world), (), None, interference=interference)
    if on_begin is not None:
        on_begin(begun)
    stage = Stage(world, mind, seed, Causes(), interference=interference, propose=propose)
    return finish(begun, stage, ticks, on_tick, stop)


def finish(
    begun: Run,
    stage: Stage,
    ticks: int | None = None,
    on_tick: Callable[[WorldState, TickRecord], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Run:
    """Continue a run on a stage until the evening stops, or is broken off by `stop()`."""
    world, tables = stage.world, stage.mind.tables
    records = list(begun.ticks)
    most = min(ticks, begun.scenario.evening.ticks) if ticks is not None else begun.scenario.evening.ticks
    while (why := stop_reason(world, tables, most) or (BROKEN_OFF if stop is not None and stop() else None)) is None:
        record = stage.tick()
        records.append(record)
        if on_tick is not None:
            on_tick(world, record)
    return replace(begun, ticks=tuple(records), ending=ending(world, why, tables))
