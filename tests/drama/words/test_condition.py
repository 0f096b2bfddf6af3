from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core.errors import Problems
from volition.drama.words.condition import (
    FLAGS,
    Facts,
    ScenarioTerms,
    check_when,
    ensures,
    holds,
    read_when,
    turn,
    vocabulary,
)

if TYPE_CHECKING:
    from tests.sentences import Told

TERMS = ScenarioTerms(
    people=("ann", "bob"), rooms=("hall",), secrets=("letter",), voices=("hoarse",), events=("storm",)
)
WORDS = vocabulary(TERMS)
KEYS = tuple(WORDS)


@st.composite
def conditions(draw: st.DrawFn) -> dict[str, Any]:
    """A valid condition with up to three keys."""
    found: dict[str, Any] = {}
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=3, unique=True)):
        if key in FLAGS:
            found[key] = draw(st.booleans())
        else:
            signed = st.builds(lambda no, word: no + word, st.sampled_from(["", "not "]), st.sampled_from(WORDS[key]))
            found[key] = draw(st.one_of(signed, st.lists(signed, min_size=1, max_size=3)))
    return found


@st.composite
def moments(draw: st.DrawFn) -> Facts:
    """Some facts for every key."""
    return {key: frozenset(draw(st.lists(st.sampled_from(WORDS[key]), max_size=2))) for key in KEYS}


def plainly_holds(data: dict[str, Any], facts: Facts) -> bool:
    """Whether a condition holds, read word by word."""
    for key, value in data.items():
        found = facts[key]
        if isinstance(value, bool):
            if ("true" in found) != value:
                return False
            continue
        words = [value] if isinstance(value, str) else value
        wanted = [word for word in words if not word.startswith("not ")]
        if any(word[4:] in found for word in words if word.startswith("not ")):
            return False
        if wanted and not any(word in found for word in wanted):
            return False
    return True


@given(conditions(), moments())
def test_a_condition_means_what_it_says(data: dict[str, Any], facts: Facts) -> None:
    """All keys must hold; of a key's words one must, and none with 'not' before it."""
    check_when(data, "here", WORDS, problems := Problems())
    assert list(problems) == []
    assert holds(read_when(data), facts) == plainly_holds(data, facts)


@given(conditions(), conditions(), moments())
def test_what_ensures_another_condition_implies_it(one: dict[str, Any], other: dict[str, Any], facts: Facts) -> None:
    """Where a condition ensures another, no moment holds for the first and not for the second."""
    given, needed = read_when(one), read_when(other)
    if ensures(given, needed) and holds(given, facts):
        assert holds(needed, facts)
    assert ensures(given, given)
    assert ensures(given, ())


@given(conditions())
def test_turned_twice_is_the_same(data: dict[str, Any]) -> None:
    """A condition seen from the other side, and from there again, is itself."""
    when = read_when(data)
    assert turn(turn(when)) == when


@pytest.mark.parametrize(
    ("data", "place", "said"),
    [
        ({"sevred": True}, "here.sevred", "served"),
        ({"served": "yes"}, "here.served", "true or false"),
        ({"mood": "merry"}, "here.mood", "calm"),
        ({"mood": []}, "here.mood", "at least one"),
        ({"mood": ["angry", 3]}, "here.mood", "calm"),
        ({"who": "cyd"}, "here.who", "a person of the scenario"),
        ({"voice": "shrill"}, "here.voice", "hoarse"),
        ("served", "here", "a table"),
    ],
)
def test_faults_are_named(data: Any, place: str, said: str) -> None:
    """An unknown key, an unknown word and a value of the wrong kind are reported with their place and what is possible."""
    problems = Problems()
    assert not check_when(data, "here", WORDS, problems)
    (problem,) = problems
    assert problem.where == place
    assert said in str(problem)


def test_all_faults_at_once() -> None:
    """Every fault of a condition is reported."""
    check_when({"sevred": True, "mood": ["merry", "glum"], "who": "cyd"}, "here", WORDS, problems := Problems())
    assert len(problems) == 4


def test_only_a_scenario_has_people(told: Told) -> None:
    """General phrases cannot name anybody."""
    check_when({"who": "ann"}, "here", vocabulary(), problems := Problems())
    told(next(iter(problems)))
