"""The intentions of a pilot, together: what it must not do and what it would rather do."""

from __future__ import annotations

from volition.arbitration import CompositeIntention
from volition.execution.pilot.constraints import CONSTRAINTS
from volition.execution.pilot.heuristics import HEURISTICS

PILOT = CompositeIntention(*CONSTRAINTS, *HEURISTICS)
"""What a pilot decides by unless it is given something else; take weights from it or add to it as to any composite."""
