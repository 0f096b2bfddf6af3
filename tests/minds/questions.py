"""Situations for the tests of minds, and what is recorded of one question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.minds import MindOption, MindSituation, Spending, ask_all

if TYPE_CHECKING:
    from volition.core.clock import Clock
    from volition.minds import Asked

PATIENT_S = 30.0
"""A deadline that no mind of a test reaches unless it is stuck."""
HASTY_S = 0.15
"""A deadline for minds that are stuck."""
BUSY_S = 1.0
"""A deadline for minds that are stuck beside one that answers, which may take a while on a busy machine."""


def rain(who: str = "ada", **more: Any) -> MindSituation:
    """Somebody who may stay or go, and may not swim."""
    options = (MindOption("stay", "stay under the roof"), MindOption("go", "walk home"))
    return MindSituation(who, "It rains.", options, own="go", vetoed={"swim": "safety"}, **more)


def ask_one(
    mind: Any, deadline_s: float = PATIENT_S, spending: Spending | None = None, clock: Clock | None = None
) -> Asked:
    """What is recorded of one question to one mind."""
    more: dict[str, Any] = {} if clock is None else {"clock": clock}
    return ask_all({"ada": mind}, {"ada": rain()}, deadline_s=deadline_s, spending=spending, **more)["ada"]
