"""The end of a tick: strains are applied, emotions fade, needs grow, and people see who is where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import CATASTROPHE, CONFLICT, DRAMATIC, EMOTIONS, SLAM, SOCIAL_MOVE
from volition.drama.rules.catastrophe import aftermath
from volition.drama.rules.passing import fade_fatigue, fade_grievance, need_after
from volition.drama.rules.physics import Tick, emotion_decay, end_of_tick, recovery_lock
from volition.drama.stage.changes import pace_of
from volition.drama.stage.scribe import draw_share
from volition.drama.stage.stance import is_upheld
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.drama.rules.tables import Tables
    from volition.drama.stage.events import Event
    from volition.drama.stage.scribe import EventScribe
    from volition.drama.world.model import AgentState, WorldState

_CLASH = (CONFLICT, CATASTROPHE)


def settle(scribe: EventScribe, events: Sequence[Event]) -> None:
    """Settle the end of the tick for everybody who has not left."""
    for me in scribe.here():
        _pace(scribe, me, events)
        _fade(scribe, me)
        _want(scribe, me)
    for me in scribe.here():
        _look(scribe, me, events)


def _pace(scribe: EventScribe, me: AgentState, events: Sequence[Event]) -> None:
    """Apply the strains of the tick's events; the aftermath of an outburst takes precedence."""
    physics = scribe.tables.physics
    pace = end_of_tick(pace_of(me), experience_of(scribe.world, me, events, scribe.tables), physics)
    if any(event.type == CATASTROPHE and event.source == me.id for event in events):
        pace = aftermath(pace, physics)
    scribe.change("pacing", me.id, tuple(pace), "end of tick")


def experience_of(world: WorldState, me: AgentState, events: Iterable[Event], tables: Tables) -> Tick:
    """What one person experienced in a tick, from its events alone."""
    asked = {"stress": 0.0, "commitment": 0.0, "budget": 0.0, "drinks": 0.0}
    lock, fought, unrest, dramatic = 0, False, False, False
    for event in events:
        for strain in event.strains:
            if strain.agent == me.id:
                asked[strain.number] += strain.amount
        if event.type in _CLASH:
            fought |= me.id == event.source or me.id in event.targets
            unrest |= fought or me.id in event.witnesses
        if event.source == me.id:
            slammed = event.manner == SLAM
            lock = max(lock, tables.physics.recovery_minor if slammed else recovery_lock(event.type, tables.physics))
            dramatic |= event.type in DRAMATIC or event.type == CATASTROPHE or slammed
    return Tick(
        stress_gain=asked["stress"],
        sensitivity=world.scenario.people[me.id].sensitivity,
        commitment_gain=asked["commitment"],
        cost=asked["budget"],
        lock=lock,
        drinks=int(asked["drinks"]),
        private=world.scenario.rooms[me.location].privacy >= tables.physics.private_from,
        fought=fought,
        unrest=unrest,
        dramatic=dramatic,
        upheld=is_upheld(world, me, tables),
    )


def _fade(scribe: EventScribe, me: AgentState) -> None:
    tables = scribe.tables
    faded = tuple([emotion_decay(me.emotions[emotion], tables.physics) for emotion in EMOTIONS])
    scribe.change("emotions", me.id, faded, "end of tick")
    for other, held in sorted(me.grievance.items()):
        scribe.change("grievance", me.id, fade_grievance(held, tables.grievance) or None, "end of tick", other)
    for other, tired in sorted(me.fatigue.items()):
        scribe.change("fatigue", me.id, fade_fatigue(tired, tables.grievance), "end of tick", other)


def _want(scribe: EventScribe, me: AgentState) -> None:
    tables, evening = scribe.tables, scribe.world.scenario.evening
    if not tables.departures.needs:
        return
    for need in evening.needs:
        rate = evening.need_rates.get(need, tables.wants.growth)
        pace = draw_share(scribe.seed, 0, me.id, "need", need)
        scribe.change("needs", me.id, need_after(me.needs[need], rate, pace, tables.wants), "end of tick", need)


def _look(scribe: EventScribe, me: AgentState, events: Sequence[Event]) -> None:
    """Let somebody see who is present, where others were seen going, and who is not where they were thought to be."""
    world, tick = scribe.world, scribe.world.tick
    gone = {
        event.source: event.destination for event in events if event.type == SOCIAL_MOVE and me.id in event.witnesses
    }
    for other in world.agents.values():
        if other.id == me.id:
            continue
        seen = me.sightings.get(other.id)
        if other.location == me.location:
            where: str | None = me.location
        elif other.id in gone:
            where = gone[other.id]
        elif other.location == DEPARTED and any(
            event.source == other.id and me.id in event.witnesses for event in events
        ):
            where = DEPARTED
        elif seen is not None and seen[0] == me.location:
            where = None
        else:
            continue
        if where is None:
            scribe.change("sightings", me.id, None, "looked", other.id)
        elif seen is None or seen[0] != where:
            scribe.change("sightings", me.id, (where, tick), "looked", other.id)
