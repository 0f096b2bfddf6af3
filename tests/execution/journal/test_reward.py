"""Rewards: a failure always costs, SUCCESS alone is worth little, and every total is the sum of its parts."""

from __future__ import annotations

from math import fsum
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.journal.journals import answered, intercepted, malformed, of_every_label, silent
from volition.core.errors import InvalidInput
from volition.execution import Result, make_result
from volition.execution.journal.reward import LABELS, USUAL, Reward, RewardWeights, fault_of, is_death
from volition.execution.wire.results import FailureReason, Label, label_of

FAILURES = tuple(label for label in LABELS if label not in {"positive", "partial"})
AMOUNTS = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
REASONS = st.sampled_from([reason for reason in get_args(FailureReason) if reason != "NONE"])


@st.composite
def results(draw: st.DrawFn, status: Any = None) -> Result:
    """Any result that agrees with itself."""
    status = status or draw(st.sampled_from(["SUCCESS", "FAILURE", "PARTIAL"]))
    reason: Any = "NONE" if status == "SUCCESS" else draw(REASONS)
    return make_result(
        status,
        reason,
        invalid_environment=draw(st.booleans()),
        damage_dealt=draw(AMOUNTS),
        damage_received=draw(AMOUNTS),
        is_alive=draw(st.booleans()),
        action_wasted=draw(st.booleans()),
    )


@pytest.mark.req("EX-09")
@given(results("FAILURE"))
def test_a_failure_is_always_worth_less_than_nothing(result: Result) -> None:
    """Whatever else happened during a failed attempt, its reward is below 0."""
    assert USUAL(answered(1, result)).total < 0


@given(results())
def test_a_total_is_the_exact_sum_of_its_parts(result: Result) -> None:
    """Parts and total are finite, the total is their exact sum, and the law finds no fault."""
    outcome = answered(1, result)
    reward = USUAL(outcome)
    assert reward.total == fsum(reward.parts.values())
    assert fault_of(reward, result) == ""


@pytest.mark.req("EX-09", "EX-19")
@pytest.mark.parametrize("outcome", of_every_label(), ids=lambda outcome: f"{outcome.ticket} {outcome.label}")
def test_every_label_has_its_sign(outcome: Any) -> None:
    """Every label of a failure costs; positive and partial do not by themselves."""
    assert (USUAL(outcome).parts.get("status", 0.0) < 0) == (outcome.label in FAILURES)


@pytest.mark.parametrize("outcome", of_every_label(), ids=lambda outcome: f"{outcome.ticket} {outcome.label}")
def test_every_label_is_worth_its_own_weight(outcome: Any) -> None:
    """The status part of a reward is the weight of its label, for failures too."""
    assert USUAL(outcome).parts.get("status", 0.0) == getattr(USUAL, outcome.label)


@pytest.mark.req("EX-10")
def test_success_alone_is_worth_little() -> None:
    """SUCCESS does not prove a goal: its reward is smaller than the cost of any failure, and than that of a real hit."""
    success = USUAL(answered(1)).total
    assert 0 < success < min(-getattr(USUAL, label) for label in FAILURES)
    assert success < USUAL(answered(1, make_result(damage_dealt=25.0))).parts["dealt"]


def test_the_parts_are_what_changed_in_the_world() -> None:
    """Damage counts by the point, a wasted action and a death count once, and a failure deals nothing."""
    result = make_result(damage_dealt=10.0, damage_received=4.0, is_alive=False, action_wasted=True)
    assert USUAL(answered(1, result)).parts == {
        "status": 0.05,
        "dealt": 0.1,
        "received": -0.04,
        "wasted": -0.05,
        "death": -1.0,
    }
    assert "dealt" not in USUAL(answered(1, make_result("FAILURE", "BLOCKED", damage_dealt=10.0))).parts


def test_an_actor_dies_once() -> None:
    """Who was dead before the attempt, which is then in an invalid environment, does not die of it."""
    assert is_death(make_result("PARTIAL", "INVALID_STATE", is_alive=False))
    assert not is_death(make_result("FAILURE", "INVALID_STATE", is_alive=False, invalid_environment=True))


def test_the_policy_pays_most_for_what_is_its_own_fault() -> None:
    """An intercepted intent costs more than a timeout or a malformed answer, and those more than a blocked way."""
    own, theirs = USUAL(intercepted(1, "DANCE")).total, USUAL(silent(1, "timeout")).total
    assert own < theirs == USUAL(malformed(1, None)).total < USUAL(answered(1, make_result("FAILURE", "BLOCKED"))).total


def test_a_lenient_reading_cannot_make_a_failure_pay() -> None:
    """Where a mended result is a FAILURE, the status has the last word over the label."""
    assert USUAL(answered(1, make_result("FAILURE", "UNKNOWN"), label="positive")).total < 0


@pytest.mark.parametrize("label", FAILURES)
@pytest.mark.parametrize("weight", [0, 0.1, float("nan"), float("-inf"), "-1", True])
def test_a_failure_that_costs_nothing_is_refused(label: Label, weight: Any) -> None:
    """The weight of a failure is a finite number below 0; the error names it."""
    with pytest.raises(InvalidInput, match=f"the weight of '{label}'"):
        RewardWeights(**{label: weight})


def test_all_bad_weights_are_named_at_once() -> None:
    """Every weight that breaks its rule is a separate problem."""
    with pytest.raises(InvalidInput) as caught:
        RewardWeights(dealt=2.0, received=0.5, wasted=1.0, death=0.1, positive=-1.0)
    assert [problem.where for problem in caught.value.problems] == ["positive", "dealt", "received", "wasted", "death"]


@pytest.mark.parametrize(
    ("reward", "says"),
    [
        (1.0, "is not a Reward"),
        (Reward(float("nan"), {}), "is not finite"),
        (Reward(1.0, {"goal": 2.0}), "is not the sum"),
        (Reward.of({"goal": 0.0}), "for a FAILURE"),
        (Reward(0.0, {7: 0.0}), "without a name"),  # type: ignore[dict-item]
    ],
)
def test_what_breaks_the_law_is_said(reward: Any, says: str) -> None:
    """A custom reward is checked: its type, its sum, its finiteness, its sign for a failure."""
    assert says in fault_of(reward, make_result("FAILURE", "BLOCKED"))


def test_labels_of_results_are_weighed() -> None:
    """There is a weight for every label that a result or this side can earn."""
    assert all(isinstance(getattr(USUAL, label), float) for label in LABELS)
    assert label_of(make_result()) in LABELS
