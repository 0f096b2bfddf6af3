"""Intervals: they agree with simple arithmetic, and contain the true value as often as they should."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, quantiles, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core.chance import noise, stream, uid, word
from volition.drama.ensemble.intervals import FEW, SAMPLES, Interval, Z, mean, share


@given(st.integers(1, 2000), st.floats(0.0, 1.0))
def test_wilson(of: int, part: float) -> None:
    """Wilson's bounds are the shares from which the one that was seen is 1.96 standard errors away."""
    count = round(part * of)
    found = share(count, of)
    assert found.value == pytest.approx(count / of, rel=1e-8)
    assert found.low is not None
    assert found.high is not None
    for bound, extreme in ((found.low, count == 0), (found.high, count == of)):
        if not extreme:
            assert abs(count / of - bound) == pytest.approx(Z * sqrt(bound * (1 - bound) / of), rel=1e-5, abs=1e-8)
    assert 0.0 <= found.low <= count / of + 1e-9
    assert count / of - 1e-9 <= found.high <= 1.0


@given(st.lists(st.floats(-5.0, 5.0), min_size=2, max_size=12))
def test_bootstrap(values: list[float]) -> None:
    """The bootstrap interval is that of resamples drawn one by one, by keyed chance."""
    count = len(values)
    key = stream(count, 0, uid("ensemble"), uid("bootstrap"))
    means = [
        fmean(values[word(key, sample * count + place) * count >> 32] for place in range(count))
        for sample in range(SAMPLES)
    ]
    cuts = quantiles(means, n=40, method="inclusive")
    found = mean(values)
    assert (found.value, found.low, found.high) == pytest.approx((fmean(values), cuts[0], cuts[-1]), rel=1e-7, abs=1e-7)
    assert (found.evenings, found.method) == (count, "bootstrap")


def test_normal() -> None:
    """Above a thousand evenings the interval is the normal one, and close to that of the bootstrap."""
    values = [noise(1, n, "somebody", "trial", "value") for n in range(FEW + 1)]
    found, drawn = mean(values), mean(values[:-1])
    reach = Z * stdev(values) / sqrt(len(values))
    assert found.method == "normal"
    assert (found.low, found.high) == pytest.approx((fmean(values) - reach, fmean(values) + reach), rel=1e-6)
    assert (drawn.low, drawn.high) == pytest.approx((found.low, found.high), abs=0.01)


def test_as_often_right_as_they_say() -> None:
    """Of many intervals for a mean of 0, about 95 of 100 contain it."""
    trials = [mean([noise(trial, n, "somebody", "trial", "value") for n in range(40)]) for trial in range(400)]
    right = sum(one.low is not None and one.high is not None and one.low <= 0.0 <= one.high for one in trials)
    assert 360 <= right <= 392


def test_too_little_to_say() -> None:
    """One evening has no interval, and no evening has no number."""
    assert mean([3.0]) == Interval(3.0, None, None, 1, "bootstrap")
    assert mean([]).value is None
    assert share(0, 0).value is None
