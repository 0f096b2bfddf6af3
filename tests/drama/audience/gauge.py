"""Tension read from objects, event by event: the readable definition beside the laws of `evening.tension`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from tests.drama.audience import components
from volition.drama.audience.tension import Components, EventTension, weighted_mean, weights_of
from volition.drama.evening.components import SHARED
from volition.drama.stage.replay import walk

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run


def tension_of(run: Run, genre: str = "default") -> list[EventTension]:
    """The tension of every event of a run, in order."""
    gauge = PlainGauge(genre)
    return [gauge.read(world, event) for world, event in walk(run)]


class PlainGauge:
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
        part, changes = frozenset(event.participants), components.changes(event)
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
        tense, calm = (weighted_mean(one, self._weights) for one in (values, values._replace(time_pressure=pressure)))
        return EventTension(event.id, event.minutes, values, pressure, tense, calm)

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
