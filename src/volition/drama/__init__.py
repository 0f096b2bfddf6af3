"""Many minds in one world: people at a dinner party, each choosing one act a tick."""

from volition.drama.mind.mind import Mind, select_action
from volition.drama.mind.perception import PerceivedState, perceive
from volition.drama.world.model import Action, AgentState, Scenario, WorldState, begin
from volition.drama.world.scenario import literal, load_scenario, scenario

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # what is
    "Scenario", "scenario", "load_scenario", "literal", "WorldState", "AgentState", "begin",
    # one agent decides
    "PerceivedState", "perceive", "Mind", "select_action", "Action",
]  # fmt: skip
