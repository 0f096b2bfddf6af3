"""The laws of the arbiter: veto, vote, tie-break, and nothing that depends on who was named first."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.arbitration.reference import Case, Judge, Voter, decide
from tests.arbitration.strategies import arbitrated, cases, comparable, entries_of, run, scored, without_loops
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.choice import within
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.core.errors import InvalidInput

EMPTY = CompositeIntention()


def expected(case: Case) -> dict[str, Any]:
    """What the reference says, in the same shape."""
    wanted = decide(case)
    return {**wanted._asdict(), "final order": list(wanted.reason["final_scores"])}


@pytest.mark.req(
    "AR-04", "AR-05", "AR-06", "AR-07", "AR-09", "AR-10", "AR-12", "AR-13", "AR-14", "AR-17", "AR-19", "AR-23"
)
@given(cases(held=True))
def test_the_arbiter_is_the_reference(case: Case) -> None:
    """Outcome, winner, reason and trace are what the laws, read literally in exact fractions, demand."""
    assert comparable(run(case)) == expected(case)


@pytest.mark.req("AR-15")
@given(cases(held=True), st.data())
def test_the_order_of_intentions_never_matters(case: Case, data: st.DataObject) -> None:
    """Permuting the intentions changes nothing that a decision says, not even the order in which it says it."""
    entries = entries_of(case)
    decision = arbitrated(case, CompositeIntention(*entries))
    permuted = arbitrated(case, CompositeIntention(*data.draw(st.permutations(entries))))
    assert permuted.reason == decision.reason
    assert permuted.trace == decision.trace
    assert comparable(permuted) == comparable(decision)


@pytest.mark.req("AR-15")
@given(cases(margin=False, least=1), st.data())
def test_losers_do_not_matter(case: Case, data: st.DataObject) -> None:
    """Removing losing candidates never changes the winner."""
    winner = run(case).id
    gone = data.draw(st.sets(st.sampled_from(case.candidates)))
    left = tuple(name for name in case.candidates if name == winner or name not in gone)
    fewer = replace(case, candidates=left, stay=None)
    assert run(fewer).id == winner


def test_with_a_margin_a_loser_may_matter() -> None:
    """The law of removed losers is stated for margin 0 alone: with a margin, the best decides who is tied."""
    case = scored(
        {"top": 0.5, "near": 0.4, "far": 0.3},
        {"top": -1.0, "near": 0.0, "far": 1.0},
        weights=(1.0, 0.0),
        priorities=(None, 1),
    )
    case = replace(case, tie_margin=0.15)
    assert run(case).id == "near"
    without_top = replace(case, candidates=("near", "far"))
    assert run(without_top).id == "far"


@pytest.mark.req("AR-04", "AR-05")
def test_law_of_veto() -> None:
    """A vetoed candidate cannot win, however high it would have scored."""
    case = Case(("a", "b"), (Judge("no", {"a": "wet", "b": False}),), (Voter("yes", {"a": 1.0, "b": -1.0}),))
    decision = run(case)
    assert (decision.id, decision.reason.rule) == ("b", "only_survivor")
    assert decision.trace.verdicts == (("wet",),)


class Record:
    """Intentions that write down every question, in order."""

    def __init__(self, case: Case) -> None:
        self.asked: list[tuple[str, str]] = []
        constraints = [Constraint(judge.id, self._recorded(judge)) for judge in case.judges]
        heuristics = [Heuristic(voter.id, self._recorded(voter)) for voter in case.voters]
        self.composite = CompositeIntention(*constraints, *heuristics)

    def _recorded(self, entry: Judge | Voter) -> Any:
        def ask(candidate: str) -> Any:
            self.asked.append((entry.id, candidate))
            return entry.answers[candidate]

        return ask


@pytest.mark.req("AR-04", "AR-05", "AR-11")
@given(cases(guards=False), st.booleans())
def test_who_is_asked_about_whom_and_when(case: Case, general: bool) -> None:
    """Each constraint is asked once about every candidate, then each heuristic once about every survivor alone."""
    record = Record(case)
    decision = arbitrated(case, without_loops(record.composite) if general else record.composite)
    filtering = [(judge.id, name) for judge in case.judges for name in case.candidates]
    voting = [(voter.id, name) for voter in case.voters for name in decision.trace.survivors]
    assert sorted(record.asked[: len(filtering)]) == sorted(filtering)
    assert sorted(record.asked[len(filtering) :]) == sorted(voting)


@pytest.mark.req("AR-11")
def test_the_trace_shows_the_stages_in_order() -> None:
    """Filter, aggregate, tie-break: the stages are named in that order and their fields follow it."""
    trace = run(scored({"a": 0.5, "b": 0.5})).trace
    assert trace.stages == ("filter", "aggregate", "tie_break")
    fields = list(trace.__struct_fields__)
    assert fields.index("verdicts") < fields.index("scores") < fields.index("totals") < fields.index("tied")


@pytest.mark.req("AR-04", "AR-14")
def test_vetoes_are_counted_by_candidate() -> None:
    """`vetoed_count` counts candidates, not vetoes; the trace holds all who vetoed each."""
    judges = (Judge("x", {"a": True, "b": True, "c": False}), Judge("w", {"a": "wet", "b": False, "c": False}))
    decision = run(Case(("a", "b", "c"), judges))
    assert decision.reason.vetoed_count == 2
    assert decision.reason.vetoed_by == ("w", "x")
    assert dict(zip(decision.trace.vetoed, decision.trace.verdicts, strict=True)) == {
        "a": ("wet", True),
        "b": (False, True),
    }


@pytest.mark.req("AR-06")
@pytest.mark.parametrize(
    ("on_impossible", "stay", "kind"),
    [("hold", None, "hold"), ("fail", None, "fail"), ("hold", "a", "fail"), ("fail", "a", "fail")],
)
def test_total_veto(on_impossible: Any, stay: str | None, kind: str) -> None:
    """Everything vetoed is Hold or Fail, never a candidate; and Fail where holding would be the forbidden act."""
    case = Case(("a", "b"), (Judge("no", {"a": True, "b": "wet"}),), (Voter("yes", {"a": 1.0, "b": 1.0}),))
    decision = run(replace(case, on_impossible=on_impossible, stay=stay))
    assert (decision.kind, decision.candidate, decision.id) == (kind, None, None)
    assert decision.reason.rule == "all_candidates_vetoed"
    assert decision.reason.final_scores == {}
    assert decision.trace.totals == ()


@pytest.mark.req("AR-06")
def test_stay_that_survives_is_an_ordinary_candidate() -> None:
    """Staying put wins or loses by its score as any other candidate does."""
    judge = Judge("no", {"stay": False, "go": True})
    case = Case(("stay", "go"), (judge,), (Voter("h", {"stay": -1.0, "go": 1.0}),), stay="stay")
    assert (run(case).kind, run(case).id) == ("act", "stay")
    assert run(replace(case, judges=())).id == "go"


@pytest.mark.req("AR-07")
@pytest.mark.parametrize("on_impossible", ["hold", "fail"])
@pytest.mark.parametrize("stay", [None, "home"])
def test_nothing_offered(on_impossible: Any, stay: str | None) -> None:
    """No candidates is a separate reason, whoever would have vetoed, and is never Fail unless asked for."""
    case = Case((), (Judge("no", {}),), (Voter("h", {}),), on_impossible, stay=stay)
    decision = run(case)
    assert (decision.kind, decision.reason.rule, decision.id) == (on_impossible, "no_candidates", None)
    assert decision.reason.relaxations == ()


def test_an_empty_composite() -> None:
    """Without any intention the first candidate offered is taken, and the rule says that nobody votes."""
    decision = arbitrate(["b", "a"], EMPTY)
    assert (decision.id, decision.reason.rule) == ("b", "no_heuristics")
    assert (decision.trace.totals, decision.reason.voted_by) == ((0.0, 0.0), ())
    assert arbitrate(["a"], EMPTY).reason.rule == "only_survivor"
    assert arbitrate([], EMPTY).reason.rule == "no_candidates"


@pytest.mark.req("AR-10")
@given(st.permutations([0.1, 0.2, 0.3, 0.7, -0.9, 1e-17]))
def test_a_total_is_the_sum_rounded_once(scores: list[float]) -> None:
    """A total is the exact sum of the contributions, rounded once, whoever speaks first."""
    total = run(scored(*({"a": score} for score in scores))).trace.totals[0]
    assert total == float(sum(map(Fraction, scores)))


@pytest.mark.req("AR-10", "AR-12")
def test_sums_that_floats_get_wrong_are_tied() -> None:
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 are the same total, so the tie is seen."""
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    case = scored({"a": 0.1, "b": 0.3}, {"a": 0.2, "b": 0.2}, {"a": 0.3, "b": 0.1})
    decision = run(case)
    assert decision.trace.totals[0] == decision.trace.totals[1]
    assert decision.reason.tied == ("a", "b")


