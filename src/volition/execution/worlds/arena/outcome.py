"""How an intent ended, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from volition.execution.wire.results import FailureReason, Result, Status, make_result
from volition.execution.worlds.arena.rules import TICK_MS

if TYPE_CHECKING:
    from volition.execution.worlds.arena.bodies import Actor


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How an intent ended.

    `out_of_place`: it makes no sense where the actor is, because the actor is dead, or in the air where the intent needs
    the ground, or because the vector leads off the map. `wasted`: it was paid for without any effect.
    """

    status: Status
    reason: FailureReason = "NONE"
    out_of_place: bool = False
    wasted: bool = False


@dataclass(frozen=True, slots=True)
class AcceptedIntent:
    """An intent that was accepted: its id, the most ticks that it has, and the counters of damage when it began."""

    id: int
    intent: str
    tick: int
    ticks: int
    damage_dealt: int
    damage_received: int

    def finish(self, conclusion: Conclusion, actor: Actor, tick: int) -> FinishedIntent:
        """The intent with its result; it ends now."""
        result = make_result(
            conclusion.status,
            conclusion.reason,
            invalid_environment=conclusion.out_of_place,
            damage_dealt=float(actor.damage_dealt - self.damage_dealt),
            damage_received=float(actor.damage_received - self.damage_received),
            is_alive=actor.alive,
            action_wasted=conclusion.wasted,
            engine_timestamp=tick,
            execution_time_ms=float((tick - self.tick) * TICK_MS),
        )
        return FinishedIntent(self.id, self.intent, result)


@dataclass(frozen=True, slots=True)
class FinishedIntent:
    """An intent with its one result."""

    id: int
    intent: str
    result: Result


@dataclass(frozen=True, slots=True)
class ArenaReport:
    """The intents that ended in one call, in the order in which they began, and the events in it."""

    results: tuple[FinishedIntent, ...] = ()
    events: tuple[dict[str, Any], ...] = ()
