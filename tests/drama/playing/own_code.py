"""Code of a user, for evenings in which it takes part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.arbitration import constraint, heuristic
from volition.drama.mind.custom import played_by
from volition.drama.rules.catalog import CHAT, CONFLICT, INTERNAL

if TYPE_CHECKING:
    from volition.drama import Action, OfferedActs


def brood(offer: OfferedActs) -> str | None:
    """Think in odd ticks, and leave the others to the person."""
    return "internal" if offer.tick % 2 else None


@heuristic(range=(-2.0, 2.0))
def sociable(act: Action, context: Any) -> float | None:
    """Talk, most of all where many are; no opinion on thoughts."""
    if act.action_type == INTERNAL:
        return None
    return 0.3 * len(context.perceived.visible_agents) / 5 if act.action_type == CHAT else 0.0


@heuristic(on_error="veto")
def squeamish(act: Action) -> float:
    """Raise at what is dramatic."""
    if act.is_dramatic:
        raise ValueError("not before dinner")
    return 0.0


@constraint
def peaceful(act: Action) -> bool | str:
    """Nobody confronts anybody."""
    return "no rows tonight" if act.action_type == CONFLICT else False


thinker = played_by("victor", brood)
everything = [thinker, sociable, peaceful]
minds = {"victor": brood}
