"""The eight components of tension, read from objects: the readable definition beside the laws of `evening.tension`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.audience.viewing import agent_irony, present_in, relevance
from volition.drama.evening import components as formulas
from volition.drama.rules.catalog import CONFIDE, REVEAL, Belief
from volition.drama.rules.leaf import leaf
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
    from volition.drama.world.model import Secret

Change = tuple[tuple[str, str, str], float]
"""A change of a bond: (whose, towards whom, which field), and its size."""

_UNKNOWN, _SUSPECTS, _TRUE, _ = Belief
_TELLING = frozenset({REVEAL, CONFIDE})


def danger(world: WorldState, event: Event, heard: float) -> float:
    """Physical and social danger; `heard` is the danger of what was overheard."""
    loss = max((-size for (_, _, field), size in changes(event) if field == "trust"), default=0.0)
    return formulas.danger_of(event.type, loss, goes_public(world, event), heard)


def goes_public(world: WorldState, event: Event) -> bool:
    """Whether somebody learns a secret about a person because it is spoken aloud in a public room."""
    if not formulas.is_aloud(event.type) or not is_public(world, event.room):
        return False
    secrets = world.scenario.secrets
    return any(
        delta.kind == "belief" and delta.after == _TRUE and secrets[delta.key].about is not None
        for delta in event.deltas
    )


def clock(world: WorldState, event: Event) -> float:
    """The part of time pressure that depends only on the time."""
    return formulas.clock_of(event.minutes, world.scenario.evening.minutes)


def time_pressure_without_clock(world: WorldState, event: Event) -> float:
    """How pressed the source is: recovering, with a secret that two or more people suspect, or losing composure."""
    pacing = world.agents[event.source].pacing
    secrets = world.scenario.secrets.values()
    own = [secret for secret in secrets if event.source == secret.about or event.source in secret.holders]
    suspecters = max((_suspecters(world, secret) for secret in own), default=0)
    return formulas.pressure_of(pacing.recovery_timer, suspecters, pacing.composure)


def goal_frustration(world: WorldState, event: Event, room_danger: float) -> float:
    """How far satisfaction is from the goals of the source: half of 1 minus their cosine."""
    goals = world.scenario.people[event.source].goals
    has = satisfaction(world, event.source, room_danger)
    return formulas.frustration_of(_product(goals, has), _product(goals, goals), _product(has, has))


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
        formulas.standing_of(sum(map(leaf, trust)), len(trust)),
        formulas.share_of(kept, len(own)),
        formulas.share_of(right, len(secrets)),
        formulas.freedom_of(len(world.scenario.people[agent].commitments)),
        1.0,
    )


def relationship_volatility(changes: Sequence[Change]) -> float:
    """How much bonds change, and whether in both directions, over an event and the last events of the same people."""
    up = {bond for bond, size in changes if size > 0.0}
    turned = any(bond in up for bond, size in changes if size < 0.0)
    return formulas.volatility_of(sum(leaf(abs(size)) for _, size in changes), len(changes), turned)


def information_gap(world: WorldState, event: Event) -> float:
    """How little the participants know of what concerns them: the mean over the secrets that concern any of them."""
    part = event.participants
    relevant = _relevant_secrets(world, part)
    total = sum(
        formulas.gap_of(world.agents[agent].beliefs[secret.id], relevance(world, secret, agent))
        for secret in relevant
        for agent in part
    )
    return formulas.mean_of(total, len(relevant) * len(part))


def resource_scarcity(world: WorldState, event: Event) -> float:
    """How scarce the source's resources are: allies, a free place in the destination, or privacy.

    A nearly full room counts only for somebody who moves there, not for those who are in it already.
    """
    others = _others(world, event.source)
    trust = [bond.trust for other, bond in world.agents[event.source].bonds.items() if other in others]
    allies, enemies = sum(value > 0.3 for value in trust), sum(value < -0.3 for value in trust)
    rooms = world.scenario.rooms
    goal = event.destination
    full = (
        goal is not None
        and goal in rooms
        and is_public(world, goal)
        and len(present_in(world, goal)) >= rooms[goal].capacity - 1
    )
    exposed = formulas.is_private(event.type) and rooms[event.room].privacy < 0.5
    return formulas.scarcity_of(allies, enemies, len(trust), full, exposed)


def moral_cost(world: WorldState, event: Event) -> float:
    """What the act costs the source's conscience: trust that is hurt or abused, and other people's secrets."""
    bonds = {target: world.agents[target].bonds.get(event.source) for target in event.targets}
    abuse = max(
        (
            formulas.abuse_of(event.type, bond.trust, _harm(event, target))
            for target, bond in bonds.items()
            if bond is not None
        ),
        default=0.0,
    )
    told = event.secret if event.type in _TELLING else event.details.get("told")
    betrays = told is not None and event.source not in world.scenario.secrets[told].holders
    loyalty = world.scenario.people[event.source].goals[-1]
    return formulas.moral_cost_of(abuse, betrays, loyalty, any(_commits(event)))


def irony_density(world: WorldState, event: Event) -> float:
    """The irony points of those present, relative to the maximum for the secrets that concern them."""
    present = present_in(world, event.room)
    secrets = world.scenario.secrets.values()
    pairs = sum(relevance(world, secret, agent) >= formulas.RELEVANT for secret in secrets for agent in present)
    return formulas.density_of(sum(agent_irony(world, agent) for agent in present), pairs)


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
        if any(relevance(world, secret, agent) >= formulas.RELEVANT for agent in agents)
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


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(leaf(first * second) for first, second in zip(one, other, strict=True))


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
