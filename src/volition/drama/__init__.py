"""Many minds in one world: people who share an evening, each choosing one act per tick.

A scenario:
    scenario          a scenario that is shipped, by name
    load_scenario     a scenario from a file
    literal           a scenario in the literal reading of the specification
    Scenario          people, rooms, secrets, setup and rules

One evening:
    play              plays an evening
    Evening           an evening that was played: its transcript, decisions, forks and significance
    Event             something that happened

One person decides:
    begin             the world at the beginning of an evening
    WorldState        everybody and everything at one moment
    AgentState        one person at one moment
    Mind              how people decide
    select_action     what a person would do now
    Action            an act that may be chosen
    PerceivedState    what a person perceives

Minds of yours:
    played_by         lets a function choose for a person
    OfferedActs       what a person may do, with what they know
    MindFailed        a custom mind raised, or answered nonsense
    Wish              what may be wished beyond the acts offered: ask, choose a topic, lie at will, leave together

A guest whom you play:
    GuestStep         what a guest saw and heard, what others took from their act, and what they may do next

Many evenings:
    play_many         plays the evenings of many seeds, compiled where possible
    BatchDecider      decides for everybody in many states at once

Telling it:
    Narrator          puts a run into words
    TemplateNarrator  the narrator that uses a phrasebook
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.lazy import lazy_names
from volition.drama.audience.narrator import Narrator, TemplateNarrator
from volition.drama.evening.person import AgentState
from volition.drama.evening.world import WorldState, begin
from volition.drama.mind.custom import MindFailed, OfferedActs, played_by
from volition.drama.mind.mind import Mind, select_action
from volition.drama.mind.perception import PerceivedState
from volition.drama.mind.wishes import Wish
from volition.drama.playing.evening import Evening, play
from volition.drama.playing.guest import GuestStep
from volition.drama.stage.events import Event
from volition.drama.world.model import Action, Scenario
from volition.drama.world.scenario import literal, load_scenario, scenario

if TYPE_CHECKING:
    from volition.drama.batch.decider import BatchDecider
    from volition.drama.evening.play_many import play_many

__all__ = [  # noqa: RUF022  in the order of the page above
    "scenario",
    "load_scenario",
    "literal",
    "Scenario",
    "play",
    "Evening",
    "Event",
    "begin",
    "WorldState",
    "AgentState",
    "Mind",
    "select_action",
    "Action",
    "PerceivedState",
    "played_by",
    "OfferedActs",
    "MindFailed",
    "Wish",
    "GuestStep",
    "play_many",
    "BatchDecider",
    "Narrator",
    "TemplateNarrator",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "volition.drama.evening.play_many": "play_many",
        "volition.drama.batch.decider": "BatchDecider",
    },
)
