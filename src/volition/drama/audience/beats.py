"""Beats: the part that each event plays in an arc, under the grammar SETUP+ (COMPLICATION|ESCALATION)+ TURNING_POINT
CONSEQUENCE+.

Events are classified one by one; what then breaks the grammar is repaired, and a repaired beat says so.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, CONFLICT, LIE, REVEAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.audience.viewing import Viewed

FEWEST, MOST = 4, 20
"""How many beats an arc has."""

SETUP_UNTIL: Final = 0.25
RISE_UNTIL: Final = 0.70


class Part(StrEnum):
    """What an event does in an arc."""

    SETUP = "setup"
    COMPLICATION = "complication"
    ESCALATION = "escalation"
    TURNING_POINT = "turning_point"
    CONSEQUENCE = "consequence"


class Beat(NamedTuple):
    """An event of an arc and its part; `repaired` where the grammar asked for another part than the event did."""

    event: str
    part: Part
    tension: float
    repaired: bool


RISING = frozenset({Part.COMPLICATION, Part.ESCALATION})


def beats_of(chosen: Sequence[Viewed]) -> list[Beat]:
    """The beats of at least four events, in order; they always follow the grammar."""
    first = classified(chosen)
    parts = repaired(first, [one.tension for one in chosen])
    return [
        Beat(one.event.id, part, one.tension, repaired=part != before)
        for one, part, before in zip(chosen, parts, first, strict=True)
    ]


def classified(chosen: Sequence[Viewed]) -> list[Part]:
    """The part of each event by itself: by its kind, its place in the arc, and how tension moves."""
    peak = max(one.tension for one in chosen)
    top = next(index for index, one in enumerate(chosen) if one.tension == peak)
    parts = []
    for index, one in enumerate(chosen):
        place = index / (len(chosen) - 1)
        if turns(one, peak):
            parts.append(Part.TURNING_POINT)
        elif place <= SETUP_UNTIL:
            parts.append(Part.COMPLICATION if one.event.type in {CONFIDE, LIE} else Part.SETUP)
        elif place > RISE_UNTIL and index > top:
            parts.append(Part.CONSEQUENCE)
        else:
            rose = one.tension > chosen[index - 1].tension
            parts.append(Part.ESCALATION if rose else Part.COMPLICATION)
    return parts


def turns(one: Viewed, peak: float) -> bool:
    """Whether an event can turn an arc: an open clash at its peak, or a truth told by which irony collapsed."""
    clash = one.event.type in {CONFLICT, CATASTROPHE} and one.tension == peak
    return clash or (one.event.type == REVEAL and one.collapse is not None)


def repaired(parts: Sequence[Part], tensions: Sequence[float]) -> list[Part]:
    """The same parts, changed where the grammar asks for it.

    One turning point stays, the tensest, with room for a setup and a rise before it and a consequence after it; where
    there is none, the tensest event of that middle becomes it. All after it are consequences; before it, the first is
    the setup, nothing is set up once something has risen, and the last has risen.
    """
    middle = range(2, len(parts) - 1)
    turning = [index for index in middle if parts[index] is Part.TURNING_POINT] or middle
    turn = max(turning, key=lambda index: tensions[index])
    fixed = [Part.SETUP]
    for index in range(1, turn):
        part = parts[index]
        risen = fixed[-1] in RISING
        if part not in RISING and (part is not Part.SETUP or risen or index == turn - 1):
            part = Part.ESCALATION if tensions[index] > tensions[index - 1] else Part.COMPLICATION
        fixed.append(part)
    return [*fixed, Part.TURNING_POINT, *[Part.CONSEQUENCE] * (len(parts) - turn - 1)]
