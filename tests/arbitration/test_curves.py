"""Curves stay in range, keep their ends and their direction, and clamp only where the author wrote it."""

from __future__ import annotations

import json
from decimal import Decimal
from math import exp, inf, isfinite, nan, nextafter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from volition.arbitration.curves import (
    CURVES,
    Curve,
    Linear,
    Logit,
    Piecewise,
    Power,
    clamp,
    curve_from_data,
    linear,
    logistic,
    logit,
    piecewise,
    power,
    step,
)
from volition.core.errors import InvalidInput, Problems

if TYPE_CHECKING:
    from fractions import Fraction

    from tests.sentences import Told

finite = st.floats(allow_nan=False, allow_infinity=False)
score = st.floats(-1, 1)
positive = st.floats(1e-3, 1e3)
reals = st.floats(allow_nan=False)


@st.composite
def spans(draw: st.DrawFn) -> tuple[float, float]:
    low, high = draw(finite), draw(finite)
    assume(low != high and isfinite(high - low))
    return low, high


@st.composite
def piecewises(draw: st.DrawFn) -> Piecewise:
    values = sorted(set(draw(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=6))))
    assume(len(values) >= 2)
    return piecewise([(value, draw(score)) for value in values])


linears = spans().map(lambda span: linear(*span))
powers = st.builds(lambda span, exponent: power(span[0], span[1], exponent), spans(), positive)
logistics = st.builds(logistic, finite, finite.filter(bool))
logits = st.builds(lambda span, steepness: logit(span[0], span[1], steepness), spans(), positive)
steps = st.builds(step, finite, st.floats(-1, -0.1), st.floats(0.1, 1))
clamps = st.builds(clamp, st.floats(-1, -0.1), st.floats(0.1, 1))
domains = st.one_of(linears, powers, piecewises())
unbounded = st.one_of(logistics, logits, steps, clamps)
curves = st.one_of(domains, domains.map(lambda curve: curve.clamped()), unbounded)


def domain(curve: Linear | Power | Piecewise) -> tuple[float, float]:
    if isinstance(curve, Linear):
        ends = (curve.at_minus_one, curve.at_plus_one)
    elif isinstance(curve, Power):
        ends = (curve.low, curve.high)
    else:
        ends = (curve.points[0][0], curve.points[-1][0])
    return min(ends), max(ends)


@pytest.mark.req("AR-08")
@given(domains, st.data())
def test_in_range_on_the_domain(curve: Linear | Power | Piecewise, data: st.DataObject) -> None:
    """Everywhere on its domain a curve gives a score in [-1, 1]."""
    assert -1 <= curve(data.draw(st.floats(*domain(curve)))) <= 1


@pytest.mark.req("AR-08")
@given(st.one_of(unbounded, domains.map(lambda curve: curve.clamped())), reals)
def test_in_range_on_all_numbers(curve: Curve, value: float) -> None:
    """A bounded or clamped curve gives a score in [-1, 1] for every number, the infinite ones included."""
    assert -1 <= curve(value) <= 1


@given(
    st.one_of(linears, spans().map(lambda span: power(span[0], span[1], 2)), logistics, logits, steps, clamps),
    st.data(),
)
def test_monotone(curve: Curve, data: st.DataObject) -> None:
    """Every curve but piecewise runs in one direction."""
    number = st.floats(*domain(curve)) if isinstance(curve, (Linear, Power)) else reals
    low, high = sorted((data.draw(number), data.draw(number)))
    falls = (
        (isinstance(curve, Linear) and curve.at_minus_one > curve.at_plus_one)
        or (isinstance(curve, (Power, Logit)) and curve.low > curve.high)
        or getattr(curve, "steepness", 1) < 0
    )
    assert curve(low) >= curve(high) if falls else curve(low) <= curve(high)


