"""Weighted choice: chance chooses, the chances follow the totals exactly, and the decision says how."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.processes import under_hash_seeds
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.case import case_from_data
from volition.arbitration.choice import draw_place, draw_value
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.settings import Margin, Total
from volition.arbitration.tables import Scores, Violates
from volition.arbitration.why_answers import Held, NotDrawn, Vetoed, Won
from volition.core.chance import stream, uid, word
from volition.core.errors import InvalidInput, NotPossible

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("AR-23")

SCORES = {"a": 0.1, "b": 0.6, "c": -0.5, "d": 0.3, "e": None}
totals = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=2), st.floats(-1, 1) | st.sampled_from([0.0, 0.25, 0.1, 1e-12]), min_size=1
)
seeds = st.integers(-(2**65), 2**65)


def draw(seed: int, scores: dict[str, Any], **more: Any) -> Any:
    return arbitrate(scores, CompositeIntention(Heuristic("h", Scores(scores))), choose="weighted", seed=seed, **more)


@given(seeds, totals)
def test_the_draw_falls_into_the_part_of_the_winner(seed: int, scores: dict[str, float]) -> None:
    """The parts of [0, 1) lie side by side, each as long as its share of all totals above 0; the draw is in the winner's."""
    decision = draw(seed, scores)
    whole = sum(Fraction(score) for score in scores.values() if score > 0)
    found = decision.draw
    assert found is not None
    assert found.weights == {name: max(0.0, scores[name]) for name in sorted(scores)}
    if not whole:
        assert (decision.kind, decision.reason.rule, found.chosen) == ("hold", "no_positive_total", None)
        return
    assert sum(found.chances.values()) == 1
    assert all(found.chances[name] == max(Fraction(), Fraction(score)) / whole for name, score in scores.items())
    assert found.chosen == decision.id
    assert found.chances[decision.id] == found.high - found.low > 0
    assert found.low <= found.value < found.high
    assert found.low == sum(found.chances[name] for name in scores if name < decision.id)


@given(totals)
def test_each_has_its_share_of_all_draws(scores: dict[str, float]) -> None:
    """Counted over all 2^32 draws, without drawing them: each candidate is chosen by its share of them, to within one."""
    names = sorted(scores)
    weights = {name: Fraction(max(0.0, scores[name])) for name in names}
    whole = sum(weights.values())
    if not whole:
        return
    edges = [Fraction()]
    for name in names:
        edges.append(edges[-1] + weights[name] / whole)
    for name, (low, high) in zip(names, pairwise(edges), strict=True):
        first, end = ceil(low * 2**32), ceil(high * 2**32)
        assert abs((end - first) - weights[name] / whole * 2**32) < 1
        for value in {first, end - 1} if end > first else ():
            assert _at(value, scores) == name


def _at(point: int, scores: dict[str, float]) -> str:
    """Who is chosen where the draw is this of 2^32."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("volition.arbitration.choice.draw_value", lambda _: point * 2.0**-32)
        place = draw_place(0, list(scores), list(scores.values()))
    assert place is not None
    return list(scores)[place]


def test_the_draw_is_keyed_chance() -> None:
    """The draw of a seed is one word of the project's keyed chance, the same on every platform."""
    assert draw_value(7) == word(stream(7, 0, 0, uid("weighted choice")), 0) * 2.0**-32
    assert draw_value(7) == draw_value(7 + 2**64) != draw_value(8)


@given(seeds, st.permutations(list(SCORES)))
def test_the_same_seed_chooses_the_same(seed: int, order: list[str]) -> None:
    """Again, in another order, or beside candidates that are forbidden or cannot be drawn: the same candidate."""
    decision = draw(seed, SCORES)
    assert draw(seed, SCORES) == decision
    assert draw(seed, {name: SCORES[name] for name in order}).id == decision.id
    assert draw(seed, {name: SCORES[name] for name in ("a", "b", "d")}).id == decision.id


def test_other_processes_draw_the_same() -> None:
    """Whatever the hash seed, the same candidates are drawn."""
    program = """
from volition.arbitration import CompositeIntention, Heuristic, Scores, arbitrate
scores = {"a": 0.1, "b": 0.6, "c": -0.5, "d": 0.3}
composite = CompositeIntention(Heuristic("h", Scores(scores)))
print([arbitrate(scores, composite, choose="weighted", seed=seed).id for seed in range(20)])
"""
    assert len(under_hash_seeds(program, "0", "1", "2")) == 1


def test_every_candidate_with_a_chance_is_drawn_by_some_seed() -> None:
    """Over many seeds the allowed candidates with a total above 0 are drawn, and nothing else ever is."""
    composite = CompositeIntention(Constraint("no", Violates(["d"])), Heuristic("h", Scores(SCORES)))
    found = {arbitrate(SCORES, composite, choose="weighted", seed=seed).id for seed in range(200)}
    assert found == {"a", "b"}


