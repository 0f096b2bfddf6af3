"""The whole ranking: who is chosen, who if that one were not there, and so on; then the vetoed."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arbitration.brute import ANY, HOLDING, Case, table, unhurried
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.settings import Margin
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("AR-23")


def chosen_one_by_one(case: Case) -> list[str]:
    """Brute force: decide, take the winner away, and decide again until nobody is left."""
    order: list[str] = []
    left = replace(case, hold_below=None)
    while (winner := left.decision().id) is not None:
        order.append(winner)
        left = replace(left, candidates=tuple(name for name in left.candidates if name != winner))
    return order


@unhurried
@given(ANY | HOLDING)
def test_the_ranking_is_choosing_again_and_again(case: Case) -> None:
    """Each rank is what the arbiter chooses of those that are left, ties and tie margins included."""
    ranking = case.decision().ranking()
    survivors = [one for one in ranking if one.rank is not None]
    assert [one.id for one in survivors] == chosen_one_by_one(case)
    assert [one.rank for one in survivors] == list(range(1, len(survivors) + 1))
    assert [one.id for one in ranking if one.rank is None] == [name for name in case.candidates if case.vetoing(name)]
    assert ranking[: len(survivors)] == tuple(survivors)


@unhurried
@given(ANY | HOLDING)
def test_the_ranking_says_what_was_said(case: Case) -> None:
    """Scores, totals, abstentions and vetoes are those of the trace; only the winner is chosen."""
    decision = case.decision()
    totals = dict(zip(decision.trace.survivors, decision.trace.totals, strict=True))
    for one in decision.ranking():
        assert one.candidate == one.id
        assert one.chosen == (one.id == decision.id)
        assert one.vetoed_by == dict.fromkeys(case.vetoing(one.id), True)
        assert one.total == totals.get(one.id)
        assert one.scores == ({} if one.vetoed_by else {by: case.scores[by][one.id] for by in case.weights})
        assert one.abstained == tuple(by for by, score in one.scores.items() if score is None)


@unhurried
@given(ANY, st.integers(0, 7))
def test_the_top_is_a_slice_of_the_survivors(case: Case, top: int) -> None:
    """`top` gives the first of those that nothing forbids, fewer where there are fewer, and never a vetoed one."""
    decision = case.decision()
    assert decision.ranking(top) == decision.ranking()[: min(top, len(case.survivors))]


@pytest.mark.parametrize("top", [-1, 1.5, "2", True, inf])
def test_a_top_that_is_no_count_is_refused(top: Any, told: Told) -> None:
    """What cannot be counted to is an error with a remedy."""
    with told.raises(InvalidInput):
        table({"x": (1, None, [0.5, 0.25])}).decision().ranking(top)


def test_a_held_decision_is_ranked_and_nobody_is_chosen() -> None:
    """Below the least margin the ranking is the same, and says that nobody was chosen."""
    case = table({"x": (1, None, [0.5, 0.45])})
    acting, held = case.decision(), case.decision(hold_below=Margin(0.1))
    assert [one.id for one in held.ranking()] == [one.id for one in acting.ranking()] == ["a", "b"]
    assert [one.chosen for one in acting.ranking()] == [True, False]
    assert not any(one.chosen for one in held.ranking())


def test_a_ranking_reads_line_by_line() -> None:
    """Each entry prints as one line: rank, total and votes, an abstention as a dash; or who vetoed it, and why."""
    composite = CompositeIntention(
        Constraint("dry", lambda way: "wet" if way == "ford" else False),
        Heuristic("fast", {"road": 0.5, "hill": -0.25}.get),
        Heuristic("view", {"hill": 0.5}.get),
    )
    decision = arbitrate(["ford", "road", "hill"], composite)
    assert [str(one) for one in decision.ranking()] == [
        "1 road: +0.5 (fast +0.5, view -)",
        "2 hill: +0.25 (fast -0.25, view +0.5)",
        "x ford: vetoed by dry (wet)",
    ]


def test_a_long_field_is_ranked_in_one_pass() -> None:
    """Ten thousand candidates in one tie margin are ranked by priority, then by order; it asks nothing quadratic."""
    names = [f"n{n}" for n in range(10_000)]
    composite = CompositeIntention(
        Heuristic("same", lambda name: int(name[1:]) % 7 / 100), Heuristic("p", lambda name: int(name[1:]) % 3 / 3, weight=0, priority=1)
    )  # fmt: skip
    ranked = arbitrate(names, composite, tie_margin=1.0).ranking()
    assert [one.id for one in ranked] == sorted(names, key=lambda name: (-(int(name[1:]) % 3), int(name[1:])))
