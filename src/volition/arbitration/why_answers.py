"""The answers to why and why not: data first, with one sentence made from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from fractions import Fraction

    from volition.arbitration.stages import Score
    from volition.arbitration.tally import Rule

__all__ = ["Contribution", "Held", "LostTie", "NotDrawn", "NotOffered", "Outscored", "Vetoed", "Why", "WhyNot", "Won"]


class Contribution(FrozenStruct, frozen=True):
    """What one intention adds to the winner's lead over a rival: `exact` is weight * score of one less the other."""

    by: str
    weight: float
    score: Score
    rival_score: Score
    exact: Fraction

    @property
    def value(self) -> float:
        return float(self.exact)


class Why(FrozenStruct, frozen=True):
    """Why the winner won, against one rival.

    `contributions` sum to `margin` exactly, largest first. `sufficient` is the shortest list of reasons: the votes for
    the winner that alone outweigh all votes against it; empty where no votes decided. Where the decision holds below a
    bound there is no winner, and they are about the leader, who would have been it.
    """

    winner: str | None
    over: str | None
    rule: Rule
    margin: Fraction | None
    contributions: tuple[Contribution, ...]
    sufficient: tuple[str, ...]
    text: str


class NotOffered(FrozenStruct, frozen=True):
    """It was never a candidate."""

    candidate: str
    text: str


class Vetoed(FrozenStruct, frozen=True):
    """It was forbidden; `by` holds everyone who did and why. All of them would have to go to free it."""

    candidate: str
    by: dict[str, Any]
    text: str


class Outscored(FrozenStruct, frozen=True):
    """Its total was lower than that of `winner`, or of the leader where the decision holds.

    `by` is the intention that did most for the winner. `fewest` are the scores that would have to rise, at most to the
    top of their ranges, for it to draw level: the fewest that can do it, or None where even all of them cannot.
    `needed` says, for each intention whose score alone could do it, the lowest score at which it draws level.
    """

    candidate: str
    winner: str
    by: str
    margin: float
    contributions: tuple[Contribution, ...]
    fewest: tuple[str, ...] | None
    needed: dict[str, float]
    text: str


class LostTie(FrozenStruct, frozen=True):
    """Its total counted as equal, and the winner was preferred.

    `level` is the priority at which they differ, with both values and the intentions of that level; None where they
    cannot be told apart and the winner was offered earlier.
    """

    candidate: str
    winner: str
    level: int | None
    by: tuple[str, ...]
    value: float | None
    winner_value: float | None
    text: str


class NotDrawn(FrozenStruct, frozen=True):
    """Chance chose, and the draw fell on another one, or on none; `chance` is how likely this one was."""

    candidate: str
    winner: str | None
    chance: Fraction
    text: str


class Held(FrozenStruct, frozen=True):
    """It came first, and the decision holds: its margin or total, `value`, is below the least that the caller named."""

    candidate: str
    what: Literal["margin", "total"]
    value: float
    least: float
    text: str


class Won(FrozenStruct, frozen=True):
    """It is the winner."""

    candidate: str
    text: str


WhyNot = NotOffered | Vetoed | Outscored | LostTie | NotDrawn | Held | Won
"""`NotDrawn` is an answer only with `choose="weighted"`, and `Held` only with `hold_below`."""
