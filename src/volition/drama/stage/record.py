"""A run: the whole record of an evening, from which each of its states can be rebuilt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from volition.drama.rules.catalog import LEAVE, PHYSICAL
from volition.drama.stage.recorded import NOTHING_DECLARED, Declared
from volition.drama.stage.state import state_from_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.stage.events import Ending, Event, TickRecord
    from volition.drama.stage.interference import Interference
    from volition.drama.world.model import Scenario, WorldState

RULES_VERSION = 4
"""Incremented whenever the same scenario and seed would give a different evening."""


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded evening: its opening, its ticks, and its ending, which is None while it is not over.

    `opening` is the first state as data; `interference` is what was forbidden, forced or set by hand; `custom` says
    which user code took part.
    """

    scenario: Scenario
    seed: int
    opening: Mapping[str, Any]
    ticks: tuple[TickRecord, ...]
    ending: Ending | None
    rules: int = RULES_VERSION
    interference: tuple[Interference, ...] = ()
    custom: Declared = NOTHING_DECLARED

    @property
    def events(self) -> tuple[Event, ...]:
        """All events, in order."""
        return tuple(event for tick in self.ticks for event in tick.events)

    @property
    def first(self) -> int:
        """The first tick."""
        return int(self.opening["tick"])

    @property
    def last(self) -> int:
        """The tick after the last one: the state before it is the final state."""
        return self.first + len(self.ticks)

    @property
    def left(self) -> tuple[str, ...]:
        """The people who left, in order."""
        return tuple(event.source for event in self.events if event.type == PHYSICAL and event.manner == LEAVE)

    def opening_state(self) -> WorldState:
        """A new copy of the first state."""
        return state_from_data(self.scenario, self.opening)
