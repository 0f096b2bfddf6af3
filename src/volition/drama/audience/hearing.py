"""The words that a guest hears: those of the transcript, of what the guest takes part in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.audience.casting import short_names
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.stage.replay import unfold

if TYPE_CHECKING:
    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import WorldState


class Hearing:
    """Follows an evening as its transcript does, so that every event must be told to it, in order.

    What others say to each other is not heard: it may be about things that the guest does not know.
    """

    def __init__(self, run: Run, guest: str) -> None:
        self._narrator, self._guest = TemplateNarrator(run.seed), guest
        self._names = {**short_names(run.scenario), guest: "You"}
        world = run.opening_state()
        for record in run.ticks:
            for event in unfold(world, record):
                self._narrator.tell(world, event)

    def hear(self, world: WorldState, event: Event) -> list[str]:
        """What was said in an event, if the guest took part in it; `world` is the state before it."""
        self._narrator.tell(world, event)
        if self._guest not in (event.source, *event.targets):
            return []
        return [
            f'{self._names[used.speaker]}: "{used.text}"' for used in self._narrator.said if used.speaker is not None
        ]
