"""Many minds in one world: people who share an evening, each choosing one act per tick."""

from typing import TYPE_CHECKING, Any

from volition.drama.audience.narrator import Narrator, TemplateNarrator
from volition.drama.comparison import Comparison
from volition.drama.evening.person import AgentState
from volition.drama.evening.world import WorldState, begin
from volition.drama.mind.custom import MindFailed, OfferedActs, played_by
from volition.drama.mind.mind import Mind, select_action
from volition.drama.mind.perception import PerceivedState
from volition.drama.playing import Evening, play
from volition.drama.stage.events import Delta, Ending, Event, Strain, TickRecord
from volition.drama.stage.interference import Interference
from volition.drama.stage.library import Library
from volition.drama.stage.record import RULES_VERSION, Run
from volition.drama.world.model import Action, Scenario
from volition.drama.world.scenario import literal, load_scenario, scenario

if TYPE_CHECKING:
    from volition.drama.evening.batches import PlayedEvenings
    from volition.drama.evening.play_many import play_many

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # what is
    "Scenario", "scenario", "load_scenario", "literal", "WorldState", "AgentState", "begin",
    # one agent decides
    "PerceivedState", "Mind", "select_action", "Action",
    # all act, and the world moves
    "play", "Evening", "OfferedActs", "played_by", "MindFailed", "Run", "RULES_VERSION", "TickRecord", "Event", "Delta", "Strain", "Ending", "Library",
    # what if
    "Interference", "Comparison",
    # many evenings
    "play_many", "PlayedEvenings",
    # what it meant
    "Narrator", "TemplateNarrator",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Many evenings are imported when they are asked for: one evening needs no arrays."""
    if name in ("play_many", "PlayedEvenings"):
        from volition.drama.evening import play_many as module  # noqa: PLC0415

        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
