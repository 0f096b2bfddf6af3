"""What an evening meant to its audience, as a genre weighs it: tension, scenes and arcs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from volition.drama.audience.arcs import Arc, arcs_of
from volition.drama.audience.scenes import Scene, segment
from volition.drama.audience.tension import GENRES, Components, minutes_of, shares, weights_of
from volition.drama.audience.viewing import view

if TYPE_CHECKING:
    from volition.drama.audience.viewing import Viewed
    from volition.drama.playing.evening import Evening


class MomentShape(Struct, frozen=True):
    """The tension of one event; `components`, and their `shares` in it, are in the order of `Audience.components`."""

    event: str
    tick: int
    minutes: float
    components: tuple[float, ...]
    shares: tuple[float, ...]
    tension: float
    tension_without_clock: float
    irony: float
    collapse: float | None


class Audience(Struct, frozen=True):
    """What an evening meant, as a genre weighs it; `genres` are all presets with their weights."""

    genre: str
    genres: dict[str, dict[str, float]]
    components: tuple[str, ...]
    moments: list[MomentShape]
    scenes: list[Scene]
    arcs: list[Arc]


def audience_of(evening: Evening, genre: str) -> Audience:
    """What an evening meant, as this genre weighs it."""
    viewed = view(evening.run, genre)
    scenario = evening.scenario
    return Audience(
        genre=genre,
        genres={name: weights._asdict() for name, weights in GENRES.items()},
        components=Components._fields,
        moments=[_moment(each, weights_of(genre)) for each in viewed],
        scenes=segment(viewed, scenario),
        arcs=arcs_of(viewed, tuple(scenario.people), minutes_of(evening.run)),
    )


def _moment(viewed: Viewed, weights: Components) -> MomentShape:
    moment = viewed.moment
    return MomentShape(
        event=moment.event,
        tick=viewed.event.tick,
        minutes=moment.minutes,
        components=tuple(moment.components),
        shares=tuple(shares(moment.components, weights)),
        tension=moment.value,
        tension_without_clock=moment.value_without_clock,
        irony=viewed.irony,
        collapse=None if viewed.collapse is None else viewed.collapse.drop,
    )
