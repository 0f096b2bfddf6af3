"""A run: everything that an evening was, from which every state of it can be rebuilt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from volition.drama.stage.state import state_from_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.stage.events import Ending, Event, TickRecord
    from volition.drama.stage.interference import Interference
    from volition.drama.world.model import Scenario, WorldState

RULES_VERSION = 1
"""Counts up whenever the same scenario and seed would give another evening."""


@dataclass(frozen=True, slots=True)
class Run:
    """An evening as it was recorded: its beginning, its ticks, and its ending, None while it is not over.

    `opening` is the state at the beginning, as data; `interference` what somebody forbade, forced or set by hand.
    """

    scenario: Scenario
    seed: int
    opening: Mapping[str, Any]
    ticks: tuple[TickRecord, ...]
    ending: Ending | None
    rules: int = RULES_VERSION
    interference: tuple[Interference, ...] = ()

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened."""
        return tuple(event for tick in self.ticks for event in tick.events)

    def opened(self) -> WorldState:
        """A fresh copy of the state at the beginning."""
        return state_from_data(self.scenario, self.opening)
