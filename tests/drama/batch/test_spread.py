"""Spreads: counts by hundredths give the same statistics as the numbers themselves."""

from __future__ import annotations

from itertools import pairwise
from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from volition.drama.batch.measures import BANDS, Spread

numbers = st.lists(st.floats(-3.0, 3.0), max_size=60)


@given(st.lists(numbers, max_size=5))
def test_together(parts: list[list[float]]) -> None:
    """The spread of several spreads is the spread of all their numbers."""
    assert Spread.together(map(Spread.of, parts)) == Spread.of([value for part in parts for value in part])


@given(numbers, st.integers(0, 100))
def test_quantile(values: list[float], share: int) -> None:
    """A quantile is within a hundredth of the number of that rank; without numbers there is none."""
    found = Spread.of(values).quantile(share / 100)
    if not values:
        assert found is None
    else:
        assert found is not None
        assert abs(found - sorted(values)[max(0, ceil(share * len(values) / 100) - 1)]) <= 0.01 + 1e-6


@given(numbers)
def test_bands(values: list[float]) -> None:
    """Every number is in one band, by the edges of the tuning guide."""
    whole = max(1, len(values))
    edges = (-9.0, 0.0, 0.3, 0.5, 0.7, 0.9, 9.0)
    expected = [sum(low <= value < high for value in values) / whole for low, high in pairwise(edges)]
    assert Spread.of(values).bands() == dict(zip(BANDS, expected, strict=True))


@given(numbers, st.integers(-300, 300))
def test_share_from(values: list[float], least: int) -> None:
    """The share from a hundredth on counts what lies in it and above."""
    spread = Spread.of(values)
    above = sum(count for hundredth, count in spread.counts.items() if hundredth >= least)
    assert spread.share_from(least / 100) == above / max(1, len(values))
