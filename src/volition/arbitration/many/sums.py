"""The sum of some floats, rounded once: what `math.fsum` gives, in the part of Python that Numba compiles."""

from __future__ import annotations

from typing import Any


def exact_sum(terms: Any, count: int, parts: Any) -> float:
    """The sum of the first `count` terms, correctly rounded; `parts` is scratch for as many numbers.

    The parts are numbers that do not overlap and whose sum is exact. They are added from the largest down until
    something is lost; whether that was half of the last place, and which way it leans, is seen in what is left.
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
