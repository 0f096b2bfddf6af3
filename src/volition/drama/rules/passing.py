"""The passing of time: the length of a tick, and what grows or fades from one tick to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.physics import clamp

if TYPE_CHECKING:
    from volition.drama.rules.stage_tables import Feelings, Grievance, Time, Wants


def tick_length(catastrophe: bool, clash: bool, exchange: bool, scale: float, time: Time) -> float:
    """The minutes that a tick takes, by the most serious thing that happens in it."""
    if catastrophe:
        return scale * time.catastrophe
    if clash:
        return scale * time.clash
    if exchange:
        return scale * time.exchange
    return scale * time.quiet


def spread(least: float, most: float, share: float) -> float:
    """The number at this share of the way from `least` to `most`."""
    return least + (most - least) * share


def grievance_after(grievance: float, change: float) -> float:
    """A grievance after an event."""
    return clamp(grievance + change, 0.0, 1.0)


def fade_grievance(grievance: float, table: Grievance) -> float:
    """A grievance one tick later."""
    return max(0.0, grievance - table.decay)


def fatigue_after(fatigue: float, more: float, table: Grievance) -> float:
    """How tired of quarrelling two people are after another quarrel."""
    return clamp(fatigue + more, 0.0, max(0.0, table.fatigue_most))


def fade_fatigue(fatigue: float, table: Grievance) -> float:
    """How tired of quarrelling two people are one tick later."""
    return clamp(fatigue * table.fatigue_kept, 0.0, max(0.0, table.fatigue_most))


def said_feeling(felt: float, table: Feelings) -> float:
    """What is left of a feeling that was confided."""
    return clamp(felt * table.said_kept, 0.0, 1.0)


def need_start(share: float, table: Wants) -> float:
    """The first value of a need, by a share that is drawn for the person and the need."""
    return table.start * share


def need_after(need: float, rate: float, share: float, table: Wants) -> float:
    """A need one tick later; the share determines how much faster or slower it grows for this person."""
    return min(table.most, need + rate * (1.0 + table.personal * (2.0 * share - 1.0)))
