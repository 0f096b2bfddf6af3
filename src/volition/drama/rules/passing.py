"""What passes with time: the length of a tick, and what grows or fades from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.physics import clamp

if TYPE_CHECKING:
    from volition.drama.rules.stage_tables import Grievance, Time, Wants


def tick_length(catastrophe: bool, clash: bool, exchange: bool, scale: float, time: Time) -> float:
    """How many minutes a tick takes, by the gravest thing that happens in it."""
    if catastrophe:
        return scale * time.catastrophe
    if clash:
        return scale * time.clash
    if exchange:
        return scale * time.exchange
    return scale * time.quiet


def spread(least: float, most: float, share: float) -> float:
    """The number that lies a share of the way from the least to the most."""
    return least + (most - least) * share


def grievance_after(grievance: float, change: float) -> float:
    """A grievance after an event."""
    return clamp(grievance + change, 0.0, 1.0)


def grievance_faded(grievance: float, table: Grievance) -> float:
    """A grievance a tick later."""
    return max(0.0, grievance - table.decay)


def fatigue_after(fatigue: float, more: float, table: Grievance) -> float:
    """How tired a pair is after another quarrel."""
    return clamp(fatigue + more, 0.0, max(0.0, table.fatigue_most))


def fatigue_faded(fatigue: float, table: Grievance) -> float:
    """How tired a pair is of quarrelling, a tick later."""
    return clamp(fatigue * table.fatigue_kept, 0.0, max(0.0, table.fatigue_most))


def need_start(share: float, table: Wants) -> float:
    """Where a need begins, by a share drawn for the person and the need."""
    return table.start * share


def need_grown(need: float, rate: float, share: float, table: Wants) -> float:
    """A need a tick later; the share says how much faster or slower it grows with this person."""
    return min(table.most, need + rate * (1.0 + table.personal * (2.0 * share - 1.0)))
