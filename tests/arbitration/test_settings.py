"""Holding below a margin or a total that the caller names: the decision says so, and every question knows it."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from math import inf, nan, nextafter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.arbitration.brute import HELD, HOLDING, Case, choose, decided, table, unhurried
from tests.arbitration.strategies import bound_of
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.case import case_from_data
from volition.arbitration.choice import Shortfall
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.settings import Margin, Total
from volition.arbitration.tables import Scores, Violates
from volition.arbitration.why_answers import Held, LostTie, Outscored, Vetoed, Won
from volition.core.errors import InvalidInput, NotPossible

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("AR-23")

LANES = table({"x": (1, None, [0.5, 0.45, -0.5])})


@pytest.mark.parametrize(
    ("bound", "kind", "rule"),
    [
        (None, "act", "highest_total"),
        (Margin(0.0), "act", "highest_total"),
        (Margin(0.5 - 0.45), "act", "highest_total"),
        (Margin(nextafter(0.5 - 0.45, 1.0)), "hold", "below_margin"),
        (Total(0.5), "act", "highest_total"),
        (Total(nextafter(0.5, 1.0)), "hold", "below_total"),
        (Total(-1), "act", "highest_total"),
    ],
)
def test_it_holds_below_and_acts_at_the_bound(bound: Any, kind: str, rule: str) -> None:
    """At the bound itself it acts; one double beyond, it holds, chooses nobody, and names the rule."""
    decision = LANES.decision(hold_below=bound)
    assert (decision.kind, decision.reason.rule) == (kind, rule)
    assert (decision.id is None, decision.candidate is None) == (kind == "hold", kind == "hold")


def test_the_reason_has_both_numbers(told: Told) -> None:
    """What the leader has and what was asked for: in the reason, in the sentence, in the table and in the data."""
    decision = LANES.decision(hold_below=Margin(0.1))
    short = decision.reason.shortfall
    assert short == Shortfall("a", "margin", 0.5 - 0.45, 0.1)
    told(decision.why().text)
    assert decision.margin == 0.5 - 0.45
    assert str(decision).startswith("hold: a is first (below_margin)\n")
    assert decision.to_data()["reason"]["shortfall"] == {
        "leader": "a",
        "what": "margin",
        "value": 0.5 - 0.45,
        "least": 0.1,
    }
    total = LANES.decision(hold_below=Total(0.75))
    assert total.reason.shortfall == Shortfall("a", "total", 0.5, 0.75)
    told(total.why().text)


def test_numbers_that_print_alike_are_told_apart(told: Told) -> None:
    """A value one double below the bound is not printed as the bound."""
    least = nextafter(0.5, 1.0)
    assert f"its total 0.5 is below {least!r}," in LANES.decision(hold_below=Total(least)).why().text
    margin = nextafter(0.5 - 0.45, 1.0)
    assert f"{0.5 - 0.45!r} is below {margin!r}," in LANES.decision(hold_below=Margin(margin)).why().text
    tiny = table({"x": (1, None, [1.0, -(2.0**-60)])}).decision(hold_below=Margin(nextafter(1.0, 2.0)))
    told(tiny.why().text)
    lost = table({"x": (1, None, [1.0, 2.0**-60])}).decision(hold_below=Margin(1.0))
    assert lost.kind == "hold"
    told(lost.why().text)


@pytest.mark.req("AR-06")
@pytest.mark.parametrize(("vetoed", "kind"), [((), "hold"), (("road",), "hold"), (("stay",), "fail")])
def test_holding_is_never_the_forbidden_act(vetoed: tuple[str, ...], kind: str, told: Told) -> None:
    """Where staying put is vetoed, a decision below its bound fails: holding would be the forbidden act."""
    composite = CompositeIntention(
        Constraint("no", Violates(vetoed)), Heuristic("h", Scores({"stay": 0.1, "road": 0.2, "hill": 0.2}))
    )
    decision = arbitrate(["stay", "road", "hill"], composite, stay="stay", hold_below=Total(0.5))
    assert (decision.kind, decision.reason.rule) == (kind, "below_total")
    told(decision.why().text)


def test_one_alone_has_no_margin_to_fall_short_of() -> None:
    """An only survivor has no rival: no margin holds it back, but a total may."""
    case = table({"x": (1, None, [0.2, 0.9])}, vetoes={"k": "b"})
    assert case.decision(hold_below=Margin(5)).kind == "act"
    assert case.decision(hold_below=Total(0.3)).kind == "hold"
    assert case.decision(hold_below=Margin(0.1)).reason.shortfall is None


def test_nothing_to_choose_is_still_that() -> None:
    """Total veto and an empty offer keep their reasons, whatever the bound."""
    case = table({"x": (1, None, [0.2])}, vetoes={"k": "a"})
    assert case.decision(hold_below=Total(0.5)).reason.rule == "all_candidates_vetoed"
    assert replace(case, candidates=()).decision(hold_below=Total(0.5)).reason.rule == "no_candidates"


@unhurried
@given(HOLDING)
def test_why_not_knows_who_was_held(case: Case) -> None:
    """The leader of a held decision was held, with both numbers; the others are answered as if it had been acted on."""
    decision, acting = case.decision(), case.decision(hold_below=None)
    assert (decision.id or HELD) == (decided(case).winner or HELD)
    for name in case.candidates:
        answer, otherwise = decision.why_not(name), acting.why_not(name)
        if decision.id is not None or isinstance(otherwise, Vetoed | LostTie):
            assert answer == otherwise
        elif isinstance(otherwise, Won):
            short = decision.reason.shortfall
            assert short is not None
            assert answer == Held(name, short.what, short.value, short.least, answer.text)
            assert f"{short.least:.6g}" in answer.text
        else:
            assert isinstance(answer, Outscored)
            assert isinstance(otherwise, Outscored)
            assert answer == structs.replace(otherwise, text=answer.text)
            assert f"{acting.id}, which leads, was not chosen either" in answer.text


@unhurried
@given(HOLDING)
def test_why_is_about_the_leader(case: Case) -> None:
    """Where it holds there is no winner, and the contributions are those of the leader's lead; they sum to it."""
    decision, acting = case.decision(), case.decision(hold_below=None)
    why, otherwise = decision.why(), acting.why()
    assert (why.over, why.margin, why.contributions) == (otherwise.over, otherwise.margin, otherwise.contributions)
    assert why.winner == decision.id
    assert sum((part.exact for part in why.contributions), Fraction()) == (why.margin or 0)


