"""What a tally shows of a decision: the reason in brief, the trace in full, and the ranking of all candidates."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import compress
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from volition.arbitration.choice import leader_of, level_value, shortfall_of, within
from volition.arbitration.data_checks import is_whole
from volition.core.errors import format_value, refuse
from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.arbitration.choice import Shortfall
    from volition.arbitration.stages import Score, Verdict
    from volition.arbitration.tally import Rule, Tally

C = TypeVar("C")
CLOSE = 0.05
"""A rival is close when its gap to the winner is at most this share of the widest gap.

That is the widest gap that votes in [-1, 1] allow, twice the sum of weights; where a heuristic declares another range,
which may be much wider than the scores that occur, it is the gap between the best and the worst total.
"""
CLOSEST = 3
"""How many close rivals a reason names."""


class Reason(FrozenStruct, frozen=True):
    """The spec's breakdown of a decision.

    `voted_by` are the intentions whose weighted vote for the winner is not zero, `vetoed_by` those that forbade
    anything, `vetoed_count` the candidates discarded, `final_scores` the totals of the winner and its close rivals,
    best first. `tied` are the candidates whose tie the `rule` broke. Under total veto, `relaxations` are the smallest
    sets of intentions without which something would be allowed: information, never an act. Where the decision holds
    below a bound, `shortfall` has both numbers, and the votes and final scores are those of the leader.
    """

    rule: Rule
    voted_by: tuple[str, ...]
    vetoed_by: tuple[str, ...]
    vetoed_count: int
    final_scores: dict[str, float]
    tied: tuple[str, ...]
    relaxations: tuple[tuple[str, ...], ...]
    shortfall: Shortfall | None = None


class Trace(FrozenStruct, frozen=True):
    """Everything that was said, in the order of the stages: filter, aggregate, tie-break.

    Filter: all `judges` answered for every candidate; for each one `vetoed`, `verdicts` has a row of their answers: True
    or a text that says why, False where a judge would have allowed it, None where a heuristic whose errors veto was not
    asked any more.

    Aggregate: the `voters` gave each of the `survivors` a row of `scores` (None is an abstention), whose `contributions`
    (weight * score) add up to its total in `totals`.

    Tie-break: `tied` candidates, and the priority `level` that told them apart, None where the order offered had to.
    """

    judges: tuple[str, ...]
    vetoed: tuple[str, ...]
    verdicts: tuple[tuple[Verdict, ...], ...]
    voters: tuple[str, ...]
    survivors: tuple[str, ...]
    scores: tuple[tuple[Score, ...], ...]
    contributions: tuple[tuple[float, ...], ...]
    totals: tuple[float, ...]
    tied: tuple[str, ...]
    level: int | None

    @property
    def stages(self) -> tuple[str, str, str]:
        """The stages in the order in which they ran."""
        return ("filter", "aggregate", "tie_break")


def reason_of(tally: Tally) -> Reason:
    """The reason of a decision."""
    composite, vetoed, winner = tally.composite, tally.vetoed, tally.winner
    vetoing = _vetoing_ids(composite.judges, vetoed) if vetoed else ()
    shortfall = None
    if winner is None:
        winner, shortfall = leader_of(tally), shortfall_of(tally)
    if winner is None:
        relaxations = () if tally.survivors else _relaxations(tally)
        return Reason(tally.rule, (), vetoing, len(vetoed), {}, (), relaxations)
    survivors, row, voted_by = tally.survivors, tally.products[winner], composite.voters
    if not all(row):
        voted_by = tuple(compress(voted_by, row))
    tied = _tied_ids(tally) if tally.tie else ()
    close = _final_scores(survivors, tally.totals, winner, composite.scale)
    return Reason(tally.rule, voted_by, vetoing, len(vetoed), close, tied, (), shortfall)


def trace_of(tally: Tally) -> Trace:
    """The trace of a decision."""
    composite, vetoed, tie = tally.composite, tally.vetoed, tally.tie
    return Trace(
        composite.judges,
        tuple(vetoed),
        tuple(vetoed.values()),
        composite.voters,
        tuple(tally.survivors),
        tuple(tally.scores),
        tuple(tally.products),
        tuple(tally.totals),
        _tied_ids(tally) if tie else (),
        tie.level if tie else None,
    )


def _vetoing_ids(judges: tuple[str, ...], vetoed: Mapping[str, tuple[Verdict, ...]]) -> tuple[str, ...]:
    """Everyone who forbade anything, sorted."""
    if len(judges) == 1:
        return judges
    forbade = map(any, zip(*vetoed.values(), strict=True))
    return tuple(sorted(compress(judges, forbade)))


def _tied_ids(tally: Tally) -> tuple[str, ...]:
    return tuple([tally.survivors[place] for place in tally.tie.tied]) if tally.tie else ()


def _final_scores(survivors: list[str], totals: list[float], winner: int, scale: float | None) -> dict[str, float]:
    """The totals of the winner and of the close rivals, the nearest first."""
    first, best = survivors[winner], totals[winner]
    floor = best - CLOSE * (max(totals) - min(totals) if scale is None else scale)
    close = {first: best}
    for name, total in zip(survivors, totals):  # noqa: B905  of one length, and strict costs time
        if total >= floor:
            close[name] = total  # noqa: PERF403  a comprehension costs a call
    if len(close) <= 2:
        return close
    del close[first]
    nearest = sorted(close.items(), key=itemgetter(1), reverse=True)[:CLOSEST]
    return {first: best, **dict(nearest)}


def _relaxations(tally: Tally) -> tuple[tuple[str, ...], ...]:
    """The inclusion-minimal sets of vetoes: a candidate is freed only when all that forbade it are gone."""
    sets = {frozenset(tally.vetoed_by(name)) for name in tally.vetoed}
    minimal = [by for by in sets if not any(other < by for other in sets)]
    return tuple(sorted((tuple(sorted(by)) for by in minimal), key=lambda by: (len(by), by)))


class RankedCandidate(FrozenStruct, Generic[C], frozen=True):
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
