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
    """The id of the event."""
    tick: int
    """The tick of the event."""
    minutes: float
    """When it was, in minutes."""
    components: tuple[float, ...]
    """The components of the tension, in the order of the audience's."""
    shares: tuple[float, ...]
    """The share of each component in the tension."""
    tension: float
    """The tension, as the genre weighs it."""
    tension_without_clock: float
    """The tension without what the time adds."""
    irony: float
    """How much the audience knows and the people do not."""
    collapse: float | None
    """By how much the irony dropped, where somebody learned what they had not known."""


class Audience(Struct, frozen=True):
    """What an evening meant, as a genre weighs it; `genres` are all presets with their weights."""

    genre: str
    """The genre that weighs the components."""
    genres: dict[str, dict[str, float]]
    """The weights of every genre."""
    components: tuple[str, ...]
    """The names of the components, in order."""
    moments: list[MomentShape]
    """The tension at each event."""
    scenes: list[Scene]
    """The scenes, in order."""
    arcs: list[Arc]
    """The arcs of the people."""


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
