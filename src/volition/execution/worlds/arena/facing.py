"""The four facings of a body, named as in a state; x grows to the east and y to the south."""

from __future__ import annotations

from typing import Final

AHEAD: Final[dict[str, tuple[int, int]]] = {"east": (1, 0), "south": (0, 1), "west": (-1, 0), "north": (0, -1)}
"""A unit step in each facing."""
FACINGS: Final = tuple(AHEAD)
"""Each facing is a quarter turn to the right of the one before."""


def facing_of(dx: float, dy: float) -> str:
    """The facing of a vector: that of its longer component, and of x where both are equally long.

    >>> facing_of(-3, 3), facing_of(1, -2)
    ('west', 'north')
    """
    if abs(dx) >= abs(dy):
        return "east" if dx >= 0 else "west"
    return "south" if dy > 0 else "north"


def opposite(facing: str) -> str:
    """The facing behind a body.

    >>> opposite("east")
    'west'
    """
    return FACINGS[(FACINGS.index(facing) + 2) % 4]


def is_ahead(facing: str | None, dx: float, dy: float) -> bool:
    """Whether a vector points into the quarter that a body faces; never true of an unknown facing.

    >>> is_ahead("east", 2, 2), is_ahead("east", 2, 3), is_ahead(None, 1, 0)
    (True, False, False)
    """
    if facing is None or facing not in AHEAD:
        return False
    x, y = AHEAD[facing]
    return abs(dx * y) + abs(dy * x) <= dx * x + dy * y
