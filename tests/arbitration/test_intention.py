"""Entries of a composite: what they are made of, what they refuse, and how a function becomes one."""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.curves import linear
from volition.arbitration.intent import Function, Intent
from volition.arbitration.intention import Constraint, Heuristic, Intention, constraint, heuristic
from volition.arbitration.tables import Scores, Violates
from volition.core.errors import InvalidInput, format_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sentences import Told


def calm(_: Any) -> bool:
    return False


def flat(_: Any) -> float:
    return 0.5


@pytest.mark.req("AR-01")
def test_what_an_entry_holds() -> None:
    """Every entry has an id, a kind and an intent; a plain function becomes one."""
    safety, goal = Constraint("safety", calm), Heuristic("goal", flat)
    assert (safety.id, safety.kind, goal.id, goal.kind) == ("safety", "constraint", "goal", "heuristic")
    assert isinstance(safety.intent, Intent)
    assert safety.intent == Function(calm)


@pytest.mark.req("AR-01")
@pytest.mark.parametrize("make", [Constraint, Heuristic])
def test_nothing_may_be_missing_or_unknown(make: Any) -> None:
    """An entry without an intent, or with an attribute that it does not have, cannot be made."""
    with pytest.raises(TypeError, match="intent"):
        make("x")
    with pytest.raises(TypeError, match="colour"):
        make("x", calm, colour="red")


@pytest.mark.req("AR-01")
@pytest.mark.parametrize("make", [Constraint, Heuristic])
@pytest.mark.parametrize("id", ["", " a", "a ", "a\n", "\t", None, 5, b"a"])
def test_ids_that_are_refused(make: Any, id: Any) -> None:
    """An id is a text that a person can read and type; the error shows what it was."""
    with pytest.raises(InvalidInput) as caught:
        make(id, calm)
    assert caught.value.problems[0].what == f"the id is {id!r}"


@pytest.mark.req("AR-01")
@pytest.mark.parametrize("decorator", [constraint, heuristic])
def test_an_empty_id_is_refused_by_the_decorator_too(decorator: Any, told: Told) -> None:
    """An id that was given is used or refused, never replaced by the function's name."""
    with told.raises(InvalidInput):
        decorator(id="")(calm)


@pytest.mark.req("AR-01")
@pytest.mark.parametrize("intent", [None, 5, "avoid", object()])
def test_what_is_no_intent_is_refused(intent: Any, told: Told) -> None:
    """An intent is an intent or a callable; anything else is refused by name, however it comes."""
    with told.raises(InvalidInput):
        Constraint("c", intent)
    with pytest.raises(InvalidInput):
        constraint(id="c")(intent)
    with pytest.raises(InvalidInput):
        heuristic(id="h")(intent)


@pytest.mark.req("AR-01")
def test_an_intent_of_the_other_kind_is_refused(told: Told) -> None:
    """A table of scores cannot veto, and a table of violations cannot vote."""
    with told.raises(InvalidInput):
        Constraint("c", Scores({"a": 1.0}))
    with told.raises(InvalidInput):
        Heuristic("h", Violates({"a"}))


@pytest.mark.req("AR-03")
def test_weight_and_priority_by_default() -> None:
    """The weight is 1.0 and there is no priority unless one is given."""
    for entry in (Heuristic("h", flat), heuristic(flat)):
        assert (entry.weight, entry.priority) == (1.0, None)
        assert type(entry.weight) is float


@pytest.mark.req("AR-03")
@pytest.mark.parametrize("weight", [0, 0.0, 1, 2.5, 1e300, 5e-324, np.float64(0.5)])
def test_weights_that_are_taken(weight: Any) -> None:
    """A finite number >= 0 is a weight, kept as a float."""
    entry = Heuristic("h", flat, weight=weight)
    assert (entry.weight, type(entry.weight)) == (float(weight), float)


@pytest.mark.req("AR-03")
@pytest.mark.parametrize(
    "weight",
    [-1, -1e-9, float("inf"), float("nan"), True, False, "1", None, 1j, [1], 10**400, -(10**400)],
    ids=lambda weight: repr(weight)[:6],
)
def test_weights_that_are_refused(weight: Any) -> None:
    """Any other weight is refused, naming the entry."""
    with pytest.raises(InvalidInput) as caught:
        Heuristic("goal", flat, weight=weight)
    (problem,) = caught.value.problems
    assert problem.where == "intention 'goal', weight"
    assert problem.what == f"the weight is {format_value(weight)}"


@pytest.mark.req("AR-03")
@pytest.mark.parametrize("priority", [1.5, 1.0, True, "1", float("nan"), [1]])
def test_priorities_that_are_refused(priority: Any) -> None:
    """A priority is an integer or left out; anything else is refused, naming the entry."""
    with pytest.raises(InvalidInput) as caught:
        Heuristic("goal", flat, priority=priority)
    assert caught.value.problems[0].where == "intention 'goal', priority"


@pytest.mark.req("AR-03")
@given(st.integers())
def test_any_integer_is_a_priority(priority: int) -> None:
    """Negative, zero or huge: an integer is a priority."""
    assert Heuristic("h", flat, priority=priority).priority == priority


