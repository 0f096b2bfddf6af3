"""Candidates: their order, their ids, and duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.arbitration.arbiter import arbitrate
from volition.arbitration.candidate import as_list, identify
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Heuristic
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sentences import Told

EMPTY = CompositeIntention()


@dataclass
class Tile:
    """A candidate with an id; not hashable."""

    id: Any
    cost: int = 0


class Way(StrEnum):
    NORTH = "north"
    SOUTH = "south"


class Bare:
    """A candidate without an id, which prints as an address."""


@given(st.lists(st.text(min_size=1), unique=True))
def test_texts_are_their_own_ids(names: list[str]) -> None:
    """Texts keep their order and are their own ids, from a list, a tuple, a generator or the keys of a dict."""
    for candidates in (names, tuple(names), (name for name in names), dict.fromkeys(names)):
        pool = as_list(candidates)
        assert pool == names == identify(pool)


@pytest.mark.parametrize(
    ("candidates", "ids"),
    [
        ([Tile("b"), Tile("a")], ["b", "a"]),
        ([Tile(2), Tile(1)], ["2", "1"]),
        ([{"id": "b"}, {"id": 7}, "a"], ["b", "7", "a"]),
        (["a", Tile("b"), (1, 2)], ["a", "b", "(1, 2)"]),
        ([3, 1.5, None, True], ["3", "1.5", "None", "True"]),
        (range(3), ["0", "1", "2"]),
        ([Way.SOUTH, Way.NORTH], ["south", "north"]),
        ([["unhashable"], {"un": "hashable"}], ["['unhashable']", "{'un': 'hashable'}"]),
    ],
)
def test_ids(candidates: Any, ids: list[str]) -> None:
    """A candidate is named by its text, its id, or how it prints."""
    pool = as_list(candidates)
    assert identify(pool) == ids
    decision = arbitrate(candidates, EMPTY)
    assert decision.id == ids[0]
    assert decision.candidate is pool[0]


def test_a_text_with_an_id_is_named_by_its_text() -> None:
    """The text comes before the id, alone or among others."""

    class Place(str):
        __slots__ = ()
        id = "somewhere else"

    place = Place("north")
    assert identify([place, "south"]) == ["north", "south"]
    assert identify([place]) == ["north"]


@pytest.mark.parametrize("candidates", [{"a", "b"}, frozenset("ab"), "ab", b"ab", None, 5, Tile("a")])
def test_what_has_no_order_is_refused(candidates: Any) -> None:
    """A set, a text or what cannot be iterated is refused: the order offered is the last tie-break."""
    with pytest.raises(InvalidInput) as caught:
        arbitrate(candidates, EMPTY)
    (problem,) = caught.value.problems
    assert (problem.where, problem.what) == ("candidates", f"the candidates are a {type(candidates).__name__}")


@pytest.mark.parametrize(
    ("candidates", "named"),
    [
        (["a", "b", "a"], "the id 'a' is used 2 times"),
        ([1, "1"], "the id '1' is used 2 times"),
        ([Tile("a"), Tile("a", 1), Tile("a", 2)], "the id 'a' is used 3 times"),
        ([(1, 2), (1, 2)], "the id '(1, 2)' is used 2 times"),
        (["a", ""], "an id is empty"),
        ([Tile("")], "an id is empty"),
    ],
)
def test_ids_that_are_refused(candidates: list[Any], named: str) -> None:
    """Two candidates with one id, or an empty id, are refused; the error names the id."""
    with pytest.raises(InvalidInput, match=named.replace("(", r"\(").replace(")", r"\)")):
        arbitrate(candidates, EMPTY)


def test_all_duplicates_at_once() -> None:
    """Every duplicate id is named in one error."""
    with pytest.raises(InvalidInput) as caught:
        identify(["a", "b", "a", "c", "b", ""])
    assert len(caught.value.problems) == 3


def test_an_address_is_no_id() -> None:
    """A candidate that prints as an address is refused, with its place; with a key it is accepted."""
    with pytest.raises(InvalidInput) as caught:
        identify(["a", Bare()])
    assert caught.value.problems[0].where == "candidates[1]"
    assert identify([Bare(), Bare()], key=_counted()) == ["n0", "n1"]


def _counted() -> Callable[[Any], str]:
    seen: list[Any] = []

    def key(candidate: Any) -> str:
        seen.append(candidate)
        return f"n{len(seen) - 1}"

    return key


def test_a_key_names_the_candidates() -> None:
    """A key takes precedence over every other name, and the decision uses it."""
    decision = arbitrate(["north", "south"], CompositeIntention(Heuristic("h", lambda _: 0.5)), key=str.upper)
    assert (decision.candidate, decision.id) == ("north", "NORTH")
    assert decision.trace.survivors == ("NORTH", "SOUTH")


@pytest.mark.parametrize(
    ("key", "what"),
    [
        (len, "key gave 1"),
        (lambda _: None, "key gave None"),
        (lambda _: "", "an id is empty"),
        (lambda _: "same", "the id 'same' is used 2 times"),
        ({}.__getitem__, "key raised KeyError"),
        (7, "key raised TypeError"),
    ],
)
def test_keys_that_are_refused(key: Any, what: str) -> None:
    """A key that raises, or gives no unique text for each candidate, is refused."""
    with pytest.raises(InvalidInput, match=what):
        arbitrate(["a", "b"], EMPTY, key=key)


def test_a_key_that_stops_is_refused(told: Told) -> None:
    """A key that lets a StopIteration out has raised like any other; no candidate is left without an id."""

    def key(name: str) -> str:
        if name == "b":
            raise StopIteration
        return name

    with told.raises(InvalidInput):
        arbitrate(["a", "b", "c"], EMPTY, key=key)


@dataclass
class Named:
    name: str
    cost: float = 0.0


@dataclass
class Numbered:
    id: int
    name: str = "?"


@dataclass
class Nameless:
    cost: float


@dataclass
class Spoken:
    cost: float

    def __str__(self) -> str:
        return f"costs {self.cost:g}"


def test_a_dataclass_goes_by_its_id_or_name(told: Told) -> None:
    """A dataclass is known by its id, else its name, else its own text; how it prints by default is never an id."""
    assert identify([Named("north"), Named("south")]) == ["north", "south"]
    assert identify([Numbered(1, "one"), Numbered(2, "one")]) == ["1", "2"]
    assert identify([Spoken(1), Spoken(2)]) == ["costs 1", "costs 2"]
    with told.raises(InvalidInput) as caught:
        identify([Nameless(1.0)])
    assert "key=" in caught.value.problems[0].remedy
