"""The grain of a score."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from random import Random

pytestmark = pytest.mark.req("DE-10")

GRAIN = Fraction(1, 2**44)
numbers = st.floats(-128.0, 128.0, exclude_min=True, exclude_max=True)
terms = st.lists(st.floats(-4.0, 4.0).map(leaf), max_size=40)


@given(numbers)
def test_a_leaf_is_the_nearest_multiple_of_the_grain(x: float) -> None:
    """For |x| < 128, leaf(x) is the multiple of 2**-44 nearest to x, and of two the even one."""
    assert Fraction(leaf(x)) == round(Fraction(x) / GRAIN) * GRAIN


@given(numbers)
def test_a_leaf_is_its_own_leaf_and_never_a_negative_zero(x: float) -> None:
    """Rounding twice is rounding once, mirrors the sign, and zero has one form."""
    once = leaf(x)
    assert leaf(once).hex() == once.hex()
    assert leaf(-x) == -once
    assert once != 0.0 or math.copysign(1.0, once) == 1.0


@given(terms, st.randoms(use_true_random=False))
def test_sums_of_leaves_are_exact_in_any_order(leaves: list[float], random: Random) -> None:
    """Left to right, in any permutation and in pairs, a sum of leaves is math.fsum to the bit."""
    exact = math.fsum(leaves)
    shuffled = list(leaves)
    random.shuffle(shuffled)
    half = len(shuffled) // 2
    total = 0.0
    for term in shuffled:
        total += term
    assert total == exact
    assert sum(shuffled[:half], 0.0) + sum(shuffled[half:], 0.0) == exact
    assert Fraction(total) == sum(map(Fraction, leaves), Fraction(0))


def test_raw_numbers_do_not_have_that_law() -> None:
    """Without the grain the order of addition shows, so the law above is not empty."""
    raw = (0.1, 0.2, 0.3)
    assert raw[0] + raw[1] + raw[2] != raw[2] + raw[1] + raw[0]
    first, second, third = map(leaf, raw)
    assert first + second + third == third + second + first