@given(piecewises(), st.data())
def test_piecewise_is_monotone_between_points(curve: Piecewise, data: st.DataObject) -> None:
    """Between two points a piecewise curve runs in one direction and never past either point."""
    index = data.draw(st.integers(1, len(curve.points) - 1))
    (x0, y0), (x1, y1) = curve.points[index - 1 : index + 1]
    low, high = sorted((data.draw(st.floats(x0, x1)), data.draw(st.floats(x0, x1))))
    assert sorted((y0, curve(low), curve(high), y1), reverse=y0 > y1) == [y0, curve(low), curve(high), y1]


@given(spans(), positive)
def test_ends_are_exact(span: tuple[float, float], shape: float) -> None:
    """The ends score exactly -1 and +1."""
    for curve in (linear(*span), power(*span, shape), logit(*span, shape)):
        assert (curve(span[0]), curve(span[1])) == (-1.0, 1.0)


@given(piecewises())
def test_points_are_exact(curve: Piecewise) -> None:
    """A piecewise curve goes exactly through its points."""
    assert [(x, curve(x)) for x, _ in curve.points] == list(curve.points)


@given(finite)
def test_a_step_begins_with_its_value(at: float) -> None:
    """The value of a step belongs to its upper side."""
    assert (step(at)(at), step(at)(nextafter(at, -inf))) == (1.0, -1.0)


@given(st.fractions(0, 100, max_denominator=64))
def test_linear_is_the_line(value: Fraction) -> None:
    """A linear curve is the straight line, up to rounding."""
    assert linear(0, 100)(value) == pytest.approx(float(2 * value / 100 - 1), abs=1e-15)


@given(st.floats(-20, 20), st.floats(-3, 3).filter(bool))
def test_logistic_is_the_logistic_function(value: float, steepness: float) -> None:
    """The form that cannot overflow agrees with the textbook form where that one can be computed."""
    expected = 2 / (1 + exp(-steepness * (value - 1.5))) - 1
    assert logistic(1.5, steepness)(value) == pytest.approx(expected, abs=1e-12)


def test_logit_turns_logistic_round() -> None:
    """Inside its bounds logit undoes a logistic, and beyond them it saturates."""
    for value in (-0.9, -0.3, 0.0, 0.5, 0.9):
        assert logit(-1, 1, 0.5)(logistic(0, 2)(value)) == pytest.approx(value)
    assert [logit(0, 1, 0.5)(value) for value in (-7, 0, 1e-9, 1 - 1e-9, 1, 7)] == [-1, -1, -1, 1, 1, 1]


@pytest.mark.parametrize("value", [1e308, -1e308, inf, -inf, 10**400, -(10**400)])
def test_huge_inputs_do_not_overflow(value: float) -> None:
    """Numbers at and beyond the end of the floats score at the ends."""
    for curve in (logistic(0, 1e308), logit(-1e300, 1e300, 1), step(0), clamp(), linear(0, 1).clamped()):
        assert curve(value) == (1.0 if value > 0 else -1.0)


@pytest.mark.req("AR-08")
@pytest.mark.parametrize("curve", [linear(10, 0), power(0, 10, 2), piecewise([(0, -1), (10, 1)])])
@pytest.mark.parametrize("value", [-0.5, 10.000001, inf, -(10**400)])
def test_nothing_is_clamped_unless_written(curve: Linear | Power | Piecewise, value: float) -> None:
    """A value outside the domain is refused with value and domain; `.clamped()` takes the nearest end."""
    with pytest.raises(InvalidInput) as caught:
        curve(value)
    assert "[0.0, 10.0]" in str(caught.value)
    assert repr(float(value) if abs(value) < 1e300 else value if isinstance(value, float) else -inf) in str(
        caught.value
    )
    assert curve.clamped()(value) == curve(0 if value < 0 else 10)


