"""What an agent perceives, each part against its definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from tests.drama.mind.departing import departing_worlds, present
from tests.drama.mind.perceived import perceive
from volition.drama.rules.catalog import GOALS, Belief, EventType
from volition.drama.rules.tables import tables_of
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import Happening

STATUS, SECRECY, TRUTH = (GOALS.index(goal) for goal in ("status", "secrecy", "truth_seeking"))
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
@settings(deadline=None)
@given(departing_worlds())
def test_places(world: WorldState) -> None:
    """The omniscient see who is next door and who went there; others rely on what they last saw."""
    tables = tables_of(world.scenario.rules)
    for me in present(world):
        perceived, here = perceive(world, me.id), visible(world, me)
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
            moves = [move for move in moves if move.room == me.location and me.id in move.seen_by]
        assert perceived.visible_agents == here
        assert {room: set(there) for room, there in perceived.occupants.items()} == {
            room: {id for id, place in places.items() if place == room} for room in rooms
        }
        for room in rooms:
            movers = [move.source for move in moves if move.destination == room and move.source != me.id]
            assert set(perceived.movers[room]) == set(movers)


@pytest.mark.req("DE-16")
@settings(deadline=None)
@given(departing_worlds())
def test_secrets(world: WorldState) -> None:
    """Who knows and who may be lied to: the facts for the omniscient, and beliefs for others."""
    tables = tables_of(world.scenario.rules)
    for me in present(world):
        perceived = perceive(world, me.id)
        pairs = [(other, secret) for other in visible(world, me) for secret in held_true(me)]
        beliefs = {(other, secret): world.agents[other].beliefs[secret] for other, secret in pairs}
        truth = {id: person.goals[TRUTH] for id, person in world.scenario.people.items()}
        if knowledge(world) == "perceived":
            known = thought(world, me)
            curious = {pair for pair in pairs if pair not in known and pair not in me.lied}
        else:
            least = tables.candidates.lie_curiosity
            known = {pair for pair in pairs if beliefs[pair] == Belief.BELIEVES_TRUE}
            curious = {pair for pair in pairs if beliefs[pair] == Belief.SUSPECTS or truth[pair[0]] > least}
        asked = {pair for pair, tick in me.questions.items() if world.tick - tick <= tables.departures.lie_ticks}
        asked |= me.suspects
        secretive = world.scenario.people[me.id].goals[SECRECY] >= tables.candidates.lie_secrecy
        assert tables.departures.lie_when_asked
        assert perceived.known_by == known
        assert perceived.curious == (curious & asked if secretive else set())


def thought(world: WorldState, me: AgentState) -> set[tuple[str, str]]:
    """Who is thought to know what: those who were told before one, and the holders of what one knows."""
    secrets = world.scenario.secrets
    holding = {(other, secret) for secret in held_true(me) for other in secrets[secret].holders if other != me.id}
    return {*me.knows, *holding}


def of_late(world: WorldState, me: AgentState, ticks: int) -> list[Happening]:
    """What happened here within so many ticks: everything for the omniscient, for others what they saw."""
    return [
        happening
        for happening in world.recent
        if 1 <= world.tick - happening.tick <= ticks
        and happening.room == me.location
        and (knowledge(world) == "omniscient" or me.id in happening.seen_by)
    ]


def at_risk(world: WorldState, me: AgentState, tables: Tables) -> bool:
    """Somebody may find out, or has: a non-holder asked, or is here, knows it and is not trusted."""
    here, true, secrets = visible(world, me), held_true(me), world.scenario.secrets
    if knowledge(world) == "omniscient":
        found = (Belief.SUSPECTS, Belief.BELIEVES_TRUE)
        return any(world.agents[other].beliefs[secret] in found for other in here for secret in true)
    risky = {pair for pair, tick in me.questions.items() if world.tick - tick <= tables.memory.question}
    risky |= {pair for pair in me.suspects if pair[0] in here}
    risky |= {
        (other, secret)
        for other, secret in me.knows
        if other in here and me.bonds[other].trust <= tables.movement.pending_trust
    }
    return any(secret in true and other not in secrets[secret].holders for other, secret in risky)


def exposed(world: WorldState, me: AgentState, tables: Tables) -> bool:
    """The same; with perception, also in the presence of somebody whom it would hurt."""
    mine = [secret for secret in world.scenario.secrets.values() if me.id in secret.holders]
    hurt = any(secret.harm[other] > 0.0 for secret in mine for other in visible(world, me))
    return at_risk(world, me, tables) or (hurt and knowledge(world) == "perceived")


def threatened(world: WorldState, me: AgentState, tables: Tables) -> bool:
    """Shame and anger stand for the threat; with perception, it is what recently lowered them in others' eyes here."""
    if knowledge(world) == "omniscient":
        feels, flaws = me.emotions, tables.flaws
        return feels["shame"] > flaws.threat_shame or feels["anger"] > flaws.threat_anger
    ticks, people = tables.memory.challenge, world.scenario.people
    shaming = [
        secret.id
        for secret in world.scenario.secrets.values()
        if secret.about == me.id or me.id in secret.holders or secret.harm.get(me.id, 0.0) > 0.0
    ]
    for happening in of_late(world, me, ticks):
        quarrels = happening.type == EventType.CONFLICT and me.id in (happening.source, *happening.targets)
        breaks = happening.type == EventType.CATASTROPHE and me.id == happening.source
        if quarrels or breaks or (happening.failed and me.id == happening.source):
            return True
        if happening.type in SCENES["perceived"] and happening.secret in shaming:
            return True
    asked = {other for (other, _), tick in me.questions.items() if world.tick - tick <= ticks}
    confronted = {other for other, tick in me.confronted_by.items() if world.tick - tick <= ticks}
    rivals = (asked | confronted) & set(visible(world, me))
    return any(people[rival].goals[STATUS] >= people[me.id].goals[STATUS] for rival in rivals)


