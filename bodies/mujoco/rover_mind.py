"""A mind for the rover: it goes to a goal and keeps out of a zone that only it knows.

The rover itself would drive through the zone: nothing is there. The constraint `forbidden` vetoes every MOVE whose way comes
too close to it, before anything is sent; the heuristics know nothing of the zone.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from math import cos, dist, hypot, pi, sin
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from volition.arbitration import CompositeIntention, Constraint, Decision, Heuristic, arbitrate
from volition.execution import Move

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.execution import Bridge, Outcome

HEADINGS: Final = 16
STRIDE: Final = 0.6
MARGIN: Final = 0.1
"""What the rover keeps clear of beside its own radius: twice the tolerance that it declares."""
DEADLINE: Final = 6.0
"""Seconds for a MOVE, longer than any takes, and for a state over a slow line."""
THERE: Final = 0.1
"""How close to the goal, in metres, is there."""
CROWDED: Final = 0.5
"""Within how many metres of where it was lately the rover finds nothing new."""


class Zone(NamedTuple):
    """A rectangle that is not to be entered."""

    west: float
    south: float
    east: float
    north: float

    def distance(self, x: float, y: float) -> float:
        """How far a place is from it; 0 inside."""
        return hypot(max(self.west - x, 0.0, x - self.east), max(self.south - y, 0.0, y - self.north))


ZONE: Final = Zone(-0.5, -0.7, 0.6, 0.9)
GOAL: Final = (1.9, 0.2)


class Option(NamedTuple):
    """A MOVE that the mind considers."""

    id: str
    start: tuple[float, float]
    vector: tuple[float, float]

    @property
    def end(self) -> tuple[float, float]:
        return self.start[0] + self.vector[0], self.start[1] + self.vector[1]

    def places(self) -> Iterator[tuple[float, float]]:
        """The way, in steps of a centimetre or two."""
        steps = max(1, round(hypot(*self.vector) / 0.02))
        for n in range(steps + 1):
            yield self.start[0] + self.vector[0] * n / steps, self.start[1] + self.vector[1] * n / steps


_TURNS: Final = {f"move:{round(360 * n / HEADINGS)}": 2 * pi * n / HEADINGS for n in range(HEADINGS)}
STRIDES: Final = {name: (STRIDE * cos(turn), STRIDE * sin(turn)) for name, turn in _TURNS.items()}
"""A stride in every heading, by its name: the degrees from the x axis, counter-clockwise."""


def options(place: tuple[float, float], goal: tuple[float, float]) -> list[Option]:
    """Every heading by one stride, and the goal itself where it is near."""
    found = [Option(name, place, vector) for name, vector in STRIDES.items()]
    if dist(place, goal) <= 2 * STRIDE:
        found.append(Option("move:goal", place, (goal[0] - place[0], goal[1] - place[1])))
    return found


@dataclass
class Mind:
    """Decides where the rover goes next. Without a `zone` it has no such constraint."""

    goal: tuple[float, float] = GOAL
    zone: Zone | None = ZONE
    room: tuple[float, float] = (5.0, 4.0)
    radius: float = 0.15
    lately: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=6))

    @cached_property
    def composite(self) -> CompositeIntention:
        """Who vetoes and who votes."""
        zone = [] if self.zone is None else [Constraint("forbidden", self.enters)]
        return CompositeIntention(
            *zone, Constraint("wall", self.leaves), Heuristic("nearer", self.nears), Heuristic("fresh", self.revisits)
        )

    def decide(self, state: Any, composite: CompositeIntention | None = None) -> Decision[Option]:
        """Choose a MOVE in a state of the rover, by all intentions or those given; nothing is sent."""
        place = (state["x"], state["y"])
        return arbitrate(options(place, self.goal), self.composite if composite is None else composite)

    def is_there(self, state: Any) -> bool:
        return dist((state["x"], state["y"]), self.goal) <= THERE

    def enters(self, option: Option) -> str | bool:
        """Veto a way that comes closer to the zone than the margin; from within the margin, one that does not lead out."""
        assert self.zone is not None
        clear = self.radius + MARGIN
        start = self.zone.distance(*option.start)
        if start - hypot(*option.vector) >= clear:
            return False  # the way is too short to come close
        near = min(clear, start)
        if self.zone.distance(*option.end) < clear or any(
            self.zone.distance(*place) < near for place in option.places()
        ):
            return "the way meets the zone"
        return False

    def leaves(self, option: Option) -> str | bool:
        """Veto a way that ends in a wall."""
        x, y = option.end
        clear = self.radius + MARGIN / 2
        return (abs(x) > self.room[0] / 2 - clear or abs(y) > self.room[1] / 2 - clear) and "a wall is in the way"

    def nears(self, option: Option) -> float:
        """Vote for what comes closer to the goal."""
        gained = dist(option.start, self.goal) - dist(option.end, self.goal)
        return max(-1.0, min(1.0, gained / STRIDE))

    def revisits(self, option: Option) -> float:
        """Vote against where the rover was lately: so it finds a way around what it may not cross."""
        nearest = min((dist(option.end, place) for place in self.lately), default=CROWDED)
        return min(0.0, nearest / CROWDED - 1.0)


def drive(body: Bridge, mind: Mind, tell: Callable[[Decision[Option]], object], *, steps: int = 40) -> list[Outcome]:
    """Drive a rover until a state shows it at the goal; the outcomes of its MOVEs. `tell` gets each decision before its
    MOVE is sent."""
    outcomes: list[Outcome] = []
    for _ in range(steps):
        state = body.refresh(DEADLINE).data
        if mind.is_there(state):
            break
        decision = mind.decide(state)
        tell(decision)
        mind.lately.append((state["x"], state["y"]))
        if decision.candidate is None:
            break  # every way is vetoed, and waiting frees none
        outcomes.append(body.execute(Move((*decision.candidate.vector, 0.0)), deadline=DEADLINE))
    return outcomes
