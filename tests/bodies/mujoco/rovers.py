"""Rovers that note where they are in every tick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bodies.mujoco.rover import RADIUS, Rover
from bodies.mujoco.rover_mind import ZONE

if TYPE_CHECKING:
    from volition.execution import Ended


class WatchedRover(Rover):
    """A rover whose every tick is seen, as the engine knows it."""

    def __init__(self, **arguments: Any) -> None:
        self.seen: list[tuple[float, float]] = []
        super().__init__(**arguments)

    def step(self) -> list[Ended]:
        ended = super().step()
        self.seen.append(self.place)
        return ended

    @property
    def inside(self) -> list[tuple[float, float]]:
        """Where any part of it was in the zone."""
        return [place for place in self.seen if ZONE.distance(*place) < RADIUS]
