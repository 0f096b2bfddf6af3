"""A heuristic may declare the range of its scores: every part of arbitration respects it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.arbitration import (
    CompositeIntention,
    Heuristic,
    IntentionFailed,
    Scores,
    arbitrate,
    check_intention,
    heuristic,
)
from volition.arbitration.case import case_from_data
from volition.arbitration.curves import linear
from volition.arbitration.many import arbitrate_many
from volition.arbitration.why_answers import Outscored
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("AR-08")

WIDE = (-16.0, 16.0)


def bonds(name: str) -> float:
    return {"a": 12.0, "b": -3.5}.get(name, 40.0)


def table(id: str = "bonds", **settings: Any) -> Heuristic:
    return Heuristic(id, Scores({"a": 12.0, "b": -3.5}), range=WIDE, **settings)


@pytest.mark.parametrize(
    "entry",
    [
        Heuristic("bonds", bonds, range=WIDE),
        heuristic(id="bonds", range=WIDE, batch=True)(lambda names: list(map(bonds, names))),
        heuristic(id="bonds", range=(-16, 16))(lambda name, context: bonds(name)),
    ],
    ids=["plain", "batch", "context"],
)
def test_scores_in_their_range(entry: Heuristic) -> None:
    """A score in the declared range is taken as it is, in the generated loop and outside it; one beyond is refused."""
    assert arbitrate(["a", "b"], CompositeIntention(entry)).trace.totals == (12.0, -3.5)
    with pytest.raises(IntentionFailed, match=r"\[-16.0, 16.0\]"):
        arbitrate(["a", "z"], CompositeIntention(entry))


@given(st.floats(-16, 16), st.floats(0, 10), st.floats(-1, 1))
def test_weight_one_is_as_declared(score: float, weight: float, other: float) -> None:
    """A weight multiplies what the heuristic says: 1 leaves it as it is, 2 doubles it, whatever the range."""
    composite = CompositeIntention(
        Heuristic("wide", lambda _: score, range=WIDE), Heuristic("unit", lambda _: other, weight=weight)
    )
    decision = arbitrate(["a"], composite)
    assert decision.trace.contributions == ((weight * other, score),)
    assert decision.what_if(weights={"wide": 2}).decision.trace.contributions == ((weight * other, 2.0 * score),)


@pytest.mark.parametrize("range", [(1, -1), (0, 0), (0.0, float("inf")), (0,), "ab", None, (-1e300, 1)])
def test_ranges_that_are_refused(range: Any, told: Told) -> None:
    """A range is two finite numbers, the lower first."""
    with told.raises(InvalidInput):
        Heuristic("h", bonds, range=range)


def test_a_curve_leaves_no_room_for_a_range(told: Told) -> None:
    """A curve makes scores in [-1, 1]: both together are refused, in code and in a file."""
    with told.raises(InvalidInput):
        heuristic(id="h", curve=linear(0, 10), range=WIDE)(bonds)


def test_a_range_round_trips_and_is_part_of_the_hash() -> None:
    """As data a range is [lowest, highest]; the default is left out, so that hashes without one stay as they were."""
    wide, unit = CompositeIntention(table()), CompositeIntention(Heuristic("bonds", Scores({"a": 0.5})))
    assert wide.to_data()["intentions"][0]["range"] == [-16.0, 16.0]
    assert "range" not in unit.to_data()["intentions"][0]
    assert CompositeIntention.from_data(wide.to_data()) == wide
    assert wide.content_hash != CompositeIntention(table(weight=2.0)).content_hash


def test_a_file_is_held_to_its_range() -> None:
    """A score outside the declared range is named with its place and its intention; inside it is taken."""
    entry = {"id": "bonds", "kind": "heuristic", "intent": {"scores": {"a": 12.0}}}
    case_from_data({"candidates": ["a"], "intentions": [{**entry, "range": [-16, 16]}]})
    for range in ([-16, 11], None):
        given = {**entry, "range": range} if range else entry
        with pytest.raises(InvalidInput) as caught:
            case_from_data({"candidates": ["a"], "intentions": [given]})
        (problem,) = caught.value.problems
        assert problem.where == "intentions[0].intent.scores.a (intention 'bonds')"


def test_every_error_of_a_file_names_the_intention() -> None:
    """Whatever is wrong with an entry, the error gives its place and its id."""
    entries: list[dict[str, Any]] = [
        {"id": "goal", "kind": "heuristic", "intent": {"scores": {"a": "x"}}, "weight": -1, "priority": 0.5},
        {"id": "dry", "kind": "constraint", "intent": {"violates": 3}, "weight": 1},
        {"id": "odd", "kind": "heuristic", "intent": {"measures": {"a": 1}, "curve": {"liner": {}}}},
    ]
    with pytest.raises(InvalidInput) as caught:
        case_from_data({"candidates": ["a"], "intentions": entries})
    for problem in caught.value.problems:
        place = int(problem.where.partition("[")[2][0])
        assert problem.where.startswith(f"intentions[{place}]")
        assert f"(intention {entries[place]['id']!r})" in problem.where
    assert len(caught.value.problems) == 6


@pytest.mark.req("AR-14")
def test_close_is_judged_by_what_was_said() -> None:
    """A wide range does not make every rival close: what counts is how far apart the totals are."""
    scores = {"a": 1.0, "b": 0.99, "c": 0.2, "d": -1.0}
    entry = Heuristic("bonds", Scores(scores), range=(-1000, 1000))
    assert list(arbitrate(list(scores), CompositeIntention(entry)).reason.final_scores) == ["a", "b"]


def test_the_top_of_the_range_is_within_reach() -> None:
    """What a loser needs is looked for up to the top of the range, not to 1."""
    answer = arbitrate(["a", "b"], CompositeIntention(table())).why_not("b")
    assert isinstance(answer, Outscored)
    assert answer.needed == {"bonds": 12.0}


@pytest.mark.req("AR-18")
def test_the_checker_knows_the_range() -> None:
    """The checker holds scores to the range that their heuristic declares."""
    found = {range: check_intention(Heuristic("h", bonds, range=range), ["a", "b"]).ok for range in (WIDE, (0, 12))}
    assert found == {WIDE: True, (0, 12): False}


@given(st.lists(st.tuples(st.floats(-16, 16), st.floats(-1, 1)), min_size=1, max_size=6))
def test_many_know_the_range(rows: list[tuple[float, float]]) -> None:
    """arbitrate_many with ranges chooses and totals as arbitrate does, and explains with them."""
    many = arbitrate_many(np.array(rows), ranges=[WIDE, (-1, 1)], threads=1)
    decision = many.explain(0)
    assert decision.id == many.ids[0]
    assert decision.composite["heuristic_0"].range == WIDE  # type: ignore[union-attr]
    assert many.totals[0] == max(decision.trace.totals)


def test_many_refuse_what_is_out_of_range(told: Told) -> None:
    """A score outside its range, and an invalid range, are refused by name."""
    with told.raises(InvalidInput):
        arbitrate_many([[12.0, 1.5]], ranges=[WIDE, (-1, 1)])
    with told.raises(InvalidInput):
        arbitrate_many([[12.0]], ranges=[(1, 0)])
