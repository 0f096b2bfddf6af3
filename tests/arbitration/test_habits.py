"""Habits are ordinary entries: they keep the laws, are written down as data, and their share is in the table."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arbitration.votes import scores_of, shares_of
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.habits import ChoiceMemory, Cooldown, Inertia, Recency
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.tables import Scores, Violates
from volition.core.errors import InvalidInput, Problems

WHERE = "intentions[0].intent"
times = st.dictionaries(st.text(min_size=1, max_size=3), st.floats(0, 100))
habits = st.one_of(
    st.builds(Inertia, st.text(max_size=3)),
    st.builds(Cooldown, times, st.floats(0, 100)),
    st.builds(Recency, times, st.floats(100, 200), st.floats(0.001, 1e6)),
)


def ask(intent: Any, *names: str) -> list[Any]:
    return list(intent.ask(intent.kinds[0], names, names, None))


@pytest.mark.req("AR-02")
@given(habits)
def test_round_trip(habit: Any) -> None:
    """A habit survives JSON exactly: equal, with the same hash."""
    problems = Problems()
    again = type(habit).from_data(json.loads(json.dumps(habit.to_data())), WHERE, problems)
    assert not len(problems)
    assert again == habit
    assert hash(again) == hash(habit)


def test_inertia_votes_for_the_last_alone() -> None:
    """Inertia gives 1.0 to what was chosen last and abstains on the rest, and on all where nothing was chosen."""
    assert ask(Inertia("a"), "a", "b") == [1.0, None]
    assert ask(Inertia(""), "a", "b") == [None, None]


def test_cooldown_vetoes_until_its_time() -> None:
    """A candidate is forbidden before its time, with how long it still takes, and allowed from then on."""
    assert ask(Cooldown({"b": 12.5}, 10), "a", "b") == [False, "cooling down: 2.5 more, until 12.5"]
    assert ask(Cooldown({"b": 12.5}, 12.5), "b") == [False]


@pytest.mark.req("AR-08")
@given(times, st.floats(100, 200), st.floats(0.001, 1e6))
def test_recency_is_stronger_the_nearer(done: dict[str, float], now: float, memory: float) -> None:
    """The later something was done the nearer its score is to -1; beyond the memory, or never done, it abstains."""
    scores = dict(zip([*done, "never"], ask(Recency(done, now, memory), *done, "never"), strict=True))
    assert done.get("never") is not None or scores["never"] is None
    for name, time in done.items():
        assert (scores[name] is None) == (now - time >= memory)
        assert scores[name] is None or -1 <= scores[name] <= 0
    told = [scores[name] for name in sorted(done, key=done.__getitem__) if scores[name] is not None]
    assert told == sorted(told, reverse=True)


def test_recency_starts_at_minus_one() -> None:
    """What was done just now scores exactly -1, half a memory ago -0.5."""
    assert ask(Recency({"a": 10, "b": 5}, 10, 10), "a", "b") == [-1.0, -0.5]


@pytest.mark.parametrize(
    ("kind", "data", "places"),
    [
        (Inertia, {"inertia": 1}, [".inertia"]),
        (Inertia, {"inertias": "a"}, ["", ".inertias"]),
        (Cooldown, {"cooldown": {"until": {"b": "x"}, "now": True}}, [".cooldown.until.b", ".cooldown.now"]),
        (Cooldown, {"cooldown": {"until": {}}}, [".cooldown"]),
        (Cooldown, {"cooldown": 3}, [".cooldown"]),
        (Recency, {"recency": {"times": {"a": 3}, "now": 2, "memory": 1}}, [".recency.times.a"]),
        (Recency, {"recency": {"times": {}, "now": 2, "memory": 0}}, [".recency.memory"]),
        (
            Recency,
            {"recency": {"times": [], "now": None, "memory": "x"}},
            [".recency.times", ".recency.now", ".recency.memory"],
        ),
    ],
)
def test_every_problem_has_its_path(kind: Any, data: Any, places: list[str]) -> None:
    """The reader finds all that is wrong at once, each with its path."""
    problems = Problems()
    assert kind.from_data(data, WHERE, problems) is None
    assert [problem.where for problem in problems] == [f"{WHERE}{place}" for place in places]


def flips(weight: float) -> int:
    """How often the choice changes between two candidates whose scores alternate."""
    memory, changes = ChoiceMemory(), 0
    for tick in range(20):
        wavering = Heuristic("worth", Scores({"left": 0.5, "right": 0.5 + (0.02 if tick % 2 else -0.02)}))
        decision = arbitrate(["left", "right"], CompositeIntention(wavering, memory.inertia(weight)))
        changes += bool(memory.last) and decision.id != memory.last
        memory = memory.remember(decision, now=float(tick))
    return changes


def test_inertia_prevents_flicker() -> None:
    """Between nearly equal candidates the choice flickers without inertia and is stable with it; a large gap still changes it."""
    assert flips(0.0) == 19
    assert flips(0.05) == 0
    assert flips(0.01) == 19


@pytest.mark.req("AR-14")
def test_the_share_of_inertia_stands_in_the_table() -> None:
    """Inertia is named among the voters, and its contribution is part of the total."""
    memory = ChoiceMemory().remember("left", now=0.0)
    worth = Heuristic("worth", Scores({"left": 0.5, "right": 0.52}))
    decision = arbitrate(["right", "left"], CompositeIntention(worth, memory.inertia(0.05)))
    assert decision.id == "left"
    assert decision.reason.voted_by == ("inertia", "worth")
    assert shares_of(decision, "left") == {"worth": 0.5, "inertia": 0.05}
    assert scores_of(decision, "right") == {"worth": 0.52, "inertia": None}
    assert decision.reason.final_scores["left"] == 0.5 + 0.05


def test_stickiness_does_not_depend_on_the_order_offered() -> None:
    """Whatever the order of candidates, inertia sticks to the same one."""
    memory = ChoiceMemory().remember("b", now=0.0)
    worth = Heuristic("worth", Scores({"a": 0.31, "b": 0.3, "c": 0.29}))
    composite = CompositeIntention(worth, memory.inertia(0.1))
    assert {arbitrate(order, composite).id for order in permutations("abc")} == {"b"}


def test_memory_makes_entries() -> None:
    """A memory makes the three habits as entries with the ids inertia, cooldown and recency."""
    memory = ChoiceMemory().remember("a", now=1.0).remember("b", now=3.0)
    inertia, cooldown, recency = memory.inertia(0.2), memory.cooldown(5, now=4.0), memory.recency(8, 4.0, weight=0.5)
    assert (inertia.id, inertia.weight, inertia("b")) == ("inertia", 0.2, 1.0)
    assert (cooldown.id, cooldown("a"), cooldown("c")) == ("cooldown", "cooling down: 2 more, until 6", False)
    assert (recency.id, recency.weight, recency("b"), recency("c")) == ("recency", 0.5, -0.875, None)
    assert ChoiceMemory().inertia()("a") is None
    assert ChoiceMemory().cooldown(5, now=0.0)("a") is False


def test_memory_is_a_value() -> None:
    """Remembering gives a new memory; a hold adds nothing; forgetting keeps what was chosen last."""
    first = ChoiceMemory().remember("a", now=1)
    second = first.remember("b", now=2).remember("a", now=3)
    assert first == ChoiceMemory("a", {"a": 1})
    assert second == ChoiceMemory("a", {"a": 3, "b": 2})
    assert hash(second) == hash(ChoiceMemory("a", {"b": 2, "a": 3}))
    nothing = arbitrate(["a"], CompositeIntention(Constraint("no", Violates({"a"}))))
    assert second.remember(nothing, now=4) is second
    assert second.forget(before=10) == ChoiceMemory("a")


@pytest.mark.parametrize(
    "misuse",
    [
        lambda memory: memory.remember("b", now=0.5),
        lambda memory: memory.remember(7, now=2),
        lambda memory: memory.remember(None, now=2),
        lambda memory: memory.remember("", now=2),
        lambda memory: memory.remember("b", now=float("nan")),
        lambda memory: memory.cooldown(-1, now=2),
        lambda memory: memory.cooldown(1, now=0),
        lambda memory: memory.recency(1, now=0),
        lambda memory: memory.recency(0, now=2),
    ],
)
def test_a_clock_never_goes_back(misuse: Any) -> None:
    """Times before those remembered, and anything that is not a decision, are refused."""
    with pytest.raises(InvalidInput):
        misuse(ChoiceMemory().remember("a", now=1.0))
