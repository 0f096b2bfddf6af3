"""The pilot: one mind that drives a body through a bridge, and never takes an answer for a success."""

from volition.execution.pilot.candidates import Option, options
from volition.execution.pilot.composite import PILOT
from volition.execution.pilot.course import Course
from volition.execution.pilot.ground import Ground
from volition.execution.pilot.judge import Goal, Judge, Judged, Opponent, Spot
from volition.execution.pilot.latency import Latency
from volition.execution.pilot.memory import Memory
from volition.execution.pilot.perceive import ArenaPerception, Perception
from volition.execution.pilot.pilot import Body, Pilot, Step, drive
from volition.execution.pilot.situation import Abilities, Foe, Me, Situation
from volition.execution.pilot.view import View

# fmt: off
__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # driving
    "Pilot", "Step", "drive", "Course", "Latency", "Body",
    # what is wanted, and whether it is met
    "Goal", "Opponent", "Spot", "Judge", "Judged",
    # what is known
    "Perception", "ArenaPerception", "Situation", "Me", "Foe", "Abilities", "Ground",
    # what may be done, and what decides
    "Option", "options", "View", "Memory", "PILOT",
]
# fmt: on
