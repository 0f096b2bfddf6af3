"""Situations and answers: a question is its canonical bytes, and what a mind gets is what was hashed."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.minds.questions import rain
from volition.arbitration.intent import label_of
from volition.core.canonical import canonical
from volition.core.errors import InvalidInput
from volition.core.typed import asdict
from volition.minds import FALLBACKS, MindChoice, MindOption, MindSituation, MindVote
from volition.minds.answers import judge_answer
from volition.minds.contract import Fallback, canonical_situation, copy_situation

pytestmark = pytest.mark.req("DE-35")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"options": ()}, "at least one option"),
        ({"options": (MindOption("a"), MindOption("a"))}, "each with its own id"),
        ({"options": (MindOption(""),)}, "each with its own id"),
        ({"options": (MindOption("a"),), "own": "b"}, "'b', the engine's own choice, is no option"),
        ({"options": (MindOption("a"),), "vetoed": {"a": "safety"}}, "is offered and vetoed"),
    ],
)
def test_a_situation_has_something_to_choose(given: dict[str, Any], said: str) -> None:
    """A situation offers options with ids of their own, none of them vetoed, and the engine's own choice is one."""
    with pytest.raises(InvalidInput, match=said):
        MindSituation("ada", "", **given)


def test_a_mind_gets_what_was_hashed() -> None:
    """Two situations with the same hash look the same to a mind, to the type of each number."""
    whole, real = rain(data={"n": 1, "t": (1, 2)}), rain(data={"n": 1.0, "t": [1, 2]})
    assert canonical_situation(whole) == canonical_situation(real)
    copies = [copy_situation(canonical_situation(one)) for one in (whole, real)]
    assert copies[0] == copies[1]
    assert [type(one.data["n"]) for one in copies] == [int, int]
    assert copy_situation(canonical_situation(rain())) == rain()


ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.lists(st.integers())
"""What a mind may put where a text or a count belongs."""
FIELDS = st.tuples(st.sampled_from(["stay", "go", "swim"]) | ANYTHING, ANYTHING, ANYTHING, ANYTHING)


@given(answer=ANYTHING | st.builds(lambda kind, fields: kind(*fields), st.sampled_from([MindVote, MindChoice]), FIELDS))
def test_any_answer_is_an_option_or_a_reason(answer: Any) -> None:
    """An answer names an option, or there is a reason and a line about it; either way the record is JSON of bounded size."""
    judged = judge_answer(answer, rain())
    if judged.fallback is None:
        assert judged.choice in {"stay", "go"}
        assert (judged.kind, judged.fault) == ("vote" if type(answer) is MindVote else "choice", "")
    else:
        assert (judged.fallback in FALLBACKS, judged.choice, judged.kind) == (True, "", "")
        assert judged.fault
    assert len(canonical(asdict(judged))) < 20_000


def test_the_reasons_are_a_closed_list() -> None:
    """The reasons are these seven words."""
    words = ("late", "over_budget", "invalid", "vetoed", "raised", "unreachable", "silent")
    assert get_args(Fallback) == FALLBACKS == words


def test_a_mind_has_a_name_for_records() -> None:
    """A label, or the module and the name of a function or of a class."""

    class Labelled:
        label = "mine"

    assert label_of(Labelled()) == "mine"
    assert label_of(rain) == "tests.minds.questions:rain"
    assert label_of(object()) == "builtins:object"
