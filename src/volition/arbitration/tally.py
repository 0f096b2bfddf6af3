"""The record of one arbitration: every verdict and every score, as the stages produced them.

A tally is cheap to keep and complete: the reason, the trace and every explanation are computed from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from volition.arbitration.data_checks import is_number
from volition.core.errors import InvalidInput, Problems, did_you_mean, format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration.answers import Score, Verdict
    from volition.arbitration.composite import CompositeIntention

new_record = tuple.__new__
"""`new_record(Class, fields)` makes a named tuple in less than half the time of its constructor. A decision that is read makes three
of them. It does not check the number of fields: mypy and the tests do.
"""

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
- `priority`: the best totals were tied, and a priority level broke the tie.
- `order`: tied on every level too, so the first in the order offered was taken.
- `all_candidates_vetoed`: every candidate is forbidden; none is chosen.
- `no_candidates`: nothing was offered.
"""


class DecisionSettings(NamedTuple):
    """How the caller asked for the decision."""

    on_impossible: Literal["hold", "fail"] = "hold"
    tie_margin: float = 0.0
    stay: str | None = None


class TieBreak(NamedTuple):
    """How a tie was broken.

    `tied` are positions among the survivors; `level` is the priority that left one of them, or None where only the
    order offered could.
    """

    tied: tuple[int, ...]
    level: int | None


class Tally(NamedTuple):
    """Everything that was asked and answered, stage by stage, and the outcome.

    The input: the candidates and their ids, by whom they are judged, and how. Then the filter: `vetoed` holds the
    verdicts of the judges on each candidate that did not survive, by id; `left` are the candidates that did, `survivors`
    their ids. Then the votes: for each survivor a row of scores over the heuristics of the composite, a row of
    contributions (weight * score, 0 for an abstention), and their total. Last the choice: `winner` is a position among
    the survivors, or None.
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

    @property
    def winner_id(self) -> str | None:
        return None if self.winner is None else self.survivors[self.winner]

    @property
    def ranking(self) -> list[int]:
        """The positions of the survivors: the winner first, the others by total, equal ones in the order offered."""
        return sorted(range(len(self.totals)), key=lambda place: (place != self.winner, -self.totals[place]))

    def vetoed_by(self, name: str) -> dict[str, Literal[True] | str]:
        """Who forbade a candidate, and why: True where no text was given."""
        row = self.vetoed.get(name, ())
        return {id: verdict for id, verdict in zip(self.composite.judges, row, strict=bool(row)) if verdict}

    def veto_text(self, name: str) -> str:
        """Who forbade a candidate, and why, in words."""
        by = self.vetoed_by(name)
        return ", ".join(who if reason is True else f"{who} ({reason})" for who, reason in by.items())


def check_settings(on_impossible: Any, tie_margin: Any, stay: Any, ids: Sequence[str], problems: Problems) -> None:
    """Add a problem, named by its argument, for each setting that no decision can be made with."""
    if on_impossible not in ("hold", "fail"):
        problems.add(
            f"on_impossible is {on_impossible!r}",
            where="on_impossible",
            expected="'hold' or 'fail'",
            remedy="leave it out to hold",
        )
    if not is_number(tie_margin) or tie_margin < 0:
        problems.add(
            f"the tie margin is {format_value(tie_margin)}",
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


def read_settings(on_impossible: Any, tie_margin: Any, stay: Any, ids: Sequence[str]) -> DecisionSettings:
    """The settings, or an error with all their problems."""
    problems = Problems()
    check_settings(on_impossible, tie_margin, stay, ids, problems)
    problems.raise_if_any(InvalidInput)
    return DecisionSettings(on_impossible, float(tie_margin), stay)
