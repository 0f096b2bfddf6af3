"""Pacing in the score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.rules.numbers import LITERAL, near
from volition.drama.rules.catalog import DRAMATIC, EventType
from volition.drama.rules.pacing import (
    barred_by_budget,
    barred_by_recovery,
    consistency,
    is_consistent,
    is_contradicting,
    masking,
    priority_class,
    quiet,
    relief,
)

pytestmark = pytest.mark.req("DE-06")

pacing = LITERAL.pacing
acts = st.sampled_from(EventType)
share = st.floats(0.0, 1.0)


def test_recovery_bars_dramatic_acts_alone() -> None:
    """Any time left on the timer bars dramatic acts, and nothing else."""
    assert [barred_by_recovery(True, timer) for timer in (0, 1, 4)] == [False, True, True]
    assert not barred_by_recovery(False, 4)


def test_a_low_budget_bars_dramatic_acts_alone() -> None:
    """Below the minimum, and not at it, dramatic acts are barred."""
    assert [barred_by_budget(True, budget, pacing) for budget in (0.19, 0.2, 1.0)] == [True, False, False]
    assert not barred_by_budget(False, 0.0, pacing)


@pytest.mark.parametrize(
    ("composure", "expected"), [(0.88, -0.396), (0.9, -0.405), (0.42, -0.189), (0.4, -0.18), (0.39, 0.0)]
)
def test_the_mask_at_the_table(composure: float, expected: float) -> None:
    """The corrected masking of the traces; below the composure for a mask there is none."""
    assert masking(True, 0.1, composure, pacing) == near(expected)
    assert masking(True, 0.3, composure, pacing) == 0.0


@given(share, share)
def test_the_mask_is_for_dramatic_acts_in_public(privacy: float, composure: float) -> None:
    """What the mask takes is never more than half, and nothing in private or from what is not dramatic."""
    taken = masking(True, privacy, composure, pacing)
    assert -0.5 <= taken <= 0.0
    assert (taken < 0.0) == (privacy < 0.3 and composure >= 0.4)
    assert masking(False, privacy, composure, pacing) == 0.0


@pytest.mark.parametrize(
    ("act", "privacy", "drink", "expected"),
    [
        (EventType.SOCIAL_MOVE, 0.7, False, 0.165),
        (EventType.SOCIAL_MOVE, 0.5, False, 0.0),
        (EventType.CONFIDE, 0.0, False, 0.11),
        (EventType.PHYSICAL, 0.0, True, 0.0825),
        (EventType.PHYSICAL, 0.0, False, 0.0),
        (EventType.CHAT, 0.9, True, 0.0),
    ],
)
def test_stress_draws_to_relief(act: EventType, privacy: float, drink: bool, expected: float) -> None:
    """The relief of the second trace: at a stress of .55, for going where it is private, confiding and drinking."""
    assert relief(act, 0.55, privacy, drink, pacing) == near(expected)
    assert relief(act, 0.5, privacy, drink, pacing) == 0.0


def test_confiding_at_the_table_nets_what_the_trace_says() -> None:
    """Mask and relief together are -.079."""
    net = masking(True, 0.1, 0.42, pacing) + relief(EventType.CONFIDE, 0.55, 0.0, False, pacing)
    assert net == near(-0.079)


def test_high_commitment_rewards_consistency_and_punishes_its_breach() -> None:
    """Above .5 of commitment: a fifth of it for consistent acts, two fifths against contradicting ones."""
    assert consistency(0.6, True, False, pacing) == near(0.12)
    assert consistency(0.6, False, True, pacing) == near(-0.24)
    assert consistency(0.6, True, True, pacing) == near(-0.12)
    assert consistency(0.5, True, True, pacing) == 0.0


@given(acts, st.booleans(), st.booleans(), st.booleans())
def test_no_act_is_consistent_and_contradicting(act: EventType, conceals: bool, exposes: bool, strict: bool) -> None:
    """Unless there are opposite commitments about one secret, an act cannot both serve and break commitments."""
    if not (conceals and exposes):
        assert not (is_consistent(act, conceals, exposes, int(strict)) and is_contradicting(act, conceals))


def test_what_serves_a_commitment() -> None:
    """Strictly: lying about what is concealed, telling what is exposed. By the letter: all but breaking concealment."""
    strict = {
        (act, how) for act in EventType for how in ("c", "e", "") if is_consistent(act, how == "c", how == "e", 1)
    }
    assert strict == {(EventType.LIE, "c"), (EventType.REVEAL, "e"), (EventType.CONFIDE, "e")}
    assert {act for act in EventType if is_contradicting(act, True)} == {EventType.REVEAL, EventType.CONFIDE}
    assert all(is_consistent(act, False, False, 0) for act in EventType)
    assert [
        act for act in (EventType.LIE, EventType.REVEAL, EventType.CONFIDE) if is_consistent(act, True, False, 0)
    ] == [EventType.LIE]


def test_a_low_budget_makes_quiet_acts_attractive() -> None:
    """Below .4 of budget what is not dramatic gains .1."""
    assert quiet(False, 0.39, pacing) == near(0.1)
    assert quiet(False, 0.4, pacing) == quiet(True, 0.1, pacing) == 0.0


@pytest.mark.req("DE-11")
@given(acts, share)
def test_priority_is_three_two_or_one(act: EventType, stress: float) -> None:
    """A CONFLICT under stress above .6 is of class 3, another dramatic act of class 2, the rest of class 1."""
    dramatic = act in DRAMATIC
    expected = 3 if act is EventType.CONFLICT and stress > 0.6 else 2 if dramatic else 1
    assert priority_class(act, dramatic, stress, pacing) == expected
    assert priority_class(EventType.CONFLICT, True, 0.6, pacing) == 2
