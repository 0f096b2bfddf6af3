"""The intentions of a pilot: what it must not do and what it prefers."""

from __future__ import annotations

from volition.arbitration import CompositeIntention
from volition.execution.arena.pilot.constraints import CONSTRAINTS
from volition.execution.arena.pilot.heuristics import HEURISTICS

PILOT = CompositeIntention(*CONSTRAINTS, *HEURISTICS)
"""The default intentions of a pilot; change weights or add to it like to any composite."""
