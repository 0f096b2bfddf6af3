"""The context of a pilot's decision: the situation, the goal, the memory, and the way to the goal."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from volition.execution.wire.intents import CANONICAL
from volition.execution.worlds.arena.facing import is_ahead
from volition.execution.worlds.pilot.field import LEAST_LEAP, DistanceField, Leap, field_to
from volition.execution.worlds.pilot.ground import Place, tile_of
from volition.execution.worlds.pilot.judge import DefeatOpponent, Spot
from volition.execution.worlds.pilot.situation import distance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.execution.wire.declared import Declaration
    from volition.execution.wire.frames import MoveFrame
    from volition.execution.worlds.pilot.judge import Goal
    from volition.execution.worlds.pilot.memory import AttemptMemory
    from volition.execution.worlds.pilot.situation import PilotSituation


@dataclass(frozen=True)
class View:
    """What the intentions of a pilot may look at. It is for one decision; everything is computed at most once."""

    situation: PilotSituation
    goal: Goal
    memory: AttemptMemory
    supported: frozenset[str] = field(default=frozenset(CANONICAL))
    move_frame: MoveFrame = "relative"
    declared: Mapping[str, Declaration] = field(default_factory=dict)
    """The intents that the executor has beside the seven, by name."""

    @cached_property
    def target(self) -> Place | None:
        """Where the goal is; None while there is nothing to go to."""
        if isinstance(self.goal, Spot):
            return self.goal.x, self.goal.y
        foe = self.situation.foe
        return foe.place if foe is not None and foe.alive else None

    @cached_property
    def field(self) -> DistanceField | None:
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
        """The leap that is the next part of the way, where the body is at its brink."""
        if self.field is None or self.target is None:
            return None
        return self.field.leap_from(self.situation.me.place, self.target)

    def to_goal(self, place: Place) -> float:
        """The distance of a place to the goal: over the ground where it is known, else straight; infinite without a way."""
        assert self.target is not None
        return distance(place, self.target) if self.field is None else self.field.distance(place, self.target)

    @cached_property
    def far(self) -> float:
        """The distance of the body to the goal."""
        return self.to_goal(self.situation.me.place)

    @cached_property
    def chases(self) -> bool:
        """Whether the goal is the opponent."""
        return isinstance(self.goal, DefeatOpponent)

    def hits_from(self, place: Place, facing: str | None) -> bool:
        """Whether an attack from this place in this facing would hit the opponent."""
        foe, ground = self.situation.foe, self.situation.ground
        return (
            foe is not None
            and foe.alive
            and distance(place, foe.place) <= self.situation.abilities.reach
            and is_ahead(facing, foe.place[0] - place[0], foe.place[1] - place[1])
            and (ground is None or ground.sees(place, foe.place))
        )
