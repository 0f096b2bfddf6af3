"""95 % confidence intervals of numbers that were measured over some evenings.

Shares get Wilson's interval. Means of up to a thousand evenings get the bootstrap interval: the middle 95 % of the means
of a thousand resamples, drawn by keyed chance. Means of more evenings get the normal interval.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec import Struct

from volition.core.chance import stream, uid
from volition.core.chance_arrays import word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Z: Final = 1.959963984540054
"""The normal quantile of 0.975."""
SAMPLES: Final = 1000
FEW: Final = 1000
"""Up to this many evenings a mean is bootstrapped; above it, the normal interval is as good."""


class Interval(Struct, frozen=True):
    """A share or a mean with its bounds, None where no evening has the number; how many evenings, and by which method."""

    value: float | None
    """The share or the mean."""
    low: float | None
    """The lower bound of the interval."""
    high: float | None
    """The upper bound of the interval."""
    evenings: int
    """How many evenings count."""
    method: str
    """How the bounds were computed."""


def share(count: int, of: int) -> Interval:
    """A share with Wilson's interval.

    >>> share(0, 10).low, round(share(0, 10).high, 3), share(5, 10).value
    (0.0, 0.278, 0.5)
    """
    if not of:
        return Interval(None, None, None, 0, "wilson")
    part, wide = count / of, Z * Z / of
    middle, reach = part + wide / 2.0, Z * sqrt(part * (1.0 - part) / of + wide / (4.0 * of))
    low, high = (middle - reach) / (1.0 + wide), (middle + reach) / (1.0 + wide)
    # At a share of 0 or 1 that bound is the share itself, whatever rounding would give.
    return Interval(_round(part), _round(low) if count else 0.0, _round(high) if count < of else 1.0, of, "wilson")


def mean(values: Sequence[float]) -> Interval:
    """A mean with its interval; a single evening has no interval.

    >>> mean([1.0, 1.0, 1.0])
    Interval(value=1.0, low=1.0, high=1.0, evenings=3, method='bootstrap')
    """
    numbers, count, value = np.asarray(values, dtype=np.float64), len(values), mean_value(values)
    if count <= 1:
        return Interval(value, None, None, count, "bootstrap")
    if count > FEW:
        exact, reach = float(numbers.mean()), Z * float(numbers.std(ddof=1)) / sqrt(count)
        return Interval(value, _round(exact - reach), _round(exact + reach), count, "normal")
    low, high = np.quantile(numbers[_resamples(count)].mean(axis=1), (0.025, 0.975))
    return Interval(value, _round(float(low)), _round(float(high)), count, "bootstrap")


def mean_value(values: Sequence[float]) -> float | None:
    """The mean without its interval, which is faster; None if there are no values.

    >>> mean_value([1.0, 2.0]), mean_value([])
    (1.5, None)
    """
    return _round(float(np.asarray(values, dtype=np.float64).mean())) if values else None


@lru_cache(maxsize=2)
def _resamples(count: int) -> NDArray[np.int64]:
    """The evenings in every resample, as indices; they depend on the number of evenings alone."""
    key = stream(count, 0, uid("ensemble"), uid("bootstrap"))
    drawn = word(np.uint64(key), np.arange(SAMPLES * count, dtype=np.uint64)) * np.uint64(count) >> np.uint64(32)
    return drawn.astype(np.int64).reshape(SAMPLES, count)


def _round(value: float) -> float:
    """A number rounded to nine significant digits, to hide the last bits of a sum, which depend on the platform."""
    return float(f"{value:.9g}")
