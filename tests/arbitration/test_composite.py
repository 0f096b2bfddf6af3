"""Several intentions that decide together: their ids, their levels, and the composites made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arbitration.strategies import arbitrated, cases, comparable, composite_of, entries_of
from volition.arbitration.composite import CompositeIntention, Level
from volition.arbitration.intention import Constraint, Heuristic
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from tests.arbitration.reference import Case
    from tests.sentences import Told


def calm(_: Any) -> bool:
    return False


def flat(_: Any) -> float:
    return 0.5


SAFETY = Constraint("safety", calm)
GOAL = Heuristic("goal", flat, weight=2.0, priority=10)


@pytest.mark.req("AR-01")
def test_an_id_used_twice_is_refused() -> None:
    """Two entries with one id are refused, whatever their kinds; the error names the id and both places."""
    with pytest.raises(InvalidInput) as caught:
        CompositeIntention(SAFETY, GOAL, Heuristic("safety", flat))
    (problem,) = caught.value.problems
    assert problem.what == "the id 'safety' is used twice"
    assert problem.where == "intentions[2], and intentions[0]"


@pytest.mark.req("AR-01")
def test_what_is_no_intention_is_refused(told: Told) -> None:
    """Everything that is not an entry is named with its place, all in one error."""
    with pytest.raises(InvalidInput) as caught:
        CompositeIntention(SAFETY, calm, None, SAFETY)  # type: ignore[arg-type]
    assert [problem.where for problem in caught.value.problems] == [
        "intentions[1]",
        "intentions[2]",
        "intentions[3], and intentions[0]",
    ]
    with told.raises(InvalidInput):
        CompositeIntention("ab")  # type: ignore[arg-type]


@pytest.mark.req("AR-03")
def test_weights_that_would_overflow_are_refused(told: Told) -> None:
    """No sum of weights may come near the end of the floats: a total or a margin never overflows."""
    heavy = [Heuristic(f"h{n}", flat, weight=1e308) for n in range(2)]
    for entries in (heavy, heavy[:1]):
        with told.raises(InvalidInput):
            CompositeIntention(*entries)
    assert CompositeIntention(Heuristic("h", flat, weight=2.0**1000)).heaviest(0) == 2.0**1000


@pytest.mark.req("AR-12")
@given(st.lists(st.sampled_from([None, -1, 0, 3, 7])))
def test_levels(priorities: list[int | None]) -> None:
    """The levels are the distinct priorities, highest first; their members are all who have it, and no other."""
    composite = CompositeIntention(*(Heuristic(f"h{n}", flat, priority=p) for n, p in enumerate(priorities)))
    assert [level.priority for level in composite.levels] == sorted({*priorities} - {None}, reverse=True)  # type: ignore[type-var]
    for level in composite.levels:
        members = {entry.id for entry in composite.heuristics if entry.priority == level.priority}
        assert {composite.heuristics[member].id for member in level.members} == members
    assert all(isinstance(level, Level) for level in composite.levels)


@pytest.mark.req("AR-01", "AR-15")
@given(cases(), st.data())
def test_a_composite_is_a_collection_of_its_entries(case: Case, data: st.DataObject) -> None:
    """It keeps its entries in the order given and sorted by id, and finds each by its id."""
    entries = data.draw(st.permutations(entries_of(case)))
    composite = CompositeIntention(*entries)
    assert list(composite) == entries
    assert len(composite) == len(entries)
    assert all(entry.id in composite and composite[entry.id] is entry for entry in entries)
    assert "nobody" not in composite
    assert [entry.id for entry in composite.constraints] == sorted(judge.id for judge in case.judges)
    assert list(composite.voters) == sorted(voter.id for voter in case.voters)


def test_a_composite_is_immutable() -> None:
    """Nothing in it can be set; what changes it gives another."""
    composite = CompositeIntention(SAFETY, GOAL)
    with pytest.raises(AttributeError):
        composite.intentions = ()  # type: ignore[misc]
    other = composite.with_weights({"goal": 0})
    assert (composite["goal"], other["goal"]) == (GOAL, Heuristic("goal", flat, weight=0, priority=10))
    assert other["safety"] is SAFETY
    assert list(composite.without("safety")) == [GOAL]
    assert list(composite.without(["goal", "safety"])) == []
    assert composite.without(()) == composite == composite.with_weights({})
    assert hash(composite) == hash(CompositeIntention(SAFETY, GOAL))


@given(cases(guards=False), st.data())
def test_a_silenced_voter_without_priority_is_as_good_as_gone(case: Case, data: st.DataObject) -> None:
    """Weight 0 takes a voter out of every total; where it has no priority either, the same candidate is chosen."""
    quiet = [voter.id for voter in case.voters if voter.priority is None]
    if len(quiet) == 0 or len(quiet) == len(case.voters):
        return
    gone = data.draw(st.sampled_from(quiet))
    composite = composite_of(case)
    silenced = arbitrated(case, composite.with_weights({gone: 0}))
    without = arbitrated(case, composite.without([gone]))
    assert silenced.id == without.id
    assert comparable(silenced)["trace"]["totals"] == comparable(without)["trace"]["totals"]


@pytest.mark.parametrize(
    ("weights", "wheres"),
    [
        ({"safety": 1.0}, ["weights['safety']"]),
        ({"goal": -1}, ["weights['goal']"]),
        ({"goal": float("nan"), "safety": True}, ["weights['goal']", "weights['safety']", "weights['safety']"]),
        ({"gaol": 1.0}, ["composite"]),
    ],
)
@pytest.mark.req("AR-03")
def test_weights_that_cannot_be_changed(weights: dict[str, Any], wheres: list[str]) -> None:
    """A constraint, a wrong weight or an unknown id is refused, each by its name."""
    with pytest.raises(InvalidInput) as caught:
        CompositeIntention(SAFETY, GOAL).with_weights(weights)
    assert [problem.where for problem in caught.value.problems] == wheres


@pytest.mark.parametrize("id", ["gaol", "", 5, None, ("goal",)])
def test_an_unknown_id_is_refused(id: Any, told: Told) -> None:
    """Whatever is asked for and is not there is refused, with the nearest ids."""
    composite = CompositeIntention(SAFETY, GOAL)
    for ask in (lambda: composite[id], lambda: composite.without([id]), lambda: composite.with_weights({id: 1.0})):
        with told.raises(InvalidInput):
            ask()
    assert id not in composite


def test_a_near_miss_is_helped(told: Told) -> None:
    """An id that is nearly right is answered with the right one."""
    with told.raises(InvalidInput):
        CompositeIntention(SAFETY, GOAL)["gaol"]


def test_a_list_of_intentions() -> None:
    """Intentions may be given one by one, as a list, or as any other iterable."""
    one, two = Constraint("dry", bool), Heuristic("goal", float)
    assert CompositeIntention([one, two]) == CompositeIntention(one, two) == CompositeIntention(iter((one, two)))


def test_a_composite_with_one_more_and_other_priorities(told: Told) -> None:
    """with_intention and with_priorities give new composites; ids stay unique, and constraints have no priority."""
    composite = CompositeIntention(Constraint("dry", bool), Heuristic("goal", float))
    more = composite.with_intention(Heuristic("near", float, priority=1))
    assert [entry.id for entry in more] == ["dry", "goal", "near"]
    assert len(composite) == 2
    assert [level.priority for level in more.with_priorities({"goal": 5, "near": None}).levels] == [5]
    with pytest.raises(InvalidInput, match="used twice"):
        more.with_intention(Heuristic("goal", float))
    with told.raises(InvalidInput):
        more.with_priorities({"dry": 1})
