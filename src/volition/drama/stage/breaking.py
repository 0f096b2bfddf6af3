"""Catastrophes on the stage: who breaks in this tick, and what an outburst does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import EMOTIONS, FLAWS, Belief
from volition.drama.rules.catastrophe import Breakdown, breakdown, breaks, peak_emotion, potential, threshold
from volition.drama.rules.physics import clamp, clash_stress
from volition.drama.stage.changes import pace_of
from volition.drama.stage.learning import tell
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.rules.tables import Tables
    from volition.drama.stage.scribe import EventScribe
    from volition.drama.world.model import AgentState, Secret, WorldState


def find_breaking(world: WorldState, tables: Tables) -> list[str]:
    """Who breaks in this tick, in order of potential; the second is determined with the stress that the first one causes."""
    physics, rise = tables.physics, tables.departures.threshold_rise
    broken: list[str] = []
    while len(broken) < physics.catastrophe_at_once:
        limit = threshold(world.catastrophes + len(broken), rise, physics)
        near = {}
        for me in world.agents.values():
            if me.location == DEPARTED or me.id in broken:
                continue
            pace = pace_of(me)
            pace = pace._replace(stress=clamp(pace.stress + _spilled_stress(world, me, broken, tables), 0.0, 1.0))
            if breaks(pace, limit, physics):
                near[me.id] = potential(pace.stress, pace.commitment, pace.suppression, physics)
        if not near:
            break
        broken.append(max(near, key=lambda id: near[id]))
    return broken


def _spilled_stress(world: WorldState, me: AgentState, broken: list[str], tables: Tables) -> float:
    """The stress that earlier outbursts of this tick cause somebody."""
    rooms, gain = world.scenario.rooms, 0.0
    for other in broken:
        room = world.agents[other].location
        present, overhears = room == me.location, room in rooms[me.location].overhears
        gain += clash_stress(present, present, overhears, tables.physics)
    return gain * world.scenario.people[me.id].sensitivity


def burst(scribe: EventScribe, who: str) -> None:
    """Let somebody break in front of all present: trust is lost, emotions rise, and the weightiest untold secret is told."""
    world, tables, acts = scribe.world, scribe.tables, scribe.tables.acts
    me = world.agents[who]
    present = [other for other in scribe.in_room(me.location) if other != who]
    scribe.details["breakdown"] = kind_of(world, me)
    scribe.clash(me.location, frozenset((who, *present)), "catastrophe")
    for other in present:
        lost = scribe.between(acts.outburst_trust_from, acts.outburst_trust_to, who, "outburst", other)
        hurt = scribe.between(acts.outburst_others_from, acts.outburst_others_to, other, "outburst", who)
        scribe.trust(who, other, -lost, "broke")
        scribe.trust(other, who, -hurt, "saw an outburst")
        if tables.departures.feelings:
            scribe.emotion(other, "fear", tables.feelings.outburst_fear, "saw an outburst")
    if tables.departures.feelings:
        anger = max(me.emotions["anger"], tables.feelings.outburst_anger)
        scribe.change("emotion", who, anger, "broke", "anger")
        scribe.emotion(who, "shame", tables.feelings.outburst_shame, "broke")
    if (secret := _weightiest_untold(world, me, present)) is not None:
        scribe.details["told"] = secret.id
        tell(scribe, secret, who, present, "burst out")
    scribe.change("broken", who, True, "broke")
    for other in (who, *present):
        scribe.change("last_scene", other, world.minutes, "saw an outburst")
    scribe.change("world", "", world.catastrophes + 1, "broke", "catastrophes")


def kind_of(world: WorldState, me: AgentState) -> str:
    """How somebody breaks: by their strongest flaw and their strongest emotion."""
    flaws = world.scenario.people[me.id].flaws
    dominant = max(flaws, key=lambda flaw: flaw.strength)
    emotions = [me.emotions[emotion] for emotion in EMOTIONS]
    return Breakdown(breakdown(FLAWS.index(dominant.kind), peak_emotion(tuple(emotions)))).name.lower()  # type: ignore[arg-type]


def _weightiest_untold(world: WorldState, me: AgentState, present: list[str]) -> Secret | None:
    """The weightiest secret that somebody knows and thinks that somebody present does not know."""
    untold = [
        secret
        for secret in world.scenario.secrets.values()
        if me.beliefs[secret.id] == Belief.BELIEVES_TRUE and any((who, secret.id) not in me.knows for who in present)
    ]
    return max(untold, key=lambda secret: secret.weight, default=None)
