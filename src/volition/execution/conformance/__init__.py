"""The conformance kit: drives any executor through the whole contract, and says what holds and what breaks."""

from __future__ import annotations

from volition.execution.conformance.arena_probe import ArenaProbe
from volition.execution.conformance.kit import CHECKS, check, selected
from volition.execution.conformance.law import Check
from volition.execution.conformance.probe import Probe, Sight, Target
from volition.execution.conformance.verdict import Report, Row, Said, Verdict

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # to try an executor
    "check", "Report", "Row", "Said", "Verdict",
    # what is tried
    "Check", "CHECKS", "selected",
    # what is known of a world
    "Probe", "Sight", "Target", "ArenaProbe",
]  # fmt: skip
