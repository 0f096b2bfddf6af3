"""A state as text: one line per person, with bars for their pacing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.evening.world import WorldState


WIDTH: Final = 8
BARS: Final = ("stress", "composure", "dramatic_budget")


def lines_of(world: WorldState) -> Iterator[str]:
    """Everybody's location and pacing, one line each."""
    width = max(map(len, world.agents))
    for me in world.agents.values():
        if me.location == DEPARTED:
            yield f"{me.id:<{width}}  has left"
            continue
        shown = "  ".join(f"{name.removeprefix('dramatic_')} {bar(getattr(me.pacing, name))}" for name in BARS)
        yield f"{me.id:<{width}}  {shown}  {world.scenario.rooms[me.location].name}"


def bar(share: float, width: int = WIDTH) -> str:
    """A share from 0 to 1 as a bar.

    >>> bar(0.5, 4), bar(0.0, 4)
    ('##..', '....')
    """
    full = round(max(0.0, min(1.0, share)) * width)
    return "#" * full + "." * (width - full)
