"""What an intention may answer, and what happens to everything else."""

from __future__ import annotations

from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.work import calls
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.curves import clamp, linear
from volition.arbitration.intention import Constraint, Heuristic, constraint, heuristic
from volition.arbitration.stages import IntentionFailed
from volition.core.errors import InvalidInput, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.sentences import Told
    from volition.arbitration.decision import Decision
    from volition.arbitration.intent import Kind
    from volition.arbitration.intention import Intention

NAMES = ("a", "b", "c")


def decided(*entries: Intention, names: Sequence[Any] = NAMES) -> Decision[Any]:
    return arbitrate(names, CompositeIntention(*entries))


def vetoes(decision: Decision[Any]) -> dict[str, dict[str, Any]]:
    """Who forbade whom, and why."""
    trace = decision.trace
    return {
        name: {judge: verdict for judge, verdict in zip(trace.judges, row, strict=True) if verdict}
        for name, row in zip(trace.vetoed, trace.verdicts, strict=True)
    }


class Level(IntEnum):
    LOW = -1


GOOD = [
    (1, 1.0),
    (-1, -1.0),
    (0, 0.0),
    (Fraction(1, 3), 1 / 3),
    (np.float64(0.5), 0.5),
    (np.float32(0.5), 0.5),
    (np.int64(-1), -1.0),
    (Decimal("0.1"), 0.1),
    (Level.LOW, -1.0),
    (5e-324, 5e-324),
]

BAD = [
    float("nan"),
    float("inf"),
    -float("inf"),
    True,
    False,
    "0.5",
    "",
    Decimal("1.0000000000000000000001"),
    Decimal("nan"),
    Decimal("sNaN"),
    1.0000001,
    -1.0000001,
    2,
    10**400,
    Fraction(10**30 + 1, 10**30),
    np.float32(1.5),
    np.float64("nan"),
    np.bool_(True),
    1j,
    [0.5],
    object,
]


@pytest.mark.req("AR-08")
@pytest.mark.parametrize(("answer", "score"), GOOD)
@pytest.mark.parametrize("batch", [False, True])
def test_scores_that_are_taken(answer: Any, score: float, batch: bool) -> None:
    """Any real number in [-1, 1] is a score, and becomes a float."""
    entry = (
        heuristic(id="h", batch=True)(lambda many: [answer] * len(many)) if batch else Heuristic("h", lambda _: answer)
    )
    (row, *_) = decided(entry).trace.scores
    assert row == (score,)
    assert type(row[0]) is float


