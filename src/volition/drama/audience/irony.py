"""Irony: what those present do not know, and the moment at which they learn it.

Every secret is true, so anybody who believes it false is wrong. Nothing here affects a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from volition.drama.evening.components import CLOSE, irony_of, mean_of, relevance_of
from volition.drama.rules.catalog import Belief

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.drama.stage.events import Event
    from volition.drama.world.model import Secret, WorldState

COLLAPSE: Final = 0.5
"""The default for the least fall of a scene's irony that counts as a collapse."""

DENIAL: Final = "denial"

_, _, _TRUE, _FALSE = Belief


class Collapse(NamedTuple):
    """A truth that came out: by which event, by how much irony fell, who learned it, and a score from 0 to 1."""

    event: str
    drop: float
    informed: tuple[str, ...]
    score: float


def relevance(world: WorldState, secret: Secret, agent: str) -> float:
    """How much a secret concerns somebody, 0.2 to 1; the formula is that of `evening.components`."""
    about, me = secret.about, world.agents[agent]
    here = about is not None and world.agents[about].location == me.location
    close = about in me.bonds and me.bonds[about].affection > CLOSE
    return relevance_of(about == agent, here, close, agent in secret.holders)


def agent_irony(world: WorldState, agent: str, after: Mapping[tuple[str, str], int] | None = None) -> float:
    """The irony points of one person over all secrets; beliefs in `after` override those of the world."""
    beliefs = world.agents[agent].beliefs
    total = 0.0
    for id, secret in world.scenario.secrets.items():
        belief = beliefs[id] if after is None else after.get((agent, id), beliefs[id])
        own = agent == secret.about or agent in secret.holders
        total += irony_of(belief, relevance(world, secret, agent), own)
    return total


def scene_irony(world: WorldState, present: Sequence[str], after: Mapping[tuple[str, str], int] | None = None) -> float:
    """The mean irony of those present; 0 if nobody is."""
    return mean_of(sum(agent_irony(world, agent, after) for agent in present), len(present))


def collapse(world: WorldState, event: Event, least: float = COLLAPSE) -> Collapse | None:
    """The collapse of irony in the room of an event; None if irony falls by less than `least`.

    `world` is the state before the event.
    """
    after = {(delta.agent, delta.key): int(delta.after) for delta in event.deltas if delta.kind == "belief"}
    if not after:
        return None
    present = present_in(world, event.room)
    drop = scene_irony(world, present) - scene_irony(world, present, after)
    if drop < least:
        return None
    informed = tuple(dict.fromkeys(agent for (agent, _), belief in after.items() if belief == _TRUE))
    return Collapse(event.id, drop, informed, collapse_score(drop, len(informed), _denial_share(world, informed)))


def collapse_score(drop: float, informed: int, denial: float) -> float:
    """How strong a collapse is, 0 to 1: by its depth, the number of people informed, and the share of them in denial.

    >>> collapse_score(2.0, 4, 1.0)
    1.0
    """
    return 0.5 * min(drop / 2.0, 1.0) + 0.3 * min(informed / 4.0, 1.0) + 0.2 * denial


def present_in(world: WorldState, room: str) -> tuple[str, ...]:
    """Who is in a room."""
    return tuple(agent.id for agent in world.agents.values() if agent.location == room)


def _denial_share(world: WorldState, informed: Sequence[str]) -> float:
    if not informed:
        return 0.0
    people = world.scenario.people
    return sum(any(flaw.kind == DENIAL for flaw in people[agent].flaws) for agent in informed) / len(informed)
