"""Pacing in the score: two gates, masking, relief, consistency and quiet (specification 3.3), and priority (4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import CONFIDE, CONFLICT, LIE, PHYSICAL, REVEAL, SOCIAL_MOVE
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from volition.drama.rules.tables import Pacing


def barred_by_recovery(dramatic: bool, timer: int) -> bool:
    """Whether a person has to recover before acting dramatically again."""
    return bool(dramatic) and timer > 0


def barred_by_budget(dramatic: bool, budget: float, pacing: Pacing) -> bool:
    """Whether a person lacks the budget for a dramatic act."""
    return bool(dramatic) and budget < pacing.budget_minimum


def masking(dramatic: bool, privacy: float, composure: float, pacing: Pacing) -> float:
    """What masking subtracts from a dramatic act in public; nothing without the composure that a mask needs."""
    if dramatic and privacy < pacing.public_below and composure >= pacing.masking_composure:
        return leaf(-((1.0 - privacy) * composure * pacing.masking))
    return 0.0


def relief(act: int, stress: float, destination_privacy: float, is_drink: bool, pacing: Pacing) -> float:
    """What stress adds to the acts that relieve it: going where it is private, confiding, drinking."""
    if stress > pacing.stress_above:
        if act == SOCIAL_MOVE:
            if destination_privacy > pacing.private_above:
                return leaf(stress * pacing.move_relief)
        elif act == CONFIDE:
            return leaf(stress * pacing.confide_relief)
        elif act == PHYSICAL and is_drink:
            return leaf(stress * pacing.drink_relief)
    return 0.0


def consistency(commitment: float, consistent: bool, contradicting: bool, pacing: Pacing) -> float:
    """What high commitment adds to acts that are consistent with it, and subtracts from acts that contradict it."""
    total = 0.0
    if commitment > pacing.commitment_above:
        if consistent:
            total += leaf(commitment * pacing.consistent)
        if contradicting:
            total -= leaf(commitment * pacing.contradicting)
    return total


def is_consistent(act: int, conceals: bool, exposes: bool, strict: int) -> bool:
    """Whether an act is consistent with what a person is committed to.

    `conceals` and `exposes` say whether a commitment conceals or exposes the act's secret. In the literal reading,
    everything is consistent except acts other than LIE about a secret to be concealed. With `strict`, an act has to serve
    a commitment: a LIE about a secret to be concealed, or a REVEAL or CONFIDE of one to be exposed.
    """
    if strict:
        if act == LIE:
            return bool(conceals)
        return bool(exposes) and act in (REVEAL, CONFIDE)
    return act == LIE or not conceals


def is_contradicting(act: int, conceals: bool) -> bool:
    """Whether an act contradicts a commitment: a REVEAL or CONFIDE of a secret to be concealed."""
    return bool(conceals) and act in (REVEAL, CONFIDE)


def quiet(dramatic: bool, budget: float, pacing: Pacing) -> float:
    """What a low budget adds to acts that are not dramatic."""
    if not dramatic and budget < pacing.low_budget:
        return leaf(pacing.quiet)
    return 0.0


def priority_class(act: int, dramatic: bool, stress: float, pacing: Pacing) -> int:
    """Which act goes first when acts clash: 3 for a CONFLICT under stress, 2 for other dramatic acts, 1 for the rest."""
    if act == CONFLICT and stress > pacing.priority_stress:
        return 3
    if dramatic:
        return 2
    return 1
