"""Alcohol and movement in the score: section 6 of the specification."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.rules.numbers import LITERAL, near
from volition.drama.rules.alcohol import alcohol_pull
from volition.drama.rules.movement import company_pull, follow_pull, privacy_pull

pytestmark = pytest.mark.req("DE-09")

movement = LITERAL.movement


@given(st.floats(0.0, 1.0))
def test_alcohol_draws_to_dramatic_acts_from_its_threshold_on(level: float) -> None:
    """From .15 on, .3 of the level; below, and for all else, nothing."""
    assert alcohol_pull(True, level, LITERAL.alcohol) == near(level * 0.3 if level >= 0.15 else 0.0)
    assert alcohol_pull(True, 0.15, LITERAL.alcohol) == near(0.045)
    assert alcohol_pull(False, level, LITERAL.alcohol) == 0.0


def test_who_is_there_draws_by_the_wish_for_closeness() -> None:
    """Above a desire of .3, and not at it, three tenths of the desire; nobody repels."""
    assert company_pull(0.6, movement) == near(0.18)
    assert company_pull(0.3, movement) == company_pull(-1.0, movement) == 0.0


def test_privacy_draws_under_stress_and_with_something_to_tell() -> None:
    """A fifth of the privacy above a stress of .5, and three tenths with something pending; they add up."""
    assert privacy_pull(0.55, False, 0.7, movement) == near(0.14)
    assert privacy_pull(0.5, True, 0.7, movement) == near(0.21)
    assert privacy_pull(0.9, True, 0.7, movement) == near(0.35)
    assert privacy_pull(0.5, False, 0.9, movement) == 0.0


@pytest.mark.parametrize(
    ("trust", "suspicion", "follows"), [(0.5, 0.4, False), (0.51, 0.0, True), (-1.0, 0.41, True), (0.0, 0.0, False)]
)
def test_a_mover_is_followed_out_of_trust_or_suspicion(trust: float, suspicion: float, follows: bool) -> None:
    """Trust above .5 or suspicion above .4 adds .2."""
    assert follow_pull(trust, suspicion, movement) == near(0.2 if follows else 0.0)
