"""What was decided, and the questions that can be asked about it: the face of a tally."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from volition.arbitration import counterfactual, explain, report
from volition.arbitration.breakdown import Reason, Trace, reason_of, trace_of
from volition.arbitration.sensitivity import Sensitivity, sensitivity
from volition.core.errors import NotPossible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.arbitration.composite import CompositeIntention
    from volition.arbitration.counterfactual import Shadow
    from volition.arbitration.explain import Why, WhyNot
    from volition.arbitration.tally import Outcome, Tally

C = TypeVar("C")


class Decision(Generic[C]):
    """One of three outcomes: "act" on a candidate, "hold", or "fail"; with the whole reason.

    Nothing in it changes after it is made. The questions (`why`, `why_not`, `what_if`, `sensitivity`) are answered from
    what was said during the decision and ask no intention again, except for shadow scores, on request.
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

        Within a tie margin it may be negative: the priorities then overruled a small lead.
        """
        return explain.margin(self._tally)

    def require(self) -> C:
        """The winner; raises NotPossible where there is none."""
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
        """Why not that one (a candidate, or its id): it was not offered, was vetoed, was outscored, lost a tie, or won."""
        return explain.why_not(self._tally, candidate)

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
        then, shadows = counterfactual.reconsider(
            self._tally, weights or {}, priorities or {}, tie_margin, without, shadow=shadow
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

    def __str__(self) -> str:
        """A table of votes and vetoes, with the reason, the margin, the nearest flip and the robustness."""
        return "\n".join(line.text for line in report.lines(self._tally))

    def __repr__(self) -> str:
        return f"<Decision {self.kind} {self.id!r}: {self._tally.rule}>"


@dataclass(frozen=True, slots=True)
class WhatIf:
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
