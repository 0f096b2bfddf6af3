"""Tension: the weighted mean of eight components for each event, with and without the clock.

It is computed from the state before each event. The clock is the part of time pressure that depends only on the time;
without it, tension reflects what people do and not how late it is.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from volition.drama.audience import components
from volition.drama.audience.genres import Components, weighted_mean, weights_of
from volition.drama.evening.components import SHARED, mean_of
from volition.drama.stage.replay import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import WorldState


class EventTension(NamedTuple):
    """The tension of one event: its components, their weighted mean, and that mean without the clock."""

    event: str
    minutes: float
    components: Components
    pressure_without_clock: float
    value: float
    value_without_clock: float


class Halves(NamedTuple):
    """The mean tension of the first and the second half of a run's minutes, with and without the clock."""

    first: float
    second: float
    first_without_clock: float
    second_without_clock: float


def tension(run: Run, genre: str = "default") -> list[EventTension]:
    """The tension of every event of a run, in order."""
    gauge = Gauge(genre)
    return [gauge.read(world, event) for world, event in walk(run)]


def reweight(moments: Iterable[EventTension], genre: str) -> list[EventTension]:
    """The same tension with the weights of another genre."""
    weights = weights_of(genre)
    return [
        _event_tension(moment.event, moment.minutes, moment.components, moment.pressure_without_clock, weights)
        for moment in moments
    ]


def halves(moments: Sequence[EventTension], minutes: float) -> Halves:
    """Mean tension in the first and second half of `minutes`; 0 for a half without events."""
    early = [moment for moment in moments if moment.minutes < minutes / 2.0]
    late = [moment for moment in moments if moment.minutes >= minutes / 2.0]
    return Halves(
        _mean([moment.value for moment in early]),
        _mean([moment.value for moment in late]),
        _mean([moment.value_without_clock for moment in early]),
        _mean([moment.value_without_clock for moment in late]),
    )


def minutes_of(run: Run) -> float:
    """The simulated minutes that a run lasted."""
    if run.ending is not None:
        return run.ending.minutes
    return run.ticks[-1].minutes + run.ticks[-1].length if run.ticks else 0.0


class Gauge:
    """Computes tension event by event, in order; it remembers the past that volatility and danger need."""

    def __init__(self, genre: str = "default") -> None:
        self._weights = weights_of(genre)
        self._dangers: dict[str, float] = {}
        self._rooms: dict[str, list[tuple[int, float]]] = {}
        self._past: list[tuple[frozenset[str], list[components.Change]]] = []

    def read(self, world: WorldState, event: Event) -> EventTension:
        """The tension of the next event; `world` is the state before it and is not changed."""
        danger = components.danger(world, event, self._dangers.get(event.details.get("heard", ""), 0.0))
        pressure = components.time_pressure_without_clock(world, event)
        part, changes = frozenset(components.participants(event)), components.changes(event)
        values = Components(
            danger=danger,
            time_pressure=max(components.clock(world, event), pressure),
            goal_frustration=components.goal_frustration(world, event, self._room_danger(world, event)),
            relationship_volatility=components.relationship_volatility([*self._recent_changes(part), *changes]),
            information_gap=components.information_gap(world, event),
            resource_scarcity=components.resource_scarcity(world, event),
            moral_cost=components.moral_cost(world, event),
            irony_density=components.irony_density(world, event),
        )
        self._dangers[event.id] = danger
        self._rooms.setdefault(event.room, []).append((event.tick, danger))
        self._past.append((part, changes))
        return _event_tension(event.id, event.minutes, values, pressure, self._weights)

    def _room_danger(self, world: WorldState, event: Event) -> float:
        """The greatest recent danger in the room, within the memory of conflicts."""
        since = event.tick - world.scenario.rules["memory"]["conflict"]
        recent = [(tick, danger) for tick, danger in self._rooms.get(event.room, ()) if tick >= since]
        self._rooms[event.room] = recent
        return max((danger for _, danger in recent), default=0.0)

    def _recent_changes(self, part: frozenset[str]) -> list[components.Change]:
        """The changes of bonds by the last events in which at least two of these people took part."""
        shared = (changes for people, changes in reversed(self._past) if len(people & part) >= 2)
        return [change for changes in islice(shared, SHARED) for change in changes]


def _event_tension(
    event: str, minutes: float, values: Components, pressure: float, weights: Components
) -> EventTension:
    without = values._replace(time_pressure=pressure)
    return EventTension(
        event, minutes, values, pressure, weighted_mean(values, weights), weighted_mean(without, weights)
    )


def _mean(values: Sequence[float]) -> float:
    return mean_of(sum(values), len(values))
