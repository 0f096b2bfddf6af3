"""Ranges, the nearest flip and the robustness agree with a brute force that decides anew wherever anything can change."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.arbitration.brute import (
    DECIMALS,
    FLOATS,
    GRID,
    GRID_WITHOUT_MARGIN,
    Case,
    Turn,
    decided,
    exact_weights,
    many,
    table,
    turns,
    unhurried,
    unrounded,
    votes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from volition.arbitration.sensitivity import WeightRange

pytestmark = pytest.mark.req("AR-16")

Side = tuple[Fraction | None, str | None, bool]


def sides(bounds: WeightRange) -> tuple[Side, Side]:
    return (bounds.low, bounds.low_rival, bounds.low_open), (bounds.high, bounds.high_rival, bounds.high_open)


def turned(case: Case, by: str) -> tuple[Turn | None, Turn | None]:
    """The first change of the winner below and above the weight of one voter, as distances."""
    start = exact_weights(case)
    down = {other: Fraction(-1 if other == by else 0) for other in start}
    up = {other: -slope for other, slope in down.items()}
    return turns(case, start, down, start[by]), turns(case, start, up, None)


def weights_of(turn: Turn | None, weight: float, direction: int) -> tuple[Fraction | None, bool]:
    return (None, False) if turn is None else (Fraction(weight) + direction * turn.at, turn.open)


@pytest.mark.req("AR-13")
@unhurried
@given(GRID)
def test_ranges_end_where_the_winner_changes(case: Case) -> None:
    """Inside its range a weight keeps the winner; past a bound, or at it where it is open, somebody else wins."""
    found = case.decision().sensitivity()
    if not case.survivors:
        assert (found.ranges, found.nearest, found.robustness) == ({}, None, None)
        return
    assert list(found.ranges) == list(case.weights)
    for by, bounds in found.ranges.items():
        below, above = turned(case, by)
        weight = case.weights[by]
        assert bounds.weight == weight
        assert (bounds.low, bounds.low_open) == weights_of(below, weight, -1)
        assert (bounds.high, bounds.high_open) == weights_of(above, weight, 1)


@unhurried
@given(GRID_WITHOUT_MARGIN)
def test_ranges_name_who_takes_over(case: Case) -> None:
    """The rival of a bound is who wins there, or past it where the bound is closed."""
    check_rivals(case)


@pytest.mark.req("AR-13")
@unhurried
@given(GRID)
def test_ranges_name_who_takes_over_with_a_margin(case: Case) -> None:
    """With a tie margin too, the rival of a bound is who wins there."""
    check_rivals(case)


def check_rivals(case: Case) -> None:
    for by, bounds in case.decision().sensitivity().ranges.items():
        for turn, rival in zip(turned(case, by), (bounds.low_rival, bounds.high_rival), strict=True):
            assert rival == (None if turn is None else turn.to)


def test_past_a_closed_bound_the_steepest_rival_wins() -> None:
    """Two rivals draw level at once: the one that the weight favours most takes over, not the first offered."""
    case = table({"x": (1, None, [0.5, 0.25, 0.0]), "z": (0, None, [0.0, 0.25, 0.5])})
    found = case.decision().sensitivity()
    assert sides(found.ranges["z"])[1] == (Fraction(1), "c", False)
    assert found.nearest is not None
    assert found.nearest.to == "c"


@pytest.mark.req("AR-13")
def test_at_an_open_bound_the_preferred_rival_wins() -> None:
    """With a tie margin, of two that come within it at once the preferred one takes over."""
    case = table({"p": (0, 1, [0.0, 1.0, 0.5]), "x": (1, None, [1.0, 0.0, 0.0])}, tie_margin=0.5)
    assert sides(case.decision().sensitivity().ranges["x"])[0] == (Fraction(1, 2), "b", True)


@pytest.mark.req("AR-13")
@unhurried
@given(GRID)
def test_the_nearest_flip_is_the_smallest(case: Case) -> None:
    """No single weight changes the winner by moving less, and at the flip's weight arbitration chooses `to`."""
    decision = case.decision()
    flip = decision.sensitivity().nearest
    distances = {by: [turn.at for turn in turned(case, by) if turn] for by in case.weights} if case.survivors else {}
    if not any(distances.values()):
        assert flip is None
        return
    assert flip is not None
    smallest = min(distance for found in distances.values() for distance in found)
    weight = Fraction(case.weights[flip.intention])
    assert smallest in distances[flip.intention]
    assert abs(flip.at - weight) == smallest
    assert flip.change == flip.weight - case.weights[flip.intention]
    assert abs(Fraction(flip.weight) - flip.at) <= Fraction(1, 10**9) * (1 + flip.at)
    after = decision.what_if(weights={flip.intention: flip.weight}).after
    assert after == flip.to != decision.id


