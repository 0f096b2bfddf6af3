"""Arbitration over arrays decides as arbitration decides, whatever the batch and the threads."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.processes import under_hash_seeds
from volition.arbitration import (
    CompositeIntention,
    Constraint,
    Heuristic,
    Margin,
    Scores,
    Total,
    Violates,
    arbitrate,
)
from volition.arbitration.many import ScoreNoise, arbitrate_many, batch, kernel
from volition.arbitration.many.kernel import exact_sum
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.arbitration.decision import Decision
    from volition.arbitration.many.batch import Many

TERMS = st.one_of(
    st.floats(-1, 1),
    st.sampled_from([0.1, -0.1, 0.25, 1.0, -1.0, 2**-60, 1 - 2**-53, 1e16, -1e16, 1e-300]),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300),
)
MARGINS = st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0]) | st.floats(0, 2)
COARSE = st.sampled_from([-1.0, -0.5, 0.0, 0.1, 0.2, 0.3, 0.5, 1.0])


@given(st.lists(TERMS, max_size=12))
def test_sums_are_rounded_once(terms: list[float]) -> None:
    """A sum in the loop is the sum of `fsum`, to the last bit."""
    array = np.array([*terms, 0.0])
    assert exact_sum(array, len(terms), np.empty(len(terms) + 1)) == math.fsum(terms)


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    """Arrays of every shape that is allowed, with coarse numbers, so that ties are frequent."""
    deciders, size, voters = draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(st.integers(0, 4))
    numbers = st.one_of(COARSE, st.floats(-1, 1)) if draw(st.booleans()) else COARSE

    def array(shape: tuple[int, ...], values: st.SearchStrategy[Any], kind: Any) -> Any:
        count = math.prod(shape)
        return np.array(draw(st.lists(values, min_size=count, max_size=count)), dtype=kind).reshape(shape)

    shared = draw(st.booleans())
    asked: dict[str, Any] = {
        "scores": array((size, voters) if shared else (deciders, size, voters), numbers, np.float64),
        "weights": array((deciders, voters), st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0]), np.float64),
    }
    if draw(st.booleans()):
        asked["vetoes"] = array((deciders, size, draw(st.integers(0, 2))), st.booleans(), np.bool_)
    if draw(st.booleans()):
        asked["offered"] = array((deciders, size), st.booleans(), np.bool_)
    if draw(st.booleans()):
        asked["priorities"] = draw(st.lists(st.one_of(st.none(), st.integers(0, 2)), min_size=voters, max_size=voters))
    if draw(st.booleans()):
        silent = draw(st.sampled_from([(size, voters), (deciders, size, voters)]))
        asked["abstains"] = array(silent, st.booleans(), np.bool_)
        if draw(st.booleans()):
            asked["scores"] = np.where(asked["abstains"], math.nan, asked["scores"])
    if draw(st.booleans()):
        asked["tie_margin"] = draw(MARGINS)
    if draw(st.booleans()):
        asked["hold_below"] = draw(st.sampled_from([Margin, Total]))(draw(MARGINS))
    if draw(st.booleans()):
        asked["noise"] = ScoreNoise(draw(st.sampled_from([0.0, 1e-17, 0.1, 5.0])), draw(st.integers(0, 2**64)), 3)
    return asked


@pytest.mark.req("AR-23")
@given(questions())
@settings(max_examples=50, deadline=None)
def test_the_winners_are_those_of_arbitrate(asked: dict[str, Any]) -> None:
    """Every winner and every total is the one that arbitrating alone gives: ties, tie margins, vetoes, abstentions and
    bounds below which it holds included.
    """
    many = arbitrate_many(**asked)
    for decider, name in enumerate(many.ids):
        decision = many.explain(decider)
        assert decision == arbitrate_alone(asked, decider)
        assert decision.id == name
        assert many.held[decider] == (decision.reason.rule in ("below_margin", "below_total"))
        tally = decision.tally
        total = math.nan if tally.winner is None else tally.totals[tally.winner]
        assert many.totals[decider] == pytest.approx(total, rel=0, abs=0, nan_ok=True)


def arbitrate_alone(asked: dict[str, Any], decider: int) -> Decision[str]:
    """The same question to `arbitrate`, written down from the arrays and not through `explain`."""

    def row(name: str, dimensions: int) -> Any:
        array = asked[name]
        return (
            array[decider]
            if array.ndim == dimensions and len(array) > 1
            else array.reshape(array.shape[-dimensions + 1 :])
        )

    scores, weights = row("scores", 3), row("weights", 2)
    silent = row("abstains", 3) if "abstains" in asked else np.zeros_like(scores, dtype=bool)
    size, voters = scores.shape
    names = [f"candidate_{number}" for number in range(size)]
    priorities = asked.get("priorities") or [None] * voters
    entries: list[Any] = []
    if "vetoes" in asked:
        vetoes = row("vetoes", 3)
        columns = [[name for name, no in zip(names, column, strict=True) if no] for column in vetoes.T]
        entries += [Constraint(f"constraint_{number}", Violates(column)) for number, column in enumerate(columns)]
    for voter in range(voters):
        said = {n: None if silent[place, voter] else float(scores[place, voter]) for place, n in enumerate(names)}
        entries.append(
            Heuristic(f"heuristic_{voter}", Scores(said), weight=float(weights[voter]), priority=priorities[voter])
        )
    there = [
        n
        for n, is_there in zip(names, row("offered", 2) if "offered" in asked else [True] * size, strict=True)
        if is_there
    ]
    noise = asked.get("noise")
    if noise is not None and noise.sigma > 0.0:
        entries.append(batch._noise_of(noise, decider, there))
    return arbitrate(
        there, CompositeIntention(*entries), tie_margin=asked.get("tie_margin", 0.0), hold_below=asked.get("hold_below")
    )


@st.composite
def near_ties(draw: st.DrawFn) -> dict[str, Any]:
    """Candidates that all have the same scores in different orders, with equal weights."""
    row = draw(st.lists(COARSE, min_size=2, max_size=5))
    rows = draw(st.lists(st.permutations(row), min_size=2, max_size=5))
    return {
        "scores": rows,
        "weights": draw(st.sampled_from([0.0, 0.1, 1.0])),
        "priorities": draw(st.lists(st.sampled_from([None, 0, 1]), min_size=len(row), max_size=len(row))),
        "tie_margin": draw(st.sampled_from([0.0, 2.0**-53, 0.1])),
        "hold_below": draw(st.sampled_from([None, Margin(0.0), Margin(2.0**-53)])),
    }


@given(near_ties())
def test_ties_are_broken_as_arbitrate_breaks_them(asked: dict[str, Any]) -> None:
    """Totals that are the same however they are added are a tie: priority breaks it, then the order."""
    many = arbitrate_many(**asked)
    assert many.ids == [many.explain(0).id]


def test_what_only_rounding_parts_is_a_tie() -> None:
    """Equal scores in another order add up to another double; they are a tie all the same, and the first offered wins."""
    orders = [*permutations((0.1, 0.2, 0.3))]
    assert len({(first + second) + third for first, second, third in orders}) == 2
    pairs = np.array([*product(orders, repeat=2)])
    assert set(arbitrate_many(pairs, np.ones((len(pairs), 3))).ids) == {"candidate_0"}


@pytest.mark.req("AR-13", "AR-23")
@given(st.data(), st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_margins_are_measured_to_the_last_bit(data: st.DataObject, size: int) -> None:
    """A tie margin or a least margin that is a gap between two totals, or a double beside it, decides as alone."""
    scores = np.array(
        [[data.draw(st.sampled_from([0.1, 0.2, 0.3, 0.7]) | st.floats(-1, 1)) for _ in range(3)] for _ in range(size)]
    )
    weights = np.array([[0.1, 0.7, 1.0]])
    totals = [math.fsum(weights[0] * row) for row in scores]
    gap = abs(data.draw(st.sampled_from(totals)) - data.draw(st.sampled_from(totals)))
    beside = max(0.0, math.nextafter(gap, data.draw(st.sampled_from([-1.0, gap, 9.0]))))
    asked: dict[str, Any] = {"scores": scores, "weights": weights, "priorities": [None, 2, 1], "tie_margin": beside}
    held: dict[str, Any] = {"scores": scores, "weights": weights, "hold_below": Margin(beside)}
    total: dict[str, Any] = {
        "scores": scores,
        "weights": weights,
        "hold_below": Total(data.draw(st.sampled_from(totals))),
    }
    for one in (asked, held, total):
        assert arbitrate_many(**one).ids == [arbitrate_alone(one, 0).id]


@pytest.mark.req("AR-09", "AR-23")
def test_an_abstention_is_not_a_zero(told: Told) -> None:
    """Where a heuristic abstains, the explanation says so, its score does not count, and NaN elsewhere is refused."""
    many = arbitrate_many([[0.5, math.nan], [0.25, 0.125]], abstains=[[False, True], [False, False]])
    decision = many.explain(0)
    assert decision.trace.scores == ((0.5, None), (0.25, 0.125))
    assert decision.reason.voted_by == ("heuristic_0",)
    silent = arbitrate_many(np.zeros((3, 2, 2)), abstains=np.ones((2, 2), dtype=bool))
    assert {silent.explain(one).reason.rule for one in range(3)} == {"no_opinion"}
    with told.raises(InvalidInput):
        arbitrate_many([[0.5, math.nan], [0.25, math.nan]], abstains=[[False, True], [False, False]])


@pytest.mark.parametrize("bound", [None, Margin(0.05), Total(0.8)])
def test_threads_change_neither_totals_nor_holds(bound: Any) -> None:
    """What several threads compute, each for its share of the deciders, is what one computes for all."""
    more: dict[str, Any] = {"hold_below": bound, "tie_margin": 0.01}
    one, three = crowd(5_000, threads=1, **more), crowd(5_000, threads=3, **more)
    assert np.array_equal(one.winners, three.winners)
    assert np.array_equal(one.held, three.held)
    assert np.array_equal(one.totals, three.totals, equal_nan=True)
    assert bound is None or 0 < one.held.sum() < 5_000


def crowd(count: int, **more: Any) -> Many:
    chance = np.random.default_rng(5)
    scores, weights = chance.uniform(-1, 1, (40, 7)), chance.uniform(0, 1, (count, 7))
    return arbitrate_many(scores, weights, noise=ScoreNoise(0.1, 7), **more)


def test_neither_threads_nor_company_change_a_choice() -> None:
    """The winners are the same with one thread, with several, and for the first of them alone."""
    all_of_them = crowd(5_000, threads=1)
    assert np.array_equal(all_of_them.winners, crowd(5_000, threads=3).winners)
    chance = np.random.default_rng(5)
    scores, weights = chance.uniform(-1, 1, (40, 7)), chance.uniform(0, 1, (5_000, 7))
    few = arbitrate_many(scores, weights[:100], noise=ScoreNoise(0.1, 7))
    assert np.array_equal(all_of_them.winners[:100], few.winners)


def test_plain_python_decides_the_same() -> None:
    """The loop as plain Python gives what it gives compiled."""
    many = crowd(60, tie_margin=0.02, hold_below=Margin(0.03))
    arrays = batch._arrays(many.shapes, many.noise)
    plain = np.empty(60, dtype=np.int32)
    with np.errstate(over="ignore"):
        given = {name: g[0] if isinstance(g, tuple) else g for name, g in arrays.items()}
        kernel.choose(**given, margin=0.02, winners=plain)
        held = np.empty(60, dtype=np.bool_)
        given = {name: array for name, array in given.items() if name != "levels"}
        kernel.hold_below(**given, least=0.03, is_margin=True, winners=plain, held=held)
    assert np.array_equal(np.where(held, kernel.NOBODY, plain), many.winners)
    assert np.array_equal(held, many.held)


def test_without_numba_it_works_and_says_so() -> None:
    """Where Numba is not installed, the winners are the same, and one warning says that it is slow."""
    program = """
