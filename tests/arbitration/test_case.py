"""Cases: candidates or a tile map, and the composite that decides, in one document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from volition.arbitration import load_case
from volition.arbitration.case import case_from_data
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

CASE: dict[str, Any] = {
    "candidates": ["a", "b"],
    "intentions": [
        {"id": "safety", "kind": "constraint", "intent": {"violates": ["b"]}},
        {"id": "goal", "kind": "heuristic", "intent": {"scores": {"a": 0.5, "b": None}}, "weight": 1.0, "priority": 10},
    ],
}
WALK: dict[str, Any] = {
    "map": ["#####", "#.~.#", "#...#", "#####"],
    "position": [1, 1],
    "intentions": [
        {"id": "safety", "kind": "constraint", "intent": {"avoid": "hazard"}},
        {"id": "goal", "kind": "heuristic", "intent": {"reach": [3, 1]}},
    ],
}


def test_a_case_decides() -> None:
    """A document of candidates and intentions is all that a decision needs."""
    decision = case_from_data(CASE).decide()
    assert (decision.kind, decision.id, decision.reason.vetoed_by) == ("act", "a", ("safety",))


@pytest.mark.req("AR-18")
def test_a_map_takes_the_place_of_candidates() -> None:
    """On a map the moves are the candidates; the walls are not among them."""
    decision = case_from_data(WALK).decide()
    assert decision.id == "south"
    assert decision.tally.ids == ["stay", "east", "south"]


@pytest.mark.req("AR-22")
def test_a_target_that_cannot_be_reached_is_named(told: Told) -> None:
    """On a map without a path to the target the case says so, and its decision reads as a hold for that reason."""
    case = case_from_data(WALK | {"map": ["#####", "#.~.#", "#.~.#", "#####"]})
    step = case.interpret(case.decide())
    told(*case.warnings)
    assert step is not None
    assert (step.kind, step.rule, step.unreachable) == ("hold", "target_unreachable", {"goal": (3, 1)})
    assert case_from_data(CASE).interpret(case_from_data(CASE).decide()) is None


def test_what_the_map_does_not_know_is_a_problem_of_the_document() -> None:
    """Unknown tags and targets outside the map arrive with everything else that is wrong, named by intention."""
    off = [WALK["intentions"][0], {"id": "goal", "kind": "heuristic", "intent": {"reach": [9, 1]}}]
    with pytest.raises(InvalidInput) as caught:
        case_from_data(WALK | {"intentions": off, "tie_margin": -1})
    assert [problem.where for problem in caught.value.problems] == ["heuristic 'goal'", "tie_margin"]


@pytest.mark.req("AR-06")
def test_on_a_map_holding_on_forbidden_ground_is_a_failure() -> None:
    """With every move and staying put vetoed the answer is fail, though hold was asked for."""
    lava = WALK | {"map": ["###", "#~#", "###"], "intentions": WALK["intentions"][:1]}
    assert case_from_data(lava).decide().kind == "fail"


@pytest.mark.req("AR-06")
def test_the_caller_goes_before_the_document() -> None:
    """on_impossible and tie_margin come from the document unless the caller overrides them."""
    closed = {
        "candidates": ["b"],
        "intentions": CASE["intentions"],
        "on_impossible": "fail",
    }
    assert case_from_data(closed).decide().kind == "fail"
    assert case_from_data(closed).decide(on_impossible="hold").kind == "hold"
    close = {
        "candidates": ["a", "b"],
        "tie_margin": 0.5,
        "intentions": [
            {"id": "x", "kind": "heuristic", "intent": {"scores": {"a": 0.5, "b": 0.25}}},
            {"id": "y", "kind": "heuristic", "intent": {"scores": {"b": 1}}, "weight": 0, "priority": 1},
        ],
    }
    assert case_from_data(close).decide().id == "b"
    assert case_from_data(close).decide(tie_margin=0.0).id == "a"


def test_ids_that_nobody_offers_are_warned_of(told: Told) -> None:
    """A table may mention more candidates than are offered; a warning says so, since it may be a typing error."""
    case = case_from_data(CASE | {"candidates": ["a"]})
    told(*case.warnings)
    assert case.decide().id == "a"


def test_candidates_may_be_objects_with_an_id() -> None:
    """An object is named by its id."""
    assert case_from_data(CASE | {"candidates": [{"id": "a"}, {"id": "b"}]}).decide().id == "a"


BAD: list[tuple[dict[str, Any], str]] = [
    ({"candidates": "ab"}, "candidates"),
    ({"candidates": ["a", "a"]}, "candidates[1]"),
    ({"candidates": ["a", 7]}, "candidates[1]"),
    ({"candidates": ["a", {"name": "b"}]}, "candidates[1]"),
    ({"stay": "c"}, "stay"),
    ({"tie": 1}, "document.tie"),
    ({"map": ["."]}, "document.map"),
    ({"tie_margin": -1}, "tie_margin"),
    ({"tie_margin": "wide"}, "tie_margin"),
    ({"on_impossible": "panic"}, "on_impossible"),
]


@pytest.mark.parametrize(("change", "where"), BAD, ids=range(len(BAD)))
def test_a_wrong_case_is_refused_with_its_place(change: dict[str, Any], where: str) -> None:
    """Every wrong part of a case is an error that says where."""
    with pytest.raises(InvalidInput) as caught:
        case_from_data(CASE | change)
    assert any(where in problem.where for problem in caught.value.problems)


@pytest.mark.parametrize(
    "change", [{"map": 7}, {"map": ["#.", "#"]}, {"map": [".?"]}, {"position": [9, 9]}, {"position": "here"}]
)
def test_a_wrong_map_is_refused(change: dict[str, Any]) -> None:
    """A map that cannot be read, or a position that is not on it, is an error."""
    with pytest.raises(InvalidInput):
        case_from_data(WALK | change)


def test_problems_of_all_parts_arrive_at_once() -> None:
    """Wrong candidates, a wrong intention and a wrong option are reported together."""
    with pytest.raises(InvalidInput) as caught:
        case_from_data({"candidates": ["a", "a"], "intentions": [{"id": "x"}], "stay": "z", "tie_margin": -1})
    told = " ".join(problem.where for problem in caught.value.problems)
    assert all(part in told for part in ("candidates[1]", "intentions[0]", "stay", "tie_margin"))


def test_a_cyclic_document_is_refused() -> None:
    """Data that contains itself is an error, not an endless loop."""
    cyclic: dict[str, Any] = {"candidates": ["a"]}
    cyclic["intentions"] = [{"id": "x", "kind": "constraint", "intent": cyclic}]
    with pytest.raises(InvalidInput):
        case_from_data(cyclic)


def test_a_case_loads_from_json_and_toml(tmp_path: Path) -> None:
    """The same case reads from both formats."""
    (tmp_path / "case.json").write_text(json.dumps(CASE))
    (tmp_path / "case.toml").write_text(
        'candidates = ["a", "b"]\n'
        '[[intentions]]\nid = "safety"\nkind = "constraint"\nintent = {violates = ["b"]}\n'
        '[[intentions]]\nid = "goal"\nkind = "heuristic"\nintent = {scores = {a = 0.5}}\nweight = 1.0\npriority = 10\n'
    )
    assert load_case(tmp_path / "case.json") == load_case(tmp_path / "case.toml")
