"""Sets of people, rooms, secrets, flaws or kinds of events as whole numbers: the bit `1 << who` is on for each member.

Unions, intersections and differences are the operators of numbers: `|`, `&` and `& ~`.
"""

from __future__ import annotations


def has(members: int, who: int) -> bool:
    """Whether `who` is in a set.

    >>> has(0b101, 0), has(0b101, 1), has(0b101, 2)
    (True, False, True)
    """
    return members >> who & 1 != 0
