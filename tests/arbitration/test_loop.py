"""Generated loops and the general stages: the same answers, the same decision, the same errors named."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arbitration.reference import Case, Voter
from tests.arbitration.strategies import FORMS, arbitrated, cases, comparable, composite_of, run, without_loops
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.loop import LONGEST, aggregate_loop, filter_loop
from volition.arbitration.stages import IntentionFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sentences import Told
    from volition.arbitration.intention import Intention


def is_generated(stage: Callable[..., Any]) -> bool:
    """Whether a stage of a composite is a generated loop."""
    return not isinstance(stage, partial)


@pytest.mark.req("AR-04", "AR-08", "AR-10")
@given(cases(guards=False))
def test_loops_decide_as_the_general_stages_do(case: Case) -> None:
    """A composite of plain functions decides the same with its generated loops and without them."""
    composite = composite_of(case)
    assert is_generated(composite.filter) == bool(case.judges)
    assert is_generated(composite.aggregate) == bool(case.voters)
    assert comparable(arbitrated(case, composite)) == comparable(arbitrated(case, without_loops(composite)))


@pytest.mark.req("AR-10")
@given(cases(), st.lists(st.sampled_from(FORMS), min_size=9, max_size=9))
def test_the_form_of_an_intent_does_not_matter(case: Case, forms: list[Any]) -> None:
    """Functions with and without context, batches and tables that say the same give the same decision, even mixed."""
    ids = sorted([*(judge.id for judge in case.judges), *(voter.id for voter in case.voters)])
    mixed = dict(zip(ids, forms, strict=False))
    decision = comparable(run(case))
    assert comparable(run(case, mixed.__getitem__)) == decision
    for form in FORMS:
        assert comparable(run(case, form)) == decision


@pytest.mark.req("AR-10")
@pytest.mark.parametrize("count", [1, 2, LONGEST, LONGEST + 1])
def test_composites_of_any_length(count: int) -> None:
    """Up to 64 entries of a kind have a generated loop, more use the general stages, and both are right."""
    candidates = ("b", "a", "c")
    voters = tuple(Voter(f"h{n}", {"a": 0.5, "b": -0.5, "c": None if n % 2 else 0.25}) for n in range(count))
    entries = [Constraint(f"c{n}", lambda name, n=n: name == "a" and n == count - 1) for n in range(count)]
    composite = CompositeIntention(*composite_of(Case(candidates, (), voters)), *entries)
    assert is_generated(composite.filter) == is_generated(composite.aggregate) == (count <= LONGEST)
    decision = arbitrate(candidates, composite)
    assert (decision.id, decision.reason.vetoed_by) == ("c", (f"c{count - 1}",))
    assert decision.trace.totals == (-0.5 * count, 0.25 * ((count + 1) // 2))


def test_what_has_no_loop() -> None:
    """Nobody to ask, an error that vetoes, a context or a batch: each uses the general stages."""
    assert filter_loop(()) is None
    assert aggregate_loop(()) is None
    assert filter_loop([Constraint("c", lambda _: False)]) is not None
    assert filter_loop([Constraint("c", lambda _: False, on_error="veto")]) is None
    assert aggregate_loop([Heuristic("h", lambda _, __: 0.5)]) is None


CONSTRAINT_ANSWERS: list[Any] = [1, 0, 0.0, None, "", [], "why"]
HEURISTIC_ANSWERS: list[Any] = [True, "0.5", 2, -1.5, float("nan"), float("inf"), 1j, 1, 0, None]


@pytest.mark.req("AR-08", "AR-19")
@given(
    st.sampled_from(["constraint", "heuristic"]),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(0, 3),
    st.data(),
)
def test_one_wrong_answer_is_named_alike(kind: str, entries: int, asked: int, at: int, data: st.DataObject) -> None:
    """A single odd answer or error, at any entry and candidate, has the same outcome by the loop and without it."""
    answers = CONSTRAINT_ANSWERS if kind == "constraint" else HEURISTIC_ANSWERS
    odd = data.draw(st.sampled_from([*answers, ValueError("broken"), KeyError("gone"), StopIteration()]))

    def entry(n: int) -> Intention:
        def ask(candidate: int) -> Any:
            if (n, candidate) != (asked % entries, at):
                return False if kind == "constraint" else 0.5
            if isinstance(odd, Exception):
                raise odd
            return odd

        return Constraint(f"e{n}", ask) if kind == "constraint" else Heuristic(f"e{n}", ask)

    composite = CompositeIntention(*map(entry, range(entries)))
    assert outcome(composite) == outcome(without_loops(composite))


def outcome(composite: CompositeIntention) -> Any:
    """What the decision says, or the kind, place and speaker of its error."""
    try:
        return comparable(arbitrate(range(4), composite))
    except IntentionFailed as error:
        (problem,) = error.problems
        return type(error.__cause__), problem.what.replace(": it ended the answers early", ""), problem.where


@pytest.mark.req("AR-19")
@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("make", [Constraint, Heuristic])
def test_the_loop_names_who_raised(make: Callable[..., Intention], position: int) -> None:
    """First, middle or last: the error names the entry that raised and the candidate it was asked about."""
    calm: Any = False if make is Constraint else 0.5

    def entry(n: int) -> Intention:
        def ask(candidate: str) -> Any:
            return 1 / 0 if n == position and candidate == "b" else calm

        return make(f"e{n}", ask)

    vetoing = Constraint("z", lambda candidate: candidate == "a")
    with pytest.raises(IntentionFailed) as caught:
        arbitrate(["a", "b", "c"], CompositeIntention(*map(entry, range(3)), vetoing))
    (problem,) = caught.value.problems
    assert f"'e{position}' raised ZeroDivisionError" in problem.what
    assert problem.where == "candidate 'b'"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.req("AR-19")
def test_an_error_that_was_raised_before_is_still_placed(told: Told) -> None:
    """One exception object that several functions raise again is blamed on the function that raised it this time."""
    cached = ValueError("always the same")

    def raises(_: str) -> bool:
        raise cached

    for _ in range(2):
        with told.raises(IntentionFailed):
            arbitrate(["x"], CompositeIntention(Constraint("a", lambda _: False), Constraint("b", raises)))
    with told.raises(IntentionFailed):
        arbitrate(["x"], CompositeIntention(Constraint("a", raises), Constraint("b", lambda _: False)))


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("make", [Constraint, Heuristic])
@pytest.mark.parametrize("on_error", ["raise", "veto"])
def test_what_is_no_error_passes_through(make: Any, stop: type[BaseException], on_error: str) -> None:
    """An interruption reaches the caller as it is, and never becomes a veto."""

    def ask(_: str) -> Any:
        raise stop

    with pytest.raises(stop):
        arbitrate(["a", "b"], CompositeIntention(make("x", ask, on_error=on_error)))


def test_a_nested_decision_that_fails_is_named_by_both(told: Told) -> None:
    """A heuristic that arbitrates itself and fails is named, with the inner error as its cause."""
    inner = CompositeIntention(Heuristic("inner", lambda _: 7.0))
    outer = CompositeIntention(Heuristic("outer", lambda name: arbitrate([name], inner).trace.totals[0]))
    with told.raises(IntentionFailed) as caught:
        arbitrate(["a"], outer)
    told(caught.value.__cause__)


def test_weights_are_those_of_the_entry() -> None:
    """Two composites of one length share the loop's text and nothing else."""
    light = CompositeIntention(Heuristic("h", lambda _: 1.0, weight=0.5))
    heavy = CompositeIntention(Heuristic("h", lambda _: -1.0, weight=3))
    assert arbitrate(["a"], light).trace.totals == (0.5,)
    assert arbitrate(["a"], heavy).trace.totals == (-3.0,)