def test_a_draw_is_explained_in_words(told: Told) -> None:
    """Why and why not give totals, chances, the draw and the seed."""
    composite = CompositeIntention(Constraint("no", Violates(["d"])), Heuristic("h", Scores(SCORES)))
    decision = arbitrate(SCORES, composite, choose="weighted", seed=3)
    assert (decision.kind, decision.id, decision.reason.rule) == ("act", "b", "weighted")
    told(decision.why().text)
    assert isinstance(decision.why_not("b"), Won)
    assert isinstance(decision.why_not("d"), Vetoed)
    lost, never = decision.why_not("a"), decision.why_not("c")
    assert isinstance(lost, NotDrawn)
    assert isinstance(never, NotDrawn)
    assert (lost.winner, lost.chance) == ("b", Fraction(0.1) / (Fraction(0.1) + Fraction(0.6)))
    told(lost.text)
    assert (float(never.chance), never.text) == (0.0, "c could not be drawn: its total is not above 0.")
    assert "weighted" in str(decision)
    assert "firm:" not in str(decision)
    assert decision.to_data()["draw"]["seed"] == 3


def test_a_draw_travels() -> None:
    """Pickled and read again, it is the same decision with the same draw."""
    decision = draw(3, SCORES)
    again = pickle.loads(pickle.dumps(decision))
    assert (again, again.draw, again.why()) == (decision, decision.draw, decision.why())


@given(seeds, seeds, st.floats(0, 1))
def test_what_if_draws_again(seed: int, other: int, score: float) -> None:
    """Another seed, or other weights with the same seed, give the decision that arbitration itself would."""
    composite = CompositeIntention(Heuristic("h", Scores(SCORES)), Heuristic("g", Scores({"a": score}), weight=0.5))
    decision = arbitrate(SCORES, composite, choose="weighted", seed=seed)
    assert decision.what_if(seed=other).decision == arbitrate(SCORES, composite, choose="weighted", seed=other)
    heavier = composite.with_weights({"g": 2.0})
    assert decision.what_if(weights={"g": 2.0}).decision == arbitrate(SCORES, heavier, choose="weighted", seed=seed)


def test_what_chance_chose_is_not_firm() -> None:
    """Sensitivity is empty: no range of weights is claimed to keep what was drawn."""
    found = draw(3, SCORES).sensitivity()
    assert (found.ranges, found.nearest, found.robustness) == ({}, None, None)


def test_the_ranking_is_by_total_and_names_the_drawn() -> None:
    """Chance does not change who is better; the ranking says on whom the draw fell."""
    decision = next(one for one in (draw(seed, SCORES) for seed in range(100)) if one.id == "a")
    assert [one.id for one in decision.ranking()] == ["b", "d", "a", "e", "c"]
    assert [one.id for one in decision.ranking() if one.chosen] == ["a"]
    assert decision.margin == 0.1 - 0.6


@pytest.mark.req("AR-06")
@pytest.mark.parametrize(
    ("on_impossible", "stay", "kind"), [("hold", None, "hold"), ("fail", None, "fail"), ("hold", "x", "fail")]
)
def test_without_a_positive_total_nothing_is_drawn(on_impossible: Any, stay: str | None, kind: str, told: Told) -> None:
    """No total above 0 leaves nothing to draw: it holds or fails, and says so; it never holds where that is forbidden."""
    composite = CompositeIntention(Constraint("no", Violates(["x"])), Heuristic("h", Scores({"a": -0.5})))
    decision = arbitrate(["x", "a", "b"], composite, choose="weighted", seed=1, on_impossible=on_impossible, stay=stay)
    assert (decision.kind, decision.reason.rule, decision.reason.relaxations) == (kind, "no_positive_total", ())
    told(decision.why().text)
    assert isinstance(decision.why_not("a"), NotDrawn)
    assert [one.id for one in decision.ranking()] == ["b", "a", "x"]
    with pytest.raises(NotPossible, match="no_positive_total"):
        decision.require()


def test_what_is_drawn_may_be_held(told: Told) -> None:
    """A drawn candidate whose total is below the least total is not acted on."""
    decisions = [draw(seed, SCORES, hold_below=Total(0.3)) for seed in range(60)]
    assert {(one.kind, one.id) for one in decisions} == {("act", "b"), ("act", "d"), ("hold", None)}
    held = next(one for one in decisions if one.id is None)
    assert isinstance(held.why_not("a"), Held)
    told(held.why().text)


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"choose": "weighted"}, ["seed"]),
        ({"choose": "weighted", "seed": 1.5}, ["seed"]),
        ({"choose": "weighted", "seed": True}, ["seed"]),
        ({"choose": "random", "seed": 1}, ["choose"]),
        ({"seed": 1}, ["seed"]),
        ({"choose": "weighted", "seed": 1, "tie_margin": 0.1, "hold_below": Margin(0.1)}, ["tie_margin", "hold_below"]),
    ],
)
def test_chance_is_an_argument(asked: dict[str, Any], where: list[str]) -> None:
    """A draw without a seed, a seed without a draw, and settings that chance does not know, are refused with a remedy."""
    with pytest.raises(InvalidInput) as caught:
        arbitrate(["a"], CompositeIntention(), **asked)
    assert [problem.where for problem in caught.value.problems] == where


def test_a_file_may_ask_for_a_draw() -> None:
    """A document says that chance chooses, and by which seed; the caller's seed goes before it."""
    entry = {"id": "h", "kind": "heuristic", "intent": {"scores": {"a": 0.1, "b": 0.6, "c": -0.5, "d": 0.3}}}
    case = case_from_data({"candidates": list("abcd"), "intentions": [entry], "choose": "weighted", "seed": 3})
    scores = {"a": 0.1, "b": 0.6, "c": -0.5, "d": 0.3}
    assert case.decide().id == draw(3, scores).id
    assert [case.decide(seed=seed).id for seed in range(9)] == [draw(seed, scores).id for seed in range(9)]
