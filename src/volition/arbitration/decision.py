"""What was decided, and why: a view of the tally that builds its parts when they are asked for."""

from __future__ import annotations

from itertools import compress
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from volition.arbitration.tally import Tally
from volition.core.errors import NotPossible, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.arbitration.answers import Score, Verdict
    from volition.arbitration.composite import CompositeIntention
    from volition.arbitration.counterfactual import Shadow, WhatIf
    from volition.arbitration.explain import Why, WhyNot
    from volition.arbitration.sensitivity import Sensitivity
    from volition.arbitration.tally import Outcome, Rule, TieBreak

C = TypeVar("C")

CLOSE = 0.05
"""A rival is close when its gap to the winner is at most this share of the widest gap.

That is the widest gap that votes in [-1, 1] allow, twice the sum of weights; where a heuristic declares another range,
which may be much wider than what is ever said, it is the gap between the best and the worst total.
"""
CLOSEST = 3
"""How many close rivals a reason names."""

_LEFT, _SURVIVORS, _WINNER = map(Tally._fields.index, ("left", "survivors", "winner"))

_new = tuple.__new__
"""Makes a named tuple at half the cost of its own constructor, which every reading would pay."""


class Reason(NamedTuple):
    """The spec's breakdown of a decision.

    `voted_by` are the intentions whose weighted vote for the winner is not zero, `vetoed_by` those that forbade
    anything, `vetoed_count` the candidates discarded, `final_scores` the totals of the winner and its close rivals,
    best first. `tied` are the candidates whose tie the `rule` broke. Under total veto, `relaxations` are the smallest
    sets of intentions without which something would be allowed: information, never an act.
    """

    rule: Rule
    voted_by: tuple[str, ...]
    vetoed_by: tuple[str, ...]
    vetoed_count: int
    final_scores: dict[str, float]
    tied: tuple[str, ...]
    relaxations: tuple[tuple[str, ...], ...]


