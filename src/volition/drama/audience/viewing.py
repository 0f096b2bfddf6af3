"""A run as its audience sees it: every event with its tension, irony and themes, computed in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from volition.drama.audience.irony import COLLAPSE, Collapse, collapse, present_in, scene_irony
from volition.drama.audience.tension import EventTension, Gauge
from volition.drama.audience.themes import shift
from volition.drama.stage.replay import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import WorldState


class Viewed(NamedTuple):
    """One event as the audience sees it; `irony` is that of its room before the event."""

    event: Event
    moment: EventTension
    irony: float
    collapse: Collapse | None
    shift: Mapping[str, float]

    @property
    def tension(self) -> float:
        return self.moment.value


def view(run: Run, genre: str = "default", *, least_collapse: float = COLLAPSE) -> tuple[Viewed, ...]:
    """All events of a run, in order; a fall of irony by `least_collapse` or more is a collapse."""
    return view_events(walk(run), genre, least_collapse=least_collapse)


def view_events(
    steps: Iterable[tuple[WorldState, Event]], genre: str = "default", *, least_collapse: float = COLLAPSE
) -> tuple[Viewed, ...]:
    """The same for events with the states before them; a state is not used after the next one is requested."""
    gauge = Gauge(genre)
    return tuple(
        Viewed(
            event,
            gauge.read(world, event),
            scene_irony(world, present_in(world, event.room)),
            collapse(world, event, least_collapse),
            shift(event),
        )
        for world, event in steps
    )
