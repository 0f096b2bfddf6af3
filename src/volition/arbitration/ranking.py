"""The whole ranking of a decision: who would be chosen, who if that one were not there, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from volition.arbitration.choice import level_value, within
from volition.arbitration.data_checks import is_whole
from volition.core.errors import format_value, refuse

if TYPE_CHECKING:
    from volition.arbitration.answers import Score
    from volition.arbitration.tally import Tally

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class RankedCandidate(Generic[C]):
    """One candidate in the ranking of a decision."""

    rank: int | None
    """Counted from 1; None for a vetoed one."""
    id: str
    candidate: C
    total: float | None
    """None for a vetoed one, which nobody scored."""
    scores: dict[str, Score]
    """By heuristic; None is an abstention."""
    vetoed_by: dict[str, Literal[True] | str]
    """Who forbade it, and why: True where no text was given. Empty for a survivor."""
    chosen: bool
    """Whether the decision acts on it."""

    @property
    def abstained(self) -> tuple[str, ...]:
        """The heuristics that had no opinion of it."""
        return tuple(id for id, score in self.scores.items() if score is None)

    def __str__(self) -> str:
        if self.total is None:
            by = ", ".join(who if why is True else f"{who} ({why})" for who, why in self.vetoed_by.items())
            return f"x {self.id}: vetoed by {by}"
        votes = ", ".join(f"{by} {'-' if score is None else f'{score:+.6g}'}" for by, score in self.scores.items())
        return f"{self.rank} {self.id}: {self.total:+.6g} ({votes or 'nobody votes'})"


def rank_survivors(tally: Tally) -> list[int]:
    """The positions of the survivors, best first: each is what the law of choosing takes of those that are left.

    With a tie margin the tied are those within it of the best that is left. As that one falls, more come within the
    margin and nobody leaves it, so one pass over the totals and a heap of the tied is enough.
    """
    totals, margin = tally.totals, tally.settings.tie_margin
    preference = [
        (*(-level_value(row, members) for _, members in tally.composite.levels), place)
        for place, row in enumerate(tally.scores)
    ]
    falling = sorted(range(len(totals)), key=lambda place: -totals[place])
    tied: list[tuple[tuple[float, ...], int]] = []
    ranked: list[int] = []
    taken: set[int] = set()
    entered = first = 0
    while len(ranked) < len(falling):
        while falling[first] in taken:
            first += 1
        best = totals[falling[first]]
        while entered < len(falling) and within(margin, best, totals[falling[entered]]):
            heappush(tied, (preference[falling[entered]], falling[entered]))
            entered += 1
        _, place = heappop(tied)
        ranked.append(place)
        taken.add(place)
    return ranked


def ranking_of(tally: Tally, top: int | None = None) -> tuple[RankedCandidate[Any], ...]:
    """The survivors, best first, and then the vetoed in the order offered; with `top` the first survivors only."""
    if top is not None and (not is_whole(top) or top < 0):
        refuse(
            f"top is {format_value(top)}",
            where="ranking",
            expected="a whole number >= 0",
            remedy="leave it out for the whole ranking",
        )
    voters = tally.composite.voters
    survivors = [
        RankedCandidate(
            rank,
            tally.survivors[place],
            tally.left[place],
            tally.totals[place],
            dict(zip(voters, tally.scores[place], strict=True)),
            {},
            place == tally.winner,
        )
        for rank, place in enumerate(rank_survivors(tally)[:top], 1)
    ]
    if top is not None:
        return tuple(survivors)
    pool = dict(zip(tally.ids, tally.candidates, strict=True))
    vetoed = [
        RankedCandidate(None, name, pool[name], None, {}, tally.vetoed_by(name), chosen=False) for name in tally.vetoed
    ]
    return (*survivors, *vetoed)
