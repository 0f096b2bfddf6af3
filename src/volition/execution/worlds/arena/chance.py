"""The arena's chance: each draw is a pure function of the seed, the tick and what it decides.

Ticks are counted since the seed was set, so an arena that is reset to a seed draws what a new one would. No draw depends
on another one: an opponent that strikes once more turns its patrols as before.
"""

from __future__ import annotations

from typing import Final

from volition.core.chance import stream

PATROL_TURN: Final = 0
RECOVERY: Final = 1
ACTOR_START: Final = 2
OPPONENT_START: Final = 3
"""What is drawn; the numbers are part of the rules."""


def draw(seed: int, tick: int, purpose: int, count: int) -> int:
    """One of the numbers below `count`, all equally likely: the upper 32 bits of the stream, scaled.

    >>> [draw(7, tick, PATROL_TURN, 4) for tick in range(6)]
    [1, 0, 2, 1, 0, 1]
    """
    return (stream(seed, tick, 0, purpose) >> 32) * count >> 32
