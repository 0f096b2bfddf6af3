"""Intents that are tables: what they answer, how they are written down, and what their reader refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.arbitration.curves import linear
from volition.arbitration.tables import RawMeasures, Scores, Violates
from volition.core.errors import InvalidInput, Problems

if TYPE_CHECKING:
    from volition.arbitration.intent import Intent

ids = st.text(min_size=1, max_size=5)
WHERE = "intentions[2].intent"

tables = st.one_of(
    st.builds(Violates, st.sets(ids)),
    st.builds(Violates, st.dictionaries(ids, st.one_of(st.just(value=True), st.text(min_size=1)))),
    st.builds(Scores, st.dictionaries(ids, st.one_of(st.none(), st.floats(-1, 1), st.integers(-1, 1)))),
    st.builds(RawMeasures, st.dictionaries(ids, st.one_of(st.none(), st.floats(0, 9))), st.just(linear(9, 0))),
)


def asked(intent: Intent, *names: str) -> list[Any]:
    return list(intent.ask(intent.kinds[0], names, names, None))


@pytest.mark.req("AR-02")
@given(tables)
def test_round_trip(table: Any) -> None:
    """A table survives JSON exactly, without a null in it: equal, with the same hash."""
    data = json.loads(json.dumps(table.to_data()))
    problems = Problems()
    again = type(table).from_data(data, WHERE, problems)
    assert not len(problems)
    assert "null" not in json.dumps(data, ensure_ascii=True).replace('"null', "")
    assert again == table
    assert hash(again) == hash(table)
    assert again.to_data() == data


@given(st.lists(st.tuples(ids, st.floats(-1, 1)), unique_by=lambda pair: pair[0]))
def test_the_order_of_entries_does_not_matter(pairs: list[tuple[str, float]]) -> None:
    """Tables with the same entries are equal, however they were put in."""
    assert Scores(dict(pairs)) == Scores(dict(reversed(pairs)))
    assert Scores(dict(pairs)).to_data() == Scores(dict(reversed(pairs))).to_data()


def test_answers() -> None:
    """A table answers by id: verdicts with their reason, scores as given, and nothing for who is not in it."""
    assert asked(Violates({"b"}), "a", "b") == [False, True]
    assert asked(Violates({"b": "wet", "c": True}), "a", "b", "c") == [False, "wet", True]
    assert asked(Scores({"a": 0.5, "b": None}), "b", "a", "c") == [None, 0.5, None]
    assert asked(RawMeasures({"a": 3, "b": 9, "c": None}, linear(9, 0)), "a", "b", "c") == [
        pytest.approx(1 / 3),
        -1,
        None,
    ]


@pytest.mark.req("AR-08")
def test_raw_numbers_are_kept() -> None:
    """A table made in Python keeps its numbers as given, for the arbiter to judge."""
    assert asked(Scores({"a": 7}), "a") == [7]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Violates("b"),
        lambda: Violates({"b": ""}),
        lambda: Violates({"b": False}),
        lambda: Violates([1]),  # type: ignore[list-item]
        lambda: Scores({1: 0.5}),  # type: ignore[dict-item]
        lambda: Scores({"": 0.5}),
        lambda: Scores([("a", 1)]),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_table_is_refused(make: Any) -> None:
    """Ids are texts, a reason is True or a text, and one text is not a set of ids."""
    with pytest.raises(InvalidInput):
        make()


@pytest.mark.req("AR-08")
@pytest.mark.parametrize(
    ("kind", "data", "places"),
    [
        (Violates, {"violates": ["b", 1, ""]}, [".violates[1]", ".violates[2]"]),
        (Violates, {"violates": {"b": False, "c": ""}}, [".violates.b", ".violates.c"]),
        (Violates, {"violates": "b"}, [".violates"]),
        (Violates, {"violate": ["b"]}, ["", ".violate"]),
        (Scores, {"scores": {"a": float("nan"), "b": True}}, [".scores.a", ".scores.b"]),
        (Scores, {"scores": {"a": "1", "b": 1.5, "c": float("inf")}}, [".scores.a", ".scores.c"]),
        (Scores, {"scores": {"go home": "2"}}, [".scores['go home']"]),
        (Scores, {"scores": [1]}, [".scores"]),
        (Scores, [], [""]),
        (RawMeasures, {"measures": {"a": 3}}, [""]),
        (
            RawMeasures,
            {"measures": {"a": "x"}, "curve": {"linear": {"at_minus_one": 1}}},
            [".measures.a", ".curve.linear"],
        ),
        (
            RawMeasures,
            {"measures": {"a": 11, "b": 5}, "curve": {"linear": {"at_minus_one": 10, "at_plus_one": 0}}},
            [".measures.a"],
        ),
    ],
)
def test_every_problem_has_its_path(kind: Any, data: Any, places: list[str]) -> None:
    """The reader finds all that is wrong at once, each with its path, and returns nothing."""
    problems = Problems()
    assert kind.from_data(data, WHERE, problems) is None
    assert [problem.where for problem in problems] == [f"{WHERE}{place}" for place in places]
