"""Raw numbers of a set of candidates become scores: the order is kept, the range is kept, and nothing is guessed."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import exp, inf, nan
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.arbitration import CompositeIntention, Heuristic, Scores, arbitrate, heuristic, normalising
from volition.arbitration.normalising import min_max_scores, rank_scores, z_scores
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.req("AR-08", "AR-23")

ALL: list[Callable[..., Any]] = [min_max_scores, rank_scores, z_scores]
NAMES = ["min-max", "rank", "z"]
numbers = (
    st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(10**6), 10**6)
    | st.sampled_from([0.0, -0.0, 5e-324, 1.7e308, -1.7e308, 1.0, 1 + 2**-52])
)
raws = st.lists(numbers | st.none(), max_size=12)


@pytest.mark.parametrize("normalise", ALL, ids=NAMES)
@given(raws, st.sampled_from(["highest", "lowest"]))
def test_order_and_range_are_kept(normalise: Callable[..., Any], raw: list[Any], best: str) -> None:
    """A better number never scores lower, equal numbers score alike, every score is in [-1, 1], and None stays None."""
    scores = normalise(raw, best)
    assert [score is None for score in scores] == [number is None for number in raw]
    pairs = [(float(number), score) for number, score in zip(raw, scores, strict=True) if number is not None]
    assert all(type(score) is float and -1.0 <= score <= 1.0 for _, score in pairs)
    for (one, mine), (other, theirs) in product(pairs, pairs):
        better = one > other if best == "highest" else one < other
        assert not better or mine >= theirs
        assert one != other or mine == theirs


@pytest.mark.parametrize("normalise", ALL, ids=NAMES)
@given(numbers, st.integers(0, 5))
def test_constant_numbers_score_zero(normalise: Callable[..., Any], number: float, count: int) -> None:
    """Where all numbers are equal there is nothing to tell apart: each scores 0; none gives none."""
    assert normalise([number] * count) == [0.0] * count


@pytest.mark.parametrize("normalise", ALL, ids=NAMES)
@given(raws)
def test_a_mapping_gives_a_mapping(normalise: Callable[..., Any], raw: list[Any]) -> None:
    """By id or by place, the scores are the same; a lower best is the same scores with the other sign."""
    by_id = {f"n{place}": number for place, number in enumerate(raw)}
    scores = normalise(raw)
    assert normalise(by_id) == dict(zip(by_id, scores, strict=True))
    assert normalise(raw, best="lowest") == [None if score is None else -score for score in scores]


@given(st.lists(numbers, min_size=2, max_size=12))
def test_the_ends_are_the_ends(raw: list[float]) -> None:
    """By span and by order, the lowest number scores -1 and the highest +1."""
    if len(set(map(float, raw))) > 1:
        for normalise in (min_max_scores, rank_scores):
            by_number = dict(zip(map(float, raw), normalise(raw), strict=True))
            assert by_number[min(by_number)] == -1.0
            assert by_number[max(by_number)] == 1.0


def test_rounding_never_reverses_the_order() -> None:
    """Where a platform's functions are not quite monotone, the scores are."""
    assert normalising._normalise([3, 1, 2], "highest", lambda *_: [0.0, 0.5, 0.4]) == [0.5, 0.0, 0.5]
    assert normalising._normalise([3, 1, 2], "lowest", lambda *_: [0.0, 0.5, 0.4]) == [-0.5, 0.0, -0.5]


@given(st.lists(numbers, min_size=2, max_size=12))
def test_ranks_are_even_steps(raw: list[float]) -> None:
    """Different numbers have different scores, evenly spaced, however close or far apart they are."""
    distinct = sorted(set(map(float, raw)))
    if len(distinct) > 1:
        scores = rank_scores(distinct)
        assert scores == [float(Fraction(2 * n, len(distinct) - 1) - 1) for n in range(len(distinct))]
        assert len(set(scores)) == len(distinct)


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=12))
def test_min_max_is_the_straight_line(raw: list[int]) -> None:
    """Between the ends a score is its way from the lowest to the highest, to within rounding."""
    low, high = min(raw), max(raw)
    if low != high:
        exact = [float(Fraction(2 * (number - low), high - low) - 1) for number in raw]
        assert min_max_scores(raw) == pytest.approx(exact, abs=1e-15)


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=12), st.sampled_from([0.5, 1.0, 3.0]))
def test_z_scores_are_deviations_on_the_logistic_curve(raw: list[int], steepness: float) -> None:
    """A score is 2 / (1 + exp(-steepness * z)) - 1, z the deviations from the mean."""
    if len(set(raw)) > 1:
        z = [(number - fmean(raw)) / pstdev(raw) for number in raw]
        exact = [2 / (1 + exp(-steepness * one)) - 1 for one in z]
        assert z_scores(raw, steepness=steepness) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("normalise", ALL, ids=NAMES)
@pytest.mark.parametrize("wrong", [nan, inf, -inf, True, "3", [1], 10**400, Decimal("NaN")])
def test_what_is_no_number_is_refused(normalise: Callable[..., Any], wrong: Any) -> None:
    """NaN, infinity, a truth value or a text is an error that names its place; all of them at once."""
    with pytest.raises(InvalidInput) as caught:
        normalise({"a": 1.0, "b": wrong, "c": wrong})
    assert [problem.where for problem in caught.value.problems] == ["raw['b']", "raw['c']"]
    with pytest.raises(InvalidInput, match=r"raw\[1\]"):
        normalise([0.5, wrong])


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: rank_scores([1, 2], "largest"), "best is 'largest'"),  # type: ignore[call-overload]
        (lambda: z_scores([1, 2], steepness=0), "the steepness is 0"),
        (lambda: z_scores([1, 2], steepness=nan), "the steepness is nan"),
        (lambda: min_max_scores("123"), "the raw numbers are '123'"),  # type: ignore[arg-type]
        (lambda: min_max_scores(5), "the raw numbers are 5"),  # type: ignore[call-overload]
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], Any], what: str) -> None:
    """What cannot be meant is refused with a remedy."""
    with pytest.raises(InvalidInput, match=what):
        call()


def test_they_fit_where_scores_are_expected() -> None:
    """In a table, and in a heuristic that is asked about all candidates at once."""
    prices = {"crown": 30, "anchor": 12, "mill": 18}

    @heuristic(batch=True)
    def cheap(inns: list[str]) -> list[float | None]:
        return min_max_scores([prices[inn] for inn in inns], best="lowest")

    by_table = Heuristic("cheap", Scores(min_max_scores(prices, best="lowest")))
    for entry in (cheap, by_table):
        decision = arbitrate(prices, CompositeIntention(entry))
        assert decision.id == "anchor"
        assert [score for (score,) in decision.trace.scores] == pytest.approx([-1.0, 1.0, 1 / 3])
