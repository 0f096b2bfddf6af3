"""When a chat commits the speaker: asked about a secret, towards somebody it would harm, or with a party of a quarrel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import CONFLICT, Belief

if TYPE_CHECKING:
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import AgentState, WorldState


def is_public(world: WorldState, room: str, tables: Tables) -> bool:
    """Whether what is said in a room is said in public."""
    return world.scenario.rooms[room].privacy < tables.pacing.public_below


def is_asked(world: WorldState, me: AgentState, tables: Tables) -> bool:
    """Whether somebody was recently asked about a secret that they know."""
    recent = (secret for (_, secret), tick in me.questions.items() if world.tick - tick <= tables.memory.question)
    return any(me.beliefs[secret] == Belief.BELIEVES_TRUE for secret in recent)


def keeps_from(world: WorldState, me: AgentState, other: str) -> bool:
    """Whether somebody holds or conceals a secret that would harm the other, who is not thought to know it."""
    scenario = world.scenario
    concealed = scenario.people[me.id].concealed
    return any(
        secret.harm.get(other, 0.0) > 0.0
        and (me.id in secret.holders or secret.id in concealed)
        and (other, secret.id) not in me.knows
        for secret in scenario.secrets.values()
    )


def states_position(world: WorldState, me: AgentState, targets: tuple[str, ...], tables: Tables) -> bool:
    """Whether a CHAT states a position: in public, and either after a question or with somebody it would harm."""
    if not is_public(world, me.location, tables):
        return False
    return is_asked(world, me, tables) or (len(targets) == 1 and keeps_from(world, me, targets[0]))


def takes_side(world: WorldState, me: AgentState, targets: tuple[str, ...], tables: Tables) -> bool:
    """Whether a CHAT takes a side: in public, with a party of a recent quarrel that the speaker saw but was not in."""
    if len(targets) != 1 or not is_public(world, me.location, tables):
        return False
    return any(
        happening.type == CONFLICT
        and me.id in happening.seen_by
        and 0 < world.tick - happening.tick <= tables.memory.conflict
        and targets[0] in (happening.source, *happening.targets)
        and me.id not in (happening.source, *happening.targets)
        for happening in world.recent
    )


def is_upheld(world: WorldState, me: AgentState, tables: Tables) -> bool:
    """Whether commitment does not fade: in public, near somebody it is about or against whom there is a grievance."""
    if not tables.departures.uphold or not is_public(world, me.location, tables):
        return False
    return any(
        keeps_from(world, me, other.id) or me.grievance.get(other.id, 0.0) > tables.departures.grievance_above
        for other in world.agents.values()
        if other.id != me.id and other.location == me.location
    )
