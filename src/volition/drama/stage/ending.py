"""When an evening is over, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.stage.events import Ending
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import AgentState, WorldState

COUNTED = 30.0
"""An evening that ends within so many minutes of an outburst broke up over it."""
_FEW = 2
_RESENTED = 0.4

ENDINGS = {
    "thrown_out": "somebody was shown the door, and went",
    "broke_up": "it broke up over an outburst",
    "only_two_left": "at the end there were only two",
    "guests_left": "the guests went home",
    "reconciliation": "what was broken was made up",
    "thinned_out": "after the scenes people drifted away",
    "ran_its_course": "it ran its course",
}
"""Every way in which an evening ends, in the order in which they are looked for."""


def stopped(world: WorldState, tables: Tables, ticks: int) -> str | None:
    """Why an evening stops now; None while it goes on."""
    people = world.scenario.people
    present = _present(world)
    if world.minutes >= world.scenario.evening.minutes:
        return "the hour is late"
    if world.tick >= ticks:
        return f"after {ticks} ticks"
    if tables.departures.leaving:
        if present and all(people[me.id].resident for me in present):
            return "only those who live here are left"
        return "hardly anybody is left" if len(present) <= _FEW else None
    if len(present) < _FEW:
        return "hardly anybody is left"
    calm = tables.physics.stress_calm_below * 2.0 / 3.0
    if all(me.pacing.recovery_timer > 0 and me.pacing.stress < calm for me in present):
        return "everybody is spent"
    return None


def ending(world: WorldState, why: str) -> Ending:
    """How an evening ended that stopped for this reason."""
    kind = _kind(world, early=world.minutes < world.scenario.evening.minutes and not why.startswith("after"))
    return Ending(kind, why, world.tick, world.minutes, ENDINGS[kind])


def _kind(world: WorldState, *, early: bool) -> str:
    agents = world.agents.values()
    present, left = _present(world), [me for me in agents if me.location == DEPARTED]
    if any(me.thrown_out for me in left):
        return "thrown_out"
    if early:
        last = max((me.last_scene for me in agents if me.last_scene is not None), default=None)
        if last is not None and world.minutes - last <= COUNTED:
            return "broke_up"
        return "only_two_left" if len(present) == _FEW else "guests_left"
    here = {me.id for me in present}
    resented = any(held > _RESENTED for me in present for other, held in me.grievance.items() if other in here)
    if any(me.reconciled for me in agents) and not resented:
        return "reconciliation"
    if len(left) >= _FEW and world.catastrophes:
        return "thinned_out"
    return "ran_its_course"


def _present(world: WorldState) -> list[AgentState]:
    return [me for me in world.agents.values() if me.location != DEPARTED]
