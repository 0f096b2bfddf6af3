"""The pilot: decides by arbitration what a body in the arena does.

Driving:
    Pilot           turns a state into a decision
    drive           drives a body until a goal is met
    DefeatOpponent  the goal of an arena
    Spot            a place to reach
    PilotOption     an intent that the pilot considers
    PILOT           its constraints and heuristics
"""

from volition.execution.worlds.pilot.candidates import PilotOption
from volition.execution.worlds.pilot.judge import DefeatOpponent, Spot
from volition.execution.worlds.pilot.pilot import PILOT, Pilot, drive

__all__ = [  # noqa: RUF022  in the order of the page above
    "Pilot",
    "drive",
    "DefeatOpponent",
    "Spot",
    "PilotOption",
    "PILOT",
]