@pytest.mark.req("AR-09")
def test_an_abstention_is_not_a_zero() -> None:
    """None adds nothing, is not among the voters, is 0 in a tie level, and is None in the trace."""
    case = scored({"a": None, "b": 0.0}, {"a": 0.5, "b": 0.5}, priorities=(10, None))
    decision = run(case)
    assert decision.trace.scores == ((None, 0.5), (0.0, 0.5))
    assert decision.reason.voted_by == ("h1",)
    assert (decision.id, decision.reason.rule) == ("a", "order")
    assert run(scored({"a": None, "b": -0.5}, {"a": 0.0, "b": 0.5}, priorities=(10, None))).id == "a"


@pytest.mark.req("AR-12")
@pytest.mark.parametrize(
    ("scores", "weights", "priorities", "winner", "rule", "level"),
    [
        pytest.param([(0.5, -0.5), (-0.5, 0.5)], (1, 1), (1, 2), "b", "priority", 2, id="the higher priority prevails"),
        pytest.param(
            [(0.5, -0.5), (-0.5, 0.5)], (1, 1), (2, None), "a", "priority", 2, id="who has none takes no part"
        ),
        pytest.param([(0.5, -0.5), (-0.5, 0.5)], (1, 1), (5, 5), "a", "order", None, id="one level is summed"),
        pytest.param([(1.0, -0.5), (-0.25, 0.5)], (0.5, 1), (5, 5), "a", "priority", 5, id="a level is not weighted"),
        pytest.param([(0.0, 0.0), (0.1, 0.2)], (1, 0), (9, 1), "b", "priority", 1, id="weight 0 breaks ties"),
        pytest.param([(0.0, 0.0), (0.0, 0.0)], (1, 1), (9, -9), "a", "order", None, id="all levels equal"),
        pytest.param([(0.25, 0.25), (0.0, 0.0)], (1, 1), (None, None), "a", "order", None, id="no priorities"),
    ],
)
def test_ties(scores: Any, weights: Any, priorities: Any, winner: str, rule: str, level: int | None) -> None:
    """Tied candidates are compared level by level, highest first, unweighted; then the first offered is taken."""
    rows = [dict(zip("ab", row, strict=True)) for row in scores]
    decision = run(scored(*rows, weights=weights, priorities=priorities))
    assert decision.trace.totals[0] == decision.trace.totals[1]
    assert (decision.id, decision.reason.rule, decision.trace.level) == (winner, rule, level)


