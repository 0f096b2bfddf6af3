"""Positions of doubles are in their order; sums of floors, and the first integer between lines, equal what trying gives."""

from __future__ import annotations

from math import inf, nextafter

from hypothesis import given, settings
from hypothesis import strategies as st

from volition.arbitration.doubles import Straight, double_at, first_with_integer, floor_sum, position

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(NUMBERS)
def test_a_position_leads_back_to_its_double(number: float) -> None:
    """Every double is the one at its position; 0.0 and -0.0 share one."""
    assert double_at(position(number)) == number


@given(NUMBERS)
def test_neighbours_have_neighbouring_positions(number: float) -> None:
    """The next larger double has the next position."""
    assert position(nextafter(number, inf)) == position(number) + 1


SMALL = st.integers(-60, 60)
LINES = st.builds(Straight, st.integers(-9, 9), SMALL)


@given(st.integers(0, 40), st.integers(1, 20), SMALL, SMALL)
def test_a_sum_of_floors(count: int, unit: int, slope: int, start: int) -> None:
    """The sum is that of its terms, whatever their signs."""
    assert floor_sum(count, unit, slope, start) == sum((slope * t + start) // unit for t in range(count))


@settings(max_examples=100)
@given(st.lists(LINES, min_size=1, max_size=3), LINES, st.integers(1, 20), st.integers(0, 5), st.integers(-1, 40))
def test_the_first_t_with_an_integer(lower: list[Straight], upper: Straight, unit: int, first: int, more: int) -> None:
    """It is the first t at which the upper line has passed an integer that no lower line has."""
    passed = (
        t for t in range(first, first + more + 1) if upper.at(t) // unit > max(line.at(t) // unit for line in lower)
    )
    assert first_with_integer(lower, upper, unit, first, first + more) == next(passed, None)


@given(st.integers(0, 2**59).map(lambda n: 2 * n + 1), st.integers(1, 2**40), st.integers(0, 2**40))
def test_the_first_t_far_away(slope: int, gap: int, start: int) -> None:
    """However far away it is, there is an integer at the t that is found, and none at the one before or half way."""
    unit = 2**60
    lower, upper = Straight(slope, start), Straight(slope, start + gap)
    t = first_with_integer([lower], upper, unit, 0, 2**62)
    assert t is not None
    for other in {t, max(t - 1, 0), t // 2}:
        assert (upper.at(other) // unit > lower.at(other) // unit) == (other == t)
