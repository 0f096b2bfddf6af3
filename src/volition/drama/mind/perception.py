"""What an agent decides from: itself, and what it perceives and believes of the world.

Candidates and terms read the agent's own state, this perception and the scenario's definition, and nothing else of the
world. With `knowledge = "perceived"` nothing goes in here that the agent cannot see, remember or guess, so changing
anything else cannot change its decision. With "omniscient", the specification's own reading, others' beliefs and places
are read directly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from volition.drama.rules.catalog import CATASTROPHE, CONFLICT, GOALS, REVEAL, SOCIAL_MOVE, Belief, EventType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import AgentState, Happening, WorldState

_SECRECY, _STATUS, _TRUTH = GOALS.index("secrecy"), GOALS.index("status"), GOALS.index("truth_seeking")
_CLASH = (CONFLICT, CATASTROPHE)
_SCENE = (CONFLICT, CATASTROPHE, REVEAL)


@dataclass(frozen=True, slots=True)
class PerceivedState:
    """The world as one agent has it this tick.

    `known_by` holds (person, secret) where the person is taken to know the secret; `curious` the same for those to whom
    a lie about it may be worth telling. `occupants` are the people taken to be in this and the adjacent rooms,
    `movers` those who just went there. `standing` is the public status of those present.
    """

    tick: int
    minutes: float
    room: str
    visible_agents: tuple[str, ...]
    occupants: Mapping[str, tuple[str, ...]]
    movers: Mapping[str, tuple[str, ...]]
    known_by: frozenset[tuple[str, str]]
    curious: frozenset[tuple[str, str]]
    standing: Mapping[str, float]
    status_threat: bool
    secret_at_risk: bool
    challenged: bool
    recent_conflict_at_location: bool
    pending: bool
    course_served: float | None


def perceive(world: WorldState, agent_id: str, tables: Tables) -> PerceivedState:
    """Build what the agent perceives, by the scenario's setting for knowledge."""
    me = world.agents[agent_id]
    visible = tuple(
        other for other in world.agents if other != agent_id and world.agents[other].location == me.location
    )
    omniscient = world.scenario.rules["departures"]["knowledge"] == "omniscient"
    view = _Omniscient(world, me, visible, tables) if omniscient else _Perceiving(world, me, visible, tables)
    rooms = (me.location, *world.scenario.rooms[me.location].adjacent)
    people = world.scenario.people
    return PerceivedState(
        world.tick,
        world.minutes,
        me.location,
        visible,
        {room: view.occupants(room) for room in rooms},
        {room: view.movers(room) for room in rooms},
        frozenset(view.known_by()),
        frozenset(view.worth_lying_to()),
        {other: people[other].goals[_STATUS] for other in visible},
        view.status_threat(),
        view.secret_at_risk(),
        view.challenged(),
        any(happening.type in view.scenes for happening in view.here(tables.memory.conflict)),
        view.pending(),
        world.course_served,
    )


class _View:
    """What both ways of knowing share."""

    scenes: tuple[EventType, ...] = _CLASH

    def __init__(self, world: WorldState, me: AgentState, visible: tuple[str, ...], tables: Tables) -> None:
        self.world, self.me, self.visible, self.tables = world, me, visible, tables
        self.person = world.scenario.people[me.id]
        self.true = [secret for secret, belief in me.beliefs.items() if belief == Belief.BELIEVES_TRUE]

    def within(self, ticks: float) -> Iterator[Happening]:
        return (happening for happening in self.world.recent if 0 < self.world.tick - happening.tick <= ticks)

    def here(self, ticks: float) -> Iterator[Happening]:
        return (happening for happening in self.within(ticks) if happening.room == self.me.location)

    def curious(self) -> Iterator[tuple[str, str]]:
        """Those present to whom a lie about a secret may be worth telling, as far as this way of knowing can tell."""
        raise NotImplementedError

    def worth_lying_to(self) -> Iterator[tuple[str, str]]:
        """The curious, for somebody who keeps secrets; only those who asked of late where a lie needs a question."""
        if self.person.goals[_SECRECY] < self.tables.candidates.lie_secrecy:
            return iter(())
        if not self.tables.departures.lie_when_asked:
            return self.curious()
        asked = set(self.asked(self.tables.departures.lie_ticks))
        return (pair for pair in self.curious() if pair in asked)

    def asked(self, ticks: float) -> Iterator[tuple[str, str]]:
        """The questions of the last ticks: (who asked, about which secret)."""
        return (question for question, tick in self.me.questions.items() if self.world.tick - tick <= ticks)


