"""What a trace says of one surviving candidate, by voter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from volition.arbitration.decision import Decision


def scores_of(decision: Decision[Any], candidate: str) -> dict[str, float | None]:
    """Each voter's score of the candidate; None where it abstained."""
    trace = decision.trace
    return dict(zip(trace.voters, trace.scores[trace.survivors.index(candidate)], strict=True))


def shares_of(decision: Decision[Any], candidate: str) -> dict[str, float]:
    """Each voter's weighted share of the candidate's total."""
    trace = decision.trace
    return dict(zip(trace.voters, trace.contributions[trace.survivors.index(candidate)], strict=True))
