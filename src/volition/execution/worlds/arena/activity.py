"""What the actor is doing: the open intents, and how a tick advances them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from volition.execution.worlds.arena.bodies import pace
from volition.execution.worlds.arena.facing import AHEAD
from volition.execution.worlds.arena.grid import BEAM
from volition.execution.worlds.arena.outcome import AcceptedIntent, Conclusion
from volition.execution.worlds.arena.rules import DASH_SPEED, DASH_TICKS, GUARD_SPEED, WALK_SPEED

if TYPE_CHECKING:
    from volition.execution.wire.results import FailureReason
    from volition.execution.worlds.arena.bodies import Actor
    from volition.execution.worlds.arena.ground import ArenaMap

DONE = Conclusion("SUCCESS")


@dataclass(slots=True)
class Walk:
    """The open MOVE: its destination, and whether it has moved the actor yet."""

    id: int
    x: int
    y: int
    moved: bool = False


@dataclass(slots=True)
class Dash:
    """The open EVADE: its facing, and how many of its ticks are done."""

    id: int
    facing: str
    ticks: int = 0


class Activity:
    """The open intents in the order in which they began: at most one MOVE or EVADE, and one JUMP in its first tick."""

    def __init__(self) -> None:
        self.open: dict[int, AcceptedIntent] = {}
        self.walk: Walk | None = None
        self.dash: Dash | None = None
        self.jump: int | None = None

    def advance(self, actor: Actor, ground: ArenaMap, tick: int) -> dict[int, Conclusion]:
        """Advance a living actor by one tick; how the intents end that are done with it."""
        endings: dict[int, Conclusion] = {}
        actor.rise(jumps=self.jump is not None and ground.tile(actor.x, actor.y) != BEAM)
        if self.jump is not None:
            endings[self.jump] = DONE if actor.z else Conclusion("FAILURE", "BLOCKED", wasted=True)
        if self.dash:
            self._run(self.dash, actor, ground, endings)
        elif self.walk:
            self._walk(self.walk, actor, ground, endings)
            attempt = self.open[self.walk.id]
            if self.walk.id not in endings and tick - attempt.tick >= attempt.ticks:
                endings[self.walk.id] = Conclusion("PARTIAL")
        elif actor.air:
            actor.travel(ground, actor.velocity[0], actor.velocity[1])
        else:
            actor.rest()
        return endings

    def interruption(self, id: int, reason: FailureReason) -> Conclusion:
        """How an open intent ends that is cut short; one that was paid for without any movement is wasted."""
        in_vain = id == self.jump or (self.dash is not None and id == self.dash.id and not self.dash.ticks)
        return Conclusion("PARTIAL", reason, wasted=in_vain)

    def end(self, id: int, ending: Conclusion, actor: Actor) -> AcceptedIntent:
        """Remove an intent. Its movement ends with it, unless the actor is in the air: only arrival ends that."""
        if self.jump == id:
            self.jump = None
        elif self.dash and self.dash.id == id:
            self.dash, actor.dashing = None, False
            actor.rest()
        else:
            self.walk = None
            if ending == DONE or not actor.air:
                actor.rest()
        return self.open.pop(id)

    @staticmethod
    def _run(dash: Dash, actor: Actor, ground: ArenaMap, endings: dict[int, Conclusion]) -> None:
        dx, dy = AHEAD[dash.facing]
        if actor.travel(ground, dx * DASH_SPEED, dy * DASH_SPEED):
            dash.ticks += 1
            if dash.ticks == DASH_TICKS:
                endings[dash.id] = DONE
        elif dash.ticks:
            endings[dash.id] = Conclusion("PARTIAL", "BLOCKED")
        else:
            endings[dash.id] = Conclusion("FAILURE", "BLOCKED", wasted=True)

    @staticmethod
    def _walk(walk: Walk, actor: Actor, ground: ArenaMap, endings: dict[int, Conclusion]) -> None:
        step = pace(walk.x - actor.x, walk.y - actor.y, GUARD_SPEED if actor.holding else WALK_SPEED)
        if actor.travel(ground, *step):
            walk.moved = True
            if (actor.x, actor.y) == (walk.x, walk.y):
                endings[walk.id] = DONE
        else:
            endings[walk.id] = Conclusion("PARTIAL" if walk.moved else "FAILURE", "BLOCKED")