def clear(case: Case, weights: dict[str, Fraction]) -> bool:
    """Whether no two totals are so nearly equal, or a margin apart, that rounding could tell otherwise."""
    totals = list(unrounded(case, weights).total.values())
    error = sum(weights.values(), Fraction(case.tie_margin)) / 10**12
    gaps = [abs(one - other) for n, one in enumerate(totals) for other in totals[:n]]
    return all(gap > error and abs(gap - Fraction(case.tie_margin)) > error for gap in gaps)


def probes(bounds: WeightRange) -> Iterable[float]:
    """Weights near, at, between and beyond the bounds."""
    known = [bounds.weight, *(float(at) for at in (bounds.low, bounds.high) if at is not None and at < 10**12)]
    for at in known:
        yield from (at * (1 + n * 10.0**-e) for n in (-1, 1) for e in (12, 10, 8, 4, 2))
        yield from (at + n * 10.0**-e for n in (-1, 1) for e in (12, 9, 6, 3))
    yield from ((one + other) / 2 for one in known for other in known)
    yield from (bounds.weight * n / 8 for n in range(24))
    yield from (0.0, 0.1, 1.0, 10.0, 1e4, 1e6)


@pytest.mark.req("AR-13")
@settings(unhurried, max_examples=60)
@given(DECIMALS | FLOATS)
def test_any_numbers_keep_to_their_ranges(case: Case) -> None:
    """With any numbers, a weight inside its range keeps the winner and one outside does not, rounding apart."""
    decision = case.decision()
    for by, bounds in decision.sensitivity().ranges.items():
        for weight in filter(lambda weight: weight >= 0, probes(bounds)):
            if not clear(case, exact_weights(case) | {by: Fraction(weight)}):
                continue
            inside = (bounds.low is None or bounds.low < weight) and (bounds.high is None or weight < bounds.high)
            beyond = (bounds.low is not None and weight < bounds.low) or (
                bounds.high is not None and weight > bounds.high
            )
            stays = decision.what_if(weights={by: weight}).after == decision.id
            assert not inside or stays
            if beyond and not stays_again(case, by, weight):
                assert not stays


def stays_again(case: Case, by: str, weight: float) -> bool:
    """Whether the winner, having lost, wins again this far out: a range ends at its first loss."""
    changed = replace(case, weights=case.weights | {by: weight})
    return unrounded(changed, exact_weights(changed)).winner == decided(case).winner


@pytest.mark.req("AR-13")
@settings(unhurried, max_examples=60)
@given(DECIMALS | FLOATS)
def test_any_numbers_flip_at_the_nearest(case: Case) -> None:
    """With any numbers, the flip's weight flips, and nothing between does, for any voter, rounding apart."""
    decision = case.decision()
    found = decision.sensitivity()
    flip = found.nearest
    reach = float("inf") if flip is None else abs(flip.change) * (1 - 1e-9)
    if flip is not None:
        assert decision.what_if(weights={flip.intention: flip.weight}).after == flip.to != decision.id
    for by, bounds in found.ranges.items():
        for weight in probes(bounds):
            near = weight >= 0 and abs(weight - bounds.weight) < reach
            if near and clear(case, exact_weights(case) | {by: Fraction(weight)}):
                assert decision.what_if(weights={by: weight}).after == decision.id


def scaled(case: Case) -> Fraction:
    """The smallest share by which weights, each up or down by it, change the winner; 1 where none below 1 does."""
    start = exact_weights(case)
    found = [Fraction(1)]
    for signs in product((-1, 1), repeat=len(start)):
        slope = {by: sign * weight for sign, (by, weight) in zip(signs, start.items(), strict=True)}
        turn = turns(case, start, slope, Fraction(1))
        found += [turn.at] if turn else []
    return min(found)


