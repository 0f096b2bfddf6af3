"""A body with inertia: it conforms within the tolerance that it declares, and no further."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import dist, hypot
from typing import TYPE_CHECKING, Any, Final

import pytest

from volition.core.clock import ManualClock
from volition.execution import About, Ended, IncomingIntent, Move, Places, StateSchema, make_result
from volition.execution.conformance import check
from volition.execution.executor.host import Host
from volition.execution.wire.frames import ProbeSight

if TYPE_CHECKING:
    from volition.execution.conformance.verdict import Report

HZ: Final = 50.0
FAST: Final = 0.02
"""Metres in a tick at full speed."""
DRAG: Final = 0.7
"""What is left of its speed after each tick in which nothing pushes it."""
SLIDES: Final = FAST * DRAG / (1 - DRAG)
"""How far it slides after it was fast."""
SIDE: Final = 8.0
HONEST: Final = Places(unit="metre", up="z", handed="right", tolerance=0.06, coast_ms=400)
MOVED: Final = ("truth.move", "truth.stop_stands", "dead_man.after_goodbye", "truth.cancel_stands")


@dataclass
class Sledge:
    """A sledge on ice, eight metres square: after a push it slides on, and each tick takes a part of its speed."""

    places: Places | None = HONEST
    drag: float = DRAG
    short_of: float = 0.0
    """By how much it stops before its goal and says SUCCESS."""
    tick: int = 0
    episode: int = 1
    alive: bool = True
    place: tuple[float, float] = (4.0, 4.0)
    speed: tuple[float, float] = (0.0, 0.0)
    goal: tuple[float, float] = (4.0, 4.0)
    under_way: dict[IncomingIntent, int] = field(default_factory=dict)
    """Since which tick."""

    @property
    def about(self) -> About:
        schema = StateSchema(name="sledge", version="1", hash="sledge", places=self.places)
        return About(name="sledge", version="1", state_schema=schema, intents=("MOVE", "STOP"), tick_hz=HZ, probe=True)

    def attempt(self, attempt: IncomingIntent) -> list[Ended]:
        ended = self.cancel(attempt)
        if not isinstance(attempt.intent, Move):
            return [*ended, Ended(attempt, self._result())]
        x, y, _ = attempt.intent.vector
        self.goal = (self.place[0] + x, self.place[1] + y)
        if not all(0 <= part <= SIDE for part in self.goal):
            return [*ended, Ended(attempt, self._result("FAILURE", "BLOCKED"))]
        self.under_way[attempt] = self.tick
        return ended

    def cancel(self, attempt: IncomingIntent) -> list[Ended]:
        return self._end("PARTIAL")

    def step(self) -> list[Ended]:
        self.tick += 1
        left = dist(self.place, self.goal)
        if self.under_way and left > SLIDES + self.short_of:
            self.speed = tuple((to - at) / left * FAST for at, to in zip(self.place, self.goal, strict=True))  # type: ignore[assignment]
            self._slide()
            return []
        ended = self._end("SUCCESS")
        self.speed = (self.speed[0] * self.drag, self.speed[1] * self.drag)
        self._slide()
        return ended

    def _slide(self) -> None:
        x, y = (min(SIDE, max(0.0, at + by)) for at, by in zip(self.place, self.speed, strict=True))
        self.place = (x, y)

    def _end(self, status: Any) -> list[Ended]:
        ended = [Ended(each, self._result(status, since=since)) for each, since in self.under_way.items()]
        self.under_way.clear()
        return ended

    def _result(self, *ending: Any, since: int | None = None) -> Any:
        took = 0.0 if since is None else (self.tick - since) * 1000 / HZ
        return make_result(*ending, engine_timestamp=self.tick, execution_time_ms=took)

    def state(self, *, full: bool) -> Any:
        return {"x": self.place[0], "y": self.place[1]}

    def stop(self) -> None:
        self.under_way.clear()

    def probe(self, id: int) -> ProbeSight:
        """What the sledge knows about itself, and how far it could go."""
        x, y = self.place
        sight: dict[str, Any] = {
            "place": [x, y, 0.0], "alive": True, "grounded": True, "busy": bool(self.under_way), "holding": False,
            "facing": "", "health": 1.0, "cooling": [], "tired": [], "target": None,
        }  # fmt: skip
        free = [(SIDE - x, (1, 0)), (x, (-1, 0)), (SIDE - y, (0, 1)), (y, (0, -1))]
        ways = [(dx * n * 1.0, dy * n * 1.0, 0.0) for room, (dx, dy) in free for n in range(1, int(room - 0.2) + 1)]
        return ProbeSight(id=id, sight=sight, ways=tuple(sorted(ways, key=lambda way: -hypot(*way))), precision=0.001)


def judged(sledge: Sledge, *only: str) -> Report:
    clock, host = ManualClock(), Host(sledge)
    return check(lambda: host.connect(clock), clock=clock, only=only or None)


@pytest.mark.req("EX-26")
def test_a_body_with_inertia_conforms_within_its_tolerance() -> None:
    """A body that slides on after STOP, cancel and arrival keeps every law, if it says how far and for how long."""
    report = judged(Sledge())
    assert report.broken == ()
    held = {row.check for row in report.rows if row.verdict == "holds"}
    assert {*MOVED, "places.tolerance", "places.coasting", "truth.cut_short", "truth.repeated_id"} <= held


@pytest.mark.req("EX-26")
def test_without_a_tolerance_places_are_exact() -> None:
    """The same body breaks the laws about standing still if it declares nothing, or a tolerance of 0."""
    exact = Places(unit="metre", up="z", handed="right")
    for places in (None, exact):
        assert {"truth.stop_stands", "truth.move", "dead_man.after_goodbye"} <= set(
            judged(Sledge(places=places), *MOVED).broken
        )


@pytest.mark.req("EX-26")
@pytest.mark.parametrize(
    ("sledge", "broken"),
    [
        (Sledge(drag=0.97), {"truth.stop_stands", "dead_man.after_goodbye", "truth.cancel_stands"}),
        (Sledge(short_of=0.2), {"truth.move"}),
        (Sledge(places=Places(unit="metre", up="z", handed="right", tolerance=0.9)), {"places.tolerance"}),
        (
            Sledge(drag=1.0, places=Places(unit="metre", up="z", handed="right", tolerance=0.06, coast_ms=3000)),
            {"places.coasting"},
        ),
    ],
    ids=["slides further", "stops short", "absurd tolerance", "drives on"],
)
def test_a_tolerance_is_a_limit(sledge: Sledge, broken: set[str]) -> None:
    """Whoever moves further than declared, or for longer, breaks the law; and so does a tolerance that hides everything."""
    assert broken <= set(judged(sledge, *MOVED, "places").broken)
