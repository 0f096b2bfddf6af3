"""The context of a pilot's decision: the situation, the goal, the memory, and the way over the ground to the goal."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from volition.execution.intents import CANONICAL
from volition.execution.pilot.field import LEAST_LEAP, Field, Leap, field_to
from volition.execution.pilot.ground import Place, tile_of
from volition.execution.pilot.judge import Opponent, Spot
from volition.execution.pilot.situation import distance, is_ahead

if TYPE_CHECKING:
    from volition.execution.frames import MoveFrame
    from volition.execution.pilot.judge import Goal
    from volition.execution.pilot.memory import Memory
    from volition.execution.pilot.situation import Situation


@dataclass(frozen=True)
class View:
    """What the intentions of a pilot may look at. It holds for one decision; what it computes, it computes once."""

    situation: Situation
    goal: Goal
    memory: Memory
    supported: frozenset[str] = field(default=frozenset(CANONICAL))
    move_frame: MoveFrame = "relative"

    @cached_property
    def target(self) -> Place | None:
        """Where the goal is; None while there is nothing to go to."""
        if isinstance(self.goal, Spot):
            return self.goal.x, self.goal.y
        foe = self.situation.foe
        return foe.place if foe is not None and foe.alive else None

    @cached_property
    def field(self) -> Field | None:
        """The distances to the goal over the known ground."""
        ground, can = self.situation.ground, self.situation.abilities
        if ground is None or self.target is None:
            return None
        can_leap = can.leap is not None and can.leap >= LEAST_LEAP and "JUMP" in self.supported
        return field_to(ground, tile_of(self.target), can_leap)

    @cached_property
    def waypoint(self) -> Place | None:
        """The next place on the way to the goal."""
        if self.field is None or self.target is None:
            return None
        return self.field.waypoint(self.situation.me.place, self.target)

    @cached_property
    def leap(self) -> Leap | None:
        """The leap that is the way on from where the body stands."""
        if self.field is None or self.target is None:
            return None
        return self.field.leap_from(self.situation.me.place, self.target)

    def to_goal(self, place: Place) -> float:
        """How far the goal is from a place: over the ground where that is known, else straight; infinite if no way leads."""
        assert self.target is not None
        return distance(place, self.target) if self.field is None else self.field.distance(place, self.target)

    @cached_property
    def far(self) -> float:
        """How far the goal is from where the body is."""
        return self.to_goal(self.situation.me.place)

    @cached_property
    def chases(self) -> bool:
        """Whether the goal is the opponent."""
        return isinstance(self.goal, Opponent)

    def hits_from(self, place: Place, facing: str | None) -> bool:
        """Whether an attack from this place and in this facing would meet the opponent."""
        foe, ground = self.situation.foe, self.situation.ground
        return (
            foe is not None
            and foe.alive
            and distance(place, foe.place) <= self.situation.abilities.reach
            and is_ahead(facing, place, foe.place)
            and (ground is None or ground.sees(place, foe.place))
        )
