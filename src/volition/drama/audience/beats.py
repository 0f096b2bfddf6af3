"""Beats: the part of each event in an arc, by the grammar SETUP+ (COMPLICATION|ESCALATION)+ TURNING_POINT CONSEQUENCE+.

Events are classified one by one; then violations of the grammar are repaired, and repaired beats are marked.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, CONFLICT, LIE, REVEAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.audience.viewing import Viewed

FEWEST, MOST = 4, 20
"""The fewest and the most beats of an arc."""

SETUP_UNTIL: Final = 0.25
RISE_UNTIL: Final = 0.70


class BeatPart(StrEnum):
    """The part of an event in an arc."""

    SETUP = "setup"
    COMPLICATION = "complication"
    ESCALATION = "escalation"
    TURNING_POINT = "turning_point"
    CONSEQUENCE = "consequence"


class Beat(NamedTuple):
    """An event of an arc and its part; `repaired` if the grammar required another part than its classification."""

    event: str
    part: BeatPart
    tension: float
    repaired: bool


RISING = frozenset({BeatPart.COMPLICATION, BeatPart.ESCALATION})


def beats_of(chosen: Sequence[Viewed]) -> list[Beat]:
    """The beats of four or more events, in order; they always follow the grammar."""
    first = classify(chosen)
    parts = repair_grammar(first, [one.tension for one in chosen])
    return [
        Beat(one.event.id, part, one.tension, repaired=part != before)
        for one, part, before in zip(chosen, parts, first, strict=True)
    ]


def classify(chosen: Sequence[Viewed]) -> list[BeatPart]:
    """The part of each event by its kind, its position in the arc, and how tension changes."""
    peak = max(one.tension for one in chosen)
    top = next(index for index, one in enumerate(chosen) if one.tension == peak)
    parts = []
    for index, one in enumerate(chosen):
        place = index / (len(chosen) - 1)
        if turns(one, peak):
            parts.append(BeatPart.TURNING_POINT)
        elif place <= SETUP_UNTIL:
            parts.append(BeatPart.COMPLICATION if one.event.type in {CONFIDE, LIE} else BeatPart.SETUP)
        elif place > RISE_UNTIL and index > top:
            parts.append(BeatPart.CONSEQUENCE)
        else:
            rose = one.tension > chosen[index - 1].tension
            parts.append(BeatPart.ESCALATION if rose else BeatPart.COMPLICATION)
    return parts


def turns(one: Viewed, peak: float) -> bool:
    """Whether an event can be a turning point: a clash at the peak of tension, or a truth told that collapses irony."""
    clash = one.event.type in {CONFLICT, CATASTROPHE} and one.tension == peak
    return clash or (one.event.type == REVEAL and one.collapse is not None)


def repair_grammar(parts: Sequence[BeatPart], tensions: Sequence[float]) -> list[BeatPart]:
    """The same parts, changed where the grammar requires it.

    Only the tensest turning point stays that leaves room for a setup and a rise before it and a consequence after it; if
    there is none, the tensest event in that range becomes one. All events after it are consequences. Before it, the first
    is a setup, no setup follows a rising event, and the last is a rising event.
    """
    middle = range(2, len(parts) - 1)
    turning = [index for index in middle if parts[index] is BeatPart.TURNING_POINT] or middle
    turn = max(turning, key=lambda index: tensions[index])
    fixed = [BeatPart.SETUP]
    for index in range(1, turn):
        part = parts[index]
        risen = fixed[-1] in RISING
        if part not in RISING and (part is not BeatPart.SETUP or risen or index == turn - 1):
            part = BeatPart.ESCALATION if tensions[index] > tensions[index - 1] else BeatPart.COMPLICATION
        fixed.append(part)
    return [*fixed, BeatPart.TURNING_POINT, *[BeatPart.CONSEQUENCE] * (len(parts) - turn - 1)]
