"""Arcs: for each person the story that the run tells about them, its beats, and how good a story it is.

Dramatic events can be turning points, so they are chosen first, and then the tensest of the others. Where it is known
which acts mattered, these come before all others, and it also counts how much of what mattered is in a story.

Beats are the parts of its events, by the grammar SETUP+ (COMPLICATION|ESCALATION)+ TURNING_POINT CONSEQUENCE+. Events are
classified one by one; then violations of the grammar are repaired, and repaired beats are marked.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  the studio's API reads the annotations
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.typed import DataStruct
from volition.drama.audience.tension import minutes_of
from volition.drama.audience.viewing import Viewed, total_shift, view
from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, CONFLICT, LIE, REVEAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.stage.record import Run

    Significance = Mapping[str, float]

FEWEST, MOST = 4, 20
"""The fewest and the most beats of an arc."""

SETUP_UNTIL: Final = 0.25
RISE_UNTIL: Final = 0.70
LEAST_SHARE: Final = 0.6
"""The least share of an arc's events in which its protagonist takes part."""

LEAST_SPAN: Final = 0.15
"""The least share of the run's minutes that an arc spans."""

WEIGHTS: Final[Mapping[str, float]] = {
    "variance": 0.20,
    "peak": 0.15,
    "shape": 0.15,
    "coherence": 0.15,
    "irony_fall": 0.10,
    "protagonist": 0.10,
    "significance": 0.15,
}
"""The weight of each quality; the score is their weighted mean. Significance takes part where it is known."""


class BeatPart(StrEnum):
    """The part of an event in an arc."""

    SETUP = "setup"
    COMPLICATION = "complication"
    ESCALATION = "escalation"
    TURNING_POINT = "turning_point"
    CONSEQUENCE = "consequence"


class Beat(Struct, frozen=True):
    """An event of an arc and its part; `repaired` if the grammar required another part than its classification."""

    event: str
    """The id of the event."""
    part: BeatPart
    """Its part in the arc."""
    tension: float
    """The tension at that event."""
    repaired: bool
    """Whether the grammar of arcs gave it another part."""


RISING = frozenset({BeatPart.COMPLICATION, BeatPart.ESCALATION})


def beats_of(chosen: Sequence[Viewed], protagonist: str | None = None) -> list[Beat]:
    """The beats of four or more events, in order; they always follow the grammar.

    With a protagonist, the turning point is an event they take part in, as long as beats still fit on both sides of it.
    """
    first = classify(chosen)
    own = [protagonist is None or protagonist in seen.event.participants for seen in chosen]
    parts = repair_grammar(first, [seen.tension for seen in chosen], own)
    return [
        Beat(seen.event.id, part, seen.tension, repaired=part != before)
        for seen, part, before in zip(chosen, parts, first, strict=True)
    ]


def classify(chosen: Sequence[Viewed]) -> list[BeatPart]:
    """The part of each event by its kind, its position in the arc, and how tension changes."""
    peak = max(seen.tension for seen in chosen)
    top = next(index for index, seen in enumerate(chosen) if seen.tension == peak)
    parts = []
    for index, seen in enumerate(chosen):
        place = index / (len(chosen) - 1)
        if turns(seen, peak):
            parts.append(BeatPart.TURNING_POINT)
        elif place <= SETUP_UNTIL:
            parts.append(BeatPart.COMPLICATION if seen.event.type in {CONFIDE, LIE} else BeatPart.SETUP)
        elif place > RISE_UNTIL and index > top:
            parts.append(BeatPart.CONSEQUENCE)
        else:
            rose = seen.tension > chosen[index - 1].tension
            parts.append(BeatPart.ESCALATION if rose else BeatPart.COMPLICATION)
    return parts


def turns(seen: Viewed, peak: float) -> bool:
    """Whether an event can be a turning point: a clash at the peak of tension, or a truth told that collapses irony."""
    clash = seen.event.type in {CONFLICT, CATASTROPHE} and seen.tension == peak
    return clash or (seen.event.type == REVEAL and seen.collapse is not None)


def repair_grammar(
    parts: Sequence[BeatPart], tensions: Sequence[float], own: Sequence[bool] | None = None
) -> list[BeatPart]:
    """The same parts, changed where the grammar requires it.

    Only the tensest turning point stays that leaves room for a setup and a rise before it and a consequence after it, and
    that is the protagonist's `own`; if there is none, the tensest event of theirs in that range becomes one. All events after it are consequences. Before it, the first
    is a setup, no setup follows a rising event, and the last is a rising event.
    """
    between = range(2, len(parts) - 1)
    middle = [index for index in between if own is None or own[index]] or between
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


class Arc(DataStruct, frozen=True):
    """One person's story: its beats in order, each quality from 0 to 1, and their weighted mean."""

    protagonist: str
    """Whose story it is."""
    beats: tuple[Beat, ...]
    """Its beats, in order."""
    start: float
    """When it begins, in minutes."""
    end: float
    """When it ends, in minutes."""
    qualities: Mapping[str, float]
    """How good it is on each count, 0 to 1."""
    score: float
    """The weighted mean of its qualities."""


def arcs(run: Run, genre: str = "default", significance: Significance | None = None) -> list[Arc]:
    """The arcs of a run, the best first: at most one per person, none for people without a coherent story.

    `significance` says how much each event mattered, by its id; `Evening.arcs` finds it out.
    """
    return arcs_of(view(run, genre), tuple(run.scenario.people), minutes_of(run), significance)


def arcs_of(
    viewed: Sequence[Viewed], people: Sequence[str], minutes: float, significance: Significance | None = None
) -> list[Arc]:
    """The arcs of a run that was viewed and lasted `minutes` minutes; equal scores are in the order of `people`."""
    arcs = (arc_of(viewed, person, minutes, significance) for person in people)
    return sorted((arc for arc in arcs if arc is not None), key=lambda arc: -arc.score)


