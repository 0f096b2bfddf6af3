"""The raw record of one arbitration: every verdict and every score, as the stages produced them.

A tally is cheap to keep and complete: the reason, the trace and every explanation are views of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from volition.arbitration.reading import is_number
from volition.core.errors import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration.answers import Score, Verdict
    from volition.arbitration.composite import CompositeIntention
    from volition.core.errors import Problems

Outcome = Literal["act", "hold", "fail"]

Rule = Literal[
    "highest_total",
    "only_survivor",
    "no_heuristics",
    "priority",
    "order",
    "all_candidates_vetoed",
    "no_candidates",
]
"""Why a decision came out as it did; a closed list.

- `highest_total`: one candidate's total is above all others'.
- `only_survivor`: one candidate was left after the vetoes.
- `no_heuristics`: nobody votes, so the first surviving candidate in the order offered was taken.
- `priority`: the best totals were tied, and a priority level told them apart.
- `order`: tied on every level too, so the first in the order offered was taken.
- `all_candidates_vetoed`: every candidate is forbidden; none is chosen.
- `no_candidates`: nothing was offered.
"""


class TieBreak(NamedTuple):
    """How equal totals were told apart.

    `tied` are positions among the survivors; `level` is the priority that left one of them, or None where only the
    order offered could.
    """

    tied: tuple[int, ...]
    level: int | None


class Settings(NamedTuple):
    """How the caller asked for the decision."""

    on_impossible: Literal["hold", "fail"] = "hold"
    tie_margin: float = 0.0
    stay: str | None = None


def check_settings(on_impossible: Any, tie_margin: Any, stay: Any, ids: Sequence[str], problems: Problems) -> None:
    """Settings that no decision can be made with are problems, each named by its argument."""
    if on_impossible not in ("hold", "fail"):
        problems.add(
            f"on_impossible is {on_impossible!r}",
            where="on_impossible",
            expected="'hold' or 'fail'",
            remedy="leave it out to hold",
        )
    if not is_number(tie_margin) or tie_margin < 0:
        problems.add(
            f"the tie margin is {shown(tie_margin)}",
            where="tie_margin",
            expected="a finite number >= 0",
            remedy="leave it out to call only equal totals tied",
        )
    if stay is not None and ids and stay not in ids:
        problems.add(
            f"{stay!r} is named as staying put and is not offered",
            where="stay",
            expected="the id of one of the candidates",
            remedy=did_you_mean(str(stay), ids),
        )


class Tally(NamedTuple):
    """Everything that was asked and answered, and what became of it.

    `judges` are those that could veto: the constraints, and the heuristics whose errors veto. `vetoed` holds their
    verdicts on each candidate that did not survive, by id. `left` are the candidates that did, `survivors` their ids;
    `scores` and `products` (weight * score, 0 for an abstention) have a tuple for each of them, over the heuristics of
    the composite. `winner` is a position among the survivors, or None.
    """

    composite: CompositeIntention
    settings: Settings
    candidates: list[Any]
    ids: list[str]
    context: Any
    version: Any
    judges: tuple[str, ...]
    vetoed: dict[str, tuple[Verdict, ...]]
    left: list[Any]
    survivors: list[str]
    scores: list[tuple[Score, ...]]
    products: list[tuple[float, ...]]
    totals: list[float]
    winner: int | None
    rule: Rule
    tie: TieBreak | None
    kind: Outcome

    @property
    def ranking(self) -> list[int]:
        """The positions of the survivors: the winner first, the others by their totals, equal ones as they were given."""
        return sorted(range(len(self.totals)), key=lambda place: (place != self.winner, -self.totals[place]))
