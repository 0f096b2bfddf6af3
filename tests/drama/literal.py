"""The decision engine exactly as the specification writes it: the oracle for the mind.

Functions keep the specification's names and order, and every number is written out, so nothing here can follow a mistake
in the tables of rules. What the specification calls and never defines is in `readings`. Section 6 is added to the total,
which the specification forgets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.drama.readings import (
    action_of,
    challenged_by,
    contradicts_commitments,
    destination_of,
    generate_physical_options,
    get_agents_at,
    get_agents_who_recently_moved,
    goals_of,
    has_pending_dramatic_action,
    is_consistent_with_commitments,
    is_obsession_target,
    perceived_as_status_threat,
    person_of,
    secret_at_risk,
    should_consider_lying,
)
from volition.drama.rules.catalog import Belief, Effect, EventType, Trigger

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.drama.readings import PerceivedState
    from volition.drama.evening.person import AgentState, PacingState
    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Action, Flaw, Room

BUDGET_MINIMUM_FOR_ACTION = 0.20
COMPOSURE_MIN_FOR_MASKING = 0.40
MASKING_STRESS_SUPPRESSION = 0.5
BLOCKED = -1000.0


@dataclass(slots=True)
class ActionEffects:
    safety_impact: float
    status_impact: float
    closeness_impact: float
    secrecy_impact: float
    truth_impact: float
    autonomy_impact: float
    loyalty_impact: float


ACTION_EFFECT_PROFILES = {
    EventType.CHAT: ActionEffects(0.1, 0.1, 0.2, 0.0, 0.0, 0.0, 0.1),
    EventType.OBSERVE: ActionEffects(0.2, 0.0, 0.0, 0.1, 0.3, 0.1, 0.0),
    EventType.SOCIAL_MOVE: ActionEffects(0.0, -0.05, 0.0, 0.1, 0.0, 0.2, 0.0),
    EventType.REVEAL: ActionEffects(-0.3, 0.2, 0.1, -0.8, 0.8, 0.3, -0.2),
    EventType.CONFLICT: ActionEffects(-0.4, 0.1, -0.3, -0.2, 0.4, 0.4, 0.0),
    EventType.INTERNAL: ActionEffects(0.3, 0.0, 0.0, 0.3, 0.1, 0.2, 0.0),
    EventType.PHYSICAL: ActionEffects(0.1, 0.05, 0.1, 0.0, 0.0, 0.0, 0.1),
    EventType.CONFIDE: ActionEffects(-0.2, -0.1, 0.5, -0.5, 0.3, 0.1, 0.3),
    EventType.LIE: ActionEffects(0.1, 0.0, -0.1, 0.5, -0.8, -0.1, -0.4),
}

# 2.2 and 2.3: which actions there are


def generate_candidate_actions(
    agent: AgentState, perception: PerceivedState, world: WorldState, *, rationed: bool = True
) -> list[Action]:
    """Every valid action; unless `rationed`, dramatic ones whatever budget and recovery say."""
    candidates = []
    location = world.scenario.rooms[agent.location]
    present_agents = perception.visible_agents
    known = [secret_id for secret_id, belief in agent.beliefs.items() if belief == Belief.BELIEVES_TRUE]

    candidates += [action_of(agent, EventType.CHAT, other.id) for other in present_agents]
    if len(present_agents) >= 2:
        candidates.append(action_of(agent, EventType.CHAT, *(other.id for other in present_agents)))

    candidates += [action_of(agent, EventType.OBSERVE, focus=other.id) for other in present_agents]
    candidates.append(action_of(agent, EventType.OBSERVE))

    for room_id in location.adjacent:
        if len(get_agents_at(world, room_id)) < world.scenario.rooms[room_id].capacity:
            candidates.append(action_of(agent, EventType.SOCIAL_MOVE, destination=room_id))

    candidates.append(action_of(agent, EventType.INTERNAL))
    candidates += generate_physical_options(agent)

    if rationed and (agent.pacing.dramatic_budget < BUDGET_MINIMUM_FOR_ACTION or agent.pacing.recovery_timer != 0):
        return candidates

    for secret_id in known:
        for other in present_agents:
            if other.beliefs.get(secret_id) != Belief.BELIEVES_TRUE:
                candidates.append(action_of(agent, EventType.REVEAL, other.id, secret=secret_id))

    for other in present_agents:
        rel = agent.bonds.get(other.id)
        if rel and (rel.trust < 0.0 or agent.emotions.get("anger", 0) > 0.3):
            candidates.append(action_of(agent, EventType.CONFLICT, other.id))

    for other in present_agents:
        rel = agent.bonds.get(other.id)
        if rel and rel.trust > 0.4:
            for secret_id in known:
                if other.beliefs.get(secret_id) != Belief.BELIEVES_TRUE:
                    candidates.append(action_of(agent, EventType.CONFIDE, other.id, secret=secret_id))

    for other in present_agents:
        for secret_id in known:
            if should_consider_lying(agent, other, world.scenario.secrets[secret_id], world):
                candidates.append(action_of(agent, EventType.LIE, other.id, secret=secret_id))

    return candidates


def prune_candidates(candidates: list[Action], agent: AgentState) -> list[Action]:
    pruned = []
    for action in candidates:
        if agent.id in action.target_agents:
            continue
        if action.action_type in (EventType.REVEAL, EventType.CONFIDE, EventType.LIE):
            secret_id = action.secret_id
            if not secret_id or agent.beliefs.get(secret_id) != Belief.BELIEVES_TRUE:
                continue
        if action.action_type == EventType.SOCIAL_MOVE and action.destination == agent.location:
            continue
        pruned.append(action)
    return pruned


# 3.1: goals


def base_utility(agent: AgentState, action: Action, world: WorldState) -> float:
    goals = goals_of(person_of(agent, world))
    closeness = person_of(agent, world).closeness
    effects = estimate_action_effects(action, world)

    score = 0.0
    score += goals.safety * effects.safety_impact
    score += goals.status * effects.status_impact
    for target_id in action.target_agents:
        score += closeness.get(target_id, 0.0) * effects.closeness_impact
    score += goals.secrecy * effects.secrecy_impact
    score += goals.truth_seeking * effects.truth_impact
    score += goals.autonomy * effects.autonomy_impact
    score += goals.loyalty * effects.loyalty_impact
    return score


def estimate_action_effects(action: Action, world: WorldState) -> ActionEffects:
    effects = replace(ACTION_EFFECT_PROFILES[action.action_type])

    if action.action_type == EventType.SOCIAL_MOVE:
        destination = destination_of(action, world)
        effects.secrecy_impact += destination.privacy * 0.3
        effects.safety_impact += destination.privacy * 0.2

    if action.action_type in (EventType.REVEAL, EventType.CONFIDE) and action.secret_id:
        secret = world.scenario.secrets[action.secret_id]
        effects.truth_impact *= 1.0 + secret.weight
        effects.secrecy_impact *= 1.0 + secret.weight

    if action.action_type == EventType.CONFLICT and action.target_agents:
        rel = world.agents[action.agent_id].bonds.get(action.target_agents[0])
        if rel and rel.trust < -0.3:
            effects.truth_impact *= 1.5
            effects.closeness_impact *= 1.5

    return effects


# 3.2: flaws


def flaw_bias(agent: AgentState, action: Action, perception: PerceivedState, world: WorldState) -> float:
    total_bias = 0.0
    for flaw in person_of(agent, world).flaws:
        if not trigger_active(flaw, agent, action, perception, world):
            continue
        total_bias += apply_flaw_effect(flaw, action, world)
    return total_bias


def trigger_active(
    flaw: Flaw, agent: AgentState, action: Action, perception: PerceivedState, world: WorldState
) -> bool:
    match flaw.trigger:
        case Trigger.STATUS_THREAT:
            return perceived_as_status_threat(agent)
        case Trigger.BETRAYAL_DETECTED:
            return agent.emotions.get("suspicion", 0) > 0.4
        case Trigger.SECRET_EXPOSURE:
            return any(secret_at_risk(agent, secret, perception) for secret in world.scenario.secrets.values())
        case Trigger.REJECTION:
            return agent.emotions.get("shame", 0) > 0.3
        case Trigger.AUTHORITY_CHALLENGE:
            return any(challenged_by(agent, other) for other in perception.visible_agents)
        case Trigger.INTIMACY_OFFERED:
            return action.action_type in (EventType.CONFIDE, EventType.CHAT) and bool(action.target_agents)
        case Trigger.CONFLICT_NEARBY:
            return perception.recent_conflict_at_location
        case Trigger.LOSS_IMMINENT:
            return agent.pacing.stress > 0.5 and agent.pacing.commitment > 0.4


def apply_flaw_effect(flaw: Flaw, action: Action, world: WorldState) -> float:
    strength = flaw.strength
    match flaw.effect:
        case Effect.OVERWEIGHT_STATUS:
            return strength * estimate_action_effects(action, world).status_impact * 0.5
        case Effect.AVOID_CONFRONTATION:
            if action.action_type in (EventType.CONFLICT, EventType.REVEAL):
                return -strength * 0.5
            if action.action_type == EventType.SOCIAL_MOVE:
                return strength * 0.3
        case Effect.DENY_EVIDENCE:
            if action.action_type == EventType.OBSERVE:
                return -strength * 0.3
            if action.action_type == EventType.LIE:
                return strength * 0.3
        case Effect.ESCALATE_CONFLICT:
            if action.action_type == EventType.CONFLICT:
                return strength * 0.4
        case Effect.SEEK_VALIDATION:
            if action.action_type == EventType.CHAT and action.target_agents:
                target = world.scenario.people[action.target_agents[0]]
                if goals_of(target).status > 0.6:
                    return strength * 0.3
        case Effect.SELF_SACRIFICE:
            if action.action_type in (EventType.CONFIDE, EventType.REVEAL):
                return strength * 0.3
        case Effect.FIXATE_ON_TARGET:
            if action.target_agents and is_obsession_target(flaw, action.target_agents[0]):
                return strength * 0.5
        case Effect.OVERCOMMIT:
            if action.is_dramatic:
                return strength * 0.4
    return 0.0


# 3.3: pacing


def pacing_modifier(agent: AgentState, action: Action, location: Room, world: WorldState) -> float:
    modifier = 0.0
    pacing = agent.pacing

    if action.is_dramatic and gates_closed(pacing):
        return BLOCKED

    if action.is_dramatic and location.privacy < 0.3 and pacing.composure >= COMPOSURE_MIN_FOR_MASKING:
        modifier -= (1.0 - location.privacy) * pacing.composure * MASKING_STRESS_SUPPRESSION

    if pacing.stress > 0.5:
        if action.action_type == EventType.SOCIAL_MOVE and destination_of(action, world).privacy > 0.5:
            modifier += pacing.stress * 0.3
        if action.action_type == EventType.CONFIDE:
            modifier += pacing.stress * 0.2
        if action.action_type == EventType.PHYSICAL and action.manner == "drink":
            modifier += pacing.stress * 0.15

    if pacing.commitment > 0.5:
        if is_consistent_with_commitments(action, agent, world):
            modifier += pacing.commitment * 0.2
        if contradicts_commitments(action, agent, world):
            modifier -= pacing.commitment * 0.4

    if pacing.dramatic_budget < 0.4 and not action.is_dramatic:
        modifier += 0.1

    return modifier


def gates_closed(pacing: PacingState) -> set[str]:
    """Which of the two gates forbid dramatic actions, by the names of their vetoes."""
    closed = set()
    if pacing.recovery_timer > 0:
        closed.add("recovery")
    if pacing.dramatic_budget < BUDGET_MINIMUM_FOR_ACTION:
        closed.add("budget")
    return closed


# 3.4: relationships


def relationship_modifier(agent: AgentState, action: Action) -> float:
    modifier = 0.0
    for target_id in action.target_agents:
        rel = agent.bonds.get(target_id)
        if not rel:
            continue
        match action.action_type:
            case EventType.CHAT:
                modifier += rel.affection * 0.2
            case EventType.CONFIDE:
                modifier += rel.trust * 0.5
                modifier += rel.obligation * 0.2
            case EventType.CONFLICT:
                modifier -= rel.trust * 0.3
                modifier -= rel.affection * 0.2
            case EventType.REVEAL:
                modifier += rel.trust * 0.3
            case EventType.LIE:
                modifier -= rel.trust * 0.2
                modifier -= rel.affection * 0.3
    return modifier


# 6.1 and 6.2: alcohol and movement


def alcohol_modifier(agent: AgentState, action: Action) -> float:
    if agent.alcohol < 0.15:
        return 0.0
    return agent.alcohol * 0.3 if action.is_dramatic else 0.0


def score_move(agent: AgentState, destination: Room, perception: PerceivedState, world: WorldState) -> float:
    score = 0.0
    closeness = person_of(agent, world).closeness

    for other in get_agents_at(world, destination.id):
        closeness_desire = closeness.get(other.id, 0.0)
        if closeness_desire > 0.3:
            score += closeness_desire * 0.3

    if agent.pacing.stress > 0.5:
        score += destination.privacy * 0.2

    if has_pending_dramatic_action(agent, perception, world):
        score += destination.privacy * 0.3

    for mover in get_agents_who_recently_moved(world, destination.id):
        rel = agent.bonds.get(mover.id)
        if rel and (rel.trust > 0.5 or agent.emotions.get("suspicion", 0) > 0.4):
            score += 0.2

    return score


# 4: the pipeline


def terms(agent: AgentState, action: Action, perception: PerceivedState, world: WorldState) -> dict[str, float]:
    """The noise-free terms of the total, by the names that the mind gives them."""
    moves = action.action_type == EventType.SOCIAL_MOVE
    return {
        "utility": base_utility(agent, action, world),
        "flaws": flaw_bias(agent, action, perception, world),
        "pacing": pacing_modifier(agent, action, world.scenario.rooms[agent.location], world),
        "bonds": relationship_modifier(agent, action),
        "alcohol": alcohol_modifier(agent, action),
        "movement": score_move(agent, destination_of(action, world), perception, world) if moves else 0.0,
    }


def select_action(
    agent: AgentState, perception: PerceivedState, world: WorldState, noise: Callable[[Action], float]
) -> Action | None:
    candidates = prune_candidates(generate_candidate_actions(agent, perception, world), agent)
    if not candidates:
        return None
    scored = [(sum(terms(agent, action, perception, world).values()) + noise(action), action) for action in candidates]
    scored.sort(key=lambda pair: pair[0], reverse=True)
    best_score, best_action = scored[0]
    return best_action._replace(utility_score=best_score, priority_class=determine_priority_class(best_action, agent))


def determine_priority_class(action: Action, agent: AgentState) -> int:
    if action.action_type == EventType.CONFLICT and agent.pacing.stress > 0.6:
        return 3
    return 2 if action.is_dramatic else 1