class _Omniscient(_View):
    """The specification's reading: minds see others' places and beliefs as they are."""

    def occupants(self, room: str) -> tuple[str, ...]:
        agents = self.world.agents
        return tuple(other for other in agents if other != self.me.id and agents[other].location == room)

    def movers(self, room: str) -> tuple[str, ...]:
        moves = (h for h in self.within(self.tables.memory.move) if h.type == SOCIAL_MOVE)
        return tuple(dict.fromkeys(h.source for h in moves if h.destination == room and h.source != self.me.id))

    def _holds(self, other: str, secret: str, *beliefs: Belief) -> bool:
        return self.world.agents[other].beliefs.get(secret) in beliefs

    def known_by(self) -> Iterator[tuple[str, str]]:
        return (
            (other, secret)
            for other in self.visible
            for secret in self.true
            if self._holds(other, secret, Belief.BELIEVES_TRUE)
        )

    def curious(self) -> Iterator[tuple[str, str]]:
        people = self.world.scenario.people
        return (
            (other, secret)
            for other in self.visible
            for secret in self.true
            if people[other].goals[_TRUTH] > self.tables.candidates.lie_curiosity
            or self._holds(other, secret, Belief.SUSPECTS)
        )

    def status_threat(self) -> bool:
        flaws, emotions = self.tables.flaws, self.me.emotions
        return emotions["shame"] > flaws.threat_shame or emotions["anger"] > flaws.threat_anger

    def secret_at_risk(self) -> bool:
        found = (Belief.SUSPECTS, Belief.BELIEVES_TRUE)
        return any(self._holds(other, secret, *found) for other in self.visible for secret in self.true)

    def challenged(self) -> bool:
        return bool(self.visible)

    def pending(self) -> bool:
        return self.person.goals[_SECRECY] > self.tables.movement.pending_secrecy and self.secret_at_risk()


class _Perceiving(_View):
    """What can be seen, was told, or is remembered."""

    scenes: tuple[EventType, ...] = _SCENE

    def occupants(self, room: str) -> tuple[str, ...]:
        if room == self.me.location:
            return self.visible
        seen = self.me.sightings
        return tuple(other for other, (where, _) in seen.items() if where == room and other not in self.visible)

    def movers(self, room: str) -> tuple[str, ...]:
        moves = (h for h in self.here(self.tables.memory.move) if h.type == SOCIAL_MOVE)
        return tuple(dict.fromkeys(h.source for h in moves if h.destination == room and h.source != self.me.id))

    def known_by(self) -> Iterator[tuple[str, str]]:
        return iter(self.me.knows)

    def curious(self) -> Iterator[tuple[str, str]]:
        done = self.me.lied | self.me.knows
        pairs = ((other, secret) for other in self.visible for secret in self.true)
        return (pair for pair in pairs if pair not in done)

    def status_threat(self) -> bool:
        return self.me.emotions["shame"] > self.tables.flaws.threat_shame or self.challenged()

    def secret_at_risk(self) -> bool:
        if any(secret in self.true for _, secret in self.asked(self.tables.memory.question)):
            return True
        held = (secret for secret in self.world.scenario.secrets.values() if self.me.id in secret.holders)
        return any(secret.harm.get(other, 0.0) > 0.0 for secret in held for other in self.visible)

    def challenged(self) -> bool:
        since = self.me.challenged
        return since is not None and self.world.tick - since <= self.tables.memory.challenge

    def pending(self) -> bool:
        movement = self.tables.movement
        if self.person.goals[_SECRECY] > movement.pending_secrecy and self.secret_at_risk():
            return self._late_enough()
        return bool(self.tables.departures.pending_strict) and self._late_enough() and self._confidant()

    def _late_enough(self) -> bool:
        departures = self.tables.departures
        return not departures.pending_strict or self.world.minutes >= departures.pending_minutes

    def _confidant(self) -> bool:
        """Somebody here is trusted, and not thought to know something that may be told."""
        sealed = {commitment.secret for commitment in self.person.commitments if commitment.kind == "conceal"}
        return any(
            self.me.bonds[other].trust > self.tables.movement.pending_trust and (other, secret) not in self.me.knows
            for other in self.visible
            for secret in self.true
            if secret not in sealed
        )
