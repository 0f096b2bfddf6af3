"""Numbers in sentences add up as they are printed, rounding included."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.arbitration.brute import ANY, Case, table, unhurried
from volition.arbitration.why_answers import Outscored
from volition.arbitration.wording import MOST_PARTS, print_reach, print_sum

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("AR-16")

NUMBER = r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
parts = st.lists(
    st.fractions(-5, 5, max_denominator=1000) | st.floats(-1, 1).map(Fraction) | st.just(Fraction()),
    min_size=1,
    max_size=9,
).map(lambda some: [(f"h{n}", part) for n, part in enumerate(some)])


def printed(text: str) -> dict[str, Decimal]:
    """The parts of a printed sum, by name."""
    return {name: Decimal(number) for name, number in re.findall(rf"(\w+) ([+-]{NUMBER.removeprefix('[+-]?')})", text)}


@given(parts)
@example([("h0", Fraction(1, 3)), ("h1", Fraction(1, 3)), ("h2", Fraction(1, 3))])
@example([(f"h{n}", Fraction(1, 7)) for n in range(9)])
def test_the_printed_parts_add_up_to_the_printed_sum(given_parts: list[tuple[str, Fraction]]) -> None:
    """As decimals, without rounding: what a reader adds up is what is printed; and each is near what it stands for."""
    whole = sum(part for _, part in given_parts)
    assume(whole > 0)
    total, told = print_sum(given_parts)
    found = printed(told)
    assert Fraction(Decimal(total)) == pytest.approx(whole, rel=0.005, abs=0)
    if "what is left of" in told:
        assert max(abs(part) for _, part in given_parts) > 10**8 * whole
        return
    assert sum(found.values()) == Decimal(total)
    exact = dict(given_parts)
    unit = 10 ** -max(2, *(-int(number.as_tuple().exponent) for number in (*found.values(), Decimal(total))))
    for name, number in found.items():
        assert name == "others" or abs(Fraction(number) - exact[name]) < 10 * unit
    assert len(found) <= MOST_PARTS + 1
    named = [abs(exact[name]) for name in found if name != "others"]
    if "others" in found:
        assert min(named) >= max(abs(part) for name, part in exact.items() if name not in found) - Fraction(unit)


@pytest.mark.parametrize(
    ("given_parts", "text"),
    [
        ({"h1": 0.95, "h2": 0.37}, "1.32: h1 +0.95, h2 +0.37"),
        ({"fast": 1.0, "pretty": -0.75}, "0.25: fast +1, despite pretty -0.75"),
        ({"a": 2.0, "b": -1.5625, "c": -0.16}, "0.2775: a +2, despite b -1.5625, c -0.16"),
        ({"a": 0.1 + 0.2}, "0.3: a +0.3"),
        ({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}, "1: a +0.334, b +0.333, c +0.333"),
        ({"a": 1.0, "b": 0.001, "silent": 0.0}, "1.001: a +1, b +0.001"),
        ({f"h{n}": 0.1 * (n + 1) for n in range(7)}, "2.8: h6 +0.7, h5 +0.6, h4 +0.5, h3 +0.4, others +0.6"),
        ({f"h{n}": 0.5 for n in range(5)}, "2.5: h0 +0.5, h1 +0.5, h2 +0.5, h3 +0.5, h4 +0.5"),
        ({"x": 1e300}, "1e+300: x +1e+300"),
        ({"x": 1e-300}, "1e-300: x +1e-300"),
        ({"x": 0.3, "y": -0.3 + 2.0**-54}, "5.55112e-17, which is what is left of x +0.3, despite y -0.3"),
    ],
)
def test_sums_as_a_reader_sees_them(given_parts: dict[str, float], text: str) -> None:
    """Short numbers as they are, others with three digits of the sum; many parts as the largest and others."""
    assert "".join(print_sum([(name, Fraction(part)) for name, part in given_parts.items()])) == text


@unhurried
@given(ANY)
def test_every_sentence_about_a_lead_adds_up(case: Case) -> None:
    """Why and why not: the printed contributions sum to the printed lead."""
    decision = case.decision()
    sentences = [decision.why().text]
    sentences += [answer.text for answer in map(decision.why_not, case.candidates) if isinstance(answer, Outscored)]
    for text in sentences:
        lead = re.search(rf"(?:leads \w+|outscored) by ({NUMBER}): (.*?)(?:;|\.$)", text)
        if lead:
            assert sum(printed(lead[2]).values()) == Decimal(lead[1])


@unhurried
@given(ANY)
def test_a_score_that_is_said_to_draw_level_does(case: Case) -> None:
    """At the printed score, or at the next double past it where it says "past", the loser's total is the winner's."""
    decision = case.decision()
    for name in case.survivors:
        text = decision.why_not(name).text
        found = re.search(rf"it would draw level if the score of (\w+) rose (to|past) ({NUMBER})", text)
        if found:
            by, how, number = found.groups()
            needed = decision.why_not(name).needed[by]  # type: ignore[union-attr]
            assert needed == pytest.approx(float(number), rel=1e-5)
            assert (float(number) >= needed) == (how == "to")
            then = replace(
                case, scores=case.scores | {by: case.scores[by] | {name: min(1.0, max(needed, float(number)))}}
            )
            assert not isinstance(then.decision().why_not(name), Outscored)


def test_it_names_the_score_and_not_the_weight(told: Told) -> None:
    """Drawing level is a matter of scores, each with the number it must rise to."""
    one = table({"x": (1, None, [0.75, 0.25])}).decision().why_not("b").text
    told(one)
    two = table({"x": (1, None, [1.0, 0.0]), "y": (1, None, [1.0, 0.0])}).decision().why_not("b").text
    told(two)
    never = table({"x": (1, None, [1.0, None]), "y": (0, None, [1.0, 0.0])}).decision().why_not("b").text
    told(never)


@pytest.mark.parametrize(
    ("number", "top", "text"),
    [
        (0.25, 1, "to 0.25"),
        (0.1 + 0.2, 1, "past 0.3"),
        (0.99999999, 1, "to 1"),
        (0.99999999, 0.99999999, "to 0.99999999"),
    ],
)
def test_how_far_a_score_must_rise(number: float, top: float, text: str) -> None:
    """Six digits, "past" them where they fall short, and never beyond the top of the range."""
    assert print_reach(number, top) == text
