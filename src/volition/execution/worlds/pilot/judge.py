"""Goals, and whether they are met: judged only from later states.

A judge never sees a result: SUCCESS says that an attempt was made, and silence says nothing.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from volition.core.errors import format_value, refuse
from volition.execution.worlds.pilot.ground import distance

if TYPE_CHECKING:
    from volition.execution.worlds.pilot.situation import PilotSituation

GoalVerdict: TypeAlias = Literal["open", "met", "lost"]


class DefeatOpponent(Struct, frozen=True):
    """Defeat the opponent."""

    def __str__(self) -> str:
        return "opponent"


class Spot(Struct, frozen=True):
    """Stand within `near` of a place, on the ground and alive; lengths are tiles."""

    x: float
    y: float
    near: float = 0.3

    def __post_init__(self) -> None:
        if not (isfinite(self.x) and isfinite(self.y) and 0 < self.near < float("inf")):
            refuse(
                f"the goal is ({self.x}, {self.y}), within {self.near}",
                where="goal",
                expected="finite numbers, and a distance above 0",
                remedy="give a place on the map, in tiles",
            )

    def __str__(self) -> str:
        return f"{self.x:g},{self.y:g}"


Goal: TypeAlias = DefeatOpponent | Spot


def parse_goal(text: str, where: str = "goal") -> Goal:
    """The goal that a text names: `opponent`, or a place as `X,Y` in tiles.

    >>> parse_goal("20.5, 8.5")
    Spot(x=20.5, y=8.5, near=0.3)
    """
    if text == "opponent":
        return DefeatOpponent()
    x, _, y = text.partition(",")
    try:
        return Spot(float(x), float(y))
    except ValueError:
        refuse(
            f"the goal is {format_value(text)}",
            where=where,
            expected="opponent, or a place X,Y in tiles",
            remedy="write it as 20.5,8.5: columns from the left, rows from the top",
        )


class Judged(Struct, frozen=True):
    """What the states say about a goal: the verdict, the reason, and the `seq` of the state it is based on.

    `seq` is None where there is no later state: then the verdict is the previous one. `hurt` is the opponent's loss of
    health since the previous state, `harm` the pilot's own, as shares; `defeated` and `died` say that the opponent or the
    actor was alive in the previous state and is dead in this one.
    """

    verdict: GoalVerdict
    because: str
    seq: int | None
    hurt: float = 0.0
    harm: float = 0.0
    defeated: bool = False
    died: bool = False


class Judge:
    """Follows one goal through the states of one connection.

    >>> from volition.execution.worlds.pilot.situation import Me, PilotSituation
    >>> judge = Judge(Spot(2.5, 1.5))
    >>> judge.begin(PilotSituation(1, 0, 1, Me((1.5, 1.5))))
    >>> judge.see(PilotSituation(2, 2, 1, Me((1.9, 1.5)))).verdict
    'open'
    >>> judge.see(PilotSituation(3, 5, 1, Me((2.5, 1.5)))).verdict
    'met'
    """

    def __init__(self, goal: Goal) -> None:
        self.goal = goal
        self._seen: PilotSituation | None = None
        self._last = Judged("open", "no later state was seen", None)

    def forget(self) -> None:
        """Forget the states of the previous connection."""
        self._seen = None

    def begin(self, situation: PilotSituation) -> None:
        """Take the first state of a connection, with which later ones are compared; it gives no verdict."""
        if self._seen is None:
            self._seen = situation

    def see(self, situation: PilotSituation | None) -> Judged:
        """Judge from a state; None, or a state that is not later than the last, changes nothing."""
        before = self._seen
        if situation is None or (before is not None and situation.seq <= before.seq):
            return replace(self._last, seq=None, hurt=0.0, harm=0.0, defeated=False, died=False)
        self._seen = situation
        same = before if before is not None and before.episode == situation.episode else None
        me, foe = situation.me, situation.foe
        hurt = harm = 0.0
        defeated = died = False
        if same is not None:
            harm = max(0.0, same.me.health - me.health)
            died = same.me.alive and not me.alive
            if same.foe is not None and foe is not None:
                hurt = max(0.0, same.foe.health - foe.health)
                defeated = same.foe.alive and not foe.alive
        verdict, because = self._judge(situation, defeated)
        self._last = Judged(verdict, because, situation.seq, hurt, harm, defeated, died)
        return self._last

    def _judge(self, now: PilotSituation, defeated: bool) -> tuple[GoalVerdict, str]:
        if not now.me.alive:
            return "lost", "the actor is dead"
        if isinstance(self.goal, Spot):
            left = distance(now.me.place, (self.goal.x, self.goal.y))
            if left <= self.goal.near and not now.me.in_air:
                return "met", f"it stands {left:.2f} from the place"
            return "open", f"{left:.2f} from the place"
        if now.foe is None:
            return "open", "no opponent is seen"
        if defeated or (not now.foe.alive and self._last.verdict == "met"):
            return "met", "the opponent is down"
        return "open", f"the opponent has {now.foe.health:.0%} of its health"