@pytest.mark.req("AR-21")
@unhurried
@given(HOLDING, st.sampled_from([None, ("margin", 0.25), ("total", 0.5)]), st.sampled_from([0.0, 0.25, 2.0]))
def test_what_if_decides_again_with_the_bound(case: Case, bound: tuple[str, float] | None, weight: float) -> None:
    """Other weights are held below the same bound, another bound is that of a new decision, and None takes it away."""
    decision = case.decision()
    weights = dict.fromkeys(list(case.weights)[:1], weight)
    then = decision.what_if(weights=weights)
    assert then.decision == replace(case, weights=case.weights | weights).decision()
    other = decision.what_if(hold_below=bound_of(bound))
    assert other.decision == replace(case, hold_below=bound).decision()
    assert other.changed == ((decision.kind, decision.id) != (other.decision.kind, other.after))
    assert decision.what_if().decision == decision


@unhurried
@given(HOLDING)
def test_a_held_decision_is_firm_about_nothing(case: Case) -> None:
    """Sensitivity is about a winner: without one it is empty, and a question about a price has no answer."""
    decision = case.decision()
    found = decision.sensitivity()
    if choose(case, decided(case).total).winner == HELD:
        assert (found.ranges, found.nearest, found.robustness) == ({}, None, None)
        assert all(decision.price(by) is None for by in case.vetoes)
        with pytest.raises(NotPossible, match="below_"):
            decision.require()


def test_a_flip_may_be_to_a_hold(told: Told) -> None:
    """Where less weight brings the winner below the bound, the nearest flip is to a hold, and the report says so."""
    decision = table({"x": (1, None, [1.0, 0.25])}).decision(hold_below=Total(0.5))
    flip = decision.sensitivity().nearest
    assert flip is not None
    assert (flip.intention, flip.to) == ("x", None)
    assert decision.what_if(weights={"x": flip.weight}).decision.kind == "hold"
    assert decision.what_if(weights={"x": nextafter(flip.weight, 1.0)}).after == "a"
    told(decision)
    told(decision.what_if(weights={"x": 0.25}).text)


def test_a_held_decision_travels() -> None:
    """Pickled and read again, it holds for the same reason and answers the same."""
    decision = LANES.decision(hold_below=Margin(0.1))
    again = pickle.loads(pickle.dumps(decision))
    assert again == decision
    assert (again.why(), again.why_not("a"), again.reason) == (decision.why(), decision.why_not("a"), decision.reason)


@pytest.mark.parametrize(
    ("bound", "what"),
    [
        (0.1, "hold_below is 0.1"),
        ({"margin": 0.1}, "Margin(number) or Total(number)"),
        (Margin(-0.1), "the least margin is -0.1"),
        (Margin(nan), "the least margin is nan"),
        (Total(inf), "the least total is inf"),
        (Total(True), "the least total is True"),
        (Margin("0.1"), "the least margin is '0.1'"),  # type: ignore[arg-type]
    ],
)
def test_a_bound_that_cannot_be_compared_is_refused(bound: Any, what: str) -> None:
    """What is neither a margin nor a total, or has no number, is refused with a remedy; with everything else at once."""
    with pytest.raises(InvalidInput) as caught:
        LANES.decision(hold_below=bound, tie_margin=-1)
    assert what in str(caught.value)
    assert [problem.where for problem in caught.value.problems] == ["tie_margin", "hold_below"]


CASE: dict[str, Any] = {
    "candidates": ["a", "b"],
    "intentions": [{"id": "h", "kind": "heuristic", "intent": {"scores": {"a": 0.5, "b": 0.45}}}],
}


@pytest.mark.parametrize(
    ("given_bound", "kind"),
    [
        (None, "act"),
        ({"margin": 0.01}, "act"),
        ({"margin": 0.1}, "hold"),
        ({"total": 0.5}, "act"),
        ({"total": 1}, "hold"),
    ],
)
def test_a_file_may_name_the_bound(given_bound: Any, kind: str) -> None:
    """A document says below what it holds; the caller goes before it."""
    case = case_from_data(CASE | ({} if given_bound is None else {"hold_below": given_bound}))
    assert case.decide().kind == kind
    assert case.decide(hold_below=Total(0.9)).kind == "hold"


@pytest.mark.parametrize(
    ("given_bound", "where"),
    [
        (0.1, "hold_below"),
        ({}, "hold_below"),
        ({"margin": 0.1, "total": 0}, "hold_below"),
        ({"floor": 1}, "hold_below.floor"),
        ({"margin": "a"}, "hold_below"),
    ],
)
def test_a_wrong_bound_in_a_file_is_named(given_bound: Any, where: str) -> None:
    """A bound that is no number, both at once or none is a problem of the document, with its place."""
    with pytest.raises(InvalidInput) as caught:
        case_from_data(CASE | {"hold_below": given_bound})
    assert [problem.where for problem in caught.value.problems] == [where]
