"""A decision: what it says does not change, agrees with itself, and under total veto names who forbade everything."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arbitration.reference import Case, Judge, Voter
from tests.arbitration.strategies import arbitrated, cases, comparable, composite_of, run, scored
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.core.errors import NotPossible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told


@pytest.mark.req("AR-14")
@given(cases())
def test_reason_and_trace_agree(case: Case) -> None:
    """The reason is a view of the trace: counts, voters, scores and ties are found there again."""
    decision = run(case)
    reason, trace = decision.reason, decision.trace
    assert reason.vetoed_count == len(trace.vetoed) == len(trace.verdicts)
    assert {*trace.vetoed} | {*trace.survivors} == {*case.candidates}
    assert len(trace.vetoed) + len(trace.survivors) == len(case.candidates)
    assert [name for name in case.candidates if name in trace.survivors] == list(trace.survivors)
    assert len(trace.scores) == len(trace.contributions) == len(trace.totals) == len(trace.survivors)
    assert reason.tied == trace.tied
    assert (decision.id is None) == (decision.kind != "act") == (not trace.survivors)
    if decision.id is not None:
        won = trace.contributions[trace.survivors.index(decision.id)]
        assert reason.voted_by == tuple(id for id, part in zip(trace.voters, won, strict=True) if part)
        assert next(iter(reason.final_scores)) == decision.id
        assert reason.final_scores.items() <= dict(zip(trace.survivors, trace.totals, strict=True)).items()


@pytest.mark.req("AR-04")
@given(cases())
def test_vetoed_by_names_all_who_forbade_a_candidate(case: Case) -> None:
    """Of each candidate it names everyone who forbade it with the reason, and nobody for a survivor."""
    decision = run(case)
    rows = dict(zip(decision.trace.vetoed, decision.trace.verdicts, strict=True))
    for name in case.candidates:
        named = decision.tally.vetoed_by(name)
        row = rows.get(name, (False,) * len(decision.trace.judges))
        assert named == {id: verdict for id, verdict in zip(decision.trace.judges, row, strict=True) if verdict}


@given(cases())
def test_a_decision_says_the_same_twice(case: Case) -> None:
    """Reading reason and trace again, in either order, gives the same; so does deciding again."""
    decision, again = run(case), run(case)
    trace, reason = decision.trace, decision.reason
    assert (again.reason, again.trace) == (reason, trace)
    assert (decision.reason, decision.trace) == (reason, trace)
    assert comparable(decision) == comparable(again)


@pytest.mark.req("AR-21", "AR-23")
@given(cases(held=True), cases(held=True))
def test_equal_decisions_are_equal(case: Case, other: Case) -> None:
    """Decisions that say the same are equal and hash alike; those that differ in anything that they say are not."""
    decision, again, else_ = run(case, "plain"), run(case, "context"), run(other)
    assert decision == again
    assert hash(decision) == hash(again)
    assert (decision != again) is False
    if comparable(decision) != comparable(else_) or decision.tally.settings != else_.tally.settings:
        assert decision != else_
    assert decision != comparable(decision)
    assert len({decision, again}) == 1


@pytest.mark.req("AR-23")
@pytest.mark.parametrize(
    "change",
    [
        {"candidates": ("a", "c")},
        {"candidates": ("b", "a")},
        {"tie_margin": 0.1},
        {"stay": "a"},
        {"on_impossible": "fail"},
        {"hold_below": ("total", 0.0)},
        {"judges": (Judge("k", {"a": False, "b": False, "c": False}),)},
        {"voters": (Voter("h", {"a": 0.5, "b": 0.25, "c": 0.5}, weight=2.0),)},
        {"voters": (Voter("h", {"a": 0.5, "b": 0.25, "c": 0.5}, priority=1),)},
        {"voters": (Voter("g", {"a": 0.5, "b": 0.25, "c": 0.5}),)},
        {"voters": (Voter("h", {"a": 0.5, "b": None, "c": 0.5}),)},
    ],
    ids=str,
)
def test_what_makes_a_decision_another_one(change: dict[str, Any]) -> None:
    """Another offer, setting, intention, weight, priority, veto or score is another decision, though the winner is the same."""
    case = Case(("a", "b"), (), (Voter("h", {"a": 0.5, "b": 0.25, "c": 0.5}),))
    assert run(replace(case, **change)) != run(case)


@pytest.mark.req("AR-23")
def test_candidates_count_by_id_and_code_does_not() -> None:
    """Candidates without equality, another context and other functions that say the same give an equal decision."""

    class Tile:
        def __init__(self, id: str) -> None:
            self.id = id

    def decide(score: Any, context: Any, version: int = 1) -> Any:
        composite = CompositeIntention(Heuristic("h", score))
        return arbitrate([Tile("a"), Tile("b")], composite, context=context, version=version)

    one = decide(lambda tile: 0.5 if tile.id == "a" else 0.0, [1])
    other = decide(lambda tile: {"a": 0.5, "b": 0.0}[tile.id], [2])
    assert one == other
    assert one.what_if(weights={"h": 2.0}) == other.what_if(weights={"h": 2.0})
    assert decide(lambda tile: 0.5 if tile.id == "a" else 0.0, [1], version=2) != one


@pytest.mark.req("AR-09", "AR-23")
@pytest.mark.parametrize("tie_margin", [0.0, 0.5])
def test_that_nobody_has_an_opinion_is_said(tie_margin: float, told: Told) -> None:
    """Where all abstain, the first offered is taken, the rule and the sentences say why, and nothing is called firm."""
    voters = tuple(Voter(id, {"b": None, "a": None}, priority=n) for n, id in enumerate(("g", "h")))
    decision = run(Case(("b", "a"), (), voters, tie_margin=tie_margin))
    assert (decision.kind, decision.id, decision.reason.rule) == ("act", "b", "no_opinion")
    told(decision.why().text)
    assert decision.sensitivity().robustness is None
    assert "firm" not in str(decision)
    assert "%" not in str(decision)
    alone = run(Case(("b",), (), voters))
    assert alone.reason.rule == "only_survivor"
    told(alone.why().text)
    assert "robustness" not in str(alone)
    one_vote = (Voter("g", {"b": None, "a": 0.0}),)
    assert run(Case(("b", "a"), (), one_vote)).reason.rule == "order"


def test_the_caller_may_change_his_list_afterwards() -> None:
    """What happens to the offered list after the call does not reach the decision."""
    names = ["a", "b", "c"]
    decision = arbitrate(names, CompositeIntention(Heuristic("h", {"a": 0.1, "b": 0.5, "c": None}.__getitem__)))
    names.reverse()
    names.pop()
    assert (decision.candidate, decision.id, decision.trace.survivors) == ("b", "b", ("a", "b", "c"))
    assert decision.trace.scores == ((0.1,), (0.5,), (None,))


def test_what_a_decision_hands_out_cannot_change_it() -> None:
    """Writing into what was read, where that is possible at all, does not change what is read next."""
    decision = run(scored({"a": 0.5, "b": 0.5}))
    before = deepcopy(decision.reason)
    with suppress(TypeError, AttributeError):
        decision.reason.final_scores["a"] = 1.0
    assert decision.reason == before


def test_a_generator_is_offered_once() -> None:
    """Candidates may come from a generator: it is read once, and the winner is one of its items."""

    def offers() -> Iterator[list[int]]:
        yield from ([n] for n in range(3))

    decision = arbitrate(offers(), CompositeIntention(Heuristic("h", lambda offer: offer[0] / 2)))
    assert (decision.candidate, decision.id) == ([2], "[2]")


def test_context_and_version_are_passed_on() -> None:
    """The context reaches whoever asks for it, the version is in the decision, and neither is interpreted."""
    version = object()
    composite = CompositeIntention(Heuristic("h", lambda name, favourite: 1.0 if name == favourite else 0.0))
    decision = arbitrate(["a", "b"], composite, context="b", version=version)
    assert decision.id == "b"
    assert decision.version is version
    assert decision.composite is composite


@pytest.mark.req("AR-06", "AR-07")
def test_require_raises_where_there_is_no_winner() -> None:
    """`require` gives the winner, or an error that says why there is none and who forbade it."""
    assert arbitrate(["a"], CompositeIntention()).require() == "a"
    with pytest.raises(NotPossible, match="all_candidates_vetoed") as caught:
        arbitrate(["a", "b"], CompositeIntention(Constraint("no", lambda _: True))).require()
    assert caught.value.problems[0].where == "2 candidates, 2 vetoed by no"
    with pytest.raises(NotPossible, match="no_candidates"):
        arbitrate([], CompositeIntention()).require()


def test_none_may_be_a_candidate() -> None:
    """A candidate that is None wins like any other; the kind tells it from no candidate."""
    decision = arbitrate([None], CompositeIntention())
    assert (decision.kind, decision.id, decision.candidate) == ("act", "None", None)
    assert decision.require() is None


@pytest.mark.req("AR-17")
@given(cases(guards=False, least=1), st.data())
def test_relaxations_free_something_and_no_less_would(case: Case, data: st.DataObject) -> None:
    """A set of constraints is among the relaxations just where deciding without it, and not without less, acts."""
    verdict = st.sampled_from([False, True, "wet"])
    judges = [Judge(f"c{n}", {name: data.draw(verdict) for name in case.candidates}) for n in range(3)]
    last = {name: not any(judge.answers[name] for judge in judges) for name in case.candidates}
    total = Case(case.candidates, (*judges, Judge("last", last)), case.voters, stay=None)
    decision = run(total)
    assert decision.kind == "hold"
    assert set(decision.reason.relaxations) == _freeing(total)


def _freeing(case: Case) -> set[tuple[str, ...]]:
    """Decide without every subset of the constraints, smallest first, and keep what frees and holds nothing smaller."""
    composite, ids = composite_of(case), sorted(judge.id for judge in case.judges)
    found: set[tuple[str, ...]] = set()
    subsets = [tuple(id for n, id in enumerate(ids) if mask >> n & 1) for mask in range(2 ** len(ids))]
    for gone in sorted(subsets, key=len):
        smaller = any({*other} < {*gone} for other in found)
        if not smaller and arbitrated(case, composite.without(gone)).kind == "act":
            found.add(gone)
    return found


@pytest.mark.req("AR-17", "AR-06")
def test_relaxations_are_information_only() -> None:
    """The smallest sets come first, and nothing is chosen because of them."""
    answers: dict[str, dict[str, Any]] = {
        "x": {"a": True, "b": False, "c": True},
        "y": {"a": True, "b": "wet", "c": True},
        "w": {"a": False, "b": True, "c": True},
    }
    judges = tuple(Judge(id, row) for id, row in answers.items())
    decision = run(Case(("a", "b", "c"), judges))
    assert (decision.kind, decision.candidate) == ("hold", None)
    assert decision.reason.relaxations == (("w", "y"), ("x", "y"))
    assert run(Case(("a", "d"), (Judge("x", {"a": True, "d": False}),))).reason.relaxations == ()
