"""Movement in the score: what draws somebody to another room (specification 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from volition.drama.rules.tables import Movement


def company_pull(desire: float, movement: Movement) -> float:
    """What one person in the other room adds, by the desire to be close to them."""
    if desire > movement.closeness_above:
        return leaf(desire * movement.closeness)
    return 0.0


def privacy_pull(stress: float, pending: bool, privacy: float, movement: Movement) -> float:
    """What the other room's privacy adds under stress, and with a dramatic act pending: a sum of leaves."""
    total = 0.0
    if stress > movement.stress_above:
        total += leaf(privacy * movement.stress_privacy)
    if pending:
        total += leaf(privacy * movement.pending_privacy)
    return total


def follow_pull(trust: float, suspicion: float, movement: Movement) -> float:
    """What one person who just went there adds: people follow out of trust, or out of suspicion."""
    if trust > movement.follow_trust or suspicion > movement.follow_suspicion:
        return leaf(movement.follow)
    return 0.0
