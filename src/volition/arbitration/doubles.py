"""The doubles in order: each has a position, and neighbours have neighbouring positions.

>>> position(-0.5) < position(0.0) < position(0.5), double_at(position(-0.5))
(True, -0.5)
"""

from __future__ import annotations

from struct import pack, unpack


def position(number: float) -> int:
    """The position of a double; 0.0 is at 0, and negative numbers are below it."""
    # The bit patterns of doubles >= 0, read as integers, are in the order of the numbers.
    size = int(unpack("<q", pack("<d", abs(number)))[0])
    return size if number >= 0.0 else -size


def double_at(position: int) -> float:
    """The double at a position."""
    size = float(unpack("<d", pack("<q", abs(position)))[0])
    return size if position >= 0 else -size
