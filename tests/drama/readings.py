"""Functions that the specification calls and never defines, one reading each; the literal engine uses them.

The readings are the simplest that the text allows: minds see everything, and feelings stand for the events that would
have caused them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from volition.drama.rules.catalog import DRAMATIC, Belief, EventType
from volition.drama.world.model import Action

if TYPE_CHECKING:
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Flaw, Person, Room, Secret


@dataclass(frozen=True, slots=True)
class PerceivedState:
    """What the literal engine asks of perception."""

    visible_agents: tuple[AgentState, ...]
    recent_conflict_at_location: bool


@dataclass(slots=True)
class GoalVector:
    """The scalar goals, by name."""

    safety: float
    status: float
    secrecy: float
    truth_seeking: float
    autonomy: float
    loyalty: float


def action_of(
    agent: AgentState,
    kind: EventType,
    *targets: str,
    focus: str | None = None,
    destination: str | None = None,
    secret: str | None = None,
    manner: str | None = None,
) -> Action:
    """An action with its readable id; it need not be one that would be generated."""
    whom = "all" if len(targets) > 1 else targets[0] if targets else None
    if kind is EventType.OBSERVE:
        whom = focus or "room"
    parts = ("move" if kind is EventType.SOCIAL_MOVE else kind.name.lower(), manner, secret, destination, whom)
    return Action(
        ":".join(part for part in parts if part),
        agent.id,
        kind,
        targets,
        agent.location,
        kind in DRAMATIC or manner == "slam",
        focus=focus,
        destination=destination,
        secret_id=secret,
        manner=manner,
    )


def perceive(agent: AgentState, world: WorldState) -> PerceivedState:
    """The others in the room, in the scenario's order, and whether there was a conflict here within three ticks."""
    return PerceivedState(
        tuple(other for other in get_agents_at(world, agent.location) if other.id != agent.id),
        any(
            happening.type in (EventType.CONFLICT, EventType.CATASTROPHE)
            and happening.room == agent.location
            and world.tick - happening.tick <= 3
            for happening in world.recent
        ),
    )


def person_of(agent: AgentState, world: WorldState) -> Person:
    """Goals, closeness, flaws and commitments never change, so they are part of the definition."""
    return world.scenario.people[agent.id]


def goals_of(person: Person) -> GoalVector:
    """The goals by name."""
    return GoalVector(*person.goals)


def get_agents_at(world: WorldState, room_id: str) -> list[AgentState]:
    """Who is in a room, in the scenario's order: the first of them is whom a group chat is mainly addressed to."""
    return [world.agents[id] for id in world.scenario.people if world.agents[id].location == room_id]


def get_agents_who_recently_moved(world: WorldState, room_id: str) -> list[AgentState]:
    """Who went into a room within two ticks, once each, even if they have gone on since."""
    movers = {
        happening.source
        for happening in world.recent
        if happening.type == EventType.SOCIAL_MOVE
        and happening.destination == room_id
        and world.tick - happening.tick <= 2
    }
    return [world.agents[id] for id in world.scenario.people if id in movers]


def destination_of(action: Action, world: WorldState) -> Room:
    """Where a move leads."""
    assert action.destination is not None
    return world.scenario.rooms[action.destination]


def generate_physical_options(agent: AgentState) -> list[Action]:
    """Drinking is possible until the alcohol level is nearly at its maximum."""
    return [action_of(agent, EventType.PHYSICAL, manner="drink")] if agent.alcohol < 0.95 else []


def should_consider_lying(agent: AgentState, other: AgentState, secret: Secret, world: WorldState) -> bool:
    """The secretive lie to the curious and to those who suspect; that the other may know already does not matter."""
    if goals_of(person_of(agent, world)).secrecy < 0.6:
        return False
    curious = goals_of(person_of(other, world)).truth_seeking > 0.6
    return curious or other.beliefs.get(secret.id) == Belief.SUSPECTS


def perceived_as_status_threat(agent: AgentState) -> bool:
    """Shame or anger stands for the threat, whoever is present."""
    return agent.emotions.get("shame", 0) > 0.2 or agent.emotions.get("anger", 0) > 0.2


def challenged_by(agent: AgentState, other: AgentState) -> bool:
    """Anybody's presence is a challenge."""
    return other.id != agent.id


def secret_at_risk(agent: AgentState, secret: Secret, perception: PerceivedState) -> bool:
    """A secret that I know is at risk when somebody else here suspects or knows it, co-holders included."""
    return agent.beliefs.get(secret.id) == Belief.BELIEVES_TRUE and any(
        other.beliefs.get(secret.id) in (Belief.SUSPECTS, Belief.BELIEVES_TRUE) for other in perception.visible_agents
    )


def is_obsession_target(flaw: Flaw, target_id: str) -> bool:
    """The flaw names its target."""
    return flaw.target == target_id


def is_concealed(action: Action, agent: AgentState, world: WorldState) -> bool:
    """Is the action about a secret that the agent is committed to conceal?"""
    return action.secret_id is not None and any(
        commitment.kind == "conceal" and commitment.secret == action.secret_id
        for commitment in person_of(agent, world).commitments
    )


def is_consistent_with_commitments(action: Action, agent: AgentState, world: WorldState) -> bool:
    """Of what touches a secret to conceal only a lie is consistent; everything else is, with or without commitments."""
    return action.action_type == EventType.LIE or not is_concealed(action, agent, world)


def contradicts_commitments(action: Action, agent: AgentState, world: WorldState) -> bool:
    """Telling a secret that the agent is committed to conceal."""
    return action.action_type in (EventType.REVEAL, EventType.CONFIDE) and is_concealed(action, agent, world)


def has_pending_dramatic_action(agent: AgentState, perception: PerceivedState, world: WorldState) -> bool:
    """The secretive have something pending when somebody here suspects or knows a secret that they know."""
    return goals_of(person_of(agent, world)).secrecy > 0.6 and any(
        secret_at_risk(agent, secret, perception) for secret in world.scenario.secrets.values()
    )
