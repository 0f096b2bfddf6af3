"""Beliefs and the probabilities that change them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.rules.numbers import LITERAL
from volition.drama.rules.beliefs import (
    belief_when_hinted,
    belief_when_lied_to,
    evidence_chance,
    forced_truth_chance,
    lie_credibility,
)
from volition.drama.rules.catalog import Belief

U, S, T, F = Belief.UNKNOWN, Belief.SUSPECTS, Belief.BELIEVES_TRUE, Belief.BELIEVES_FALSE
information = LITERAL.information
share = st.floats(0.0, 1.0)
trusts = st.floats(-1.0, 1.0)


def test_what_is_hinted_and_lied_changes_beliefs_so() -> None:
    """Exhaustively: hints raise suspicion; a lie convinces who does not know, or makes suspicious."""
    assert {belief: belief_when_hinted(belief) for belief in Belief} == {U: S, S: S, T: T, F: S}
    assert {belief: belief_when_lied_to(belief, True) for belief in Belief} == {U: F, S: F, T: T, F: F}
    assert {belief: belief_when_lied_to(belief, False) for belief in Belief} == {U: S, S: S, T: T, F: F}


@pytest.mark.parametrize("before", Belief)
def test_every_rule_goes_an_allowed_way(before: Belief) -> None:
    """No rule leads back to UNKNOWN, or from the truth to a suspicion; every other way is open."""
    reached = (
        Belief.BELIEVES_TRUE,  # of somebody who is told
        belief_when_hinted(before),
        belief_when_lied_to(before, True),
        belief_when_lied_to(before, False),
    )
    allowed = {U: {U, S, T, F}, S: {S, T, F}, T: {T, F}, F: {F, T, S}}
    assert allowed[before].issuperset(reached)


@pytest.mark.parametrize(
    ("trust", "suspects", "composure", "expected"),
    [
        (0.0, False, 1.0, 0.60),
        (0.6, False, 0.8, 0.84),
        (-0.1, True, 0.5, 0.15),
        (1.0, False, 1.0, 1.0),
        (-1.0, True, 0.1, 0.0),
    ],
)
def test_how_credible_a_lie_is(trust: float, suspects: bool, composure: float, expected: float) -> None:
    """.60, half the trust, a quarter less with a suspicion, and less by the liar's missing composure; within 0 and 1."""
    assert lie_credibility(trust, suspects, False, composure, information) == pytest.approx(expected)


@given(trusts, trusts, share, share, st.booleans())
def test_trust_and_composure_make_a_lie_more_credible(
    one: float, other: float, composed: float, shaken: float, suspects: bool
) -> None:
    """Credibility never falls with trust or composure, never rises with suspicion, and is 0 against knowledge."""
    low, high = sorted((one, other))
    worse, better = sorted((composed, shaken))
    least = lie_credibility(low, suspects, False, worse, information)
    assert 0.0 <= lie_credibility(low, True, False, worse, information) <= least <= 1.0
    assert least <= lie_credibility(high, suspects, False, better, information)
    assert lie_credibility(high, suspects, True, better, information) == 0.0


def test_watching_and_quarrelling_bring_things_to_light() -> None:
    """The chances at full and at no composure, for a weighty secret and a keen watcher."""
    assert evidence_chance(1.0, 1.0, 1.0, information) == pytest.approx(0.12 * 0.4 * 1.4)
    assert evidence_chance(0.5, 0.0, 0.6, information) == pytest.approx(0.12 * 0.5 * 1.6 * 1.0)
    assert forced_truth_chance(0.0, information) == pytest.approx(0.35)
    assert forced_truth_chance(1.0, information) == 0.0


@given(share, share, share, share)
def test_the_less_composed_give_more_away(weight: float, one: float, other: float, truth: float) -> None:
    """Chances are chances, and fall as composure rises."""
    low, high = sorted((one, other))
    assert (
        0.0
        <= evidence_chance(weight, high, truth, information)
        <= evidence_chance(weight, low, truth, information)
        <= 1.0
    )
    assert 0.0 <= forced_truth_chance(high, information) <= forced_truth_chance(low, information) <= 1.0