def pending(world: WorldState, me: AgentState, tables: Tables) -> bool:
    """The secretive whose secret is at risk; with perception, not early, only with open gates, or with a confidant."""
    person = world.scenario.people[me.id]
    keeps = at_risk(world, me, tables) and person.goals[SECRECY] > tables.movement.pending_secrecy
    if knowledge(world) == "omniscient":
        return keeps
    early = world.minutes < tables.departures.pending_share * world.scenario.evening.minutes
    if early or me.pacing.recovery_timer > 0 or me.pacing.dramatic_budget < tables.pacing.budget_minimum:
        return False
    sealed = {vow.secret for vow in person.commitments if vow.kind == "conceal"}
    within = {*visible(world, me), *(other for other, (room, _) in me.sightings.items() if room != DEPARTED)}
    trusted = [other for other in within if me.bonds[other].trust > tables.movement.pending_trust]
    untold = {(other, secret) for other in trusted for secret in held_true(me) if secret not in sealed}
    return keeps or bool(untold - thought(world, me))


@pytest.mark.req("DE-16")
@settings(deadline=None)
@given(departing_worlds())
def test_readings_of_the_scene(world: WorldState) -> None:
    """Threat, risk, challenge, scenes and pending acts follow from either kind of knowledge."""
    tables = tables_of(world.scenario.rules)
    assert tables.departures.pending_strict
    for me in present(world):
        perceived = perceive(world, me.id)
        if knowledge(world) == "omniscient":
            challenged = bool(visible(world, me))
        else:
            challenged = me.challenged is not None and world.tick - me.challenged <= tables.memory.challenge
        scenes = [one for one in of_late(world, me, tables.memory.conflict) if one.type in SCENES[knowledge(world)]]
        assert perceived.status_threat == threatened(world, me, tables)
        assert perceived.secret_at_risk == exposed(world, me, tables)
        assert perceived.challenged == challenged
        assert perceived.recent_conflict_at_location == bool(scenes)
        assert perceived.pending == pending(world, me, tables)


def test_random_evenings_have_every_reading() -> None:
    """With perception, each flag is seen both true and false, and each of its reasons alone."""
    readings: set[tuple[bool, ...]] = set()

    @settings(max_examples=150, database=None, derandomize=True, deadline=None)
    @given(departing_worlds())
    def look(world: WorldState) -> None:
        tables = tables_of(world.scenario.rules)
        for me in present(world):
            if knowledge(world) == "perceived":
                threat, risk, exposure = (part(world, me, tables) for part in (threatened, at_risk, exposed))
                accused = any(
                    one.type == EventType.CONFLICT and me.id in (one.source, *one.targets)
                    for one in of_late(world, me, tables.memory.challenge)
                )
                readings.add((threat, accused, risk, exposure, pending(world, me, tables)))

    look()
    assert {reading[:2] for reading in readings} == {(False, False), (True, False), (True, True)}
    assert {reading[2:4] for reading in readings} == {(False, False), (False, True), (True, True)}
    assert {reading[4] for reading in readings if not reading[2]} == {False, True}
