"""The pilot: drives a body through a bridge, and never takes a result for a reached goal."""

from volition.execution.worlds.pilot.candidates import PilotOption, options
from volition.execution.worlds.pilot.course import Course, Latency, PilotStep
from volition.execution.worlds.pilot.ground import Ground
from volition.execution.worlds.pilot.judge import DefeatOpponent, Goal, Judge, Judged, Spot, parse_goal
from volition.execution.worlds.pilot.pilot import PILOT, Body, Pilot, drive
from volition.execution.worlds.pilot.situation import Abilities, ArenaPerception, Foe, Me, Perception, PilotSituation
from volition.execution.worlds.pilot.view import AttemptMemory, View

# fmt: off
__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # driving
    "Pilot", "PilotStep", "drive", "Course", "Latency", "Body",
    # goals, and whether they are met
    "Goal", "DefeatOpponent", "Spot", "parse_goal", "Judge", "Judged",
    # what is known
    "Perception", "ArenaPerception", "PilotSituation", "Me", "Foe", "Abilities", "Ground",
    # options, and what decides
    "PilotOption", "options", "View", "AttemptMemory", "PILOT",
]
# fmt: on
