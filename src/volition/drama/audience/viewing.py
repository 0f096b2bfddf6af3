"""A run as its audience sees it: every event with its tension, irony and themes, computed in one pass.

A theme is one of six axes along which an event shifts the story.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from volition.drama.audience.irony import COLLAPSE, Collapse, collapse, present_in, scene_irony
from volition.drama.audience.tension import EventTension, Gauge
from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, CONFLICT, LIE, REVEAL, EventType
from volition.drama.stage.replay import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import WorldState

AXES: Final = (
    "order_chaos",
    "truth_deception",
    "loyalty_betrayal",
    "innocence_corruption",
    "freedom_control",
    "love_duty",
)
"""Each axis runs from its first word (+) to its second (-). Nothing shifts the last one yet."""

SHIFTS: Final[Mapping[EventType, Mapping[str, float]]] = {
    CONFLICT: {"order_chaos": -0.15},
    REVEAL: {"truth_deception": 0.2},
    LIE: {"truth_deception": -0.2},
    CONFIDE: {"truth_deception": 0.1, "loyalty_betrayal": 0.1},
    CATASTROPHE: {"order_chaos": -0.3, "innocence_corruption": -0.15},
}

LEAST: Final = 0.01
"""Smaller shifts are dropped."""


def shift(event: Event) -> dict[str, float]:
    """The shift of an event: by its kind, by each large change of trust, and by commitment gained."""
    moved = dict(SHIFTS.get(event.type, {}))
    for delta in event.deltas:
        if delta.kind == "bond" and delta.attribute == "trust":
            change = delta.after - (delta.before or 0.0)
            step = -0.1 if change < -0.2 else 0.05 if change > 0.2 else 0.0
            moved["loyalty_betrayal"] = moved.get("loyalty_betrayal", 0.0) + step
    if any(strain.number == "commitment" and strain.amount > 0.0 for strain in event.strains):
        moved["freedom_control"] = moved.get("freedom_control", 0.0) - 0.1
    return {axis: moved[axis] for axis in AXES if abs(moved.get(axis, 0.0)) > LEAST}


def total_shift(shifts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The sum of shifts, axis by axis, in the order of AXES.

    >>> total_shift([{"order_chaos": -0.25}, {"order_chaos": -0.25, "truth_deception": 0.5}])
    {'order_chaos': -0.5, 'truth_deception': 0.5}
    """
    total: dict[str, float] = {}
    for one in shifts:
        for axis, amount in one.items():
            total[axis] = total.get(axis, 0.0) + amount
    return {axis: total[axis] for axis in AXES if axis in total}


def dominant_theme(shifts: Iterable[Mapping[str, float]]) -> str | None:
    """The axis with the largest total shift; the first of equals, and None without any shift."""
    total = total_shift(shifts)
    return max(total, key=lambda axis: abs(total[axis])) if total else None


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
