"""Scenes: where one stretch of a run ends and the next begins, and what kind of scene each one is.

A run is one stream of events. It is cut where the room or the company changes, after a pause, where tension has died
away, after a truth has come out, and at every move; pieces too short to stand alone join the scene before them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from volition.drama.audience.themes import dominant_theme
from volition.drama.audience.viewing import Viewed, view
from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, CONFLICT, REVEAL, SOCIAL_MOVE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario

SHORTEST: Final = 3
"""How many events a scene has at least, where the run has as many."""

PAUSE: Final = 5.0
"""A gap of more minutes than this ends a scene."""

SAME_COMPANY: Final = 0.3
"""Below this share of common people the company is another."""

FADED: Final = 0.3
"""Tension has died away where the last three events are below this share of the peak of the last five."""

ESCALATED: Final = 0.6
"""Above this tension a scene in which nothing else happens is an escalation."""

TYPES: Final = ("catastrophe", "confrontation", "revelation", "bonding", "escalation", "maintenance")


class Scene(NamedTuple):
    """A stretch of a run. `room` is where most of it happens; `theme` is the axis that it moved most, if any."""

    id: str
    type: str
    room: str
    participants: tuple[str, ...]
    start: float
    end: float
    events: tuple[str, ...]
    tension: tuple[float, ...]
    theme: str | None

    def to_data(self) -> dict[str, Any]:
        lists = ("participants", "events", "tension")
        return {key: list(value) if key in lists else value for key, value in self._asdict().items()}


def scenes(run: Run, genre: str = "default") -> list[Scene]:
    """The scenes of a run, in order; every event is in exactly one."""
    return segment(view(run, genre), run.scenario)


def segment(viewed: Sequence[Viewed], scenario: Scenario) -> list[Scene]:
    """Cut what was viewed into scenes."""
    pieces: list[list[Viewed]] = []
    for one in viewed:
        if pieces and not is_cut(pieces[-1], one, scenario):
            pieces[-1].append(one)
        else:
            pieces.append([one])
    return [_scene(number, piece) for number, piece in enumerate(_merged(pieces), 1)]


def is_cut(scene: Sequence[Viewed], now: Viewed, scenario: Scenario) -> bool:
    """Whether a scene ends before this event, and another begins with it."""
    before = scene[-1]
    return (
        now.event.type == SOCIAL_MOVE
        or before.collapse is not None
        or now.event.minutes - before.event.minutes > PAUSE
        or _rooms_apart(before.event.room, now.event.room, scenario)
        or overlap(company(before.event), company(now.event)) < SAME_COMPANY
        or _has_faded([one.tension for one in scene[-5:]])
    )


def company(event: Event) -> frozenset[str]:
    """Who was there: those who took part and those who saw it."""
    return frozenset((event.source, *event.targets, *event.witnesses))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The people of both as a share of the people of either.

    >>> overlap(frozenset("ab"), frozenset("bc"))
    0.3333333333333333
    """
    return len(one & other) / len(one | other)


def scene_type(piece: Sequence[Viewed]) -> str:
    """What kind of scene it is: the first of TYPES that applies."""
    types = {one.event.type for one in piece}
    if CATASTROPHE in types:
        return "catastrophe"
    if CONFLICT in types:
        return "confrontation"
    if REVEAL in types and any(one.collapse for one in piece):
        return "revelation"
    if CONFIDE in types:
        return "bonding"
    return "escalation" if max(one.tension for one in piece) > ESCALATED else "maintenance"


def _rooms_apart(one: str, other: str, scenario: Scenario) -> bool:
    rooms = scenario.rooms
    return one != other and one not in rooms[other].overhears and other not in rooms[one].overhears


def _has_faded(last: Sequence[float]) -> bool:
    """Of the last five of a scene: whether there are five, and the last three are far below their peak."""
    return len(last) == 5 and max(last[-3:]) < FADED * max(last)


def _merged(pieces: Sequence[list[Viewed]]) -> list[list[Viewed]]:
    """Join short pieces to the one before; a short first piece takes the next one in."""
    merged: list[list[Viewed]] = []
    for piece in pieces:
        if merged and (len(piece) < SHORTEST or len(merged[-1]) < SHORTEST):
            merged[-1] = merged[-1] + piece
        else:
            merged.append(piece)
    return merged


def _scene(number: int, piece: Sequence[Viewed]) -> Scene:
    rooms = Counter(one.event.room for one in piece)
    people = (person for one in piece for person in (one.event.source, *one.event.targets))
    return Scene(
        id=f"scene_{number:02}",
        type=scene_type(piece),
        room=max(rooms, key=lambda room: rooms[room]),  # of equals the one that came first
        participants=tuple(dict.fromkeys(people)),
        start=piece[0].event.minutes,
        end=piece[-1].event.minutes,
        events=tuple(one.event.id for one in piece),
        tension=tuple(one.tension for one in piece),
        theme=dominant_theme(one.shift for one in piece),
    )
