"""The eight components of tension, each a number from 0 to 1, computed from an event and the state before it."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, Final

from volition.drama.audience.irony import RELEVANT, agent_irony, present_in, relevance
from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, CONFLICT, INTERNAL, LIE, OBSERVE, REVEAL, Belief
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.drama.stage.events import Event
    from volition.drama.world.model import Secret, WorldState

Change = tuple[tuple[str, str, str], float]
"""A change of a bond: (whose, towards whom, which field), and its size."""

INHERITED: Final = 0.5
"""The share of an overheard event's danger that its listener feels."""

_UNKNOWN, _SUSPECTS, _TRUE, _FALSE = Belief
_PHYSICAL = {CONFLICT: 0.8, CATASTROPHE: 1.0}
_GAPS = {_UNKNOWN: 0.5, _SUSPECTS: 0.25, _TRUE: 0.0, _FALSE: 1.0}
_TELLING = frozenset({REVEAL, CONFIDE})
_ALOUD = frozenset({REVEAL, CONFLICT, CATASTROPHE})
_PRIVATE_MATTERS = frozenset({CONFIDE, REVEAL, CONFLICT})


def participants(event: Event) -> tuple[str, ...]:
    """Who takes part: the source and the targets."""
    return (event.source, *event.targets)


def danger(world: WorldState, event: Event, heard: float) -> float:
    """Physical and social danger; `heard` is the danger of what was overheard."""
    if event.type == INTERNAL:
        return 0.0
    if event.type == OBSERVE:
        return INHERITED * heard
    physical = _PHYSICAL.get(event.type, 0.0)
    social = max((-size for (_, _, field), size in changes(event) if field == "trust" and size < -0.3), default=0.0)
    if goes_public(world, event):
        social = max(social, 0.7)
    return min(max(physical, social) + 0.15 * min(physical, social), 1.0)


def goes_public(world: WorldState, event: Event) -> bool:
    """Whether somebody learns a secret about a person because it is spoken aloud in a public room."""
    if event.type not in _ALOUD or not is_public(world, event.room):
        return False
    secrets = world.scenario.secrets
    return any(
        delta.kind == "belief" and delta.after == _TRUE and secrets[delta.key].about is not None
        for delta in event.deltas
    )


def clock(world: WorldState, event: Event) -> float:
    """The part of time pressure that depends only on the time: the share of the evening that is over, squared."""
    return float(min(event.minutes / world.scenario.evening.minutes, 1.0) ** 2)


def time_pressure_without_clock(world: WorldState, event: Event) -> float:
    """How pressed the source is: recovering, with a secret that two or more people suspect, or losing composure."""
    pacing = world.agents[event.source].pacing
    pressure = 0.6 * max(0.0, 1.0 - pacing.recovery_timer / 10.0) if pacing.recovery_timer > 0 else 0.0
    for secret in world.scenario.secrets.values():
        if event.source == secret.about or event.source in secret.holders:
            suspecters = _suspecters(world, secret)
            if suspecters >= 2:
                pressure = max(pressure, min(suspecters / 4.0, 1.0))
    lost = 1.0 - pacing.composure
    return max(pressure, 0.5 * lost) if lost > 0.3 else pressure


def goal_frustration(world: WorldState, event: Event, room_danger: float) -> float:
    """How far satisfaction is from the goals of the source: half of 1 minus their cosine."""
    goals = world.scenario.people[event.source].goals
    has = satisfaction(world, event.source, room_danger)
    lengths = hypot(*goals) * hypot(*has)
    if lengths == 0.0:
        return 0.0
    cosine = sum(want * got for want, got in zip(goals, has, strict=True)) / lengths
    return min(max((1.0 - cosine) / 2.0, 0.0), 1.0)


def satisfaction(world: WorldState, agent: str, room_danger: float) -> tuple[float, ...]:
    """How well each goal is met now, in the order of `catalog.GOALS`; loyalty is always 1."""
    others = _others(world, agent)
    trust = [world.agents[other].bonds[agent].trust for other in others if agent in world.agents[other].bonds]
    secrets = world.scenario.secrets.values()
    own = [secret for secret in secrets if agent in secret.holders]
    kept = sum(_is_kept(world, secret) for secret in own)
    right = sum(world.agents[agent].beliefs[secret.id] == _TRUE for secret in secrets)
    return (
        1.0 - room_danger,
        ((sum(trust) / len(trust) if trust else 0.0) + 1.0) / 2.0,
        kept / len(own) if own else 1.0,
        right / len(secrets) if secrets else 1.0,
        1.0 - min(len(world.scenario.people[agent].commitments) / 5.0, 1.0),
        1.0,
    )


def relationship_volatility(changes: Sequence[Change]) -> float:
    """How much bonds change, and whether in both directions, over an event and the last events of the same people.

    The mean change is divided by 0.5. Reversals count a third each but 0.3 at most, so a single bond that changed in both
    directions already gives the full 0.3.
    """
    if not changes:
        return 0.0
    up = {bond for bond, size in changes if size > 0.0}
    turned = any(bond in up for bond, size in changes if size < 0.0)
    mean = sum(abs(size) for _, size in changes) / len(changes)
    return min(mean / 0.5 + (0.3 if turned else 0.0), 1.0)


