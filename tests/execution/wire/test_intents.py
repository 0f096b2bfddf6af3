"""Intents: the seven, and nothing else."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core.errors import InvalidInput
from volition.execution import Move
from volition.execution.wire.intents import CANONICAL, intent_problems, parse_intent

pytestmark = pytest.mark.req("EX-01")

SEVEN = ("PRIMARY_ATTACK", "EVADE", "MOVE", "HOLD", "RELEASE", "STOP", "JUMP")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def test_there_are_seven() -> None:
    """The canonical names are the seven of the contract, each with its own type of that name."""
    assert tuple(CANONICAL) == SEVEN
    assert len(set(CANONICAL.values())) == 7
    assert all(kind.name == name for name, kind in CANONICAL.items())


@given(st.sampled_from(SEVEN) | st.text(max_size=8), JSON)
def test_what_is_read_is_canonical_and_all_else_has_a_reason(name: str, parameters: Any) -> None:
    """Reading gives an intent that says the same again, exactly where a plain statement of the contract says so."""
    bare = parameters is None or parameters == {}
    vector = parameters.get("vector") if isinstance(parameters, dict) and set(parameters) == {"vector"} else None
    moves = isinstance(vector, list) and len(vector) == 3 and all(_finite(number) for number in vector)
    if name in SEVEN and (moves if name == "MOVE" else bare):
        assert intent_problems(name, parameters) == ()
        intent = parse_intent(name, parameters)
        assert (intent.name, intent.parameters) == (name, parameters or {})
        assert type(intent) is CANONICAL[name]
    else:
        with pytest.raises(InvalidInput) as caught:
            parse_intent(name, parameters)
        assert caught.value.problems == intent_problems(name, parameters)


@given(st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3))
def test_a_vector_crosses_unchanged(vector: list[float]) -> None:
    """Every vector of three finite numbers is a MOVE that carries exactly these numbers."""
    assert parse_intent("MOVE", {"vector": vector}).parameters == {"vector": vector}


@given(st.integers(0, 2), st.sampled_from([math.nan, math.inf, -math.inf, True, "1", None, 10**400, [1]]))
def test_a_move_cannot_be_made_of_less_than_numbers(place: int, wrong: Any) -> None:
    """A part that is not a finite number is refused, and its place is named, however the MOVE is made."""
    vector: list[Any] = [0.0, 1.0, 2.0]
    vector[place] = wrong
    with pytest.raises(InvalidInput, match=rf"vector\[{place}\]"):
        Move(tuple(vector))
    with pytest.raises(InvalidInput, match=rf"parameters\.vector\[{place}\]"):
        parse_intent("MOVE", {"vector": vector})


def test_every_reason_is_given() -> None:
    """All that is wrong with an intent arrives at once, and what is not canonical is named."""
    found = intent_problems("MOVE", {"vector": [math.nan, 1], "key": "W", "when": "safe"})
    assert [problem.where for problem in found] == [
        "parameters.key", "parameters.when", "parameters.vector", "parameters.vector[0]",
    ]  # fmt: skip
    (unknown,) = intent_problems("ATTACK_IF_NEAR")
    assert "'ATTACK_IF_NEAR'" in unknown.what
    assert "PRIMARY_ATTACK" in unknown.remedy
    for name in SEVEN:
        more = {"cooldown": 3, **({"vector": [0.5, 0.0, 0.0]} if name == "MOVE" else {})}
        assert intent_problems(name, more)
        with pytest.raises(InvalidInput, match="cooldown"):
            parse_intent(name, more)


@pytest.mark.parametrize("name", [None, 7, True, ["MOVE"], {"name": "MOVE"}, "move", "MOVE ", ""])
def test_a_name_is_exact(name: object) -> None:
    """Only the exact text of a name names an intent."""
    assert len(intent_problems(name)) == 1


def _finite(number: Any) -> bool:
    if isinstance(number, bool) or not isinstance(number, int | float):
        return False
    return abs(number) < 2**1023
