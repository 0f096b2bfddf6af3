"""What an agent perceives, each part against its definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from tests.drama.mind.departing import departing_worlds, present
from volition.drama.mind.perception import perceive
from volition.drama.rules.catalog import GOALS, Belief, EventType
from volition.drama.rules.tables import tables_of

if TYPE_CHECKING:
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import AgentState, WorldState

SECRECY, TRUTH = GOALS.index("secrecy"), GOALS.index("truth_seeking")
SCENES = {
    "omniscient": (EventType.CONFLICT, EventType.CATASTROPHE),
    "perceived": (EventType.CONFLICT, EventType.CATASTROPHE, EventType.REVEAL),
}


def knowledge(world: WorldState) -> str:
    return str(world.scenario.rules["departures"]["knowledge"])


def visible(world: WorldState, me: AgentState) -> tuple[str, ...]:
    return tuple(id for id, other in world.agents.items() if id != me.id and other.location == me.location)


def held_true(me: AgentState) -> list[str]:
    return [secret for secret, belief in me.beliefs.items() if belief == Belief.BELIEVES_TRUE]


@pytest.mark.req("DE-16")
@settings(max_examples=150, deadline=None)
@given(departing_worlds())
def test_places(world: WorldState) -> None:
    """The omniscient see who is next door and who went there; others go by what they last saw, and saw leave."""
    tables = tables_of(world.scenario.rules)
    for me in present(world):
        perceived, here = perceive(world, me.id, tables), visible(world, me)
        rooms = {me.location, *world.scenario.rooms[me.location].adjacent}
        places = {id: other.location for id, other in world.agents.items() if id != me.id}
        moves = [
            happening
            for happening in world.recent
            if happening.type == EventType.SOCIAL_MOVE and 1 <= world.tick - happening.tick <= tables.memory.move
        ]
        if knowledge(world) == "perceived":
            places = {id: room for id, (room, _) in me.sightings.items() if id not in here and room != me.location}
            places |= dict.fromkeys(here, me.location)
            moves = [happening for happening in moves if happening.room == me.location]
        assert perceived.visible_agents == here
        assert {room: set(there) for room, there in perceived.occupants.items()} == {
            room: {id for id, place in places.items() if place == room} for room in rooms
        }
        for room in rooms:
            movers = [move.source for move in moves if move.destination == room and move.source != me.id]
            assert perceived.movers[room] == tuple(dict.fromkeys(movers))


@pytest.mark.req("DE-16")
@settings(max_examples=150, deadline=None)
@given(departing_worlds())
def test_secrets(world: WorldState) -> None:
    """Who knows and who may be lied to: as it is for the omniscient, and for others as they think."""
    tables = tables_of(world.scenario.rules)
    for me in present(world):
        perceived = perceive(world, me.id, tables)
        pairs = [(other, secret) for other in visible(world, me) for secret in held_true(me)]
        beliefs = {(other, secret): world.agents[other].beliefs[secret] for other, secret in pairs}
        truth = {id: person.goals[TRUTH] for id, person in world.scenario.people.items()}
        if knowledge(world) == "perceived":
            known = me.knows
            curious = {pair for pair in pairs if pair not in me.knows and pair not in me.lied}
        else:
            least = tables.candidates.lie_curiosity
            known = {pair for pair in pairs if beliefs[pair] == Belief.BELIEVES_TRUE}
            curious = {pair for pair in pairs if beliefs[pair] == Belief.SUSPECTS or truth[pair[0]] > least}
        asked = {pair for pair, tick in me.questions.items() if world.tick - tick <= tables.departures.lie_ticks}
        secretive = world.scenario.people[me.id].goals[SECRECY] >= tables.candidates.lie_secrecy
        assert tables.departures.lie_when_asked
        assert perceived.known_by == known
        assert perceived.curious == (curious & asked if secretive else set())


def at_risk(world: WorldState, me: AgentState, tables: Tables) -> bool:
    """Somebody here may find out, or has, or would be hurt by it."""
    here, true = visible(world, me), held_true(me)
    if knowledge(world) == "omniscient":
        found = (Belief.SUSPECTS, Belief.BELIEVES_TRUE)
        return any(world.agents[other].beliefs[secret] in found for other in here for secret in true)
    asked = [secret for (_, secret), tick in me.questions.items() if world.tick - tick <= tables.memory.question]
    mine = [secret for secret in world.scenario.secrets.values() if me.id in secret.holders]
    hurt = [secret.id for secret in mine for other in here if secret.harm[other] > 0.0]
    return bool(set(asked) & set(true)) or bool(hurt)


@pytest.mark.req("DE-16")
@settings(max_examples=150, deadline=None)
@given(departing_worlds())
def test_readings_of_the_scene(world: WorldState) -> None:
    """Threat, risk, challenge, scenes and what is pending follow from what either way of knowing can tell."""
    tables = tables_of(world.scenario.rules)
    for me in present(world):
        perceived, here = perceive(world, me.id, tables), visible(world, me)
        omniscient, feels, person = knowledge(world) == "omniscient", me.emotions, world.scenario.people[me.id]
        late = world.minutes >= tables.departures.pending_minutes
        risk = at_risk(world, me, tables)
        secretive = person.goals[SECRECY] > tables.movement.pending_secrecy
        if omniscient:
            challenged = bool(here)
            threat = feels["shame"] > tables.flaws.threat_shame or feels["anger"] > tables.flaws.threat_anger
            pending = risk and secretive
        else:
            sealed = {vow.secret for vow in person.commitments if vow.kind == "conceal"}
            untold = [
                other
                for other in here
                for secret in held_true(me)
                if me.bonds[other].trust > tables.movement.pending_trust
                and secret not in sealed
                and (other, secret) not in me.knows
            ]
            challenged = me.challenged is not None and world.tick - me.challenged <= tables.memory.challenge
            threat = feels["shame"] > tables.flaws.threat_shame or challenged
            pending = late and ((risk and secretive) or bool(untold))
        scenes = [
            happening
            for happening in world.recent
            if 1 <= world.tick - happening.tick <= tables.memory.conflict
            and happening.room == me.location
            and happening.type in SCENES[knowledge(world)]
        ]
        assert tables.departures.pending_strict
        assert (perceived.status_threat, perceived.secret_at_risk, perceived.challenged) == (threat, risk, challenged)
        assert (perceived.pending, perceived.recent_conflict_at_location) == (pending, bool(scenes))
