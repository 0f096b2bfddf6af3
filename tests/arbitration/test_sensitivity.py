"""Ranges, the nearest flip and the robustness agree with a brute force that decides again wherever anything can change."""

from __future__ import annotations

import os
from collections import Counter
from fractions import Fraction
from itertools import product
from math import inf, nextafter
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.arbitration.brute import (
    DECIMALS,
    FLOATS,
    GRID,
    GRID_WITHOUT_MARGIN,
    HOLDING,
    Case,
    Turn,
    exact_weights,
    many,
    table,
    turns,
    unhurried,
    unrounded,
    votes,
)
from tests.arbitration.exactness import count_checks, main
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.flip_search import Lead, first_failure
from volition.arbitration.intention import Heuristic
from volition.arbitration.sensitivity import Flip, WeightRange
from volition.arbitration.tables import Scores

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("AR-16")

CHECKS = int(os.environ.get("VOLITION_CHECKS", "4000"))
"""How many times brute force looks; a million take some minutes."""


def turned(case: Case, by: str) -> tuple[Turn | None, Turn | None]:
    """The first change of the winner below and above the weight of one voter, as distances."""
    start = exact_weights(case)
    down = {other: Fraction(-1 if other == by else 0) for other in start}
    up = {other: -slope for other, slope in down.items()}
    return turns(case, start, down, start[by]), turns(case, start, up, None)


def past(turn: Turn | None, weight: float, direction: int) -> float | None:
    """The first double at which the winner has changed, where nothing is rounded."""
    if turn is None:
        return None
    at = float(Fraction(weight) + direction * turn.at)
    return at if turn.open else nextafter(at, direction * inf)


@pytest.mark.req("AR-13", "AR-21", "AR-23")
def test_brute_force_near_ties() -> None:
    """Where totals are within a few ulps of each other, or of what the decision holds below, at every bound, beside it,
    at 0 and between, the arbiter decides as sensitivity says; no case is an exception.
    """
    seen = main(CHECKS, seed=20)
    assert seen["differences"] == 0
    assert seen["cases with a near tie"] > seen["cases"] / 8
    assert seen["bounds at which it holds"] > 0


@pytest.mark.req("AR-21", "AR-23")
def test_brute_force_near_bounds() -> None:
    """Where a decision acts by a hair, every range ends at the double at which it holds or another wins, and no earlier."""
    seen = main(2 * CHECKS, seed=23, bounded=1.0)
    assert seen["differences"] == 0
    assert seen["bounds at which it holds"] > seen["cases"] / 4


@pytest.mark.req("AR-13", "AR-21")
@settings(unhurried)
@given(GRID | DECIMALS | FLOATS | HOLDING, st.integers(0, 2**32))
def test_brute_force_with_any_numbers(case: Case, seed: int) -> None:
    """With numbers, priorities, vetoes and margins of every kind, the arbiter decides as sensitivity says."""
    seen = Counter[str]()
    count_checks(case, case.decision().sensitivity(), Random(seed), seen)
    assert seen["differences"] == 0


@pytest.mark.req("AR-21")
def test_one_voter_down_to_nothing(told: Told) -> None:
    """At weight 0 nobody votes and the first offered wins: a range ends there, though no positive weight changes it."""
    decision = arbitrate(["b", "a"], CompositeIntention(Heuristic("x", Scores({"a": 1.0, "b": -1.0}), weight=0.3)))
    found = decision.sensitivity()
    assert decision.what_if(weights={"x": 0.0}).after == "b"
    assert found.ranges["x"] == WeightRange(0.3, 0.0, "b", None, None)
    assert found.nearest == Flip("x", 0.0, -0.3, "b")
    told(decision)


@pytest.mark.req("AR-21")
def test_a_bound_that_is_nothing_to_a_reader(told: Told) -> None:
    """Where rounding makes the flip come a little above 0, the report says 0, at which the rival wins too."""
    case = table({"x": (0.3, None, [0.5, 1.0]), "y": (1, None, [0.5, 0.5])})
    decision = case.decision()
    flip = decision.sensitivity().nearest
    assert flip is not None
    assert 0.0 < flip.weight < 1e-15
    told(decision)


