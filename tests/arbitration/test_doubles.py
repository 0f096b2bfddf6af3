"""Positions of doubles are in the order of the doubles."""

from __future__ import annotations

from math import inf, nextafter

from hypothesis import given
from hypothesis import strategies as st

from volition.arbitration.doubles import double_at, position

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(NUMBERS)
def test_a_position_leads_back_to_its_double(number: float) -> None:
    """Every double is the one at its position; 0.0 and -0.0 share one."""
    assert double_at(position(number)) == number


@given(NUMBERS)
def test_neighbours_have_neighbouring_positions(number: float) -> None:
    """The next larger double has the next position."""
    assert position(nextafter(number, inf)) == position(number) + 1