def information_gap(world: WorldState, event: Event) -> float:
    """How little the participants know of what concerns them: the mean over the secrets that concern any of them."""
    part = participants(event)
    relevant = _relevant_secrets(world, part)
    if not relevant:
        return 0.0
    total = sum(
        _GAPS[world.agents[agent].beliefs[secret.id]] * relevance(world, secret, agent)
        for secret in relevant
        for agent in part
    )
    return total / (len(relevant) * len(part))


def resource_scarcity(world: WorldState, event: Event) -> float:
    """How scarce the source's resources are: allies, a free place in the destination, or privacy.

    A nearly full room counts only for somebody who moves there, not for those who are in it already.
    """
    others = _others(world, event.source)
    trust = [bond.trust for other, bond in world.agents[event.source].bonds.items() if other in others]
    scarcity = 0.0
    if trust:
        allies, enemies = sum(value > 0.3 for value in trust), sum(value < -0.3 for value in trust)
        scarcity = (1.0 - allies / len(trust) + enemies / len(trust)) / 2.0
    rooms = world.scenario.rooms
    goal = event.destination
    if (
        goal is not None
        and goal in rooms
        and is_public(world, goal)
        and len(present_in(world, goal)) >= rooms[goal].capacity - 1
    ):
        scarcity = max(scarcity, 0.7)
    if event.type in _PRIVATE_MATTERS and rooms[event.room].privacy < 0.5:
        scarcity = max(scarcity, 0.6)
    return scarcity


def moral_cost(world: WorldState, event: Event) -> float:
    """What the act costs the source's conscience: trust that is hurt or abused, and other people's secrets."""
    cost = 0.0
    for target in event.targets:
        bond = world.agents[target].bonds.get(event.source)
        if bond is not None and bond.trust > 0.3:
            cost = max(cost, 2.0 * bond.trust * _harm(event, target))
        if bond is not None and event.type == LIE:
            cost = max(cost, 0.7 * bond.trust)
    told = event.secret if event.type in _TELLING else event.details.get("told")
    if told is not None and event.source not in world.scenario.secrets[told].holders:
        cost = max(cost, 0.8)
    loyalty = world.scenario.people[event.source].goals[-1]
    if loyalty > 0.6 and any(_commits(event)):
        cost = max(cost, 0.6 * loyalty)
    return min(cost, 1.0)


def irony_density(world: WorldState, event: Event) -> float:
    """The irony points of those present, relative to the maximum for the secrets that concern them."""
    present = present_in(world, event.room)
    secrets = world.scenario.secrets.values()
    pairs = sum(relevance(world, secret, agent) >= RELEVANT for secret in secrets for agent in present)
    if not pairs:
        return 0.0
    return min(sum(agent_irony(world, agent) for agent in present) / (2.0 * pairs), 1.0)


def changes(event: Event) -> list[Change]:
    """The changes of bonds by an event."""
    return [
        ((delta.agent, delta.key, delta.attribute or ""), delta.after - (delta.before or 0.0))
        for delta in event.deltas
        if delta.kind == "bond"
    ]


def is_public(world: WorldState, room: str) -> bool:
    """Whether a room is public under the scenario's rules."""
    return bool(world.scenario.rooms[room].privacy < world.scenario.rules["pacing"]["public_below"])


def _relevant_secrets(world: WorldState, agents: Sequence[str]) -> list[Secret]:
    return [
        secret
        for secret in world.scenario.secrets.values()
        if any(relevance(world, secret, agent) >= RELEVANT for agent in agents)
    ]


def _others(world: WorldState, agent: str) -> tuple[str, ...]:
    """The others who have not left."""
    return tuple(other.id for other in world.agents.values() if other.id != agent and other.location != DEPARTED)


def _suspecters(world: WorldState, secret: Secret) -> int:
    """The number of people in the house who suspect a secret."""
    return sum(agent.beliefs[secret.id] == _SUSPECTS and agent.location != DEPARTED for agent in world.agents.values())


def _is_kept(world: WorldState, secret: Secret) -> bool:
    """Whether nobody but its holders has heard of a secret."""
    return all(
        agent.beliefs[secret.id] == _UNKNOWN for agent in world.agents.values() if agent.id not in secret.holders
    )


def _harm(event: Event, target: str) -> float:
    """By how much the target's trust in, or affection for, the source falls."""
    falls = (
        -size
        for (agent, other, field), size in changes(event)
        if agent == target and other == event.source and field in {"trust", "affection"}
    )
    return max(falls, default=0.0)


def _commits(event: Event) -> Iterator[bool]:
    return (
        strain.agent == event.source and strain.number == "commitment" and strain.amount > 0.0
        for strain in event.strains
    )
