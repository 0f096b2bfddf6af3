"""The record of one arbitration: every verdict and every score, as the stages produced them.

A tally is cheap to keep and complete: the reason, the trace and every explanation are computed from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from volition.arbitration.composite import CompositeIntention
    from volition.arbitration.settings import DecisionSettings
    from volition.arbitration.stages import Score, Verdict

Outcome = Literal["act", "hold", "fail"]

Rule = Literal[
    "highest_total",
    "only_survivor",
    "no_heuristics",
    "no_opinion",
    "priority",
    "order",
    "weighted",
    "below_margin",
    "below_total",
    "no_positive_total",
    "all_candidates_vetoed",
    "no_candidates",
]
"""Why a decision came out as it did; a closed list.

- `highest_total`: one candidate's total is above all others'.
- `only_survivor`: one candidate was left after the vetoes.
- `no_heuristics`: nobody votes, so the first surviving candidate in the order offered was taken.
- `no_opinion`: every heuristic abstained on every survivor, so the first in the order offered was taken.
- `priority`: the best totals were tied, and a priority level broke the tie.
- `order`: tied on every level too, so the first in the order offered was taken.
- `weighted`: chance chose, and the chances follow the totals.
- `below_margin`: the leader leads by less than the least margin that the caller named; it is not acted on.
- `below_total`: the leader's total is below the least total that the caller named; it is not acted on.
- `no_positive_total`: chance was to choose, and no total is above 0.
- `all_candidates_vetoed`: every candidate is forbidden; none is chosen.
- `no_candidates`: nothing was offered.
"""


class TieBreak(FrozenStruct, frozen=True):
    """How a tie was broken.

    `tied` are positions among the survivors; `level` is the priority that left one of them, or None where only the
    order offered could.
    """

    tied: tuple[int, ...]
    level: int | None


class Tally(FrozenStruct, frozen=True):
    """Everything that was asked and answered, stage by stage, and the outcome.

    The input: the candidates and their ids, by whom they are judged, and how. Then the filter: `vetoed` holds the
    verdicts of the judges on each candidate that did not survive, by id; `left` are the candidates that did, `survivors`
    their ids. Then the votes: for each survivor a row of scores over the heuristics of the composite, a row of
    contributions (weight * score, 0 for an abstention), and their total. Last the choice: `winner` is a position among
    the survivors, or None; `tie` is how a tie for the first place was broken, also where the decision then held.

    `remarks` are sentences of voters that say more than scores, each with the id of its voter.
    """

    composite: CompositeIntention
    settings: DecisionSettings
    candidates: list[Any]
    ids: list[str]
    context: Any
    version: Any

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
    remarks: tuple[tuple[str, str], ...] = ()

    @property
    def winner_id(self) -> str | None:
        return None if self.winner is None else self.survivors[self.winner]

    def vetoed_by(self, name: str) -> dict[str, Literal[True] | str]:
        """Who forbade a candidate, and why: True where no text was given."""
        row = self.vetoed.get(name, ())
        return {id: verdict for id, verdict in zip(self.composite.judges, row, strict=bool(row)) if verdict}

    def veto_text(self, name: str) -> str:
        """Who forbade a candidate, and why, in words."""
        by = self.vetoed_by(name)
        return ", ".join(who if reason is True else f"{who} ({reason})" for who, reason in by.items())
