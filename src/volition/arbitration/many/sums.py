"""A correctly rounded sum of floats, as from `math.fsum`, in the subset of Python that Numba compiles."""

from __future__ import annotations

from typing import Any


def exact_sum(terms: Any, count: int, parts: Any) -> float:
    """The sum of the first `count` terms, correctly rounded; `parts` is scratch space for as many numbers.

    The parts are numbers whose digits do not overlap, and whose sum is exact. They are added from the largest down until
    rounding loses something; if that was exactly half of the last digit, the remaining parts decide which way to round.
    """
    size = 0
    for place in range(count):
        value = terms[place]
        kept = 0
        for at in range(size):
            other = parts[at]
            if abs(value) < abs(other):
                value, other = other, value
            high = value + other
            low = other - (high - value)
            if low != 0.0:
                parts[kept] = low
                kept += 1
            value = high
        parts[kept] = value
        size = kept + 1
    if size == 0:
        return 0.0
    size -= 1
    total, lost = parts[size], 0.0
    while size > 0 and lost == 0.0:
        size -= 1
        before = total
        total = before + parts[size]
        lost = parts[size] - (total - before)
    if size > 0 and lost != 0.0 and (lost > 0.0) == (parts[size - 1] > 0.0):
        doubled = lost * 2.0
        nudged = total + doubled
        if nudged - total == doubled:
            total = nudged
    return float(total)