@pytest.mark.req("AR-12")
def test_the_last_tie_break_is_the_order_offered() -> None:
    """Names do not break ties: the first offered does, and the rule says so."""
    for order in (("z", "a", "m"), ("m", "z", "a")):
        decision = arbitrate(order, CompositeIntention(Heuristic("h", lambda _: 0.5, priority=1)))
        assert (decision.id, decision.reason.rule, decision.reason.tied) == (order[0], "order", order)


@pytest.mark.req("AR-12")
def test_a_level_may_narrow_and_the_next_decide() -> None:
    """A level that leaves two of three passes them on; the trace names the level that left one."""
    case = scored({"a": 0.0, "b": 0.5, "c": 0.5}, {"a": 0.5, "b": -0.25, "c": 0.25}, weights=(0, 0), priorities=(7, 3))
    decision = run(case)
    assert (decision.id, decision.trace.level, decision.trace.tied) == ("c", 3, ("a", "b", "c"))


@pytest.mark.req("AR-13")
def test_the_margin_is_measured_from_the_best() -> None:
    """A chain of small gaps does not tie its far end: only who is within the margin of the best is tied."""
    favourite = {"a": -1.0, "b": 0.0, "c": 1.0}
    case = scored({"a": 0.5, "b": 0.25, "c": 0.0}, favourite, weights=(1, 0), priorities=(None, 1))
    assert run(replace(case, tie_margin=0.25)).reason.tied == ("a", "b")
    assert run(replace(case, tie_margin=0.25)).id == "b"
    assert run(replace(case, tie_margin=0.5)).id == "c"
    assert run(case).id == "a"


