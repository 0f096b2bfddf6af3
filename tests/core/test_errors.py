"""Errors: every problem says what, where, what was expected and what to do, and all are reported at once."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core.errors import (
    BrokenRecord,
    InvalidInput,
    MissingPart,
    NotPossible,
    Problem,
    Problems,
    VolitionError,
    did_you_mean,
    refuse,
)

problems = st.builds(Problem, st.text(), st.text(), st.text(), st.text())


@pytest.mark.parametrize(("kind", "code"), [(InvalidInput, 2), (BrokenRecord, 3), (NotPossible, 3), (MissingPart, 4)])
def test_exit_codes(kind: type[VolitionError], code: int) -> None:
    """Each kind of error ends a command with its own code, and all are one family."""
    assert kind.exit_code == code
    assert issubclass(kind, VolitionError)
    error = kind.of("a", where="b", expected="c", remedy="d")
    assert type(error) is kind
    assert error.problems == (Problem("a", "b", "c", "d"),)


@given(st.lists(problems, min_size=1, max_size=4))
def test_an_error_shows_all_its_problems(found: list[Problem]) -> None:
    """The text of an error holds every part of every problem, and numbers them when there are several."""
    text = str(InvalidInput(*found))
    for number, problem in enumerate(found, 1):
        assert str(problem) in text
        assert all(part in str(problem) for part in (problem.what, problem.where, problem.expected, problem.remedy))
        assert len(found) == 1 or f"{number}. {problem.what}" in text
    assert len(found) == 1 or text.startswith(f"{len(found)} problems")


@given(st.lists(problems, max_size=3))
def test_an_error_is_data(found: list[Problem]) -> None:
    """An error becomes JSON with its kind and problems, and survives a pickle on its way between processes."""
    error = MissingPart(*found)
    data = json.loads(json.dumps(error.to_data()))
    assert data["error"] == "MissingPart"
    assert [Problem(**entry) for entry in data["problems"]] == found
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is MissingPart
    assert again.problems == error.problems


def test_problems_are_collected_and_raised_together() -> None:
    """Nothing is raised while there is no problem; then all are raised in the order they were found."""
    collected = Problems()
    collected.raise_if_any(InvalidInput)
    assert len(collected) == 0
    collected.add("first", where="a", expected="b", remedy="c")
    with pytest.raises(InvalidInput) as caught:
        refuse("second", where="a", expected="b", remedy="c")
    collected.include(caught.value)
    with pytest.raises(BrokenRecord) as raised:
        collected.raise_if_any(BrokenRecord)
    assert [problem.what for problem in raised.value.problems] == ["first", "second"]
    assert list(collected) == list(raised.value.problems)


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("gaol", ["goal", "safety"], "did you mean 'goal'?"),
        ("colour", ["color", "colon"], "did you mean 'color' or 'colon'?"),
        ("x", ["goal", "safety"], "use one of: 'goal', 'safety'"),
        ("x", [], "there are none"),
    ],
)
def test_a_remedy_names_what_is_known(word: str, known: list[str], expected: str) -> None:
    """A misspelt word is answered with similar ones, or with all of them if none is similar."""
    assert did_you_mean(word, iter(known)) == expected


def test_a_long_list_is_cut() -> None:
    """A remedy stays readable: twelve words are shown, the rest counted."""
    answer = did_you_mean("x", [f"word{number:02}" for number in range(40)])
    assert "'word11'" in answer
    assert "'word12'" not in answer
    assert answer.endswith("(40 in all)")