class Trace(NamedTuple):
    """Everything that was said, in the order of the stages: filter, aggregate, tie-break.

    Filter: all `judges` answered for every candidate; for each one `vetoed`, `verdicts` has a row of their answers: True
    or a text that says why, False where a judge would have allowed it, None where a heuristic whose errors veto was not
    asked any more. Aggregate: the `voters` gave each of the
    `survivors` a row of `scores` (None is an abstention), whose `contributions` (weight * score) add up to its total in
    `totals`. Tie-break: `tied` candidates, and the priority `level` that told them apart, None where the order offered
    had to.
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


class Decision(Generic[C]):
    """One of three outcomes: "act" on a candidate, "hold", or "fail"; with the whole reason.

    Nothing in it changes after it is made. The questions (`why`, `why_not`, `what_if`, `sensitivity`) are answered from
    what was said during the decision and ask no intention again, except for shadow scores, on request.
    """

    __slots__ = ("_told",)

    def __init__(self, told: tuple[Any, ...]) -> None:
        """`told` is what a tally is made of, as a plain tuple, which is made and taken apart much faster than one."""
        self._told = told

    @property
    def tally(self) -> Tally:
        """Everything that was asked and answered, and what became of it."""
        return _new(Tally, self._told)

    @property
    def kind(self) -> Outcome:
        return self.tally.kind

    @property
    def candidate(self) -> C | None:
        """The winner, or None when the kind is "hold" or "fail"."""
        told = self._told
        winner = told[_WINNER]
        return None if winner is None else told[_LEFT][winner]

    @property
    def id(self) -> str | None:
        """The winner's id."""
        told = self._told
        winner = told[_WINNER]
        return None if winner is None else told[_SURVIVORS][winner]

    @property
    def composite(self) -> CompositeIntention:
        return self.tally.composite

    @property
    def version(self) -> Any:
        """The version of the world that the caller saw."""
        return self.tally.version

    @property
    def reason(self) -> Reason:
        """The spec's breakdown, made anew at every reading: what is done to it changes nothing here."""
        composite, _, _, _, _, _, judges, vetoed, _, survivors, _, products, totals, winner, rule, tie, _ = self._told
        vetoing = () if not vetoed else judges if len(judges) == 1 else _vetoing(composite, judges, vetoed)
        if winner is None:
            return Reason(rule, (), vetoing, len(vetoed), {}, (), _relaxations(self.tally))
        voted_by, row = composite.voters, products[winner]
        if not all(row):
            voted_by = tuple(compress(voted_by, row))
        scale = composite.scale if composite.scale is not None else max(totals) - min(totals)
        scores = _final_scores(CLOSE * scale, survivors, totals, winner)
        tied = _tied(survivors, tie) if tie else ()
        return _new(Reason, (rule, voted_by, vetoing, len(vetoed), scores, tied, ()))

    @property
    def trace(self) -> Trace:
        """Everything that was said, made anew at every reading."""
        composite, _, _, _, _, _, judges, vetoed, _, survivors, scores, products, totals, _, _, tie, _ = self._told
        told = (
            judges,
            tuple(vetoed),
            tuple(vetoed.values()),
            composite.voters,
            tuple(survivors),
            tuple(scores),
            tuple(products),
            tuple(totals),
            _tied(survivors, tie) if tie else (),
            tie.level if tie else None,
        )
        return _new(Trace, told)

    @property
    def margin(self) -> float | None:
        """How far the winner's total lies above the best of the others; None without a rival.

        Within a tie margin it may be negative: the priorities then overruled a small lead.
        """
        from volition.arbitration.explain import runner_up  # noqa: PLC0415  only when asked

        rival, tally = runner_up(self.tally), self.tally
        if rival is None or tally.winner is None:
            return None
        return tally.totals[tally.winner] - tally.totals[rival]

    def require(self) -> C:
        """The winner; raises NotPossible where there is none."""
        if self.tally.winner is None:
            reason = self.reason
            by = f" by {', '.join(reason.vetoed_by)}" if reason.vetoed_by else ""
            raise NotPossible(
                Problem(
                    f"the decision is to {self.kind}: {reason.rule}",
                    f"{len(self.tally.ids)} candidates, {reason.vetoed_count} vetoed{by}",
                    "a candidate that nothing forbids",
                    "offer other candidates; reason.relaxations says what stands in the way",
                )
            )
        return self.candidate  # type: ignore[return-value]

    def why(self, over: C | str | None = None) -> Why:
        """Why the winner, over the runner-up or another rival: the candidate itself, or its id."""
        from volition.arbitration.explain import why  # noqa: PLC0415  only when asked

        return why(self, over)

    def why_not(self, candidate: C | str) -> WhyNot:
        """Why not that one (a candidate, or its id): it was not offered, was vetoed, was outscored, lost a tie, or won."""
        from volition.arbitration.explain import why_not  # noqa: PLC0415  only when asked

        return why_not(self, candidate)

    def what_if(
        self,
        *,
        weights: Mapping[str, float] | None = None,
        priorities: Mapping[str, int | None] | None = None,
        tie_margin: float | None = None,
        without: str | Iterable[str] = (),
        shadow: bool = False,
    ) -> WhatIf:
        """What other weights, priorities or tie margin, or the absence of some intentions, would have decided.

        Taking away a constraint may free candidates that nobody scored; `shadow=True` asks about those now.
        """
        from volition.arbitration.counterfactual import what_if  # noqa: PLC0415  only when asked

        return what_if(self, weights or {}, priorities or {}, tie_margin, without, shadow=shadow)

    def shadow(self, candidate: C | str) -> Shadow:
        """Ask the heuristics, now, about a vetoed candidate; the answers take no part in the decision."""
        from volition.arbitration.counterfactual import shadow  # noqa: PLC0415  only when asked

        return shadow(self, candidate)

    def price(self, id: str) -> float | None:
        """What a constraint cost: the best shadow total that it alone forbade, less the winner's; None if none."""
        from volition.arbitration.counterfactual import price  # noqa: PLC0415  only when asked

        return price(self, id)

    def sensitivity(self) -> Sensitivity:
        """How far each weight may move before the winner changes, the nearest flip, and the robustness."""
        from volition.arbitration.sensitivity import sensitivity  # noqa: PLC0415  only when asked

        return sensitivity(self)

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        from volition.arbitration.report import decision_to_data  # noqa: PLC0415  only when asked

        return decision_to_data(self)

    def __str__(self) -> str:
        from volition.arbitration.report import as_text  # noqa: PLC0415  only when asked

        return as_text(self)

    def __repr__(self) -> str:
        return f"<Decision {self.kind} {self.id!r}: {self.tally.rule}>"


def vetoed_by(tally: Tally, name: str) -> dict[str, Literal[True] | str]:
    """Who forbade a candidate, and why: True where no text was given."""
    row = tally.vetoed.get(name, ())
    return {id: verdict for id, verdict in zip(tally.judges, row, strict=bool(row)) if verdict}


def _vetoing(
    composite: CompositeIntention, judges: tuple[str, ...], vetoed: dict[str, tuple[Verdict, ...]]
) -> tuple[str, ...]:
    forbade = map(any, zip(*vetoed.values()))  # noqa: B905  rows of one length, and strict costs time
    vetoing = tuple(compress(judges, forbade))
    # The judges of the composite stand sorted; heuristics whose errors veto may follow them.
    return vetoing if len(judges) == len(composite.judges) else tuple(sorted(vetoing))


def _tied(survivors: list[str], tie: TieBreak) -> tuple[str, ...]:
    return tuple([survivors[position] for position in tie.tied])


def _final_scores(gap: float, survivors: list[str], totals: list[float], winner: int) -> dict[str, float]:
    """The totals of the winner and of the rivals within the gap, the nearest first."""
    first, best = survivors[winner], totals[winner]
    floor, close = best - gap, {first: best}
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
    sets = {frozenset(vetoed_by(tally, name)) for name in tally.vetoed}
    minimal = [by for by in sets if not any(other < by for other in sets)]
    return tuple(sorted((tuple(sorted(by)) for by in minimal), key=lambda by: (len(by), by)))
