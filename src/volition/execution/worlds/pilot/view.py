"""The context of a pilot's decision: the situation, the goal, what was tried and failed, and the way to the goal.

The memory is of outcomes, not of times at which something will be ready again: the pilot keeps no cooldowns. Time is
counted in moments: a moment lasts as long as the world's tick stays the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from volition.execution.door.guard import Guard, RefuseRetry
from volition.execution.wire.intents import CANONICAL
from volition.execution.worlds.arena.rules import is_ahead
from volition.execution.worlds.pilot.ground import LEAST_LEAP, DistanceField, Leap, Place, distance, field_to, tile_of
from volition.execution.worlds.pilot.judge import DefeatOpponent, Spot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.execution.wire.declared import Declaration
    from volition.execution.wire.frames import MoveFrame
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.results import FailureReason, Result
    from volition.execution.worlds.pilot.judge import Goal
    from volition.execution.worlds.pilot.situation import PilotSituation


FADES = 8
"""Moments after which a failure no longer counts."""


@dataclass(slots=True)
class AttemptMemory:
    """The attempts of one pilot."""

    moment: int = 0
    last: str = ""
    """The id of the option chosen last."""
    tried: dict[str, int] = field(default_factory=dict)
    """The kind of option -> the moment in which it was tried last."""
    failed: dict[str, tuple[int, FailureReason]] = field(default_factory=dict)
    """The kind of option -> the moment of its last failure, and the reason."""
    guard: Guard = field(default_factory=Guard)
    """Counts consecutive failures like the bridge."""
    _tick: tuple[int, int] | None = None
    _attempts: int = 0

    def see(self, episode: int, tick: int) -> None:
        """Note a state: another tick is another moment."""
        if self._tick != (episode, tick):
            self._tick = (episode, tick)
            self.moment += 1

    def note(self, id: str, intent: AnyIntent, result: Result, *, sent: bool = True) -> None:
        """Remember the result of an attempt, and whether it was sent."""
        self.tried[kind_of(id)] = self.moment
        if result.status == "FAILURE":
            self.failed[kind_of(id)] = (self.moment, result.failure_reason)
        else:
            self.failed.pop(kind_of(id), None)
        if sent:
            self._attempts += 1
            self.guard.note_sent(self._attempts, intent, None)
            self.guard.note_result(self._attempts, None, result)

    def was_just_tried(self, id: str) -> bool:
        """Whether this kind of option was tried in this moment."""
        return self.tried.get(kind_of(id)) == self.moment

    def failure_recency(self, id: str) -> float:
        """How recent the last failure of this kind of option is, from 1 down to 0."""
        found = self.failed.get(kind_of(id))
        return 0.0 if found is None else max(0.0, 1.0 - (self.moment - found[0]) / FADES)

    @property
    def exhausted(self) -> bool:
        """Whether some intent has used up its retries."""
        return self.guard.has_used_retries(None)

    def refusal(self, intent: AnyIntent) -> str:
        """Why the bridge would refuse this intent; empty where it would not."""
        verdict = self.guard.judge(intent, None, None)
        if not isinstance(verdict, RefuseRetry):
            return ""
        return f"failed {verdict.failures} times in a row with {verdict.reason}"


def kind_of(id: str) -> str:
    """What an outcome counts for: a MOVE in this direction, of any length; any other intent as a whole.

    >>> kind_of("move:east:0.5"), kind_of("attack")
    ('move:east', 'attack')
    """
    return ":".join(id.split(":")[:2])


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
