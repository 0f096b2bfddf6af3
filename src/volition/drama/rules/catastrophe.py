"""Catastrophes: when somebody breaks, how, and what it leaves of them."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from volition.drama.rules.catalog import EMOTIONS, FLAWS
from volition.drama.rules.physics import Pace, clamp

if TYPE_CHECKING:
    from volition.drama.rules.stage_tables import Physics

Emotions = tuple[float, float, float, float, float, float]
"""The six emotions, in the order of `catalog.EMOTIONS`."""


class Breakdown(IntEnum):
    """How somebody breaks."""

    EXPLOSION = 0
    COLLAPSE = 1
    DESPERATE_GAMBIT = 2
    FLIGHT = 3
    ACCUSATION = 4


_PRIDE, _LOYALTY, _AMBITION, _COWARDICE = (FLAWS.index(flaw) for flaw in ("pride", "loyalty", "ambition", "cowardice"))
_ANGER, _FEAR, _SHAME, _SUSPICION = (EMOTIONS.index(feeling) for feeling in ("anger", "fear", "shame", "suspicion"))


def potential(stress: float, commitment: float, suppression: int, physics: Physics) -> float:
    """How near somebody is to breaking: stress times commitment squared, and what has been suppressed."""
    return stress * (commitment * commitment) + physics.catastrophe_suppression * suppression


def threshold(catastrophes: int, rise: float, physics: Physics) -> float:
    """The potential at which somebody breaks, higher by `rise` for each catastrophe that the house has seen."""
    return physics.catastrophe_threshold + rise * catastrophes


def breaks(pace: Pace, threshold: float, physics: Physics) -> bool:
    """Whether somebody breaks: not recovering, at the threshold, and without the composure to hold it back."""
    if pace.timer > 0 or pace.composure >= physics.catastrophe_gate:
        return False
    return potential(pace.stress, pace.commitment, pace.suppression, physics) >= threshold


def aftermath(pace: Pace, physics: Physics) -> Pace:
    """What a catastrophe leaves: it stands above the end of the tick, so apply it to what that has given.

    Stress is halved, composure set, and commitment grows where there is room; nothing stays suppressed, and a long
    recovery begins. The budget is charged here and nowhere else.
    """
    commitment = pace.commitment
    if commitment < physics.catastrophe_commitment_below:
        commitment = clamp(commitment + physics.catastrophe_commitment, 0.0, 1.0)
    return Pace(
        clamp(pace.budget - physics.budget_cost_catastrophe, 0.0, 1.0),
        pace.stress / 2.0,
        physics.composure_after_catastrophe,
        commitment,
        physics.catastrophe_cooldown,
        0,
    )


def peak_emotion(emotions: Emotions) -> int:
    """The strongest emotion, by its place in `catalog.EMOTIONS`; of equals the first, and -1 where there is none."""
    peak, strength = -1, 0.0
    for feeling in range(len(emotions)):
        if emotions[feeling] > strength:
            peak, strength = feeling, emotions[feeling]
    return peak


def breakdown(flaw: int, emotion: int) -> int:
    """How somebody breaks, by their dominant flaw and their strongest emotion (places in the catalog, -1 for none).

    The first that applies: pride or anger explodes; loyalty or shame collapses; ambition gambles; cowardice or fear
    flees; suspicion accuses; all else collapses. The specification gives fear to the gamble as well, which would leave
    it no flight, and flight to a flaw that does not exist: fear and cowardice flee, and only ambition gambles.
    """
    if flaw == _PRIDE or emotion == _ANGER:
        return Breakdown.EXPLOSION
    if flaw == _LOYALTY or emotion == _SHAME:
        return Breakdown.COLLAPSE
    if flaw == _AMBITION:
        return Breakdown.DESPERATE_GAMBIT
    if flaw == _COWARDICE or emotion == _FEAR:
        return Breakdown.FLIGHT
    if emotion == _SUSPICION:
        return Breakdown.ACCUSATION
    return Breakdown.COLLAPSE
