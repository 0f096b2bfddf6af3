"""What people perceive in worlds that tests make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.mind.mind import Mind

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState
    from volition.drama.mind.perception import PerceivedState

_KEPT: list[Mind] = []


def perceive(world: WorldState, agent_id: str) -> PerceivedState:
    """What somebody perceives; the minds of the last few scenarios are kept, by identity and not by name."""
    mind = next((kept for kept in _KEPT if kept.scenario is world.scenario), None) or Mind(world.scenario)
    _KEPT[:] = [mind, *(kept for kept in _KEPT if kept is not mind)][:8]
    return mind.perceive(world, agent_id)
