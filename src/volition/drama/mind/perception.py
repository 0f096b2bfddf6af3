"""What an agent decides from: itself, and what it perceives and believes of the world.

Candidates and terms read the agent's own state, this perception and the scenario's definition, and nothing else. With
`knowledge = "perceived"` a perception contains only what the agent can see, remember or guess, so changing anything else
cannot change its decision. With "omniscient", the reading of the specification, it contains others' beliefs and places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from volition.drama.rules.catalog import CATASTROPHE, CONFLICT, GOALS, REVEAL, SOCIAL_MOVE, Belief, EventType
from volition.drama.rules.pacing import barred_by_budget, barred_by_recovery
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import AgentState, Happening, WorldState

    Pair = tuple[str, str]
    Places = dict[str, tuple[str, ...]]

_SECRECY, _STATUS, _TRUTH = GOALS.index("secrecy"), GOALS.index("status"), GOALS.index("truth_seeking")
_CLASH = (CONFLICT, CATASTROPHE)
_SCENE = (CONFLICT, CATASTROPHE, REVEAL)
_SUSPECTS, _BELIEVES_TRUE = Belief.SUSPECTS, Belief.BELIEVES_TRUE


class PerceivedState(NamedTuple):
    """The world as one agent perceives it this tick.

    `known_by` contains (person, secret) if the agent thinks that the person knows the secret; `curious` contains those to
    whom a lie about it may be worth telling. `occupants` are the people thought to be in this and the adjacent rooms,
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
    """What the agent perceives, by the scenario's setting for knowledge."""
    me, people = world.agents[agent_id], world.scenario.people
    omniscient = world.scenario.rules["departures"]["knowledge"] == "omniscient"
    view = _Omniscient(world, me, tables) if omniscient else _Perceiving(world, me, tables)
    at_risk = view.secret_at_risk()
    exposure = view.secret_exposure(at_risk)
    return PerceivedState(
        world.tick,
        world.minutes,
        me.location,
        view.visible,
        view.occupants,
        view.movers(),
        frozenset(view.known_by()),
        frozenset(view.worth_lying_to()),
        {other: people[other].goals[_STATUS] for other in view.visible},
        view.status_threat(),
        exposure,
        view.challenged(),
        view.saw_a_scene(),
        view.pending(at_risk),
        world.course_served,
    )


class _View:
    """What both kinds of knowledge have in common."""

    scenes: tuple[EventType, ...] = _CLASH
    visible: tuple[str, ...]
    occupants: Places

    def __init__(self, world: WorldState, me: AgentState, tables: Tables) -> None:
        self.world, self.me, self.tables = world, me, tables
        self.person = world.scenario.people[me.id]
        self.true = [secret for secret, belief in me.beliefs.items() if belief == _BELIEVES_TRUE]
        self.rooms = (me.location, *world.scenario.rooms[me.location].adjacent)

    def within(self, ticks: float) -> list[Happening]:
        tick = self.world.tick
        return [happening for happening in self.world.recent if 0 < tick - happening.tick <= ticks]

    def here(self, ticks: float) -> list[Happening]:
        return [happening for happening in self.within(ticks) if happening.room == self.me.location]

    def saw_a_scene(self) -> bool:
        return any(happening.type in self.scenes for happening in self.here(self.tables.memory.conflict))

    def noticed_events(self, ticks: float) -> list[Happening]:
        """What happened in the last ticks, as far as the agent knows."""
        raise NotImplementedError

    def movers(self) -> Places:
        """Those who just went to each room, in that order."""
        gone: Places = dict.fromkeys(self.rooms, ())
        for happening in self.noticed_events(self.tables.memory.move):
            room, who = happening.destination, happening.source
            if happening.type == SOCIAL_MOVE and room in gone and who != self.me.id and who not in gone[room]:
                gone[room] += (who,)
        return gone

    def curious(self) -> list[Pair]:
        """People present to whom a lie about a secret may be worth telling, as far as the agent knows."""
        raise NotImplementedError

    def worth_lying_to(self) -> Iterable[Pair]:
        """The curious, if the agent keeps secrets; only those who recently asked, if a lie needs a question."""
        if self.person.goals[_SECRECY] < self.tables.candidates.lie_secrecy:
            return ()
        if not self.tables.departures.lie_when_asked:
            return self.curious()
        return self.recent_questions(self.tables.departures.lie_ticks).intersection(self.curious())

    def recent_questions(self, ticks: float) -> set[Pair]:
        """The questions of the last ticks, as (asker, secret)."""
        return {question for question, tick in self.me.questions.items() if self.world.tick - tick <= ticks}


