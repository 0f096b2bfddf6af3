"""Explanations are exact: every answer is checked against a brute force over fractions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from math import nextafter
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.arbitration.brute import ANY, GRID, Case, counting, decided, level, table, unhurried, votes
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.why_answers import LostTie, NotOffered, Outscored, Vetoed, Won
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.sentences import Told
    from volition.arbitration.decision import Decision
    from volition.arbitration.intent import Kind
    from volition.arbitration.why_answers import Contribution

pytestmark = pytest.mark.req("AR-16")


def subsets(things: Iterable[str]) -> Iterable[tuple[str, ...]]:
    """All subsets, smallest first."""
    items = list(things)
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def check_contributions(case: Case, winner: str, rival: str, parts: Sequence[Contribution]) -> Fraction:
    """Each part is the difference of two rounded votes; they are sorted, largest first; gives their sum."""
    mine, theirs = votes(case, winner), votes(case, rival)
    assert {part.by: part.exact for part in parts} == {by: mine[by] - theirs[by] for by in case.weights}
    assert [part.exact for part in parts] == sorted((part.exact for part in parts), reverse=True)
    assert all(part.weight == case.weights[part.by] for part in parts)
    assert all(part.score == case.scores[part.by][winner] for part in parts)
    assert all(part.rival_score == case.scores[part.by][rival] for part in parts)
    return sum((part.exact for part in parts), Fraction())


@unhurried
@given(ANY)
def test_contributions_sum_to_the_margin(case: Case) -> None:
    """Against the runner-up and against any survivor, contributions add up to the margin without an error."""
    decision = case.decision()
    totals = decided(case).total
    for over in (None, *(name for name in case.survivors if name != decision.id)):
        why = decision.why(over)
        if decision.id is None or len(case.survivors) == 1:
            assert (why.winner, why.over, why.margin, why.contributions) == (decision.id, None, None, ())
            continue
        assert why.over is not None
        assert why.over == over or over is None
        if over is None:
            assert totals[why.over] == max(total for name, total in totals.items() if name != decision.id)
        assert why.margin == check_contributions(case, decision.id, why.over, why.contributions)
        assert why.margin == sum(votes(case, decision.id).values()) - sum(votes(case, why.over).values())


@unhurried
@given(ANY)
def test_the_sufficient_reason_is_the_shortest(case: Case) -> None:
    """`sufficient` outweighs all votes against the winner, and no shorter list of votes for it does."""
    decision, choice = case.decision(), decided(case)
    for rival in case.survivors:
        if rival == decision.id:
            continue
        why = decision.why(rival)
        if rival in choice.tied:
            assert why.sufficient == ()
            continue
        exact = {part.by: part.exact for part in why.contributions}
        against = -sum(value for value in exact.values() if value < 0)
        enough = [by for by in subsets(exact) if sum(exact[one] for one in by if exact[one] > 0) > against]
        assert set(why.sufficient) in [set(by) for by in enough]
        assert all(exact[by] > 0 for by in why.sufficient)
        assert len(why.sufficient) == len(enough[0])


@pytest.mark.req("AR-09", "AR-12", "AR-13")
@unhurried
@given(ANY, st.sampled_from(["hold", "fail"]))
def test_why_not_gives_the_one_right_answer(case: Case, on_impossible: str) -> None:
    """Each candidate was vetoed, was outscored, lost a tie or won, whatever the decision; any other was not offered."""
    decision, choice = case.decision(on_impossible=on_impossible), decided(case)
    assert decision.id == choice.winner
    assert decision.kind == ("act" if choice.winner else on_impossible)
    for name in case.candidates:
        answer = decision.why_not(name)
        assert answer.candidate == name
        if case.vetoing(name):
            assert isinstance(answer, Vetoed)
            assert answer.by == dict.fromkeys(case.vetoing(name), True)
        elif name == choice.winner:
            assert isinstance(answer, Won)
        elif name in choice.tied:
            assert isinstance(answer, LostTie)
        else:
            assert isinstance(answer, Outscored)
            margin = check_contributions(case, answer.winner, name, answer.contributions)
            assert answer.winner == choice.winner
            assert margin > 0
            assert answer.margin == float(margin)
            assert answer.by == answer.contributions[0].by
        assert name in answer.text
    assert isinstance(decision.why_not("elsewhere"), NotOffered)


@unhurried
@given(GRID, st.text())
def test_why_not_answers_any_text(case: Case, text: str) -> None:
    """Whatever is asked about, the answer is one of five and a sentence."""
    answer = case.decision().why_not(text)
    assert isinstance(answer, NotOffered | Vetoed | Outscored | LostTie | Won)
    assert isinstance(answer, NotOffered) == (text not in case.candidates)
    assert answer.text


def test_without_voters_the_later_offered_lost_a_tie(told: Told) -> None:
    """Where nobody votes, all survivors are equal and those offered later lost by order."""
    decision = arbitrate(["a", "b"], CompositeIntention())
    answer = decision.why_not("b")
    assert isinstance(answer, LostTie)
    assert (answer.winner, answer.level) == ("a", None)
    told(decision.why().text)


@pytest.mark.req("AR-12")
@unhurried
@given(ANY)
def test_a_lost_tie_names_the_first_level_that_differs(case: Case) -> None:
    """The level is the highest priority on which loser and winner differ, with both values; None where none does."""
    decision = case.decision()
    assume(case.weights)
    for name in case.survivors:
        answer = decision.why_not(name)
        if not isinstance(answer, LostTie):
            continue
        priorities = sorted({p for p in case.priorities.values() if p is not None}, reverse=True)
        differing = [p for p in priorities if level(case, p, name) != level(case, p, answer.winner)]
        assert answer.level == (differing[0] if differing else None)
        if differing:
            assert answer.by == tuple(by for by, p in case.priorities.items() if p == differing[0])
            assert answer.value == level(case, differing[0], name)
            assert answer.winner_value == level(case, differing[0], answer.winner)
            assert level(case, differing[0], name) < level(case, differing[0], answer.winner)
        else:
            assert (answer.by, answer.value, answer.winner_value) == ((), None, None)
            assert case.candidates.index(answer.winner) < case.candidates.index(name)


def raised(case: Case, name: str, by: Iterable[str]) -> Case:
    """The same case with these scores of one candidate raised to 1."""
    column = {voter: case.scores[voter] | {name: 1.0} for voter in by}
    return replace(case, scores=case.scores | column)


def level_with_winner(case: Case, winner: str, name: str) -> bool:
    """Whether the rounded totals, which are what the arbiter compares, are level."""
    return float(sum(votes(case, name).values())) >= float(sum(votes(case, winner).values()))


@unhurried
@given(ANY)
def test_the_fewest_scores_that_draw_level(case: Case) -> None:
    """Raised to 1, the scores in `fewest` draw level and no smaller set does; None where even all cannot."""
    decision = case.decision()
    assume(case.weights)
    for name in case.survivors:
        answer = decision.why_not(name)
        if isinstance(answer, Outscored):
            level = [
                by for by in subsets(case.weights) if level_with_winner(raised(case, name, by), answer.winner, name)
            ]
            assert (answer.fewest is None) == (not level)
            if answer.fewest is not None:
                assert set(answer.fewest) in [set(by) for by in level]
                assert len(answer.fewest) == len(level[0])


@unhurried
@given(GRID)
def test_needed_scores_draw_level_exactly(case: Case) -> None:
    """A needed score is higher by the margin over the weight, listed for exactly those that can draw level alone."""
    decision = case.decision()
    assume(case.weights)
    for name in case.survivors:
        answer = decision.why_not(name)
        if isinstance(answer, Outscored):
            margin = sum((part.exact for part in answer.contributions), Fraction())
            needed = {by: margin / Fraction(weight) for by, weight in case.weights.items() if weight}
            possible = {by: case.score(by, name) + rise for by, rise in needed.items()}
            assert answer.needed == pytest.approx({by: float(top) for by, top in possible.items() if top <= 1})


@pytest.mark.req("AR-21")
@unhurried
@given(ANY)
def test_a_needed_score_is_the_lowest_that_draws_level(case: Case) -> None:
    """With any numbers: at the needed score the totals are level, one double below they are not; the others cannot."""
    decision = case.decision()
    assume(case.weights)
    for name in case.survivors:
        answer = decision.why_not(name)
        if isinstance(answer, Outscored):
            alone = {by for by in case.weights if level_with_winner(raised(case, name, [by]), answer.winner, name)}
            assert set(answer.needed) == alone
            for by, score in answer.needed.items():
                for tried, draws_level in ((score, True), (nextafter(score, -2.0), False)):
                    then = replace(case, scores=case.scores | {by: case.scores[by] | {name: tried}})
                    assert level_with_winner(then, answer.winner, name) == draws_level


@pytest.mark.parametrize(("weight", "score"), [(0.1, 0.3), (0.1, 0.7), (0.3, 0.1), (0.7, 0.2), (0.7, 0.7)])
def test_the_top_score_is_always_within_reach(weight: float, score: float) -> None:
    """One voter, and a winner at 1: the loser draws level by rising to 1, whatever was rounded on the way."""
    answer = table({"x": (weight, None, [1.0, score])}).decision().why_not("b")
    assert isinstance(answer, Outscored)
    assert answer.fewest == ("x",)
    assert answer.needed == {"x": pytest.approx(1)}


@pytest.mark.req("AR-09")
def test_an_abstention_is_never_shown_as_zero() -> None:
    """Where a voter abstained, its contribution says None and counts nothing."""
    decision = table({"x": (1, None, [0.5, None]), "y": (1, None, [None, 0.25])}).decision()
    parts = {part.by: (part.score, part.rival_score, part.exact) for part in decision.why().contributions}
    assert parts == {"x": (0.5, None, Fraction(1, 2)), "y": (None, 0.25, Fraction(-1, 4))}


def test_why_is_asked_about_survivors() -> None:
    """A vetoed or unknown rival is refused with a remedy."""
    decision = table({"x": (1, None, [0.5, 0.25, 0.0])}, vetoes={"k": "c"}).decision()
    for over, remedy in (("c", "why_not"), ("d", "use one of")):
        with pytest.raises(InvalidInput, match=remedy):
            decision.why(over)


def test_why_over_itself_says_nothing_false() -> None:
    """Asked why the winner won over itself, the answer does not claim that there was no rival."""
    decision = table({"x": (1, None, [0.5, 0.25])}).decision()
    try:
        text = decision.why("a").text
    except InvalidInput as error:
        text = str(error)
    assert "only candidate" not in text


def same(one: Decision[Any], other: Decision[Any]) -> bool:
    parts = [(each.kind, each.id, each.candidate, each.margin, each.reason, each.trace) for each in (one, other)]
    return parts[0] == parts[1]


@pytest.mark.req("AR-13")
@unhurried
@given(ANY, st.data())
def test_what_if_is_deciding_again(case: Case, data: st.DataObject) -> None:
    """Other weights, or fewer intentions, give the decision that arbitration itself would; only the freed are asked of."""
    ids = [*case.vetoes, *case.weights]
    without = data.draw(st.sets(st.sampled_from(ids)) if ids else st.just(set()))
    changed = {by: data.draw(st.sampled_from([0.0, 0.25, 1.0, 7.5])) for by in case.weights if data.draw(st.booleans())}
    composite, asked = counting(case)
    decision = arbitrate(case.candidates, composite({}, ()), tie_margin=case.tie_margin)
    again = arbitrate(case.candidates, composite(changed, without), tie_margin=case.tie_margin)
    left = [by for by in case.weights if by not in without]
    freed = [name for name in case.candidates if case.vetoing(name) and without.issuperset(case.vetoing(name))]
    asked.clear()
    if freed and left:
        with pytest.raises(InvalidInput, match="shadow=True"):
            decision.what_if(weights=changed, without=without)
        assert not asked
        answer = decision.what_if(weights=changed, without=without, shadow=True)
        assert asked == Counter((by, name) for by in left for name in freed)
    else:
        answer = decision.what_if(weights=changed, without=without)
        assert not asked
    assert same(answer.decision, again)
    assert answer.shadows == (tuple(freed) if left else ())
    assert (answer.before, answer.after) == (decision.id, again.id)
    assert answer.changed == ((decision.kind, decision.id) != (again.kind, again.id))


@unhurried
@given(ANY)
def test_explaining_asks_nobody(case: Case) -> None:
    """why, why_not and sensitivity answer from what was said."""
    composite, asked = counting(case)
    assume(case.weights)
    decision = arbitrate(case.candidates, composite({}, ()), tie_margin=case.tie_margin)
    asked.clear()
    decision.why()
    decision.sensitivity()
    for name in case.candidates:
        decision.why_not(name)
    assert not asked


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ({"weights": {"z": 1.0}}, "there is no intention 'z'"),
        ({"weights": {"k": 1.0}}, "is a constraint and has no weight"),
        ({"weights": {"x": -1.0}}, "the weight is -1.0"),
        ({"weights": {"x": float("nan")}}, "the weight is nan"),
        ({"weights": {"x": True}}, "the weight is True"),
        ({"without": "z"}, "there is no intention 'z'"),
        ({"without": ["x", "zz"]}, "there is no intention 'zz'"),
        ({"without": "k"}, "pass shadow=True"),
    ],
)
def test_what_if_refuses_what_cannot_be_asked(question: dict[str, Any], what: str) -> None:
    """Unknown ids, invalid weights, and a freed candidate that nobody scored, are errors with a remedy."""
    decision = table({"x": (1, None, [0.5, 0.25])}, vetoes={"k": "b"}).decision()
    with pytest.raises(InvalidInput, match=what):
        decision.what_if(**question)


@pytest.mark.req("AR-19")
def test_what_if_lets_an_error_veto_as_deciding_again_does() -> None:
    """A heuristic whose errors veto does so for a freed candidate too."""

    def risky(name: str) -> float:
        return 1 / {"a": 1, "b": 0}[name]

    guard = Heuristic("risky", risky, on_error="veto")
    decision = arbitrate(["a", "b"], CompositeIntention(Constraint("k", lambda name: name == "b"), guard))
    answer = decision.what_if(without="k", shadow=True)
    assert same(answer.decision, arbitrate(["a", "b"], CompositeIntention(guard)))


@unhurried
@given(ANY)
def test_shadow_and_price(case: Case) -> None:
    """A shadow is what the voters say of a vetoed candidate; a price is the best one that a constraint alone forbade."""
    composite, asked = counting(case)
    decision, choice = arbitrate(case.candidates, composite({}, ()), tie_margin=case.tie_margin), decided(case)
    asked.clear()
    total = {name: float(sum(votes(case, name).values())) for name in case.candidates}
    for name in case.candidates:
        if not case.vetoing(name):
            with pytest.raises(InvalidInput, match="was not vetoed"):
                decision.shadow(name)
            continue
        shadow = decision.shadow(name)
        assert (shadow.candidate, shadow.total) == (name, total[name])
        assert shadow.scores == {by: case.scores[by][name] for by in case.weights}
        assert shadow.above_winner == (None if choice.winner is None else total[name] > total[choice.winner])
    assert asked == Counter((by, name) for by in case.weights for name in case.candidates if case.vetoing(name))
    for by in case.vetoes:
        asked.clear()
        alone = [name for name in case.candidates if case.vetoing(name) == [by]] if choice.winner else []
        best = max((total[name] for name in alone), default=None)
        price = decision.price(by)
        assert price == (None if best is None or choice.winner is None else best - total[choice.winner])
        assert asked == Counter((voter, name) for voter in case.weights for name in alone)
    for voter in case.weights:
        with pytest.raises(InvalidInput, match="is a heuristic"):
            decision.price(voter)


@pytest.mark.req("AR-17")
@unhurried
@given(ANY)
def test_relaxations_are_the_smallest_sets(case: Case) -> None:
    """Under total veto: every smallest set of constraints whose absence frees a candidate, and nothing is chosen."""
    decision = case.decision()
    assume(case.survivors == [])
    freeing = [
        set(by) for by in subsets(case.vetoes) if any(set(case.vetoing(name)) <= set(by) for name in case.candidates)
    ]
    smallest = sorted(tuple(sorted(by)) for by in freeing if not any(other < by for other in freeing))
    assert sorted(decision.reason.relaxations) == smallest
    assert decision.candidate is None
    assert all(" and ".join(by) in decision.why().text for by in smallest)
    for by in smallest:
        assert decision.what_if(without=by, shadow=True).after is not None


@pytest.mark.parametrize("on_impossible", ["hold", "fail"])
def test_nothing_offered(on_impossible: str, told: Told) -> None:
    """Without candidates every question has an answer that says so."""
    decision = replace(table({"x": (1, None, [0.5])}), candidates=()).decision(on_impossible=on_impossible)
    assert decision.kind == on_impossible
    told(decision.why().text)
    assert isinstance(decision.why_not("a"), NotOffered)
    assert decision.what_if(weights={"x": 0.0}).changed is False
    assert decision.margin is None


@pytest.mark.parametrize("weight", [0.0, 5e-324, 1e-300, 1e300])
def test_extreme_weights_are_explained(weight: float) -> None:
    """Huge, tiny and zero weights neither break an explanation nor make it contradict the decision."""
    case = table({"x": (weight, 1, [1.0, 0.75, -1.0]), "y": (1e-3, 2, [0.5, 0.5, 0.5])})
    decision, choice = case.decision(), decided(case)
    for name in "bc":
        answer = decision.why_not(name)
        assert isinstance(answer, LostTie if name in choice.tied else Outscored)


def test_totals_equal_only_after_rounding() -> None:
    """What rounding made equal is a tie: the exact margin may be against the winner, and the text calls it a tie."""
    case = table({"x": (1, None, [1.0, 1.0]), "y": (1, None, [0.0, 2.0**-60])})
    why = case.decision().why()
    assert (why.winner, why.margin, why.sufficient) == ("a", Fraction(-1, 2**60), ())
    assert "tied" in why.text
    assert isinstance(case.decision().why_not("b"), LostTie)


@pytest.mark.req("AR-21")
def test_a_question_takes_the_candidate_itself() -> None:
    """why, why_not and shadow take a candidate as it was offered, or one equal to it, as well as its id."""
    near, far, wet = ({"id": name, "steps": steps} for name, steps in (("near", 1), ("far", 5), ("wet", 2)))
    composite = CompositeIntention(
        Constraint("dry", lambda tile: tile["id"] == "wet"), Heuristic("close", lambda tile: -tile["steps"] / 10)
    )
    decision = arbitrate([near, far, wet], composite)
    assert decision.why_not(far) == decision.why_not("far") == decision.why_not(dict(far))
    assert decision.why(over=far) == decision.why("far")
    assert decision.shadow(wet) == decision.shadow("wet")
    assert isinstance(decision.why_not({"id": "hill"}), NotOffered)


@pytest.mark.req("AR-12", "AR-13", "AR-21")
@unhurried
@given(ANY, st.sampled_from([None, 0, 3]), st.sampled_from([0.0, 0.1, 0.5]))
def test_other_priorities_and_margins_are_decided_again(case: Case, priority: int | None, margin: float) -> None:
    """what_if(priorities=, tie_margin=) is the decision of the composite and the margin that it names."""
    assume(case.weights)
    by = next(iter(case.weights))
    then = case.decision().what_if(priorities={by: priority}, tie_margin=margin).decision
    other = replace(case, priorities=case.priorities | {by: priority}, tie_margin=margin)
    assert (then.id, then.trace) == (other.decision().id, other.decision().trace)


class Speaking:
    """A heuristic's intent that says what it meant."""

    kinds: ClassVar[tuple[Kind, ...]] = ("heuristic",)

    def __init__(self, *said: str) -> None:
        self._said = iter(said)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[float]:
        return [1.0] + [0.0] * (len(ids) - 1) if ids else []

    def remark(self) -> str:
        return next(self._said)

    def to_data(self) -> dict[str, Any]:
        return {"speaking": True}


def test_a_remark_is_part_of_the_explanation() -> None:
    """What an intent says about its votes follows the reasons, in every form of the decision, and stays what it was."""
    composite = CompositeIntention(
        Heuristic("loud", Speaking("likes a", "", "likes b")), Heuristic("mute", lambda c: 0.5)
    )
    first, silent, last = (arbitrate(offer, composite) for offer in (["a", "b"], ["a", "b"], ["b", "a"]))
    assert first.why().text == "a leads b by 1: loud +1. loud likes a."
    assert first.why().text in str(first)
    assert first.to_data()["remarks"] == {"loud": "likes a"}
    assert silent.why().text == "a leads b by 1: loud +1."
    assert "remarks" not in silent.to_data()
    assert last.why().text.endswith("loud likes b.")
    assert first.what_if(weights={"loud": 2}).decision.why().text.endswith("loud likes a.")
    assert first.what_if(without="loud").decision.tally.remarks == ()
