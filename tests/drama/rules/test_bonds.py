"""Bonds in the score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.rules.numbers import LITERAL
from volition.drama.rules.bonds import bond_pull
from volition.drama.rules.catalog import EventType

pytestmark = pytest.mark.req("DE-07")

WEIGHTS: dict[EventType, tuple[float, float, float]] = {
    EventType.CHAT: (0.0, 0.2, 0.0),
    EventType.CONFIDE: (0.5, 0.0, 0.2),
    EventType.CONFLICT: (-0.3, -0.2, 0.0),
    EventType.REVEAL: (0.3, 0.0, 0.0),
    EventType.LIE: (-0.2, -0.3, 0.0),
}


@pytest.mark.parametrize(
    ("act", "bond", "expected"),
    [
        (EventType.CHAT, (0.5, 0.4, 0.1), 0.08),
        (EventType.CHAT, (0.3, 0.1, 0.6), 0.02),
        (EventType.CHAT, (0.7, 0.8, 0.2), 0.16),
        (EventType.CONFIDE, (0.7, 0.8, 0.2), 0.39),
        (EventType.CONFLICT, (-0.1, 0.0, 0.0), 0.03),
        (EventType.REVEAL, (0.5, 0.4, 0.1), 0.15),
        (EventType.LIE, (0.3, 0.1, 0.6), -0.09),
    ],
)
def test_the_worked_traces_have_these_bonds(act: EventType, bond: tuple[float, float, float], expected: float) -> None:
    """The corrected relationship column of the specification's two traces."""
    assert bond_pull(act, *bond, LITERAL.bonds) == pytest.approx(expected, abs=1e-12)


@given(st.sampled_from(EventType), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.0, 1.0))
def test_every_act_weighs_a_bond_as_specified(
    act: EventType, trust: float, affection: float, obligation: float
) -> None:
    """A pull is linear in trust, affection and obligation by the act's weights, and 0.0 for acts without any."""
    by_trust, by_affection, by_obligation = WEIGHTS.get(act, (0.0, 0.0, 0.0))
    expected = trust * by_trust + affection * by_affection + obligation * by_obligation
    pull = bond_pull(act, trust, affection, obligation, LITERAL.bonds)
    assert pull == pytest.approx(expected, abs=1e-12)
    assert act in WEIGHTS or pull == 0.0