@pytest.mark.req("AR-13", "AR-23")
@settings(unhurried)
@given(GRID | HOLDING)
def test_ranges_end_where_the_winner_changes(case: Case) -> None:
    """Where nothing is rounded but a step past a bound, ranges end at the first double past the exact turning point."""
    decision = case.decision()
    found = decision.sensitivity()
    if decision.id is None:
        assert (found.ranges, found.nearest, found.robustness) == ({}, None, None)
        return
    assert list(found.ranges) == list(case.weights)
    for by, bounds in found.ranges.items():
        below, above = turned(case, by)
        assert bounds.weight == case.weights[by]
        for at, turn, way in ((bounds.low, below, -1), (bounds.high, above, 1)):
            wanted = past(turn, bounds.weight, way)
            if at is None or wanted is None or wanted < 0:
                assert at is None or at > 2.0**40 or at < 2.0**-40  # by rounding alone
            else:
                assert at == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def scaled(case: Case) -> Fraction:
    """The smallest share by which weights, each up or down by it, change the winner; 1 where none below 1 does."""
    start = exact_weights(case)
    found = [Fraction(1)]
    for signs in product((-1, 1), repeat=len(start)):
        slope = {by: sign * weight for sign, (by, weight) in zip(signs, start.items(), strict=True)}
        turn = turns(case, start, slope, Fraction(1))
        found += [turn.at] if turn else []
    return min(found)


@pytest.mark.req("AR-23")
@settings(unhurried)
@given(GRID_WITHOUT_MARGIN | HOLDING)
def test_robustness_is_the_largest_safe_share(case: Case) -> None:
    """Below the robustness no corner of scaled weights changes the winner, or makes it hold; just above it, one does."""
    decision = case.decision()
    found = decision.sensitivity()
    if decision.id is None or not case.has_opinions:
        assert found.robustness is None
    elif not case.tie_margin:
        assert found.exact
        assert found.robustness == pytest.approx(float(scaled(case)), abs=1e-12)
        assert found.robustness is not None
        assert Fraction(found.robustness) <= scaled(case)


@pytest.mark.req("AR-13")
@settings(unhurried)
@given(GRID | HOLDING, st.data())
def test_robustness_is_safe_with_a_margin(case: Case, data: st.DataObject) -> None:
    """With a tie margin the share is safe at every corner and inside, and the largest where it says exact."""
    decision = case.decision()
    found = decision.sensitivity()
    if found.robustness is None:
        assert decision.id is None or not case.has_opinions
        return
    largest = scaled(case)
    assert found.robustness <= float(largest)
    if found.exact:
        assert found.robustness == pytest.approx(float(largest), abs=1e-12)
    for _ in range(8):
        share = {by: Fraction(data.draw(st.integers(-999, 999)), 1000) for by in case.weights}
        weights = {by: w * (1 + share[by] * Fraction(found.robustness)) for by, w in exact_weights(case).items()}
        assert unrounded(case, weights).winner == decision.id


@pytest.mark.req("AR-13")
def test_a_share_that_may_be_too_small_says_so() -> None:
    """With a tie margin the share is called exact only where a larger one would not be safe."""
    voters: dict[str, tuple[float, int | None, list[float | None]]] = {
        "p": (0, 1, [0.0, 1.0, 0.0]),
        "x": (1, None, [1.0, -1.0, 0.0]),
        "y": (1, None, [-0.5, 1.0, 0.5]),
    }
    case = table(voters, tie_margin=0.25)
    found = case.decision().sensitivity()
    assert scaled(case) == Fraction(1, 8)
    assert found.robustness is not None
    assert found.robustness <= 1 / 8
    assert found.exact == (found.robustness == pytest.approx(1 / 8))


@unhurried
@given(GRID_WITHOUT_MARGIN)
def test_robustness_is_one_without_a_weakness_and_zero_in_a_tie(case: Case) -> None:
    """1 says that no weighted vote is against the winner; 0 that an equal total has another profile."""
    decision = case.decision()
    if decision.id is None or not case.has_opinions:
        return
    mine = votes(case, decision.id)
    rivals = [votes(case, name) for name in case.survivors if name != decision.id]
    weak = any(mine[by] < theirs[by] for theirs in rivals for by in mine)
    level = any(theirs != mine and sum(theirs.values()) == sum(mine.values()) for theirs in rivals)
    assert (decision.sensitivity().robustness == pytest.approx(1, abs=1e-12)) == (not weak)
    assert (decision.sensitivity().robustness == 0) == level


