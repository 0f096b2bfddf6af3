"""The arbiter: filter by vetoes, aggregate the votes, break ties by priority, in that order and no other."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from volition.arbitration.candidate import as_list, identify
from volition.arbitration.choice import choose_best, choose_candidate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.decision import Decision
from volition.arbitration.settings import DecisionSettings, read_settings
from volition.arbitration.stages import remarks_of
from volition.arbitration.tally import Tally
from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from volition.arbitration.settings import Chooser, HoldBelow

C = TypeVar("C")

_NO_MARGIN = 0.0
_DEFAULTS = DecisionSettings("hold", _NO_MARGIN, None, None, "best", None)


def arbitrate(
    candidates: Iterable[C],
    composite: CompositeIntention,
    *,
    on_impossible: Literal["hold", "fail"] = "hold",
    tie_margin: float = _NO_MARGIN,
    stay: str | None = None,
    hold_below: HoldBelow | None = None,
    choose: Chooser = "best",
    seed: int | None = None,
    key: Callable[[C], str] | None = None,
    context: Any = None,
    version: Any = None,
) -> Decision[C]:
    """Choose one of the candidates, or none, and keep the whole reason.

    Args:
        candidates: what may be chosen; their order is the last tie-break.
        composite: who vetoes and who votes.
        on_impossible: "hold" or "fail" when no candidate may be chosen.
        tie_margin: candidates within this distance of the best total count as tied with it.
        stay: the id of the candidate that means staying put. If it is vetoed with all others the answer is
            "fail": holding would be the forbidden act.
        hold_below: `Margin(number)` or `Total(number)`: a winner that leads by less, or has less, is not acted on.
        choose: "best", or "weighted" to let chance choose, with chances that follow the totals above 0.
        seed: with "weighted", what the draw depends on: the same seed draws the same candidate.
        key: gives a candidate its id; by default a text is its own id, and others have an `id` or print as one.
        context: passed on to the intents that ask for it.
        version: of the world that the caller saw; kept in the decision, never interpreted.

    >>> from volition.arbitration.intention import constraint, heuristic
    >>> @constraint
    ... def safety(way):
    ...     return way == "bridge"
    >>> @heuristic
    ... def fast(way):
    ...     return {"bridge": 1.0, "ferry": 0.2, "ford": -0.4}[way]
    >>> decision = arbitrate(["bridge", "ferry", "ford"], CompositeIntention(safety, fast))
    >>> decision.candidate, decision.reason.vetoed_by
    ('ferry', ('safety',))
    """
    pool = list(candidates) if type(candidates) is list else as_list(candidates)
    ids = identify(pool, key)
    settings = _DEFAULTS
    # Checking takes as long as a vote, and the defaults need none: the margin is one of them only if it is that object.
    if (
        stay is not None
        or tie_margin is not _NO_MARGIN
        or on_impossible != "hold"
        or hold_below is not None
        or choose != "best"
        or seed is not None
    ):
        settings = read_settings(DecisionSettings(on_impossible, tie_margin, stay, hold_below, choose, seed), ids)
    if type(composite) is not CompositeIntention:
        refuse(
            f"the composite is {composite!r}",
            where="composite",
            expected="a CompositeIntention",
            remedy="wrap the intentions: CompositeIntention(safety, goal)",
        )
    (vetoed, left, survivors), (scores, products) = composite.aggregate(
        composite.filter(pool, ids, context), ids, context
    )
    totals = list(map(fsum, products))
    if settings is _DEFAULTS:
        winner, rule, tie, kind = choose_best(composite, settings, ids, scores, totals)
    else:
        winner, rule, tie, kind = choose_candidate(composite, settings, vetoed, ids, scores, totals)
    remarks = remarks_of(composite.remarking) if composite.remarking else ()
    tally = Tally(
        composite, settings, pool, ids, context, version,
        vetoed, left, survivors,
        scores, products, totals,
        winner, rule, tie, kind, remarks,
    )  # fmt: skip
    return Decision(tally)
