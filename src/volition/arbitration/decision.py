"""What was decided, and the questions that can be asked about it: the face of a tally."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from volition.arbitration import counterfactual, explain, report
from volition.arbitration.breakdown import RankedCandidate, Reason, Trace, ranking_of, reason_of, trace_of
from volition.arbitration.choice import WeightedDraw, draw_of
from volition.arbitration.sensitivity import Sensitivity, sensitivity
from volition.core.errors import NotPossible
from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import EllipsisType

    from volition.arbitration.composite import CompositeIntention
    from volition.arbitration.counterfactual import Shadow
    from volition.arbitration.settings import HoldBelow
    from volition.arbitration.tally import Outcome, Tally
    from volition.arbitration.why_answers import Why, WhyNot

C = TypeVar("C")


class Decision(Generic[C]):
    """One of three outcomes: "act" on a candidate, "hold", or "fail"; with the whole reason.

    Nothing in it changes after it is made. The questions (`why`, `why_not`, `what_if`, `sensitivity`) are answered from
    what was said during the decision and ask no intention again, except for shadow scores, on request.

    Two decisions are equal if the same was offered, asked and answered in the same way: the settings, the version and
    the ids of the candidates, the ids, weights, priorities and ranges of the intentions, every veto and every score, and
    so the outcome. Candidates count by their ids; the context and the code of the intentions do not count. So a copy in
    another process is equal, and equal decisions have equal hashes.
    """

    __slots__ = ("_tally",)

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    @property
    def tally(self) -> Tally:
        """Everything that was asked and answered, and the outcome."""
        return self._tally

    @property
    def kind(self) -> Outcome:
        return self._tally.kind

    @property
    def candidate(self) -> C | None:
        """The winner, or None when the kind is "hold" or "fail"."""
        tally = self._tally
        return None if tally.winner is None else tally.left[tally.winner]

    @property
    def id(self) -> str | None:
        """The winner's id."""
        return self._tally.winner_id

    @property
    def composite(self) -> CompositeIntention:
        return self._tally.composite

    @property
    def version(self) -> Any:
        """The version of the world that the caller saw."""
        return self._tally.version

    @property
    def reason(self) -> Reason:
        """The spec's breakdown; each reading computes it again, so nothing done to one changes another."""
        return reason_of(self._tally)

    @property
    def trace(self) -> Trace:
        """Everything that was said; each reading computes it again."""
        return trace_of(self._tally)

    @property
    def margin(self) -> float | None:
        """How far the winner's total lies above the best of the others; None without a rival.

        It may be negative: within a tie margin, where the priorities overruled a small lead, and where chance chose.
        Where the decision holds below a bound, it is the margin of the leader.
        """
        return explain.margin(self._tally)

    @property
    def draw(self) -> WeightedDraw | None:
        """How chance chose: the seed, the draw, the weights and the chances; None where the best was chosen."""
        return draw_of(self._tally)

    def ranking(self, top: int | None = None) -> tuple[RankedCandidate[C], ...]:
        """All candidates, best first: each is what would be chosen if those before it were not there.

        The vetoed come last, in the order offered, with their vetoes. `top` asks for the best ones only, of which there
        may be fewer. Where chance chose, the ranking is by total all the same, and `chosen` says on whom the draw fell.
        """
        return ranking_of(self._tally, top)

    def require(self) -> C:
        """The winner; raises NotPossible where there is none."""
        if self._tally.winner is None and self._tally.survivors:
            raise NotPossible.of(
                f"the decision is to {self.kind}: {self._tally.rule}",
                where=f"{len(self._tally.survivors)} candidates that nothing forbids",
                expected="a winner that is above every bound",
                remedy=f"lower the bound, or do what holding means: {self.why().text}",
            )
        if self._tally.winner is None:
            reason = self.reason
            by = f" by {', '.join(reason.vetoed_by)}" if reason.vetoed_by else ""
            raise NotPossible.of(
                f"the decision is to {self.kind}: {reason.rule}",
                where=f"{len(self._tally.ids)} candidates, {reason.vetoed_count} vetoed{by}",
                expected="a candidate that nothing forbids",
                remedy="offer other candidates; reason.relaxations says what forbids them",
            )
        return self.candidate  # type: ignore[return-value]

    def why(self, over: C | str | None = None) -> Why:
        """Why the winner, over the runner-up or another rival: the candidate itself, or its id."""
        return explain.why(self._tally, over)

    def why_not(self, candidate: C | str) -> WhyNot:
        """Why not that one (a candidate, or its id): it was not offered, was vetoed, was outscored, lost a tie, or won.

        With `choose="weighted"` it may not have been drawn, and with `hold_below` it may be first and held.
        """
        return explain.why_not(self._tally, candidate)

    def what_if(
        self,
        *,
        weights: Mapping[str, float] | None = None,
        priorities: Mapping[str, int | None] | None = None,
        tie_margin: float | None = None,
        hold_below: HoldBelow | EllipsisType | None = ...,
        seed: int | None = None,
        without: str | Iterable[str] = (),
        shadow: bool = False,
    ) -> WhatIf:
        """What other weights, priorities or settings, or the absence of some intentions, would have decided.

        What is left out stays as it was; `hold_below=None` takes a bound away. Taking away a constraint may free
        candidates that nobody scored; `shadow=True` asks about those now.
        """
        changes: dict[str, Any] = {
            name: value for name, value in (("tie_margin", tie_margin), ("seed", seed)) if value is not None
        }
        changes |= {} if hold_below is ... else {"hold_below": hold_below}
        then, shadows = counterfactual.reconsider(
            self._tally, weights or {}, priorities or {}, changes, without, shadow=shadow
        )
        changed = (self._tally.kind, self.id) != (then.kind, then.winner_id)
        text = counterfactual.describe_change(self._tally, then)
        return WhatIf(Decision(then), self.id, then.winner_id, changed, shadows, text)

    def shadow(self, candidate: C | str) -> Shadow:
        """Ask the heuristics, now, about a vetoed candidate; the answers take no part in the decision."""
        return counterfactual.shadow(self._tally, candidate)

    def price(self, id: str) -> float | None:
        """What a constraint cost: the best shadow total that it alone forbade, less the winner's; None if none."""
        return counterfactual.price(self._tally, id)

    def sensitivity(self) -> Sensitivity:
        """How far each weight may move before the winner changes, the nearest flip, and the robustness."""
        return sensitivity(self._tally)

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return report.tally_to_data(self._tally)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Decision):
            return NotImplemented
        return self._tally is other._tally or _content(self._tally) == _content(other._tally)

    def __hash__(self) -> int:
        tally = self._tally
        return hash((tally.kind, tally.rule, tally.winner, *tally.ids, *tally.totals))

    def __str__(self) -> str:
        """A table of votes and vetoes, with the reason, the margin, the nearest flip and the robustness."""
        return "\n".join(line.text for line in report.lines(self._tally))

    def __repr__(self) -> str:
        return f"<Decision {self.kind} {self.id!r}: {self._tally.rule}>"


def _content(tally: Tally) -> tuple[Any, ...]:
    """What makes a decision what it is."""
    voters = [(entry.id, entry.weight, entry.priority, entry.range) for entry in tally.composite.heuristics]
    outcome = (tally.winner, tally.rule, tally.tie, tally.kind)
    asked = (tally.settings, tally.version, tally.ids, tally.composite.judges, voters)
    return (*asked, tally.vetoed, tally.survivors, tally.scores, *outcome)


class WhatIf(FrozenStruct, frozen=True):
    """The decision as it would have been; `shadows` were scored for this question only."""

    decision: Decision[Any]
    before: str | None
    after: str | None
    changed: bool
    shadows: tuple[str, ...]
    text: str

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return report.fields_to_data(self)