@pytest.mark.req("AR-13")
@given(st.floats(-4, 4), st.floats(0, 4), st.floats(0, 4))
@example(best=0.3, gap=0.1, margin=0.1)
@example(best=1.0, gap=5e-324, margin=0.0)
def test_the_margin_is_judged_without_rounding(best: float, gap: float, margin: float) -> None:
    """Whether a total lies within the margin is decided on exact numbers."""
    total = best - gap
    assert within(margin, best, total) == (Fraction(best) - Fraction(total) <= Fraction(margin))


@pytest.mark.req("AR-14")
def test_the_reason_names_the_close_rivals() -> None:
    """The winner and at most three rivals within 5 % of the widest gap are named, best first, equals as offered."""
    row = {"a": 0.5, "b": 0.45, "w": 0.55, "c": 0.5, "d": 0.5, "far": 0.25}
    reason = run(scored(row)).reason
    assert list(reason.final_scores.items()) == [("w", 0.55), ("a", 0.5), ("c", 0.5), ("d", 0.5)]
    assert list(run(scored({"a": 1.0, "b": 0.85})).reason.final_scores) == ["a"]
    assert list(run(scored({"a": 1.0, "b": 0.85}, {"a": 0, "b": 0})).reason.final_scores) == ["a", "b"]


@pytest.mark.req("AR-14")
def test_voted_by_holds_who_moved_the_winner() -> None:
    """Votes for others, zero scores, zero weights and abstentions do not count as having voted."""
    rows: list[dict[str, Any]] = [{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 0.5}, {"a": 1.0, "b": 1.0}, {"a": None, "b": 0}]
    rows.append({"a": -0.25, "b": 0.0})
    assert run(scored(*rows, weights=(1, 1, 0, 1, 1))).reason.voted_by == ("h0", "h4")


@pytest.mark.req("AR-06", "AR-13")
@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"on_impossible": "Hold"}, "on_impossible"),
        ({"on_impossible": None}, "on_impossible"),
        ({"tie_margin": -0.1}, "tie_margin"),
        ({"tie_margin": float("nan")}, "tie_margin"),
        ({"tie_margin": float("inf")}, "tie_margin"),
        ({"tie_margin": 10**400}, "tie_margin"),
        ({"tie_margin": True}, "tie_margin"),
        ({"tie_margin": "0.1"}, "tie_margin"),
        ({"tie_margin": None}, "tie_margin"),
        ({"stay": "c"}, "stay"),
        ({"stay": 0}, "stay"),
    ],
)
def test_settings_that_are_refused(settings: dict[str, Any], where: str) -> None:
    """A setting that means nothing is refused by its name, before anybody is asked."""

    def never(candidate: str) -> bool:
        raise AssertionError(candidate)

    with pytest.raises(InvalidInput) as caught:
        arbitrate(["a", "b"], CompositeIntention(Constraint("never", never)), **settings)
    assert caught.value.problems[0].where == where


def test_what_is_no_composite_is_refused() -> None:
    """A list of intentions, or one alone, is refused with the remedy."""
    wrongs: tuple[Any, ...] = ([], None, Constraint("c", lambda _: False))
    for wrong in wrongs:
        with pytest.raises(InvalidInput, match=r"CompositeIntention\(safety, goal\)"):
            arbitrate(["a"], wrong)


def test_a_hundred_thousand_candidates() -> None:
    """A decision among 100 000 candidates, half of them vetoed, has its reason and its whole trace."""
    composite = CompositeIntention(
        Constraint("odd", lambda n: n % 2 == 1),
        Heuristic("near", lambda n: -n / 100_000),
        Heuristic("flat", lambda _: 1),
    )
    decision = arbitrate(range(100_000, 0, -1), composite)
    assert (decision.candidate, decision.reason.vetoed_count) == (2, 50_000)
    assert len(decision.trace.survivors) == 50_000
