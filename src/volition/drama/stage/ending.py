"""When an evening is over, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.stage.events import Ending
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import AgentState, WorldState

BROKEN_OFF, SPENT = "it was to be no longer", "everybody is spent"
_FEW = 2

ENDINGS = {
    "thrown_out": "somebody was shown the door, and went",
    "broke_up": "it broke up over an outburst",
    "only_two_left": "at the end there were only two",
    "guests_left": "the guests went home",
    "reconciliation": "what was broken was made up",
    "thinned_out": "after the scenes people drifted away",
    "ran_its_course": "it ran its course",
    "broken_off": "it was broken off",
}
"""Every kind of ending, in one sentence; an evening is broken off if only so many ticks were asked for."""


def stop_reason(world: WorldState, tables: Tables, ticks: int) -> str | None:
    """Why an evening stops now; None if it continues."""
    people = world.scenario.people
    present = _present(world)
    if world.minutes >= world.scenario.evening.minutes:
        return "the hour is late"
    if world.tick >= ticks:
        return BROKEN_OFF if ticks < world.scenario.evening.ticks else "it has gone on for long enough"
    if tables.departures.leaving:
        if present and all(people[me.id].resident for me in present):
            return "only those who live here are left"
        return "hardly anybody is left" if len(present) <= _FEW else None
    if len(present) < _FEW:
        return "hardly anybody is left"
    calm = tables.leaving.spent_stress
    if all(me.pacing.recovery_timer > 0 and me.pacing.stress < calm for me in present):
        return SPENT
    return None


def ending(world: WorldState, why: str, tables: Tables) -> Ending:
    """The ending of an evening that stopped for this reason."""
    late = world.minutes >= world.scenario.evening.minutes or world.tick >= world.scenario.evening.ticks
    kind = "broken_off" if why == BROKEN_OFF else _kind(world, tables, early=not late and why != SPENT)
    return Ending(kind, why, world.tick, world.minutes, ENDINGS[kind])


def _kind(world: WorldState, tables: Tables, *, early: bool) -> str:
    agents = world.agents.values()
    present, left = _present(world), [me for me in agents if me.location == DEPARTED]
    if any(me.thrown_out for me in left):
        return "thrown_out"
    if early:
        last = max((me.last_scene for me in agents if me.last_scene is not None), default=None)
        if last is not None and world.minutes - last <= tables.leaving.broke_up_minutes:
            return "broke_up"
        return "only_two_left" if len(present) == _FEW else "guests_left"
    here = {me.id for me in present}
    resented = any(
        held > tables.leaving.resented for me in present for other, held in me.grievance.items() if other in here
    )
    if any(me.reconciled for me in agents) and not resented:
        return "reconciliation"
    if len(left) >= _FEW and world.catastrophes:
        return "thinned_out"
    return "ran_its_course"


def _present(world: WorldState) -> list[AgentState]:
    return [me for me in world.agents.values() if me.location != DEPARTED]
