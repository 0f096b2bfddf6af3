"""How an attempt ended, and the result payload that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from volition.execution.arena.rules import TICK_MS

if TYPE_CHECKING:
    from volition.execution.arena.bodies import Actor

Status = Literal["SUCCESS", "FAILURE", "PARTIAL"]
Reason = Literal["NONE", "COOLDOWN", "BLOCKED", "INVALID_STATE", "RESOURCE_EXHAUSTED", "UNKNOWN"]


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of an intent.

    `out_of_place`: it makes no sense where the actor is now, because the actor is dead, or in the air where the intent
    needs the ground, or because the place that it names is not on the map. `wasted`: it was paid for, and nothing came
    of it.
    """

    status: Status
    reason: Reason = "NONE"
    out_of_place: bool = False
    wasted: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """An intent that was accepted: its id, the most ticks it has, and what the counters were when it began."""

    id: int
    intent: str
    tick: int
    ticks: int
    damage_dealt: int
    damage_received: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The one terminal result of an intent; `result` is the whole result payload."""

    id: int
    intent: str
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Report:
    """What one call brought to an end, in the order in which the intents began, and what else happened."""

    results: tuple[Finished, ...] = ()
    events: tuple[dict[str, Any], ...] = ()


def finished(attempt: Attempt, ending: Ending, actor: Actor, tick: int) -> Finished:
    """The terminal result of an attempt that ends now."""
    result = {
        "status": ending.status,
        "failure_reason": ending.reason,
        "partial_execution": ending.status == "PARTIAL",
        "safety_flags": {
            "is_blocked": ending.reason == "BLOCKED",
            "on_cooldown": ending.reason == "COOLDOWN",
            "invalid_environment": ending.out_of_place,
        },
        "outcomes": {
            "damage_dealt": float(actor.damage_dealt - attempt.damage_dealt),
            "damage_received": float(actor.damage_received - attempt.damage_received),
            "is_alive": actor.alive,
            "action_wasted": ending.wasted,
        },
        "metadata": {
            "engine_timestamp": tick,
            "execution_time_ms": float((tick - attempt.tick) * TICK_MS),
        },
    }
    return Finished(attempt.id, attempt.intent, result)
