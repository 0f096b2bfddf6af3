"""From what everybody wants to what happens: proposals are processed by urgency, and those that cannot happen give way.

Nobody is dropped: a proposal that gives way is downgraded. A chat turns into listening, anything else into thought.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from volition.core.chance import noise
from volition.drama.rules.catalog import CHAT, DRAMATIC, INTERNAL, OBSERVE, SOCIAL_MOVE
from volition.drama.stage.scribe import draw_share
from volition.drama.world.model import Action

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import WorldState

SPOKEN = DRAMATIC | {CHAT}


class Resolved(NamedTuple):
    """A proposal and what becomes of it: the act itself, or a downgrade with the reason."""

    proposed: Action
    action: Action
    because: str | None = None


def resolve(
    world: WorldState, proposals: Sequence[Action], broken: Iterable[str], tables: Tables, seed: int
) -> list[Resolved]:
    """Process all proposals by priority class, then by score, and decide which give way; in the order of acting.

    Proposals clash if two acts need the same person, if an act addresses somebody who is breaking, or if more people move
    to a room than it has places.
    """
    hushed = {world.agents[who].location for who in broken} if tables.departures.hush else set()
    engaged = set(broken)
    places = {id: room.capacity for id, room in world.scenario.rooms.items()}
    for me in world.agents.values():
        if me.location in places:
            places[me.location] -= 1
    settled = []
    for action in sorted(proposals, key=lambda action: _rank(world, action, tables, seed)):
        because = _obstacle(action, engaged, hushed, places, tables)
        if because is not None:
            settled.append(Resolved(action, downgrade(action), because))
            continue
        if action.action_type == SOCIAL_MOVE:
            assert action.destination is not None
            places[action.destination] -= 1
            places[action.location_id] += 1
        elif _engages(action, tables):
            engaged |= {action.agent_id, *(action.target_agents if len(action.target_agents) == 1 else ())}
        settled.append(Resolved(action, action))
    return settled


def _rank(world: WorldState, action: Action, tables: Tables, seed: int) -> tuple[int, float, float]:
    """The sort key of a proposal: class, then score, with some luck for spoken acts; a draw breaks ties."""
    assert action.priority_class is not None
    assert action.utility_score is not None
    score = action.utility_score
    if tables.departures.conversations and action.action_type in SPOKEN:
        score += tables.departures.conversation_noise * noise(seed, world.tick, action.agent_id, "turn", action.id)
    return -action.priority_class, -score, draw_share(seed, world.tick, action.agent_id, "tie", action.id)


def _engages(action: Action, tables: Tables) -> bool:
    return action.action_type in (SPOKEN if tables.departures.conversations else DRAMATIC)


def _obstacle(
    action: Action, engaged: set[str], hushed: set[str], places: dict[str, int], tables: Tables
) -> str | None:
    if action.action_type == SOCIAL_MOVE:
        return "full" if places[action.destination or ""] <= 0 else None
    if action.action_type in SPOKEN and action.location_id in hushed:
        return "hushed"
    if not _engages(action, tables):
        return None
    single = action.target_agents[0] if len(action.target_agents) == 1 else None
    return "engaged" if action.agent_id in engaged or single in engaged else None


def downgrade(action: Action) -> Action:
    """What an act that cannot happen turns into."""
    kind = OBSERVE if action.action_type == CHAT else INTERNAL
    assert action.utility_score is not None
    return Action(
        "observe:room" if kind == OBSERVE else "internal",
        action.agent_id,
        kind,
        (),
        action.location_id,
        is_dramatic=False,
        utility_score=action.utility_score / 2.0,
        priority_class=1,
    )
