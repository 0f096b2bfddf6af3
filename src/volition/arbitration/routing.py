"""A composite on a map: every `reach` goes around what the constraints `avoid`, and says where no path leads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Heuristic
from volition.arbitration.tiles import Avoid, Reach, check_tags
from volition.core.errors import InvalidInput, Problems

if TYPE_CHECKING:
    from volition.arbitration.tilemap import Position, TileMap, TileSituation


def route(composite: CompositeIntention, world: TileMap) -> CompositeIntention:
    """The composite as it walks on this map: every `reach` goes around what the constraints `avoid`.

    A path over forbidden ground is no path. Writing this into the composite keeps each vote a function of the
    intention, the candidate and the situation alone, so every answer about the decision stays exact. Tags and targets
    that the map does not know are refused, all at once.

    >>> from volition.arbitration.intention import Constraint
    >>> from volition.arbitration.tilemap import TileMap
    >>> from volition.arbitration.tiles import avoid, reach
    >>> spec = CompositeIntention(Constraint("safety", avoid("hazard")), Heuristic("goal", reach((2, 0))))
    >>> route(spec, TileMap.parse(".~.\\n..."))["goal"].intent
    Reach(target=(2, 0), around=('hazard',))
    """
    _check_ground(composite, world)
    avoided = {tag for entry in composite.constraints if isinstance(entry.intent, Avoid) for tag in entry.intent.tags}
    if not avoided:
        return composite
    return CompositeIntention(
        *(
            replace(entry, intent=Reach(entry.intent.target, (*entry.intent.around, *avoided)))
            if isinstance(entry, Heuristic) and isinstance(entry.intent, Reach)
            else entry
            for entry in composite
        )
    )


def unreachable(composite: CompositeIntention, situation: TileSituation) -> dict[str, Position]:
    """The targets that no path leads to, by the id of the heuristic that wants to reach them."""
    return {
        entry.id: entry.intent.target
        for entry in composite.heuristics
        if isinstance(entry.intent, Reach) and not entry.intent.finds_path(situation)
    }


def _check_ground(composite: CompositeIntention, world: TileMap) -> None:
    problems = Problems()
    for entry in composite:
        where = f"{entry.kind} {entry.id!r}"
        if isinstance(entry.intent, Avoid):
            check_tags(entry.intent.tags, world, where, problems)
        if isinstance(entry.intent, Reach):
            check_tags(entry.intent.around, world, where, problems)
            if entry.intent.target not in world:
                problems.add(
                    f"the target {entry.intent.target} is not on the map",
                    where=where,
                    expected=f"[x, y], x from 0 to {world.width - 1} and y from 0 to {world.height - 1}",
                    remedy="check the order: x to the right first, then y down",
                )
    problems.raise_if_any(InvalidInput)
