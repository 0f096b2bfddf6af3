"""All planted defects: each executor is the good one with one change."""

from __future__ import annotations

from tests.execution.conformance.laws import (
    defects_claims,
    defects_control,
    defects_ending,
    defects_greeting,
    defects_lines,
    defects_moves,
    defects_observing,
    defects_once,
    defects_own,
    defects_places,
    defects_refusing,
    defects_restart,
    defects_results,
    defects_session,
    defects_shown,
    defects_soak,
    defects_success,
    defects_world,
)
from tests.execution.conformance.laws.defect import Defect

DEFECTS: tuple[type[Defect], ...] = tuple(
    found
    for module in (
        defects_results, defects_world, defects_lines, defects_greeting, defects_session, defects_control,
        defects_shown, defects_once, defects_ending, defects_moves, defects_claims, defects_observing, defects_refusing,
        defects_own, defects_soak, defects_success, defects_restart, defects_places,
    )
    for found in vars(module).values()
    if isinstance(found, type) and issubclass(found, Defect) and found.__module__ == module.__name__
    if hasattr(found, "caught_by") and not found.__subclasses__()
)  # fmt: skip