@pytest.mark.parametrize(
    ("case", "nearest", "robustness"),
    [
        (table({"x": (1, None, [0.5])}), False, 1.0),
        (table({}), False, None),
        (table({"x": (1, None, [None, None])}), False, None),
        (table({"x": (0, None, [0.0, 0.0]), "y": (0, None, [0.0, 0.0])}), False, 1.0),
        (table({"x": (1, None, [1.0, 1.0]), "y": (1, None, [0.0, 2.0**-60])}), True, 0.0),
    ],
    ids=["one survivor", "no voters", "all abstain", "all weights zero", "equal by rounding"],
)
def test_degenerate_decisions(case: Case, nearest: bool, robustness: float | None) -> None:
    """Where there is nothing to weigh there is nothing to turn; what rounding made equal is a tie; and where nobody has
    an opinion nothing is firm.
    """
    found = case.decision().sensitivity()
    assert (found.nearest is not None, found.robustness, found.exact) == (nearest, robustness, True)


@pytest.mark.parametrize("weight", [5e-324, 1e-300, 1e-20, 1e20, 1e300])
@pytest.mark.parametrize("tie_margin", [0.0, 0.25])
def test_extreme_weights(weight: float, tie_margin: float) -> None:
    """Tiny and huge weights give an answer, and the flip that it names is one."""
    case = table({"x": (weight, 1, [1.0, -0.5]), "y": (1, None, [-0.25, 0.5])}, tie_margin=tie_margin)
    decision = case.decision()
    flip = decision.sensitivity().nearest
    assert flip is not None
    assert decision.what_if(weights={flip.intention: flip.weight}).after == flip.to != decision.id


def test_a_silent_voter_can_flip_a_tie() -> None:
    """A voter of weight 0 that prefers another of the tied is the nearest flip, though tiny weights are lost in rounding."""
    decision = table({"x": (1, None, [0.5, 0.5]), "z": (0, None, [0.0, 1.0])}).decision()
    flip = decision.sensitivity().nearest
    assert flip is not None
    assert (flip.intention, flip.to) == ("z", "b")
    assert 0 < flip.weight < 1e-15
    assert decision.what_if(weights={"z": flip.weight}).after == "b"


@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-305])
def test_a_flip_beyond_every_weight_is_none(tiny: float) -> None:
    """A turning point that no allowed weight reaches is no bound, no flip and no error."""
    found = table({"x": (1, None, [1.0, 0.0]), "z": (0, None, [0.0, tiny])}).decision().sensitivity()
    assert found.ranges["z"] == WeightRange(0.0)
    assert found.nearest is None


def test_a_flip_that_rounding_hides_does_not_hide_the_next() -> None:
    """Where a turning point is lost in rounding all the way down to weight 0, the next one is named."""
    case = table(
        {
            "x": (1, None, [0.5, 0.5]),
            "y": (2.0**-50, None, [1.0, 0.0]),
            "z": (2.0**-80, None, [0.0, 1.0]),
        }
    )
    decision = case.decision()
    flip = decision.sensitivity().nearest
    assert decision.id == "a"
    assert decision.what_if(weights={"y": 0.0}).after == "a"
    assert decision.what_if(weights={"z": 1.0}).after == "b"
    assert flip is not None
    assert (flip.intention, flip.to) == ("z", "b")


@pytest.mark.req("AR-13")
def test_a_gap_that_only_rounding_puts_past_the_margin() -> None:
    """A preferred rival that rounding alone keeps out of the tie bounds the weights right where they are."""
    case = table(
        {
            "p": (0, 1, [0.0, 1.0]),
            "x": (0.7, None, [0.6, -0.2]),
            "y": (1.3, None, [0.2, 0.1]),
            "z": (1.3, None, [-0.1, 0.2]),
        },
        tie_margin=0.3,
    )
    decision = case.decision()
    found = decision.sensitivity()
    assert decision.id == "a"
    assert decision.what_if(weights={"x": 0.6}).after == "b"
    assert found.ranges["x"].low == pytest.approx(0.7)
    assert found.ranges["y"].low == pytest.approx(1.3)
    assert found.ranges["z"].high == pytest.approx(1.3)
    assert found.nearest is not None
    assert abs(found.nearest.change) < 1e-9