import sys, warnings
sys.modules["numba"] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "numba" else find(name, *rest)
from volition.arbitration.many import ScoreNoise, arbitrate_many
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    for _ in range(2):
        chosen = arbitrate_many([[0.5, -0.2], [0.1, 0.9]], [[1, 0], [1, 1]], noise=ScoreNoise(0.01, 1))
print(chosen.winners.tolist(), [str(w.message)[:14] for w in heard if w.category is RuntimeWarning])
"""
    assert under_hash_seeds(program, "0") == {b"[0, 1] ['arbitrate_many']\n"}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"scores": [[0.1, math.nan]]}, "heuristic_1 gives candidate_0 the score nan"),
        ({"scores": [[[0.0], [0.0]], [[0.0], [1.5]]]}, "heuristic_0 gives candidate_1 the score 1.5 for decider 1"),
        ({"scores": [[0.1]], "weights": [-1.0]}, "the weight of heuristic_0 is -1.0"),
        ({"scores": [[0.1]], "weights": [[math.inf]]}, "the weight of heuristic_0 is inf"),
        ({"scores": [0.1]}, "scores has 1 dimensions"),
        ({"scores": [["a"]]}, "scores holds <U1"),
        ({"scores": [[0.1], [0.2]], "vetoes": [[1, 0]]}, "vetoes holds int64"),
        ({"scores": [[0.1], [0.2]], "vetoes": [[True]]}, "vetoes has the shape (1, 1, 1)"),
        ({"scores": np.zeros((3, 2, 1)), "weights": np.ones((2, 1))}, "weights has the shape (2, 1)"),
        ({"scores": [[0.1]], "candidates": ["a", "b"]}, "2 names of candidates"),
        ({"scores": [[0.1]], "priorities": [1.5]}, "1 of them not integers"),
        ({"scores": [[0.1]], "noise": ScoreNoise(-1.0, 1)}, "sigma is -1.0"),
        ({"scores": [[0.1]], "abstains": [[0]]}, "abstains holds int64"),
        ({"scores": [[0.1]], "abstains": [[True, False]]}, "abstains has the shape (1, 1, 2)"),
        ({"scores": [[0.1]], "tie_margin": -1.0}, "the tie margin is -1.0"),
        ({"scores": [[0.1]], "hold_below": 0.1}, "hold_below is 0.1"),
        (
            {"scores": np.zeros((2, 1, 1)), "noise": ScoreNoise(1.0, 1, deciders=["a", "b", "c"])},
            "scores has the shape",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_named(asked: dict[str, Any], told: str) -> None:
    """A wrong number, shape or name is refused; the first of each kind is named."""
    with pytest.raises(InvalidInput) as caught:
        arbitrate_many(**asked)
    assert told in str(caught.value)
