"""Tension: the weighted mean of eight components for each event, with and without the clock, by the weights of a genre.

It is computed from the state before each event. The clock is the part of time pressure that depends only on the time;
without it, tension reflects what people do and not how late it is.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from volition.core.errors import check_known
from volition.drama.evening import tension as laws
from volition.drama.evening.building import build_tables, sizes_of
from volition.drama.evening.components import clock_of, danger_of, mean_of
from volition.drama.evening.log import STRAINED, new_log, part_number
from volition.drama.evening.names import names_of
from volition.drama.evening.record import NONE, new_plain, parts_of
from volition.drama.evening.tension import HAPPENINGS, EveningMoments
from volition.drama.rules.leaf import leaf
from volition.drama.stage.replay import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario

_ROOM: Final = 512
"""For how many events more room is made at once."""


class Components(NamedTuple):
    """One number for each of the eight components of tension: its value, 0 to 1, or its weight."""

    danger: float
    time_pressure: float
    goal_frustration: float
    relationship_volatility: float
    information_gap: float
    resource_scarcity: float
    moral_cost: float
    irony_density: float


GENRES: Final[Mapping[str, Components]] = {
    "default": Components(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    "thriller": Components(2.5, 2.0, 1.0, 0.5, 1.5, 1.5, 0.5, 1.0),
    "relationship": Components(0.3, 0.5, 1.5, 2.5, 1.0, 0.5, 2.0, 1.5),
    "mystery": Components(1.0, 1.0, 0.5, 0.5, 2.5, 0.3, 1.0, 2.0),
}
"""The weights of each genre."""


def weights_of(genre: str) -> Components:
    """The weights of a genre by its name.

    >>> weights_of("thriller").danger
    2.5
    """
    return GENRES[check_known("genre", genre, GENRES, where="genre")]


def weighted_mean(components: Components, weights: Components) -> float:
    """The weighted mean of the components, a leaf; the weights are not all 0.

    >>> weighted_mean(Components(1, 0, 0, 0, 0, 0, 0, 0), GENRES["default"])
    0.125
    """
    total = sum(leaf(value * weight) for value, weight in zip(components, weights, strict=True))
    return leaf(total / fsum(weights))


def shares(components: Components, weights: Components) -> Components:
    """The contribution of each component to that mean; their sum is the mean.

    >>> shares(Components(1, 0, 0, 0, 0, 0, 0, 1), GENRES["thriller"]).danger
    0.23809523809523808
    """
    total = fsum(weights)
    return Components(*(value * weight / total for value, weight in zip(components, weights, strict=True)))


class EventTension(Struct, frozen=True):
    """The tension of one event: its components, their weighted mean, and that mean without the clock."""

    event: str
    minutes: float
    components: Components
    pressure_without_clock: float
    value: float
    value_without_clock: float


class Halves(Struct, frozen=True):
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
    """Feels events one by one, in order, by the laws of `evening.tension`, from the states before them."""

    def __init__(self, genre: str = "default") -> None:
        self._weights = weights_of(genre)
        self._felt: _FeltEvents | None = None

    def read(self, world: WorldState, event: Event) -> EventTension:
        """The tension of the next event; `world` is the state before it and is not changed."""
        if self._felt is None:
            self._felt = _FeltEvents(world.scenario)
        values, pressure = self._felt.feel(world, event)
        return _event_tension(event.id, event.minutes, values, pressure, self._weights)


class _FeltEvents:
    """The records that the laws feel events in: how things stand, one event as a log, and all events before."""

    def __init__(self, scenario: Scenario) -> None:
        self.names, self.tables, self.sizes = names_of(scenario), build_tables(scenario), sizes_of(scenario)
        self.log, self.moments = new_log(self.sizes), new_plain(EveningMoments, {**self.sizes, HAPPENINGS: 0})
        self.places: dict[str, int] = {}

    def feel(self, world: WorldState, event: Event) -> tuple[Components, float]:
        """The components of an event, and its pressure without the clock."""
        self._look_on(world, event)
        self._write(event)
        tables, log, moments, at = self.tables, self.log, self.moments, self.moments.events
        laws.read_changes(tables, log, 0, log.settled, moments)
        source, room = log.event_source[0], log.event_room[0]
        present = sum(1 << who for who, place in enumerate(moments.room) if place == room)
        irony, gap = laws.irony_and_gap(tables, present, moments.people[at], moments)
        heard = self.places.get(event.details.get("heard", ""))
        danger = danger_of(
            event.type, moments.loss, moments.public != 0, 0.0 if heard is None else moments.danger[heard]
        )
        pressure = laws.pressure_on(tables, source, moments)
        values = Components(
            danger=danger,
            time_pressure=max(clock_of(event.minutes, tables.last_minute), pressure),
            goal_frustration=laws.frustration(tables, source, room, moments),
            relationship_volatility=laws.volatility(tables, moments),
            information_gap=gap,
            resource_scarcity=laws.scarcity(tables, log, 0, moments),
            moral_cost=laws.moral_cost(tables, log, 0, moments),
            irony_density=irony,
        )
        moments.danger[at], moments.events, self.places[event.id] = danger, at + 1, at
        return values, pressure

    def _look_on(self, world: WorldState, event: Event) -> None:
        """Write how things stand before an event, and the event's place."""
        names, moments, at = self.names, self.moments, self.moments.events
        laws.look_on(world.evening, self.tables, moments)
        if at == len(moments.place):
            more = new_plain(EveningMoments, {**self.sizes, HAPPENINGS: _ROOM})
            for part in parts_of(EveningMoments):
                if part.shape[:1] == (HAPPENINGS,):
                    getattr(moments, part.name).extend(getattr(more, part.name))
        moments.tick = moments.happened_at[at] = event.tick
        moments.place[at] = names.place[event.room]
        moments.people[at] = sum(1 << names.person[who] for who in event.participants)

    def _write(self, event: Event) -> None:
        """Write an event as the first row of the log, as far as the laws of tension read it."""
        names, log = self.names, self.log
        log.events, log.event_delta[0], log.event_strain[0] = 1, 0, 0
        log.event_kind[0], log.event_source[0] = int(event.type), names.person[event.source]
        log.event_targets[0] = sum(1 << names.person[who] for who in event.targets)
        log.event_room[0] = names.place[event.room]
        log.event_act[0] = names.act.get(f"move:{event.destination}", NONE)
        log.event_secret[0] = names.secret.get(event.secret or "", NONE)
        log.event_out[0] = names.secret.get(event.details.get("told", ""), NONE)
        felt = [delta for delta in event.deltas if delta.kind in ("bond", "belief")]
        for row, delta in enumerate(felt):
            places = names.person if delta.kind == "bond" else names.secret
            log.delta_part[row] = part_number(delta.attribute or delta.kind)
            log.delta_agent[row], log.delta_key[row] = names.person[delta.agent], places[delta.key]
            log.delta_before[row], log.delta_after[row] = delta.before or 0.0, delta.after
        for row, strain in enumerate(event.strains):
            log.strain_agent[row], log.strain_number[row] = names.person[strain.agent], STRAINED.index(strain.number)
            log.strain_amount[row] = strain.amount
        log.deltas = log.settled = len(felt)
        log.strains = len(event.strains)


def _event_tension(
    event: str, minutes: float, values: Components, pressure: float, weights: Components
) -> EventTension:
    without = values._replace(time_pressure=pressure)
    return EventTension(
        event, minutes, values, pressure, weighted_mean(values, weights), weighted_mean(without, weights)
    )


def _mean(values: Sequence[float]) -> float:
    return mean_of(sum(values), len(values))
