"""Scenes: where one part of a run ends and the next begins, and what type each one is.

A run is one stream of events. It is cut where the room or the company changes, after a pause, when tension has faded,
after a truth has come out, and at every move; pieces that are too short join the scene before them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from volition.core.typed import DataStruct
from volition.drama.audience.viewing import Viewed, dominant_theme, view
from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, CONFLICT, REVEAL, SOCIAL_MOVE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario

SHORTEST: Final = 3
"""The fewest events of a scene, if the run has as many."""

PAUSE: Final = 5.0
"""A gap of more minutes than this ends a scene."""

SAME_COMPANY: Final = 0.3
"""If a smaller share of the people is the same, the company has changed."""

FADED: Final = 0.3
"""Tension has faded if the last three events are below this share of the peak of the last five."""

ESCALATED: Final = 0.6
"""Above this tension, a scene of no other type is an escalation."""

TYPES: Final = ("catastrophe", "confrontation", "revelation", "bonding", "escalation", "maintenance")


class Scene(DataStruct, frozen=True):
    """A part of a run. `room` is where most of it happens; `theme` is the axis with the largest shift, if any."""

    id: str
    """The id of the scene."""
    type: str
    """The kind of scene."""
    room: str
    """Where most of it happens."""
    participants: tuple[str, ...]
    """Who takes part."""
    start: float
    """When it begins, in minutes."""
    end: float
    """When it ends, in minutes."""
    events: tuple[str, ...]
    """The ids of its events."""
    tension: tuple[float, ...]
    """The tension at each of its events."""
    theme: str | None
    """What shifts most in it, if anything does."""


def scenes(run: Run, genre: str = "default") -> list[Scene]:
    """The scenes of a run, in order; every event is in exactly one."""
    return segment(view(run, genre), run.scenario)


def segment(viewed: Sequence[Viewed], scenario: Scenario) -> list[Scene]:
    """Cut viewed events into scenes."""
    pieces: list[list[Viewed]] = []
    for seen in viewed:
        if pieces and not is_cut(pieces[-1], seen, scenario):
            pieces[-1].append(seen)
        else:
            pieces.append([seen])
    return [_scene(number, piece) for number, piece in enumerate(_merge_short(pieces), 1)]


def is_cut(scene: Sequence[Viewed], now: Viewed, scenario: Scenario) -> bool:
    """Whether a new scene begins with this event."""
    before = scene[-1]
    return (
        now.event.type == SOCIAL_MOVE
        or before.collapse is not None
        or now.event.minutes - before.event.minutes > PAUSE
        or _rooms_apart(before.event.room, now.event.room, scenario)
        or overlap(company(before.event), company(now.event)) < SAME_COMPANY
        or _has_faded([seen.tension for seen in scene[-5:]])
    )


def company(event: Event) -> frozenset[str]:
    """Who was there: participants and witnesses."""
    return frozenset((*event.participants, *event.witnesses))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The number of people in both, divided by the number of people in either.

    >>> overlap(frozenset("ab"), frozenset("bc"))
    0.3333333333333333
    """
    return len(one & other) / len(one | other)


def scene_type(piece: Sequence[Viewed]) -> str:
    """The type of a scene: the first of TYPES that applies."""
    types = {seen.event.type for seen in piece}
    if CATASTROPHE in types:
        return "catastrophe"
    if CONFLICT in types:
        return "confrontation"
    if REVEAL in types and any(seen.collapse for seen in piece):
        return "revelation"
    if CONFIDE in types:
        return "bonding"
    return "escalation" if max(seen.tension for seen in piece) > ESCALATED else "maintenance"


def _rooms_apart(one: str, other: str, scenario: Scenario) -> bool:
    rooms = scenario.rooms
    return one != other and one not in rooms[other].overhears and other not in rooms[one].overhears


def _has_faded(last: Sequence[float]) -> bool:
    """Whether there are five events, and the last three are far below the peak."""
    return len(last) == 5 and max(last[-3:]) < FADED * max(last)


def _merge_short(pieces: Sequence[list[Viewed]]) -> list[list[Viewed]]:
    """Join short pieces to the one before; a short first piece absorbs the next one."""
    merged: list[list[Viewed]] = []
    for piece in pieces:
        if merged and (len(piece) < SHORTEST or len(merged[-1]) < SHORTEST):
            merged[-1] = merged[-1] + piece
        else:
            merged.append(piece)
    return merged


def _scene(number: int, piece: Sequence[Viewed]) -> Scene:
    rooms = Counter(seen.event.room for seen in piece)
    people = (person for seen in piece for person in seen.event.participants)
    return Scene(
        id=f"scene_{number:02}",
        type=scene_type(piece),
        room=max(rooms, key=lambda room: rooms[room]),  # the first of equals
        participants=tuple(dict.fromkeys(people)),
        start=piece[0].event.minutes,
        end=piece[-1].event.minutes,
        events=tuple(seen.event.id for seen in piece),
        tension=tuple(seen.tension for seen in piece),
        theme=dominant_theme(seen.shift for seen in piece),
    )