@pytest.mark.req("AR-03")
@pytest.mark.parametrize("extra", [{"weight": 1.0}, {"priority": 1}, {"weight": None}, {"priority": None}])
def test_a_constraint_has_neither_weight_nor_priority(extra: dict[str, Any]) -> None:
    """On a constraint a weight or a priority is an error."""
    with pytest.raises(TypeError, match=next(iter(extra))):
        Constraint("c", calm, **extra)
    with pytest.raises(TypeError, match=next(iter(extra))):
        constraint(id="c", **extra)(calm)


@pytest.mark.req("AR-03", "AR-19")
def test_all_problems_of_an_entry_at_once(told: Told) -> None:
    """An entry with several faults says all of them in one error."""
    with pytest.raises(InvalidInput) as caught:
        Heuristic("", flat, weight=-1, priority=1.5, on_error="ignore")  # type: ignore[arg-type]
    assert len(caught.value.problems) == 4
    with told.raises(InvalidInput):
        Constraint("c", calm, on_error="Veto")  # type: ignore[arg-type]


def test_entries_are_frozen_and_equal_by_what_they_say() -> None:
    """Nothing of an entry can be changed; two that say the same are equal and hash alike."""
    entry = Heuristic("h", flat, weight=2)
    with pytest.raises(AttributeError):
        entry.weight = 3.0  # type: ignore[misc]
    assert entry == Heuristic("h", flat, weight=2.0)
    assert hash(entry) == hash(Heuristic("h", flat, weight=2.0))
    assert entry != Heuristic("h", flat, weight=1.0)
    assert Constraint("c", calm) != Constraint("c", flat)


def test_decorators(told: Told) -> None:
    """A decorated function is an entry named after it that can still be asked; options come by keyword."""

    @constraint
    def dry(tile: str) -> bool:
        return tile == "water"

    @heuristic(weight=0.5, priority=3, curve=linear(10, 0), on_error="veto")
    def nearer(distance: float) -> float:
        return distance

    assert (dry.id, dry("water"), dry("sand")) == ("dry", True, False)
    assert (nearer.id, nearer.weight, nearer.priority, nearer.on_error) == ("nearer", 0.5, 3, "veto")
    assert nearer(5) == 0.0
    assert constraint(id="other")(lambda _: False).id == "other"
    for nameless in (lambda _: False, partial(calm)):
        with told.raises(InvalidInput):
            constraint(nameless)


class Asked:
    """Callables of every make, with and without a context."""

    def one(self, candidate: Any) -> Any:
        return ("one", candidate)

    def two(self, candidate: Any, context: Any) -> Any:
        return (candidate, context)

    @staticmethod
    def static(candidate: Any, context: Any) -> Any:
        return (candidate, context)

    @classmethod
    def of_class(cls, candidate: Any, context: Any) -> Any:
        return (candidate, context)

    def __call__(self, candidate: Any, context: Any) -> Any:
        return (candidate, context)


def with_default(candidate: Any, context: Any = "default") -> Any:
    return (candidate, context)


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (Asked().one, ("one", "a")),
        (Asked().two, ("a", "world")),
        (Asked.static, ("a", "world")),
        (Asked.of_class, ("a", "world")),
        (Asked(), ("a", "world")),
        (with_default, ("a", "world")),
        (lambda candidate, *, more=1: (candidate, more), ("a", 1)),
        (lambda *all: all, ("a",)),
        (len, 1),
        (partial(with_default, context="bound"), ("a", "bound")),
        (str, "a"),
    ],
)
def test_who_gets_the_context(call: Any, answer: Any) -> None:
    """A function with two required parameters, or a default for the context, gets it; others get the candidate alone."""
    assert Constraint("c", call)("a", "world") == answer


def test_a_function_of_too_much_is_refused(told: Told) -> None:
    """Three required parameters cannot be filled, and are refused before anything is decided."""
    with told.raises(InvalidInput):
        Constraint("c", lambda a, b, c: a == b == c)


@pytest.mark.parametrize("candidate", ["north", {"id": "north", "cost": 1}])
def test_asking_outside_a_decision_asks_the_same(candidate: Any) -> None:
    """Asked about one candidate, an entry answers as it does in a decision, also where it knows it by its id."""
    entries: list[Intention] = [Constraint("c", Violates({"north": "wet"})), Heuristic("h", Scores({"north": 0.25}))]
    assert [entry(candidate) for entry in entries] == ["wet", 0.25]
    decision = arbitrate([candidate], CompositeIntention(*entries))
    assert decision.trace.verdicts == (("wet",),)


def test_a_default_context_is_filled() -> None:
    """A second argument that is None by default, or is called context or ctx, gets the context; other defaults stay."""

    def passes_on(*given: Any) -> Any:
        return given[1]

    asked: dict[str, Callable[..., Any]] = {
        "none": lambda c, world=None: world,
        "ctx": lambda c, ctx=0.25: ctx,
        "required": lambda c, context: context,
        "other": lambda c, limit=0.25: limit,
        "part": partial(lambda bonus, c, ctx=None: bonus + ctx, 0.25),
        "wraps": wraps(lambda c, context: 0.0)(passes_on),
    }
    decision = arbitrate(["a"], CompositeIntention(Heuristic(id, call) for id, call in asked.items()), context=0.5)
    said = dict(zip(decision.trace.voters, decision.trace.scores[0], strict=True))
    assert said == {"none": 0.5, "ctx": 0.5, "required": 0.5, "other": 0.25, "part": 0.75, "wraps": 0.5}
