"""The grain of a score: every contribution is rounded to it, so that sums are exact."""

from __future__ import annotations

LARGEST_TERM = 64.0
"""The most that a custom term may add to an act; with more, sums might not be exact."""
LARGEST_TOTAL = 256.0
"""Totals below this are exact sums of leaves, so the order of addition does not matter."""


def leaf(x: float) -> float:
    """Round to the nearest multiple of 2**-44 (a tie to the even one), for |x| < 128.

    Between 256 and 512, neighbouring doubles are 2**-44 apart, so adding 384 rounds, and subtracting it again is exact.
    Multiples of 2**-44 below 512 are doubles, so a sum of leaves is exact in any order as long as no partial sum
    reaches 512: left to right, `math.fsum` and compiled loops agree to the bit. No leaf is a negative zero.

    >>> leaf(0.1) == 0.1, abs(leaf(0.1) - 0.1) <= 2**-45, leaf(leaf(0.1)) == leaf(0.1)
    (False, True, True)
    >>> leaf(0.1) + leaf(0.2) == leaf(0.3)
    True
    """
    return (x + 384.0) - 384.0
