"""Tension: eight components in one number, event by event, with and without the clock.

Read from the state before each event. The clock is the part of time pressure that only says how late it is; without
it tension says what people did and not what time it was.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.drama.audience import components
from volition.drama.audience.genres import Components, weighted_mean, weights_of
from volition.drama.stage.replay import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import WorldState

SHARED: Final = 5
"""How many earlier events of the same people count towards the volatility of their bonds."""


class Moment(NamedTuple):
    """The tension of one event: its components, their weighted mean, and the same without the clock."""

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


def tension(run: Run, genre: str = "default") -> list[Moment]:
    """The tension of every event of a run, in their order."""
    gauge = Gauge(genre)
    return [gauge.read(world, event) for world, event in walk(run)]


def reweighted(moments: Iterable[Moment], genre: str) -> list[Moment]:
    """The same moments as another genre weighs them."""
    weights = weights_of(genre)
    return [
        _moment(moment.event, moment.minutes, moment.components, moment.pressure_without_clock, weights)
        for moment in moments
    ]


def halves(moments: Sequence[Moment], minutes: float) -> Halves:
    """Mean tension before and from the middle of `minutes`; a half without events has 0."""
    early = [moment for moment in moments if moment.minutes < minutes / 2.0]
    late = [moment for moment in moments if moment.minutes >= minutes / 2.0]
    return Halves(
        _mean([moment.value for moment in early]),
        _mean([moment.value for moment in late]),
        _mean([moment.value_without_clock for moment in early]),
        _mean([moment.value_without_clock for moment in late]),
    )


def minutes_of(run: Run) -> float:
    """How many simulated minutes a run lasted."""
    if run.ending is not None:
        return run.ending.minutes
    return run.ticks[-1].minutes + run.ticks[-1].length if run.ticks else 0.0


class Gauge:
    """Reads tension event by event, in order; it remembers what volatility and danger need of the past."""

    def __init__(self, genre: str = "default") -> None:
        self._weights = weights_of(genre)
        self._dangers: dict[str, float] = {}
        self._rooms: dict[str, list[tuple[int, float]]] = {}
        self._past: list[tuple[frozenset[str], list[components.Change]]] = []

    def read(self, world: WorldState, event: Event) -> Moment:
        """The moment of the next event; `world` is the state before it and is left as it is."""
        danger = components.danger(world, event, self._dangers.get(event.details.get("heard", ""), 0.0))
        pressure = components.time_pressure_without_clock(world, event)
        part, changes = frozenset(components.participants(event)), components.changes(event)
        values = Components(
            danger=danger,
            time_pressure=max(components.clock(world, event), pressure),
            goal_frustration=components.goal_frustration(world, event, self._room_danger(world, event)),
            relationship_volatility=components.relationship_volatility([*self._shared(part), *changes]),
            information_gap=components.information_gap(world, event),
            resource_scarcity=components.resource_scarcity(world, event),
            moral_cost=components.moral_cost(world, event),
            irony_density=components.irony_density(world, event),
        )
        self._dangers[event.id] = danger
        self._rooms.setdefault(event.room, []).append((event.tick, danger))
        self._past.append((part, changes))
        return _moment(event.id, event.minutes, values, pressure, self._weights)

    def _room_danger(self, world: WorldState, event: Event) -> float:
        """The greatest danger in the room while people there still have it in mind."""
        since = event.tick - world.scenario.rules["memory"]["conflict"]
        recent = [(tick, danger) for tick, danger in self._rooms.get(event.room, ()) if tick >= since]
        self._rooms[event.room] = recent
        return max((danger for _, danger in recent), default=0.0)

    def _shared(self, part: frozenset[str]) -> list[components.Change]:
        """The changes by the last events in which at least two of these people took part."""
        shared = (changes for people, changes in reversed(self._past) if len(people & part) >= 2)
        return [change for changes in islice(shared, SHARED) for change in changes]


def _moment(event: str, minutes: float, values: Components, pressure: float, weights: Components) -> Moment:
    without = values._replace(time_pressure=pressure)
    return Moment(event, minutes, values, pressure, weighted_mean(values, weights), weighted_mean(without, weights))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