class _Omniscient(_View):
    """The reading of the specification: minds see others' places and beliefs as they are."""

    def __init__(self, world: WorldState, me: AgentState, tables: Tables) -> None:
        super().__init__(world, me, tables)
        agents = world.agents
        self.occupants = dict.fromkeys(self.rooms, ())
        for name, other in agents.items():
            if other.location in self.occupants and name != me.id:
                self.occupants[other.location] += (name,)
        self.visible = self.occupants[me.location]
        self.pairs = [(other, secret) for other in self.visible for secret in self.true]
        self.beliefs = [agents[other].beliefs.get(secret) for other, secret in self.pairs]

    def noticed_events(self, ticks: float) -> list[Happening]:
        return self.within(ticks)

    def known_by(self) -> list[Pair]:
        return [pair for pair, belief in zip(self.pairs, self.beliefs, strict=True) if belief == _BELIEVES_TRUE]

    def curious(self) -> list[Pair]:
        people, least = self.world.scenario.people, self.tables.candidates.lie_curiosity
        return [
            pair
            for pair, belief in zip(self.pairs, self.beliefs, strict=True)
            if belief == _SUSPECTS or people[pair[0]].goals[_TRUTH] > least
        ]

    def status_threat(self) -> bool:
        flaws, emotions = self.tables.flaws, self.me.emotions
        return emotions["shame"] > flaws.threat_shame or emotions["anger"] > flaws.threat_anger

    def secret_at_risk(self) -> bool:
        return _SUSPECTS in self.beliefs or _BELIEVES_TRUE in self.beliefs

    def secret_exposure(self, at_risk: bool) -> bool:
        return at_risk

    def challenged(self) -> bool:
        return bool(self.visible)

    def pending(self, at_risk: bool) -> bool:
        return at_risk and self.person.goals[_SECRECY] > self.tables.movement.pending_secrecy


class _Perceiving(_View):
    """What the agent sees, was told, or remembers."""

    scenes: tuple[EventType, ...] = _SCENE

    def __init__(self, world: WorldState, me: AgentState, tables: Tables) -> None:
        super().__init__(world, me, tables)
        here = me.location
        self.visible = tuple([name for name, other in world.agents.items() if other.location == here and name != me.id])
        self.occupants = dict.fromkeys(self.rooms, ())
        for other, (room, _) in me.sightings.items():
            if room in self.occupants and other not in self.visible:
                self.occupants[room] += (other,)
        self.occupants[here] = self.visible

    def here(self, ticks: float) -> list[Happening]:
        """What recently happened here in the agent's presence; newcomers have not seen what happened before."""
        return [happening for happening in super().here(ticks) if self.me.id in happening.seen_by]

    def noticed_events(self, ticks: float) -> list[Happening]:
        return self.here(ticks)

    def known_by(self) -> set[Pair]:
        return self.me.knows

    def curious(self) -> list[Pair]:
        lied, knows = self.me.lied, self.me.knows
        pairs = [(other, secret) for other in self.visible for secret in self.true]
        return [pair for pair in pairs if pair not in lied and pair not in knows]

    def status_threat(self) -> bool:
        """Recently and here: a confrontation with me, a truth about me that came out, or a challenge by somebody of standing."""
        secrets, me = self.world.scenario.secrets, self.me.id
        for happening in self.here(self.tables.memory.challenge):
            if happening.type == CONFLICT and me in happening.targets:
                return True
            if happening.secret is not None and happening.type in _SCENE and secrets[happening.secret].about == me:
                return True
        people = self.world.scenario.people
        return any(people[other].goals[_STATUS] >= self.person.goals[_STATUS] for other in self._challengers())

    def _challengers(self) -> list[str]:
        """People present who recently confronted or questioned me."""
        asked = {asker for asker, _ in self.recent_questions(self.tables.memory.challenge)}
        tick, ticks = self.world.tick, self.tables.memory.challenge
        confronted = {other for other, when in self.me.confronted_by.items() if tick - when <= ticks}
        return [other for other in self.visible if other in asked or other in confronted]

    def secret_at_risk(self) -> bool:
        """Somebody asked about a secret that I know, or somebody present whom I do not trust knows it."""
        secrets, true = self.world.scenario.secrets, self.true
        for asker, secret in self.recent_questions(self.tables.memory.question):
            if secret in true and asker not in secrets[secret].holders:
                return True
        return any(
            (other, secret) in self.me.knows
            and other not in secrets[secret].holders
            and self.me.bonds[other].trust <= self.tables.movement.pending_trust
            for other in self.visible
            for secret in true
        )

    def secret_exposure(self, at_risk: bool) -> bool:
        """A secret is at risk, or one that I hold would hurt somebody present."""
        if at_risk:
            return True
        held = [secret for secret in self.world.scenario.secrets.values() if self.me.id in secret.holders]
        return any(secret.harm.get(other, 0.0) > 0.0 for secret in held for other in self.visible)

    def challenged(self) -> bool:
        since = self.me.challenged
        return since is not None and self.world.tick - since <= self.tables.memory.challenge

    def pending(self, at_risk: bool) -> bool:
        if not (self._late_enough() and self._able()):
            return False
        if at_risk and self.person.goals[_SECRECY] > self.tables.movement.pending_secrecy:
            return True
        return bool(self.tables.departures.pending_strict) and self._confidant()

    def _able(self) -> bool:
        """Whether the gates would let a dramatic act pass."""
        pacing, table = self.me.pacing, self.tables.pacing
        budget = barred_by_budget(True, pacing.dramatic_budget, table)
        return not (budget or barred_by_recovery(True, pacing.recovery_timer))

    def _late_enough(self) -> bool:
        departures = self.tables.departures
        return not departures.pending_strict or self.world.minutes >= departures.pending_minutes

    def _confidant(self) -> bool:
        """Whether somebody present or last seen elsewhere is trusted, and thought not to know something that may be told."""
        sealed = self.person.concealed
        untold = [secret for secret in self.true if secret not in sealed]
        elsewhere = [other for other, (room, _) in self.me.sightings.items() if room != DEPARTED]
        return any(
            self.me.bonds[other].trust > self.tables.movement.pending_trust and (other, secret) not in self.me.knows
            for other in {*self.visible, *elsewhere}
            for secret in untold
        )