@pytest.mark.req("AR-08")
@pytest.mark.parametrize("value", [nan, True, False, "3", [1], 1j, Decimal("nan")])
@pytest.mark.parametrize("curve", [linear(10, 0).clamped(), logistic(0, 1), step(0), clamp()])
def test_what_is_no_number_is_refused(curve: Curve, value: Any, told: Told) -> None:
    """NaN, bools and anything that is not a real number are refused by a curve; None abstains."""
    with told.raises(InvalidInput):
        curve.of(value)
    with told.raises(InvalidInput):
        curve(value)
    assert curve.of(None) is None
    with pytest.raises(InvalidInput):
        curve(None)


@pytest.mark.parametrize(
    ("make", "place"),
    [
        (lambda: linear(1, 1), "linear.at_plus_one"),
        (lambda: linear(-1e308, 1e308), "linear.at_plus_one"),
        (lambda: linear(nan, 1), "linear.at_minus_one"),
        (lambda: linear(True, 0), "linear.at_minus_one"),
        (lambda: power(0, 1, 0), "power.exponent"),
        (lambda: power(0, inf, 1), "power.high"),
        (lambda: logistic(0, 0), "logistic.steepness"),
        (lambda: logistic(10**400, 1), "logistic.middle"),
        (lambda: logit(0, 1, -1), "logit.steepness"),
        (lambda: step(0, 0.5, 0.5), "step.above"),
        (lambda: step(0, -2, 1), "step.below"),
        (lambda: clamp(0.5, 0.5), "clamp.high"),
        (lambda: clamp(-1, 1.5), "clamp.high"),
        (lambda: piecewise([(0, 0)]), "piecewise.points"),
        (lambda: piecewise([(0, 0), (0, 1)]), "piecewise.points[1]"),
        (lambda: piecewise([(0, 0), (1, 1.1)]), "piecewise.points[1]"),
        (lambda: piecewise([(0, 0), (1,)]), "piecewise.points[1]"),
        (lambda: piecewise([(-1e308, 0), (1e308, 1)]), "piecewise.points[1]"),
    ],
)
def test_degenerate_parameters_are_refused(make: Any, place: str) -> None:
    """Parameters that are not finite, or make a curve say nothing, are refused at their place."""
    with pytest.raises(InvalidInput) as caught:
        make()
    assert [problem.where for problem in caught.value.problems] == [place]


@pytest.mark.req("AR-02")
@given(curves)
def test_round_trip(curve: Curve) -> None:
    """A curve survives JSON exactly: equal, with the same hash."""
    problems = Problems()
    again = curve_from_data(json.loads(json.dumps(curve.to_data())), "curve", problems)
    assert not len(problems)
    assert again == curve
    assert hash(again) == hash(curve)


def test_round_trip_knows_every_curve() -> None:
    """Every curve there is can be read by its name."""
    assert set(CURVES) == {"linear", "power", "logistic", "logit", "step", "clamp", "piecewise"}


@pytest.mark.parametrize(
    ("data", "places"),
    [
        ({"linear": {"at_minus_one": "x", "at_plus_one": None}}, ["c.linear.at_minus_one", "c.linear.at_plus_one"]),
        ({"linear": {"at_minus_one": 1, "to": 2}}, ["c.linear", "c.linear.to"]),
        ({"linear": {"at_minus_one": 1, "at_plus_one": 2, "clamps": 1}}, ["c.linear.clamps"]),
        ({"linear": [1, 2]}, ["c.linear"]),
        ({"liner": {}}, ["c"]),
        ({}, ["c"]),
        ("linear", ["c"]),
        ({"piecewise": {"points": [[0, 3], "x", [1, 0], [1, 0]]}}, [f"c.piecewise.points[{n}]" for n in (0, 1, 3)]),
        ({"piecewise": {"points": 7}}, ["c.piecewise.points"]),
    ],
)
def test_every_problem_has_its_place(data: Any, places: list[str]) -> None:
    """What is wrong in a curve's data is found all at once, each with its path."""
    problems = Problems()
    assert curve_from_data(data, "c", problems) is None
    assert [problem.where for problem in problems] == places
