"""Every error of a scenario is caught with its place, all at once, and nothing else is ever raised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drama.world.edits import MISSING, Path, edited, party
from tests.drama.world.planted import CONSEQUENCES, PLANTED
from tests.work import calls
from volition.core.errors import InvalidInput, Problem
from volition.drama.world.scenario import scenario_from_data, scenario_to_data

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.req("DE-18")


def problems_of(data: Any) -> list[Problem]:
    with pytest.raises(InvalidInput) as caught:
        scenario_from_data(data)
    return list(caught.value.problems)


@pytest.mark.parametrize("name", PLANTED)
def test_every_kind_of_error_is_caught_with_its_place(name: str) -> None:
    """One planted error is named by its path, with what is there, what was expected and a remedy."""
    path, value, where, said = PLANTED[name]
    found = [problem for problem in problems_of(edited(party(), (path, value))) if problem.where == where]
    assert any(said in f"{problem.what}\n{problem.expected}\n{problem.remedy}" for problem in found), found
    assert all(problem.what and problem.expected and problem.remedy for problem in found)


@pytest.mark.parametrize("name", sorted(set(PLANTED) - CONSEQUENCES))
def test_one_error_is_one_problem(name: str) -> None:
    """An error is reported once, without consequential errors."""
    path, value, _, _ = PLANTED[name]
    assert len(problems_of(edited(party(), (path, value)))) == 1


def test_all_errors_arrive_at_once() -> None:
    """Errors in every section are reported together, and each keeps its own place."""
    names = [
        "unknown section",
        "misspelt key",
        "strength out of range",
        "bond of two numbers",
        "door to nowhere",
        "unknown server",
        "unknown content",
        "a stranger who thinks",
        "unknown rule",
        "knowledge of another kind",
        "id of the scenario",
    ]
    planted = [PLANTED[name] for name in names]
    found = problems_of(edited(party(), *((path, value) for path, value, _, _ in planted)))
    assert sorted(problem.where for problem in found) == sorted(where for _, _, where, _ in planted)


@pytest.mark.req("DE-30", "DE-33")
@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Ask {third} what you are to me.", "accused"),
        ("Diana has known it for a year.", "accused"),  # a knower
        ("James, it is Marcus.", "told"),  # harmed, by his familiar name
        ("You and I should talk about doors that lock.", "hinted"),
        ("We loved each other, in a way.", "confessed"),
    ],
)
def test_lines_that_speak_of_those_concerned(line: str, kind: str) -> None:
    """A line may name everybody whom its secret concerns, and hint at it in other words."""
    scenario_from_data(edited(party(), (("phrases",), {"secrets": {"secret_affair_01": {kind: [line]}}})))


@pytest.mark.req("DE-30", "DE-33")
def test_events_and_lines_that_make_no_sense_are_noted_together() -> None:
    """Problems of events, circumstances and lines are reported at once, each with its place."""
    names = [
        "here and gone",
        "a resident who always leaves",
        "too many for a room",
        "an accusation that names a bystander",
    ]
    found = problems_of(edited(party(), *(PLANTED[name][:2] for name in names)))
    assert {PLANTED[name][2] for name in names} == {problem.where for problem in found}


@pytest.mark.req("DE-33")
def test_a_thing_that_nobody_gets() -> None:
    """An event that waits until somebody has a thing can happen if they have it at the beginning or are handed it."""
    key = {"id": "key", "minute": 30, "when": {"carries": {"key": "victor"}}, "lines": ["A lock turns."]}
    handed = {"id": "handing", "minute": 20, "hands": "key", "to": "victor"}
    data = edited(party(), (("evening", "things"), {"key": "marcus"}), (("evening", "events", 5), key))
    (problem,) = problems_of(data)
    assert (problem.where, problem.what) == (
        "evening.events[5].when",
        "'victor' never gets 'key', so this never happens",
    )
    scenario_from_data(edited(data, (("evening", "events", 6), handed)))
    scenario_from_data(edited(data, (("evening", "things", "key"), "victor")))


def test_company_is_needed() -> None:
    """A scenario has at least two people and one room."""
    alone = edited(party(), (("people",), {}), (("rooms",), {}), (("secrets",), {}), (("known",), {}))
    assert {problem.where for problem in problems_of(alone)} >= {"people", "rooms"}
    alone["people"] = {"thorne": party()["people"]["thorne"]}
    assert "1 people" in {problem.what for problem in problems_of(alone) if problem.where == "people"}


@pytest.mark.parametrize("data", [None, [], "dinner", 7, {}, {"scenario": None}, {1: 2}])
def test_what_is_no_scenario_at_all(data: Any) -> None:
    """Data of any other shape is refused as invalid input."""
    assert problems_of(data)


def test_a_hostile_file_costs_what_its_problems_cost() -> None:
    """In a file full of unknown names four times as many problems take about four times as many steps."""

    def crowded(size: int) -> Any:
        many = [f"elena{n}" for n in range(size)]
        person = edited(party()["people"]["elena"], (("closeness",), dict.fromkeys(many, 0)), (("bonds",), {}))
        crowd = {f"p{n}": person for n in range(size)}
        data: dict[str, Any] = edited(party(), (("people",), crowd), (("rooms", "foyer", "adjacent"), many))
        return data

    few, many = crowded(20), crowded(40)
    problems = len(problems_of(many)) / len(problems_of(few))
    assert problems > 3
    assert calls(lambda: problems_of(many)) < 2 * problems * calls(lambda: problems_of(few))


def places(data: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every value in the data."""
    entries: Any = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, inner in entries:
        yield (*path, step)
        yield from places(inner, (*path, step))


junk = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**53), 2**53),
        st.floats(),
        st.text(max_size=8),
        st.sampled_from(["elena", "foyer", "secret_affair_01", "all", "fixate_on_target", "x" * 5000]),
    ),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6) | st.just("elena"), inner, max_size=4)
    ),
    max_leaves=6,
)
PLACES = sorted(places(party()), key=str)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), st.one_of(junk, st.just(MISSING))), min_size=1, max_size=3))
def test_damage_is_only_ever_invalid_input(changes: list[tuple[Path, Any]]) -> None:
    """Whatever is changed or removed, the result is a scenario or InvalidInput, and never another error."""
    data = party()
    for change in changes:
        try:
            data = edited(data, change)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # an earlier change removed the place
    try:
        read = scenario_from_data(data)
    except InvalidInput as error:
        found = error.problems
    else:
        found = (Problem("none", "nowhere", "none", "none"),)
        assert scenario_from_data(scenario_to_data(read)) == read
    assert found
    assert all(problem.where and problem.what and problem.expected and problem.remedy for problem in found)
