"""Composites as data: the spec's structure, all problems at once, and an exact way back."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.arbitration import (
    CompositeIntention,
    Constraint,
    Heuristic,
    RawMeasures,
    Scores,
    Violates,
    arbitrate,
    constraint,
    heuristic,
)
from volition.arbitration.curves import linear
from volition.arbitration.habits import Cooldown, Inertia, Recency
from volition.arbitration.intent import Function
from volition.arbitration.tiles import avoid, hold, reach
from volition.core.document import dump_json, dump_toml, parse_json, parse_toml
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from tests.sentences import Told

names = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=6)
scores = st.floats(-1, 1)
finite = st.floats(-1e6, 1e6)
constraints = st.one_of(
    st.builds(Violates, st.dictionaries(names, st.just(True) | names)),
    st.builds(avoid, names),
    st.builds(hold),
    st.builds(Cooldown, st.dictionaries(names, finite), finite),
)
heuristics = st.one_of(
    st.builds(Scores, st.dictionaries(names, scores | st.none())),
    st.builds(lambda table: RawMeasures(table, linear(-1e6, 1e6)), st.dictionaries(names, finite)),
    st.builds(reach, st.tuples(st.integers(-9, 9), st.integers(-9, 9)), st.lists(names, max_size=2)),
    st.builds(hold),
    st.builds(Inertia, names),
    st.builds(lambda times: Recency(times, 2e6, 10.0), st.dictionaries(names, finite)),
)
on_error = st.sampled_from(["raise", "veto"])
entries = st.one_of(
    st.builds(lambda id, intent, error: Constraint(id, intent, on_error=error), names, constraints, on_error),
    st.builds(
        lambda id, intent, weight, priority, error: Heuristic(
            id, intent, weight=weight, priority=priority, on_error=error
        ),
        names,
        heuristics,
        st.floats(0, 1e9),
        st.none() | st.integers(-99, 99),
        on_error,
    ),
)
composites = st.lists(entries, max_size=5, unique_by=lambda entry: entry.id).map(lambda made: CompositeIntention(*made))


@constraint
def wet(tile: str) -> bool:
    return tile == "sea"


@heuristic(weight=0.5, priority=3, curve=linear(10, 0))
def near(distance: int) -> int:
    return distance


def rows(candidates: list[str]) -> list[float]:
    return [0.0 for _ in candidates]


@pytest.mark.req("AR-02")
@given(composites)
def test_a_composite_round_trips_exactly(composite: CompositeIntention) -> None:
    """Reading what was written gives an equal composite, by way of dict, JSON and TOML."""
    data = composite.to_data()
    assert CompositeIntention.from_data(data) == composite
    assert CompositeIntention.from_data(parse_json(dump_json(data))) == composite
    assert CompositeIntention.from_data(parse_toml(dump_toml(data))) == composite


@pytest.mark.req("AR-02")
@given(composites, st.randoms(use_true_random=False))
def test_the_content_hash_ignores_order_and_nothing_else(composite: CompositeIntention, random: Any) -> None:
    """Shuffled intentions have the same hash; another weight, or one intention less, another one."""
    shuffled = list(composite)
    random.shuffle(shuffled)
    assert CompositeIntention(*shuffled).content_hash == composite.content_hash
    for entry in composite:
        assert composite.without([entry.id]).content_hash != composite.content_hash
        if isinstance(entry, Heuristic):
            heavier = composite.with_weights({entry.id: entry.weight + 1.0})
            assert heavier.content_hash != composite.content_hash


@pytest.mark.req("AR-02")
def test_the_content_hash_is_the_same_in_another_process() -> None:
    """The hash depends on what is said alone: not on the process or its hash seed."""
    program = (
        "from volition.arbitration import *\n"
        "print(CompositeIntention(Constraint('s', Violates({'b', 'a', 'c'})), Heuristic('g', Scores({'a': 1}))).content_hash)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, check=True, capture_output=True, text=True
        ).stdout
        for seed in ("1", "2")
    }
    composite = CompositeIntention(Heuristic("g", Scores({"a": 1})), Constraint("s", Violates({"a", "b", "c"})))
    assert printed == {composite.content_hash + "\n"}


@pytest.mark.req("AR-02")
def test_a_composite_is_immutable() -> None:
    """Nothing about a composite can be set; changes give new ones."""
    composite = CompositeIntention(Heuristic("goal", Scores({"a": 1})))
    with pytest.raises(AttributeError):
        composite.intentions = ()  # type: ignore[misc]
    assert composite.with_weights({"goal": 2.0}) != composite
    assert composite["goal"] == Heuristic("goal", Scores({"a": 1}))


@pytest.mark.req("AR-02")
def test_the_specs_own_structure_loads() -> None:
    """The structure that the spec prints reads as one constraint and one heuristic."""
    composite = CompositeIntention.from_data(
        {
            "intentions": [
                {"id": "safety", "kind": "constraint", "intent": {"avoid": "hazard"}},
                {"id": "goal", "kind": "heuristic", "intent": {"reach": [3, 1]}, "weight": 1.0, "priority": 10},
            ]
        }
    )
    assert composite["safety"] == Constraint("safety", avoid("hazard"))
    assert composite["goal"] == Heuristic("goal", reach((3, 1)), weight=1.0, priority=10)


@pytest.mark.req("AR-02")
def test_functions_are_written_by_name_and_found_again() -> None:
    """A function at the top of a module round-trips by reference; code runs only where it is allowed."""
    plain = Heuristic("rows", Function(rows, batch=True))
    data = CompositeIntention(Constraint("wet", wet.intent), Heuristic("near", near.intent), plain).to_data()
    assert [entry["intent"]["python"].rpartition(":")[2] for entry in data["intentions"]] == ["wet", "near", "rows"]
    with pytest.raises(InvalidInput) as caught:
        CompositeIntention.from_data(data)
    assert len(caught.value.problems) == 3
    assert "allow" in caught.value.problems[0].remedy
    named = {
        "intentions": [
            {"id": "tau", "kind": "constraint", "intent": {"python": "operator:not_"}},
            {"id": "far", "kind": "heuristic", "intent": {"python": "math:isnan", "curve": {"step": {"at": 1}}}},
        ]
    }
    read = CompositeIntention.from_data(named, allow_python=True)
    assert read.to_data()["intentions"][0] == named["intentions"][0]


def following(place: str) -> list[str]:
    return [place + place]


@pytest.mark.req("AR-02")
def test_a_look_ahead_is_read_back() -> None:
    """A look-ahead over a named function and any scoring intent round-trips; it too runs code only when allowed."""
    module = following.__module__
    ahead = {"successors": {"python": f"{module}:following"}, "then": {"scores": {"aa": 0.5}}, "discount": 0.5}
    data = {"intentions": [{"id": "far", "kind": "heuristic", "intent": {"lookahead": ahead}, "weight": 1.0}]}
    with pytest.raises(InvalidInput, match="Python code"):
        CompositeIntention.from_data(data)
    composite = CompositeIntention.from_data(data, allow_python=True)
    assert composite.to_data() == data
    assert arbitrate(["b", "a"], composite).reason.final_scores == {"a": 0.25}


def test_look_aheads_do_not_nest_forever() -> None:
    """A look-ahead that contains itself is refused, not followed."""
    ahead: dict[str, Any] = {"successors": {"scores": {}}}
    ahead["then"] = {"lookahead": ahead}
    with pytest.raises(InvalidInput, match="are nested"):
        CompositeIntention.from_data({"intentions": [{"id": "x", "kind": "heuristic", "intent": {"lookahead": ahead}}]})


@pytest.mark.req("AR-02")
def test_a_lambda_cannot_be_written_down(told: Told) -> None:
    """What nothing could find again is refused with a remedy."""
    with told.raises(InvalidInput):
        CompositeIntention(Constraint("x", lambda tile: True)).to_data()


BAD: list[tuple[Any, str, str]] = [
    ({"id": "a", "kind": "constraint"}, "'intent' is missing", "intention 'a'"),
    ({"kind": "constraint", "intent": {"violates": []}}, "'id' is missing", "intentions[0]"),
    ({"id": "a", "intent": {"violates": []}}, "'kind' is missing", "intention 'a'"),
    ({"id": "a", "kind": "goal", "intent": {"violates": []}}, "the kind is 'goal'", "intentions[0].kind"),
    ({"id": "a", "kind": ["constraint"], "intent": {"violates": []}}, "the kind is", "intentions[0].kind"),
    ({"id": "a", "kind": "constraint", "intent": {"violates": []}, "weight": 1}, "'weight' is not", "intention 'a'"),
    (
        {"id": "a", "kind": "constraint", "intent": {"violates": []}, "priority": 1},
        "'priority' is not",
        "intention 'a'",
    ),
    ({"id": "a", "kind": "heuristic", "intent": {"scores": {}}, "heavy": 1}, "'heavy' is not", "intention 'a'"),
    ({"id": "a", "kind": "heuristic", "intent": {"scores": {}}, "weight": -1}, "the weight is -1", ".weight"),
    ({"id": "a", "kind": "heuristic", "intent": {"scores": {}}, "weight": True}, "the weight is True", ".weight"),
    ({"id": "a", "kind": "heuristic", "intent": {"scores": {}}, "priority": 1.5}, "the priority is 1.5", ".priority"),
    ({"id": "a", "kind": "heuristic", "intent": {"scores": {"x": 1.0000001}}}, "the score is", ".scores.x"),
    ({"id": "a", "kind": "heuristic", "intent": {"scores": {"x": True}}}, "True", ".scores.x"),
    ({"id": "a", "kind": "heuristic", "intent": {"scores": {"x": float("nan")}}}, "nan", ".scores.x"),
    ({"id": "a", "kind": "heuristic", "intent": {"violates": ["x"]}}, "cannot be the intent of a heuristic", ".intent"),
    ({"id": "a", "kind": "constraint", "intent": {"reach": [1, 1]}}, "cannot be the intent of a constraint", ".intent"),
    ({"id": "a", "kind": "constraint", "intent": {"violates": ["x"], "hold": True}}, "'violates', 'hold'", ".intent"),
    ({"id": "a", "kind": "constraint", "intent": {"violate": ["x"]}}, "nothing that is known", ".intent"),
    ({"id": "a", "kind": "constraint", "intent": "violates"}, "'violates'", ".intent"),
    ({"id": "", "kind": "constraint", "intent": {"violates": []}}, "the id is ''", ".id"),
    ({"id": 7, "kind": "constraint", "intent": {"violates": []}}, "the id is 7", ".id"),
    ({"id": "a", "kind": "constraint", "intent": {"violates": []}, "on_error": "hide"}, "on_error is", ".on_error"),
    ("safety", "'safety'", "intentions[0]"),
]


@pytest.mark.req("AR-01", "AR-03")
@pytest.mark.parametrize(("entry", "what", "where"), BAD, ids=range(len(BAD)))
def test_a_wrong_entry_is_named_with_its_place(entry: Any, what: str, where: str) -> None:
    """A missing, unknown or ill-typed attribute is an error that names the entry and what is wrong."""
    with pytest.raises(InvalidInput) as caught:
        CompositeIntention.from_data({"intentions": [entry]})
    assert any(what in problem.what and where in problem.where for problem in caught.value.problems)
    assert all(problem.remedy and problem.expected for problem in caught.value.problems)


@pytest.mark.req("AR-01")
def test_all_problems_of_a_composite_arrive_at_once() -> None:
    """Every wrong entry is reported in one error, a repeated id included."""
    entries = [entry for entry, _, _ in BAD]
    with pytest.raises(InvalidInput) as caught:
        CompositeIntention.from_data({"intentions": entries})
    places = {problem.where.partition("]")[0] for problem in caught.value.problems}
    assert places == {f"intentions[{index}" for index in range(len(entries))}
    assert any("used twice" in problem.what for problem in caught.value.problems)


@pytest.mark.parametrize("data", [None, [], {}, {"intentions": {}}, {"intentions": [], "more": 1}])
def test_what_is_no_composite_is_refused(data: Any) -> None:
    """A document of another shape is an error, never an empty composite."""
    with pytest.raises(InvalidInput):
        CompositeIntention.from_data(data)
