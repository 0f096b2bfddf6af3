"""How sure a number is that was measured over some evenings: intervals that hold the true one in 95 of 100 cases.

Shares have Wilson's interval. Means of at most a thousand evenings have the bootstrap's: the middle 95 % of the means of
a thousand samples drawn again from the same evenings, by keyed chance; means of more have the normal one.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from volition.core.chance import stream, uid
from volition.core.chance_arrays import word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Z: Final = 1.959963984540054
"""The normal quantile of 0.975."""
SAMPLES: Final = 1000
FEW: Final = 1000
"""Up to so many evenings a mean is drawn again; above, the normal interval is as good."""


class Interval(NamedTuple):
    """A number, the bounds between which it lies, over how many evenings, and by which method."""

    value: float | None
    low: float | None
    high: float | None
    evenings: int
    method: str

    def to_data(self) -> dict[str, Any]:
        return self._asdict()


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
    # Where all or nothing was counted the bound is the share itself, whatever rounding says.
    return Interval(_plain(part), _plain(low) if count else 0.0, _plain(high) if count < of else 1.0, of, "wilson")


def mean(values: Sequence[float]) -> Interval:
    """A mean with its interval; of one evening alone there is none.

    >>> mean([1.0, 1.0, 1.0])
    Interval(value=1.0, low=1.0, high=1.0, evenings=3, method='bootstrap')
    """
    numbers, count, value = np.asarray(values, dtype=np.float64), len(values), middle(values)
    if count <= 1:
        return Interval(value, None, None, count, "bootstrap")
    if count > FEW:
        exact, reach = float(numbers.mean()), Z * float(numbers.std(ddof=1)) / sqrt(count)
        return Interval(value, _plain(exact - reach), _plain(exact + reach), count, "normal")
    low, high = np.quantile(numbers[_again(count)].mean(axis=1), (0.025, 0.975))
    return Interval(value, _plain(float(low)), _plain(float(high)), count, "bootstrap")


def middle(values: Sequence[float]) -> float | None:
    """A mean without its interval: the same number, found sooner; None where there is no value.

    >>> middle([1.0, 2.0]), middle([])
    (1.5, None)
    """
    return _plain(float(np.asarray(values, dtype=np.float64).mean())) if values else None


@lru_cache(maxsize=2)
def _again(count: int) -> NDArray[np.int64]:
    """The places of the evenings in every sample: the same for all numbers of as many evenings."""
    key = stream(count, 0, uid("ensemble"), uid("bootstrap"))
    drawn = word(np.uint64(key), np.arange(SAMPLES * count, dtype=np.uint64)) * np.uint64(count) >> np.uint64(32)
    return drawn.astype(np.int64).reshape(SAMPLES, count)


def _plain(value: float) -> float:
    """Nine digits that matter: what the last bits of a sum are must not be seen."""
    return float(f"{value:.9g}")
