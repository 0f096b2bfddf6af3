"""An evening from its beginning to its ending, which is told in a sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from volition.core.pausing import pause
from volition.drama.evening.ending import BROKEN_OFF, GOES_ON, STOPS, ending_of, stop_of
from volition.drama.evening.names import endings_of
from volition.drama.evening.tick import open_evening
from volition.drama.evening.world import WorldState, begin
from volition.drama.mind.mind import Mind
from volition.drama.stage.causes import Causes
from volition.drama.stage.events import Ending, TickRecord
from volition.drama.stage.record import Run, declare
from volition.drama.stage.stage import Stage
from volition.drama.stage.state import state_to_data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.stage.interference import Interference
    from volition.drama.stage.stage import Counsel
    from volition.drama.world.model import Scenario


ENDINGS: Final = {
    "thrown_out": "somebody was shown the door, and went",
    "broke_up": "it broke up over an outburst",
    "only_two_left": "at the end there were only two",
    "guests_left": "the guests went home",
    "reconciliation": "what was broken was made up",
    "thinned_out": "after the scenes people drifted away",
    "ran_its_course": "it ran its course",
    "broken_off": "it was broken off",
}
"""Every kind of ending, in one sentence; an evening is broken off if it was asked for only some ticks."""


def opening(scenario: Scenario, seed: int, mind: Mind) -> WorldState:
    """The first state of an evening with this seed: needs have their first values, and people see who is there."""
    evening = begin(scenario).state(seed)
    open_evening(evening, mind.tables)
    return WorldState(evening, mind.names)


def begin_run(
    scenario: Scenario, seed: int, mind: Mind, interference: tuple[Interference, ...] = ()
) -> tuple[Run, WorldState]:
    """A run before its first tick, and the state that it begins with."""
    world, custom = opening(scenario, seed, mind), declare(mind.custom)
    return Run(scenario, seed, state_to_data(world), (), None, interference=interference, custom=custom), world


def run(
    scenario: Scenario,
    seed: int,
    *,
    ticks: int | None = None,
    mind: Mind | None = None,
    interference: tuple[Interference, ...] = (),
    on_begin: Callable[[Run], None] | None = None,
    on_tick: Callable[[WorldState, TickRecord], None] | None = None,
    stop: Callable[[], bool] | None = None,
    counsel_of: Callable[[Run], Counsel | None] | None = None,
) -> Run:
    """Play an evening to its ending, for at most `ticks`, or until `stop()` returns true before a tick.

    `on_begin` gets the run before its first tick, `on_tick` the state after each tick and its record. `counsel_of` is asked
    before the first tick who knows what minds from outside say.
    """
    mind = mind or Mind(scenario)
    begun, world = begin_run(scenario, seed, mind, interference)
    if on_begin is not None:
        on_begin(begun)
    counsel = None if counsel_of is None else counsel_of(begun)
    stage = Stage(world, mind, seed, Causes(), interference=interference, counsel=counsel)
    return finish(begun, stage, ticks, on_tick, stop)


def finish(
    begun: Run,
    stage: Stage,
    ticks: int | None = None,
    on_tick: Callable[[WorldState, TickRecord], None] | None = None,
    stop: Callable[[], bool] | None = None,
    given: Callable[[], Mapping[str, str] | None] | None = None,
) -> Run:
    """Continue a run on a stage until the evening stops, or is broken off by `stop()`.

    `on_tick` gets the world of the stage, which the next tick changes; `given()` returns the acts of people who are
    played, before each tick.
    """
    records, whole = list(begun.ticks), begun.scenario.evening.ticks
    most = whole if ticks is None else min(ticks, whole)
    while (why := stop_of(stage.evening, stage.tables, most)) == GOES_ON:
        pause()
        if stop is not None and stop():
            why = BROKEN_OFF
            break
        records.append(stage.tick(None if given is None else given()))
        if on_tick is not None:
            on_tick(stage.world, records[-1])
    return replace(begun, ticks=tuple(records), ending=ending(begun.scenario, stage.evening, stage.tables, why))


def ending(scenario: Scenario, evening: EveningState, tables: ScenarioTables, stop: int) -> Ending:
    """The ending of an evening that stopped for this reason."""
    kind = endings_of(scenario)[ending_of(evening, tables, stop)]
    because = ENDINGS.get(kind) or f"{kind.replace('_', ' ')}"
    return Ending(kind, STOPS[stop], evening.tick, evening.minutes, because)
