"""Catastrophes: when a person breaks, how, and what it does to them."""

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
    """How a person breaks."""

    EXPLOSION = 0
    COLLAPSE = 1
    DESPERATE_GAMBIT = 2
    FLIGHT = 3
    ACCUSATION = 4


_PRIDE, _LOYALTY, _AMBITION, _COWARDICE = (FLAWS.index(flaw) for flaw in ("pride", "loyalty", "ambition", "cowardice"))
_ANGER, _FEAR, _SHAME, _SUSPICION = (EMOTIONS.index(feeling) for feeling in ("anger", "fear", "shame", "suspicion"))


def potential(stress: float, commitment: float, suppression: int, physics: Physics) -> float:
    """How close a person is to breaking: stress times commitment squared, plus what has been suppressed."""
    return stress * (commitment * commitment) + physics.catastrophe_suppression * suppression


def threshold(catastrophes: int, rise: float, physics: Physics) -> float:
    """The potential at which a person breaks; each earlier catastrophe of the evening raises it by `rise`."""
    return physics.catastrophe_threshold + rise * catastrophes


def breaks(pace: Pace, threshold: float, physics: Physics) -> bool:
    """Whether a person breaks: not recovering, at the threshold, and without enough composure to prevent it."""
    if pace.timer > 0 or pace.composure >= physics.catastrophe_gate:
        return False
    return potential(pace.stress, pace.commitment, pace.suppression, physics) >= threshold


def aftermath(pace: Pace, physics: Physics) -> Pace:
    """The pace after a catastrophe. It takes precedence over the end of the tick, so apply it to the result of that.

    Stress is halved, composure is set, and commitment grows if it is low; nothing stays suppressed, and a long recovery
    begins. The budget is charged here and nowhere else.
    """
    commitment = pace.commitment
    if commitment < physics.catastrophe_commitment_below:
        commitment = clamp(commitment + physics.catastrophe_commitment, 0.0, 1.0)
    return Pace(
        clamp(pace.budget - physics.budget_cost_catastrophe, 0.0, 1.0),
        pace.stress / 2.0,
        physics.composure_after_catastrophe,
        commitment,
        max(pace.timer, physics.catastrophe_cooldown),
        0,
    )


def peak_emotion(emotions: Emotions) -> int:
    """The strongest emotion, as an index of `catalog.EMOTIONS`; the first of equals, and -1 if there is none."""
    peak, strength = -1, 0.0
    for feeling in range(len(emotions)):
        if emotions[feeling] > strength:
            peak, strength = feeling, emotions[feeling]
    return peak


def breakdown(flaw: int, emotion: int) -> int:
    """How a person breaks, by their dominant flaw and their strongest emotion (indices of the catalog, -1 for none).

    The first that applies: pride or anger explodes; loyalty or shame collapses; ambition gambles; cowardice or fear
    flees; suspicion accuses; anything else collapses. In the specification fear also leads to the gamble, so it could
    never flee, and flight belongs to a flaw that does not exist; here fear and cowardice flee, and only ambition gambles.
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
