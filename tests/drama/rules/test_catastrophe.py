"""Catastrophes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.rules.numbers import LITERAL, near
from tests.drama.rules.test_physics import paces
from volition.drama.rules.catalog import EMOTIONS, FLAWS
from volition.drama.rules.catastrophe import (
    Breakdown,
    aftermath,
    breakdown,
    breaks,
    peak_emotion,
    potential,
    threshold,
)
from volition.drama.rules.physics import Pace

physics = LITERAL.physics


@pytest.mark.parametrize(
    ("stress", "commitment", "suppression", "expected"),
    [(0.1, 0.1, 0, 0.001), (0.9, 0.2, 0, 0.036), (0.2, 0.9, 0, 0.162), (0.9, 0.8, 0, 0.576), (0.5, 0.6, 4, 0.30)],
)
def test_only_stress_and_commitment_together_are_dangerous(
    stress: float, commitment: float, suppression: int, expected: float
) -> None:
    """Polite, withdrawn, steady and breaking are the corners of stress and commitment; suppression adds .03 each."""
    assert potential(stress, commitment, suppression, physics) == near(expected)


def test_somebody_breaks_at_the_threshold_without_composure_or_recovery() -> None:
    """All three are needed: timer 0, potential at the threshold, composure below the gate."""
    edge = Pace(1.0, 1.0, 0.29, 0.5, 0, 0)
    assert breaks(edge, 0.25, physics)
    assert not breaks(edge, 0.2500001, physics)
    assert not breaks(edge._replace(composure=0.30), 0.25, physics)
    assert not breaks(edge._replace(timer=1), 0.25, physics)


@given(paces, st.integers(0, 5), st.floats(0.0, 0.5))
def test_a_rising_threshold_only_holds_back(pace: Pace, catastrophes: int, rise: float) -> None:
    """Anybody who breaks late in a stormy evening would have broken at its start; without a rise nothing changes."""
    first, later = threshold(0, rise, physics), threshold(catastrophes, rise, physics)
    assert first == threshold(catastrophes, 0.0, physics) == 0.35
    assert breaks(pace, first, physics) or not breaks(pace, later, physics)


def test_threshold_rises_by_each_catastrophe() -> None:
    """Two catastrophes at .30 each lift it from .35 to .95."""
    assert threshold(2, 0.30, physics) == near(0.95)


@given(paces)
def test_nobody_breaks_twice_in_a_row(pace: Pace) -> None:
    """The aftermath bars the next breakdown by its timer and by the composure it gives back."""
    after = aftermath(pace, physics)
    assert after.timer == 8
    assert not breaks(after, 0.0, physics)
    assert not breaks(after._replace(timer=0), 0.0, physics)


def test_what_a_catastrophe_leaves() -> None:
    """Stress halved, composure .30, commitment up by .10 below .80, nothing suppressed, half a budget gone."""
    assert aftermath(Pace(0.7, 0.8, 0.1, 0.75, 0, 6), physics) == near((0.2, 0.4, 0.3, 0.85, 8, 0))
    assert aftermath(Pace(0.3, 0.8, 0.1, 0.80, 0, 6), physics) == near((0.0, 0.4, 0.3, 0.80, 8, 0))


@given(st.tuples(*[st.floats(0.0, 1.0)] * 6))
def test_the_peak_is_the_first_of_the_strongest(emotions: tuple[float, float, float, float, float, float]) -> None:
    """The greatest emotion, of equals the first, and none where all are 0."""
    peak = peak_emotion(emotions)
    assert peak == (emotions.index(max(emotions)) if any(emotions) else -1)


BY_FLAW = {
    "pride": Breakdown.EXPLOSION,
    "loyalty": Breakdown.COLLAPSE,
    "ambition": Breakdown.DESPERATE_GAMBIT,
    "cowardice": Breakdown.FLIGHT,
}
BY_EMOTION = {
    "anger": Breakdown.EXPLOSION,
    "shame": Breakdown.COLLAPSE,
    "fear": Breakdown.FLIGHT,
    "suspicion": Breakdown.ACCUSATION,
}


@pytest.mark.parametrize("flaw", ["", *FLAWS])
@pytest.mark.parametrize("emotion", ["", *EMOTIONS])
def test_flaw_and_emotion_decide_how_somebody_breaks(flaw: str, emotion: str) -> None:
    """Of the kinds that flaw and emotion call for, the first in the order of the list; without any, a collapse."""
    called = {BY_FLAW.get(flaw), BY_EMOTION.get(emotion)} - {None}
    order = list(Breakdown)
    expected = min(called, key=order.index) if called else Breakdown.COLLAPSE  # type: ignore[arg-type]
    place = FLAWS.index(flaw) if flaw else -1
    assert breakdown(place, EMOTIONS.index(emotion) if emotion else -1) == expected


def test_every_kind_of_breakdown_can_happen() -> None:
    """No branch is unreachable."""
    kinds = {breakdown(flaw, emotion) for flaw in range(-1, len(FLAWS)) for emotion in range(-1, len(EMOTIONS))}
    assert kinds == set(Breakdown)