@settings(unhurried, max_examples=60)
@given(GRID_WITHOUT_MARGIN)
def test_robustness_is_the_largest_safe_share(case: Case) -> None:
    """Below the robustness no corner of scaled weights changes the winner; just above it, one does."""
    found = case.decision().sensitivity()
    if case.survivors:
        assert found.exact
        assert found.robustness == float(scaled(case))


@pytest.mark.req("AR-13")
@settings(unhurried, max_examples=60)
@given(GRID, st.data())
def test_robustness_is_safe_with_a_margin(case: Case, data: st.DataObject) -> None:
    """With a tie margin the share is safe at every corner and inside, and the largest where it says exact."""
    decision = case.decision()
    found = decision.sensitivity()
    if found.robustness is None:
        assert decision.id is None
        return
    largest = scaled(case)
    assert found.robustness <= float(largest)
    if found.exact:
        assert found.robustness == float(largest)
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
    assert found.exact == (found.robustness == 1 / 8)


@unhurried
@given(GRID_WITHOUT_MARGIN)
def test_robustness_is_one_without_a_weakness_and_zero_in_a_tie(case: Case) -> None:
    """1 says that no weighted vote is against the winner; 0 that an equal total has another profile."""
    decision = case.decision()
    if decision.id is None:
        return
    mine = votes(case, decision.id)
    rivals = [votes(case, name) for name in case.survivors if name != decision.id]
    weak = any(mine[by] < theirs[by] for theirs in rivals for by in mine)
    level = any(theirs != mine and sum(theirs.values()) == sum(mine.values()) for theirs in rivals)
    assert (decision.sensitivity().robustness == 1) == (not weak)
    assert (decision.sensitivity().robustness == 0) == level


@pytest.mark.parametrize(
    ("case", "nearest", "robustness"),
    [
        (table({"x": (1, None, [0.5])}), False, 1.0),
        (table({}), False, 1.0),
        (table({"x": (1, None, [None, None])}), False, 1.0),
        (table({"x": (0, None, [0.0, 0.0]), "y": (0, None, [0.0, 0.0])}), False, 1.0),
        (table({"x": (1, None, [1.0, 1.0]), "y": (1, None, [0.0, 2.0**-60])}), True, 0.0),
    ],
    ids=["one survivor", "no voters", "all abstain", "all weights zero", "equal by rounding"],
)
def test_degenerate_decisions(case: Case, nearest: bool, robustness: float) -> None:
    """Where there is nothing to weigh there is nothing to turn; what rounding made equal is a tie."""
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
    assert (flip.intention, flip.at, flip.to) == ("z", Fraction(), "b")
    assert 0 < flip.weight < 1e-15
    assert decision.what_if(weights={"z": flip.weight}).after == "b"


@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-305])
def test_a_flip_beyond_every_weight_is_none(tiny: float) -> None:
    """A turning point that no allowed weight reaches leaves its bound, and is no flip and no error."""
    found = table({"x": (1, None, [1.0, 0.0]), "z": (0, None, [0.0, tiny])}).decision().sensitivity()
    assert found.ranges["z"].high == 1 / Fraction(tiny)
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


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Breaks off what takes longer."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.req("AR-13")
@pytest.mark.parametrize("tie_margin", [0.0, 0.25])
def test_a_large_field_in_bounded_time(tie_margin: float) -> None:
    """Twenty thousand candidates are answered within a minute of computing, with a tie margin too, and the flip is one."""
    decision = many(tie_margin).decision()
    with at_most(60):
        flip = decision.sensitivity().nearest
    assert flip is not None
    assert decision.what_if(weights={flip.intention: flip.weight}).after == flip.to != decision.id


def test_a_large_field_exactly() -> None:
    """Among twenty thousand candidates the bounds, the flip and the robustness are those of a plain exact scan."""
    case = many(0.0)
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
    assert found.robustness == float(min(shares))
    nearest = []
    for by, bounds in found.ranges.items():
        low, high = max(lows[by], default=Fraction(-1)), min(highs[by], default=None)
        assert bounds.low == (low if low > 0 or (low == 0 and bounds.low_open) else None)
        assert bounds.high == high
        nearest += [abs(at - Fraction(bounds.weight)) for at in (bounds.low, bounds.high) if at is not None]
    assert found.nearest is not None
    assert abs(found.nearest.at - Fraction(case.weights[found.nearest.intention])) == min(nearest)
    assert decision.what_if(weights={found.nearest.intention: found.nearest.weight}).after == found.nearest.to