@pytest.mark.req("AR-13")
def test_a_best_total_that_plain_floats_overlook() -> None:
    """Where two candidates differ by less than a double shows, the better one still keeps an intruder out of the tie."""
    case = table(
        {
            "p": (0, 1, [0.0, 0.0, 1.0]),
            "x": (1, None, [0.8, 0.8, -0.5]),
            "y": (1, None, [0.9, 0.9, 0.9]),
            "z": (2.0**-56, None, [1.0, 0.0, 0.0]),
        },
        tie_margin=0.8,
    )
    decision = case.decision()
    low = decision.sensitivity().ranges["x"].low
    assert low is not None
    assert decision.what_if(weights={"x": low}).after == "c"
    assert decision.what_if(weights={"x": nextafter(low, 1.0)}).after == "a"


@pytest.mark.req("AR-13")
@pytest.mark.parametrize("tie_margin", [0.0, 0.25])
def test_few_rivals_are_searched(tie_margin: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rivals that can take over only beyond a bound already found are not searched: a few of a thousand are."""
    searched: list[Lead] = []

    def count(lead: Lead, weight: float, last: float) -> float | None:
        searched.append(lead)
        return first_failure(lead, weight, last)

    monkeypatch.setattr("volition.arbitration.sensitivity.first_failure", count)
    found = many(tie_margin, 1_000).decision().sensitivity()
    assert len(searched) < 20 * len(found.ranges)


@pytest.mark.req("AR-13")
def test_a_large_field_with_a_margin() -> None:
    """Among a thousand candidates with a tie margin, every bound and the flip are those of the arbiter."""
    decision = many(0.25, 1_000).decision()
    found = decision.sensitivity()
    for by, bounds in found.ranges.items():
        for at, rival in ((bounds.low, bounds.low_rival), (bounds.high, bounds.high_rival)):
            if at is not None:
                assert decision.what_if(weights={by: at}).after == rival != decision.id
                assert decision.what_if(weights={by: nextafter(at, bounds.weight)}).after == decision.id
    assert found.nearest is not None
    assert decision.what_if(weights={found.nearest.intention: found.nearest.weight}).after == found.nearest.to


def test_a_large_field_exactly() -> None:
    """Among a thousand candidates the bounds, the flip and the robustness are those of a plain exact scan."""
    case = many(0.0, 1_000)
    decision = case.decision()
    found = decision.sensitivity()
    assert decision.id is not None
    winner = decision.id
    shares = []
    lows: dict[str, list[Fraction]] = {by: [] for by in case.weights}
    highs: dict[str, list[Fraction]] = {by: [] for by in case.weights}
    for name in case.candidates:
        differences = {by: case.score(by, winner) - case.score(by, name) for by in case.weights}
        margin = sum(Fraction(case.weights[by]) * apart for by, apart in differences.items())
        spread = sum(Fraction(case.weights[by]) * abs(apart) for by, apart in differences.items())
        shares += [margin / spread] if spread else []
        for by, apart in differences.items():
            if apart:
                (lows if apart > 0 else highs)[by].append(Fraction(case.weights[by]) - margin / apart)
    assert found.robustness == pytest.approx(float(min(shares)), abs=1e-12)
    for by, bounds in found.ranges.items():
        low, high = max(lows[by], default=Fraction(-1)), min(highs[by], default=None)
        assert (bounds.low is None) == (low < 0)
        assert bounds.low is None or bounds.low == pytest.approx(float(low), abs=1e-9)
        assert high is None or bounds.high == pytest.approx(float(high), rel=1e-9)
    assert found.nearest is not None
    assert decision.what_if(weights={found.nearest.intention: found.nearest.weight}).after == found.nearest.to