@pytest.mark.req("AR-08")
@pytest.mark.parametrize("answer", BAD, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("form", ["plain", "batch", "on_error"])
def test_scores_that_are_refused(answer: Any, form: str) -> None:
    """Anything else is an error that names intention, candidate and value; nothing is clamped, and nothing vetoed."""

    def ask(name: str) -> Any:
        return answer if name == "b" else 0.5

    entries = {
        "plain": Heuristic("goal", ask),
        "batch": heuristic(id="goal", batch=True)(lambda names: list(map(ask, names))),
        "on_error": Heuristic("goal", ask, on_error="veto"),
    }
    with pytest.raises(IntentionFailed) as caught:
        decided(entries[form])
    (problem,) = caught.value.problems
    assert problem.what == f"heuristic 'goal' answered {format_value(answer)}"
    assert problem.where == "candidate 'b'"
    assert "[-1.0, 1.0]" in problem.expected


@pytest.mark.req("AR-08")
@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_float_is_a_score_or_an_error(answer: float) -> None:
    """A float is in the trace unchanged, or is refused."""
    entry = Heuristic("h", lambda _: answer)
    if -1 <= answer <= 1:
        assert decided(entry).trace.scores[0] == (answer,)
    else:
        with pytest.raises(IntentionFailed):
            decided(entry)


@pytest.mark.req("AR-08")
def test_only_a_curve_clamps(told: Told) -> None:
    """A raw measure outside its curve is an error, unless the author wrote a curve that clamps."""
    strict = heuristic(id="h", curve=linear(0, 10))(lambda _: 11)
    with told.raises(IntentionFailed):
        decided(strict)
    assert decided(heuristic(id="h", curve=linear(0, 10).clamped())(lambda _: 11)).trace.scores[0] == (1.0,)
    assert decided(heuristic(id="h", curve=clamp())(lambda _: -7)).trace.scores[0] == (-1.0,)
    assert decided(heuristic(id="h", curve=clamp())(lambda _: None)).trace.scores[0] == (None,)


@pytest.mark.req("AR-04", "AR-19")
@pytest.mark.parametrize("answer", [1, 0, 0.0, None, "", [], np.array([True]), np.int64(1), b"why"], ids=repr)
@pytest.mark.parametrize("form", ["plain", "batch", "on_error"])
def test_verdicts_that_are_refused(answer: Any, form: str) -> None:
    """A verdict is True, False or a text: what only looks like one is an error, never "no veto"."""

    def ask(name: str) -> Any:
        return answer if name == "c" else False

    entries = {
        "plain": Constraint("safety", ask),
        "batch": constraint(id="safety", batch=True)(lambda names: list(map(ask, names))),
        "on_error": Constraint("safety", ask, on_error="veto"),
    }
    with pytest.raises(IntentionFailed) as caught:
        decided(entries[form])
    (problem,) = caught.value.problems
    assert (problem.what, problem.where) == (f"constraint 'safety' answered {answer!r}", "candidate 'c'")


@pytest.mark.req("AR-04")
def test_a_text_is_a_veto_with_its_reason() -> None:
    """A text forbids and says why; the trace keeps it word for word."""
    decision = decided(Constraint("safety", lambda name: f"{name} is wet" if name != "b" else False))
    assert vetoes(decision) == {"a": {"safety": "a is wet"}, "c": {"safety": "c is wet"}}


@pytest.mark.req("AR-19")
@pytest.mark.parametrize("at", NAMES)
@pytest.mark.parametrize("error", [ValueError("broken"), StopIteration(), KeyError("x"), AssertionError()], ids=repr)
@pytest.mark.parametrize("context", [False, True])
def test_a_constraint_whose_errors_veto(at: str, error: Exception, context: bool) -> None:
    """With on_error="veto" the candidate it raised on is forbidden and the trace says why; the others are judged."""

    def ask(name: str) -> bool:
        if name == at:
            raise error
        return False

    intent: Any = (lambda name, _: ask(name)) if context else ask
    decision = decided(Constraint("safety", intent, on_error="veto"))
    assert list(vetoes(decision)) == [at]
    assert vetoes(decision)[at]["safety"].startswith(f"raised {type(error).__name__}")
    assert str(error) in vetoes(decision)[at]["safety"]
    assert decision.reason.vetoed_by == ("safety",)


@pytest.mark.req("AR-19", "AR-05")
@pytest.mark.parametrize("at", NAMES)
def test_heuristics_whose_errors_veto(at: str) -> None:
    """Their errors forbid like a constraint's; the heuristics without a guard are never asked about what they forbade."""
    asked: list[str] = []

    def ask(name: str) -> float:
        if name == at:
            raise LookupError(name)
        return 0.5

    def plain(name: str) -> float:
        asked.append(name)
        return 0.25

    entries = (
        Constraint("closed", lambda name: name == "d"),
        Heuristic("zeta", ask, on_error="veto"),
        Heuristic("beta", lambda name: ask(name) if name == at else None, on_error="veto"),
        Heuristic("plain", plain),
    )
    decision = decided(*entries, names=(*NAMES, "d"))
    left = tuple(name for name in NAMES if name != at)
    assert decision.trace.judges == ("closed", "beta", "zeta")
    assert vetoes(decision) == {
        at: {"beta": f"raised LookupError: {at}", "zeta": f"raised LookupError: {at}"},
        "d": {"closed": True},
    }
    assert decision.reason.vetoed_by == ("beta", "closed", "zeta")
    assert decision.trace.survivors == left == tuple(asked)
    assert decision.trace.scores == ((None, 0.25, 0.5),) * 2
    assert decided(*reversed(entries), names=(*NAMES, "d")).trace == decision.trace


@pytest.mark.req("AR-19", "AR-06")
def test_errors_may_veto_everything() -> None:
    """Where every candidate makes a guard raise, all are vetoed and the guard is named as the cause."""
    decision = decided(Heuristic("h", lambda _: 1 / 0, on_error="veto"))
    assert (decision.kind, decision.reason.rule) == ("hold", "all_candidates_vetoed")
    assert decision.reason.relaxations == (("h",),)


@pytest.mark.req("AR-08", "AR-19")
def test_generator_functions(told: Told) -> None:
    """A generator function is no answer about one candidate, and is a valid batch."""

    def scores(names: Any) -> Iterator[float]:
        yield from (0.5 for _ in names)

    with told.raises(IntentionFailed):
        decided(Heuristic("h", scores))
    assert decided(heuristic(id="h", batch=True)(scores)).trace.scores == ((0.5,),) * 3


@pytest.mark.req("AR-19")
@pytest.mark.parametrize("answers", [[], [False] * 2, [False] * 4])
@pytest.mark.parametrize("on_error", ["raise", "veto"])
def test_a_batch_of_the_wrong_length(answers: list[bool], on_error: Any) -> None:
    """A batch with too few or too many answers is an error that says how many; it is never filled up, nor a veto."""
    with pytest.raises(IntentionFailed, match=f"'c' gave {len(answers)} answers for 3 candidates"):
        decided(constraint(id="c", batch=True, on_error=on_error)(lambda _: answers))
    if on_error == "raise":
        with pytest.raises(IntentionFailed, match=f"'h' gave {len(answers)} answers for 3 candidates"):
            decided(heuristic(id="h", batch=True)(lambda _: [0.5] * len(answers)))


@pytest.mark.req("AR-19")
def test_a_batch_that_never_ends(told: Told) -> None:
    """A list is counted whole; answers without an end are cut off after one too many."""
    with told.raises(IntentionFailed):
        decided(heuristic(id="h", batch=True)(lambda _: [0.5] * 10))
    with told.raises(IntentionFailed):
        decided(heuristic(id="h", batch=True)(lambda _: repeat(0.5)))


@pytest.mark.req("AR-08")
def test_a_batch_may_change_its_answers_later() -> None:
    """Changing a list of answers after it was returned does not change the decision."""
    given = [0.5, 0.25, 0.0]
    decision = decided(heuristic(id="h", batch=True)(lambda _: given))
    given[0] = -1.0
    assert decision.trace.scores == ((0.5,), (0.25,), (0.0,))


@pytest.mark.req("AR-08")
@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("wrong", [float("nan"), 1.5, -1.5, True, "no"], ids=repr)
def test_one_wrong_score_in_a_batch(at: int, wrong: Any) -> None:
    """Wherever it is in a batch of valid scores, a wrong one is refused by the name of its candidate."""
    answers: list[Any] = [0.5, -0.5, 0.0]
    answers[at] = wrong
    with pytest.raises(IntentionFailed) as caught:
        decided(heuristic(id="h", batch=True)(lambda _: answers))
    assert caught.value.problems[0].where == f"candidate {NAMES[at]!r}"


@pytest.mark.req("AR-19")
def test_a_batch_that_raises(told: Told) -> None:
    """A raising batch is an error of all its candidates; where errors veto, it forbids all of them."""

    def nothing(_: Any) -> list[bool]:
        raise ValueError("broken")

    def part(names: Sequence[str]) -> Iterator[bool]:
        yield False
        raise ValueError("broken")

    for ask in (nothing, part):
        with told.raises(IntentionFailed) as caught:
            decided(constraint(id="c", batch=True)(ask))
        assert caught.value.problems[0].where == "a batch of 3 candidates"
    why = {"c": "raised ValueError: broken"}
    assert vetoes(decided(constraint(id="c", batch=True, on_error="veto")(nothing))) == dict.fromkeys(NAMES, why)
    assert vetoes(decided(constraint(id="c", batch=True, on_error="veto")(part))) == dict.fromkeys(NAMES, why)


class RaisesAtTheEnd:
    """An intent that answers for every candidate and then raises."""

    kinds: ClassVar[tuple[Kind, ...]] = ("constraint", "heuristic")

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterator[Any]:
        yield from [False if kind == "constraint" else 0.5] * len(candidates)
        raise ValueError("at the end")

    def to_data(self) -> dict[str, Any]:
        return {}


@pytest.mark.req("AR-19")
@pytest.mark.parametrize("make", [Constraint, Heuristic])
def test_an_error_behind_the_last_answer_reaches_the_caller(make: Any, told: Told) -> None:
    """An intent that raises after its last answer is named like any other that raises."""
    with told.raises(IntentionFailed):
        decided(make("late", RaisesAtTheEnd()))


@pytest.mark.req("AR-19")
@pytest.mark.parametrize("batch", [False, True])
def test_an_error_behind_the_last_answer_is_no_permission(batch: bool) -> None:
    """Where errors veto, an error behind the last answer does not vanish: something is vetoed, or it is raised."""

    def late(names: Sequence[str]) -> Iterator[bool]:
        yield from (False for _ in names)
        raise ValueError("at the end")

    entry = (
        constraint(id="late", batch=True, on_error="veto")(late)
        if batch
        else Constraint("late", RaisesAtTheEnd(), on_error="veto")
    )
    try:
        decision = decided(entry)
    except IntentionFailed as error:
        assert "raised ValueError: at the end" in str(error)  # noqa: PT017  either way will do, silence will not
    else:
        assert decision.reason.vetoed_by == ("late",)


@pytest.mark.req("AR-19")
def test_a_batch_may_use_up_its_list() -> None:
    """The list that a batch gets is its own: it may empty, sort or keep it, and nothing else notices."""

    def using_up(names: list[str]) -> list[bool]:
        verdicts = []
        while names:
            verdicts.append(names.pop(0) == "a")
        return verdicts

    entry = constraint(id="c", batch=True)(using_up)
    assert vetoes(decided(entry)) == {"a": {"c": True}}


@pytest.mark.req("AR-19")
def test_a_batch_may_keep_its_list() -> None:
    """Changing its list later, a batch does not change the decision."""
    kept: list[list[str]] = []

    @heuristic(batch=True)
    def keeping(names: list[str]) -> list[float]:
        kept.append(names)
        return [0.5] * len(names)

    decision = decided(keeping)
    kept[0].reverse()
    assert decision.candidate == decision.id == "a"


@pytest.mark.req("AR-19")
def test_many_errors_take_linear_time() -> None:
    """A constraint that raises on every candidate takes the same steps for each of them, however many there are."""

    def broken(_: int) -> bool:
        raise ValueError("broken")

    composite = CompositeIntention(Constraint("c", broken, on_error="veto"))
    assert arbitrate(range(4_000), composite).reason.vetoed_count == 4_000
    few, many = (calls(lambda count=count: arbitrate(range(count), composite).reason) for count in (1_000, 4_000))  # type: ignore[misc]
    assert many < 5 * few


@pytest.mark.req("AR-19")
@pytest.mark.parametrize("make", [Constraint, Heuristic])
def test_an_error_without_words_is_named_all_the_same(make: Any, told: Told) -> None:
    """An error that cannot even be printed still names its intention and candidate."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    def ask(_: str) -> bool:
        raise Mute

    with told.raises(IntentionFailed):
        decided(make("x", ask))


@pytest.mark.req("AR-08")
def test_an_answer_that_cannot_be_printed_is_named_all_the_same(told: Told) -> None:
    """A wrong answer too long to print is still an error that names intention and candidate."""
    with told.raises(IntentionFailed):
        decided(Heuristic("h", lambda _: 10**5000))


@pytest.mark.req("AR-04", "AR-21")
@pytest.mark.parametrize("form", ["plain", "batch", "on_error"])
@pytest.mark.parametrize("verdict", [True, False])
def test_a_truth_value_of_an_array_is_a_verdict(form: str, verdict: bool) -> None:
    """numpy.bool_ forbids and allows as a bool does, in every form, and is a bool in the trace."""

    def ask(name: str) -> Any:
        return np.bool_(verdict) if name == "b" else np.bool_(False)

    entries = {
        "plain": Constraint("safety", ask),
        "batch": constraint(id="safety", batch=True)(lambda names: np.array(list(map(ask, names)))),
        "on_error": Constraint("safety", ask, on_error="veto"),
    }
    decision = decided(entries[form])
    assert ("b" in decision.trace.vetoed) == verdict
    assert all(type(one) is bool for row in decision.trace.verdicts for one in row)


@pytest.mark.req("AR-21")
@pytest.mark.parametrize(
    "half", [Fraction(1, 2), Decimal("0.5"), np.float32(0.5), np.float64(0.5)], ids=lambda v: type(v).__name__
)
def test_one_notion_of_a_number(half: Any, told: Told) -> None:
    """Whatever real number is a score is a weight, a tie margin and the end of a range too."""
    entry = Heuristic("h", lambda _: half, weight=half, range=(-half, half))
    assert (entry.weight, entry.range) == (0.5, (-0.5, 0.5))
    decision = arbitrate(["a", "b"], CompositeIntention(entry), tie_margin=half)
    assert decision.trace.totals == (0.25, 0.25)
    for truth in (True, np.bool_(True)):
        with told.raises(InvalidInput):
            Heuristic("h", lambda _: 0.5, weight=truth)  # type: ignore[arg-type]


def test_a_constraint_is_not_offered_a_curve() -> None:
    """The remedy for a wrong verdict does not mention scores."""
    with pytest.raises(IntentionFailed) as caught:
        decided(Constraint("safety", lambda _: 0.5))
    assert "curve" not in caught.value.problems[0].remedy


def test_an_intent_that_refuses_its_context_blames_no_candidate() -> None:
    """An error that an intent raises before it looks at any candidate names the intention alone."""

    class Picky:
        kinds = ("constraint",)

        def ask(self, *_: Any) -> Any:
            raise ValueError("the map knows no 'hazrd'")

        def to_data(self) -> dict[str, Any]:
            return {}

    with pytest.raises(IntentionFailed) as caught:
        decided(Constraint("safety", Picky()))  # type: ignore[arg-type]
    assert caught.value.problems[0].where == "intention 'safety'"