def arc_of(
    viewed: Sequence[Viewed], protagonist: str, minutes: float, significance: Significance | None = None
) -> Arc | None:
    """The arc of one person; None if there are too few events, or in too short a time."""
    chosen = choose_events(viewed, protagonist, significance)
    if not any(protagonist in seen.event.participants for seen in chosen[2:-1]):
        # No event of theirs can be the turning point, so others' are left out.
        chosen = [seen for seen in chosen if protagonist in seen.event.participants]
    if len(chosen) < FEWEST:
        return None
    start, end = chosen[0].event.minutes, chosen[-1].event.minutes
    if end - start < LEAST_SPAN * minutes:
        return None
    beats = tuple(beats_of(chosen, protagonist))
    marks = qualities(chosen, beats, protagonist)
    if significance is not None:
        marks["significance"] = share_of(chosen, protagonist, significance)
    score = sum(WEIGHTS[name] * mark for name, mark in marks.items()) / sum(WEIGHTS[name] for name in marks)
    return Arc(protagonist, beats, start, end, marks, score)


def share_of(chosen: Sequence[Viewed], protagonist: str, significance: Significance) -> float:
    """The share of all that mattered in the run that is in a story, where its protagonist took part."""
    own = (seen.event.id for seen in chosen if protagonist in seen.event.participants)
    return sum(significance.get(id, 0.0) for id in own) / (sum(significance.values()) or 1.0)


def choose_events(viewed: Sequence[Viewed], protagonist: str, significance: Significance | None = None) -> list[Viewed]:
    """The events of an arc, in order: the protagonist's own, and what others did that led to them.

    At most MOST events, with the protagonist in a share of LEAST_SHARE or more; each is caused by the one before it, or
    shares a person with it. Events that mattered come first, then dramatic ones, then tense ones. The protagonist's
    first and last events are always included, because a story has a beginning and an end.
    """
    own = [seen for seen in viewed if protagonist in seen.event.participants]
    if len(own) < FEWEST:
        return []
    causes = {cause for seen in own if seen.event.is_dramatic for cause in seen.event.causes}
    theirs = [
        seen
        for seen in viewed
        if seen.event.id in causes and seen.event.is_dramatic and protagonist not in seen.event.participants
    ]
    ends = [own[0], own[-1]]
    mattered = significance or {}
    ranked = sorted(
        own[1:-1], key=lambda seen: (-mattered.get(seen.event.id, 0.0), not seen.event.is_dramatic, -seen.tension)
    )
    mine = ends + ranked[: MOST - len(ends)]
    room = min(len(theirs), int(len(mine) * (1.0 - LEAST_SHARE) / LEAST_SHARE), MOST * 2 // 5)
    guests = sorted(theirs, key=lambda seen: -seen.tension)[:room]
    mine = mine[: MOST - len(guests)]
    ids = {seen.event.id for seen in (*mine, *guests)}
    return _link_chain([seen for seen in viewed if seen.event.id in ids], protagonist)


def qualities(chosen: Sequence[Viewed], beats: Sequence[Beat], protagonist: str) -> dict[str, float]:
    """Each quality of WEIGHTS for a story, 0 to 1, but its significance."""
    tensions = [seen.tension for seen in chosen]
    mean = sum(tensions) / len(tensions)
    variance = sum((value - mean) ** 2 for value in tensions) / len(tensions)
    turn = next(index for index, beat in enumerate(beats) if beat.part is BeatPart.TURNING_POINT)
    fall = max(seen.irony for seen in chosen[: turn + 1]) - chosen[-1].irony
    return {
        "variance": min(variance / 0.05, 1.0),
        "peak": max(tensions),
        "shape": shape(tensions),
        "coherence": _coherence(chosen),
        "irony_fall": min(max(fall, 0.0) / 2.0, 1.0),
        "protagonist": sum(protagonist in seen.event.participants for seen in chosen) / len(chosen),
    }


def shape(tensions: Sequence[float]) -> float:
    """How well tension rises to a late peak and falls afterwards: half for the position of the peak, half for the steps.

    >>> shape([0.1, 0.2, 0.3, 0.9, 0.2])
    1.0
    """
    top = max(range(len(tensions)), key=lambda index: tensions[index])
    place = top / (len(tensions) - 1)
    position = 1.0 if 0.5 <= place <= 0.8 else 0.7 if 0.4 <= place <= 0.9 else 0.3
    steps = [after - before for before, after in pairwise(tensions)]
    right = sum(step > 0.0 for step in steps[:top]) + sum(step < 0.0 for step in steps[top:])
    return (position + right / len(steps)) / 2.0


def _coherence(chosen: Sequence[Viewed]) -> float:
    """The share of all thematic movement that goes in one direction along one axis; 0 without movement."""
    moved = sum(abs(amount) for seen in chosen for amount in seen.shift.values())
    if not moved:
        return 0.0
    return max(abs(amount) for amount in total_shift(seen.shift for seen in chosen).values()) / moved


def _link_chain(events: Sequence[Viewed], protagonist: str) -> list[Viewed]:
    """Drop events that are neither caused by the event before nor share a person with it; the protagonist's stay."""
    chain: list[Viewed] = []
    for seen in events:
        while chain and not _is_linked(chain[-1], seen):
            if protagonist not in seen.event.participants:
                break
            chain.pop()  # never one of the protagonist's events: those share the protagonist with this one
        else:
            chain.append(seen)
    return chain


def _is_linked(before: Viewed, after: Viewed) -> bool:
    shared = set(before.event.participants) & set(after.event.participants)
    return before.event.id in after.event.causes or bool(shared)
