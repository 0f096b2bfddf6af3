"""Results: the whole schema, two tiers of deviation, and the labels of attempts."""

from __future__ import annotations

import copy
import math
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.wire.samples import payload
from tests.execution.wire.test_intents import JSON
from volition.execution import Result, make_result
from volition.execution.wire.results import (
    FAILURE_REASONS,
    STATUSES,
    UNKNOWN_FAILURE,
    FailureReason,
    Label,
    Status,
    interpret_result,
    label_of,
)

PATHS = [
    ("status",), ("failure_reason",), ("partial_execution",), ("safety_flags",), ("outcomes",), ("metadata",),
    *(("safety_flags", key) for key in ("is_blocked", "on_cooldown", "invalid_environment")),
    *(("outcomes", key) for key in ("damage_dealt", "damage_received", "is_alive", "action_wasted")),
    *(("metadata", key) for key in ("engine_timestamp", "execution_time_ms")),
]  # fmt: skip

amounts = st.sampled_from([0.0, 1.0, 2.5]) | st.floats(0, 1e6) | st.floats(0, 1e300)
reasons: tuple[FailureReason, ...] = get_args(FailureReason)
pairs: list[tuple[Status, FailureReason]] = [
    ("SUCCESS", "NONE"),
    *(("FAILURE", reason) for reason in reasons[1:]),
    *(("PARTIAL", reason) for reason in reasons),
]


@st.composite
def good_results(draw: st.DrawFn) -> Result:
    status, reason = draw(st.sampled_from(pairs))
    return make_result(
        status,
        reason,
        invalid_environment=draw(st.booleans()),
        damage_dealt=draw(amounts),
        damage_received=draw(amounts),
        is_alive=draw(st.booleans()),
        action_wasted=draw(st.booleans()),
        engine_timestamp=draw(st.integers(-(2**53) + 1, 2**53 - 1)),
        execution_time_ms=draw(amounts),
    )


@pytest.mark.req("EX-04")
@given(good_results(), st.booleans())
def test_a_good_payload_is_taken_as_it_is(result: Result, strict: bool) -> None:
    """A payload with the whole schema and no contradiction is read back to itself, in either mode."""
    assert interpret_result(result.to_data(), strict=strict) == (result, label_of(result), ())


@pytest.mark.req("EX-05")
@given(JSON, st.booleans())
def test_without_a_status_nothing_is_believed(data: Any, strict: bool) -> None:
    """No object, or no valid status: FAILURE/UNKNOWN, malformed, in either mode, whatever else it says."""
    if isinstance(data, dict):
        data = payload() | data
        data["status"] = data.get("outcomes")
    result, label, violations = interpret_result(data, strict=strict)
    assert (result, label) == (UNKNOWN_FAILURE, "malformed")
    assert [violation.tier for violation in violations] == ["malformed"]


@pytest.mark.req("EX-06")
@given(good_results(), st.sampled_from(PATHS), st.one_of(st.just(...), JSON))
def test_every_deviation_is_named(result: Result, path: tuple[str, ...], wrong: Any) -> None:
    """A field that is missing or replaced is named unless it still fits; strict takes FAILURE/UNKNOWN then."""
    data = copy.deepcopy(result.to_data())
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    if wrong is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = wrong
    found, label, violations = interpret_result(data)
    lenient, lenient_label, lenient_violations = interpret_result(data, strict=False)
    assert violations == lenient_violations
    if _plainly_good(data):
        assert violations == ()
        assert found.to_data() == data
        return
    assert violations
    assert (found, label) == (UNKNOWN_FAILURE, "malformed")
    if path != ("status",):
        assert {violation.tier for violation in violations} == {"deviant"}
        assert lenient.status == result.status
        assert lenient_label != "malformed"


@pytest.mark.req("EX-06", "EX-19")
@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("flags", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("reason", FAILURE_REASONS)
@pytest.mark.parametrize("status", STATUSES)
def test_contradictions(status: str, reason: str, flags: tuple[bool, bool], partial: bool) -> None:
    """Status, reason, flags and partial_execution agree by the table of the contract, or the result is a violation."""
    blocked, cooling = flags
    data = payload(
        status=status,
        failure_reason=reason,
        partial_execution=partial,
        safety_flags={"is_blocked": blocked, "on_cooldown": cooling, "invalid_environment": False},
    )
    fits = {"SUCCESS": reason == "NONE", "FAILURE": reason != "NONE", "PARTIAL": True}[status]
    fits = fits and partial == (status == "PARTIAL")
    fits = fits and (reason != "COOLDOWN" or cooling) and (reason != "BLOCKED" or blocked)
    _, _, violations = interpret_result(data)
    assert (violations == ()) is fits


@pytest.mark.req("EX-19")
def test_labels() -> None:
    """Each status and reason has its label; the labels that this side assigns never come from a payload."""
    expected: dict[tuple[Status, FailureReason], Label] = {
        ("SUCCESS", "NONE"): "positive",
        ("PARTIAL", "BLOCKED"): "partial",
        ("PARTIAL", "NONE"): "partial",
        ("FAILURE", "COOLDOWN"): "environmental_constraint",
        ("FAILURE", "BLOCKED"): "environmental_constraint",
        ("FAILURE", "RESOURCE_EXHAUSTED"): "environmental_constraint",
        ("FAILURE", "INVALID_STATE"): "out_of_sync",
        ("FAILURE", "UNKNOWN"): "unknown",
    }
    for (status, reason), label in expected.items():
        assert label_of(make_result(status, reason)) == label
    own = set(get_args(Label)) - set(expected.values())
    assert own == {"timeout", "malformed", "intercepted", "refused_retry"}


@pytest.mark.req("EX-04")
@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("outcomes", "damage_dealt"), math.nan),
        (("outcomes", "damage_dealt"), math.inf),
        (("outcomes", "damage_dealt"), -0.5),
        (("outcomes", "damage_dealt"), 10**400),
        (("outcomes", "damage_received"), True),
        (("metadata", "engine_timestamp"), 1.0),
        (("metadata", "engine_timestamp"), 2**53),
        (("metadata", "engine_timestamp"), True),
        (("outcomes", "is_alive"), 1),
        (("failure_reason",), "TIRED"),
    ],
)
def test_near_misses(path: tuple[str, ...], wrong: Any) -> None:
    """What is almost right is wrong, and lenient mode puts a default in its place."""
    data = copy.deepcopy(payload())
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = wrong
    _, _, (violation,) = interpret_result(data)
    assert violation.field == ".".join(path)
    assert interpret_result(data, strict=False)[0] == make_result()


def _plainly_good(data: Any) -> bool:
    """The schema and the table of contradictions, written a second time as plainly as possible."""

    def amount(value: Any) -> bool:
        return type(value) in {int, float} and 0 <= value <= 1.7976931348623157e308

    try:
        flags, outcomes, metadata = data["safety_flags"], data["outcomes"], data["metadata"]
        status, reason, partial = data["status"], data["failure_reason"], data["partial_execution"]
        truths = [flags["is_blocked"], flags["on_cooldown"], flags["invalid_environment"]]
        truths += [outcomes["is_alive"], outcomes["action_wasted"], partial]
        numbers = [outcomes["damage_dealt"], outcomes["damage_received"], metadata["execution_time_ms"]]
        stamp = metadata["engine_timestamp"]
        return (
            status in {"SUCCESS", "FAILURE", "PARTIAL"}
            and reason in {"NONE", "COOLDOWN", "BLOCKED", "INVALID_STATE", "RESOURCE_EXHAUSTED", "UNKNOWN"}
            and all(type(truth) is bool for truth in truths)
            and all(amount(number) for number in numbers)
            and type(stamp) is int
            and abs(stamp) < 2**53
            and {"SUCCESS": reason == "NONE", "FAILURE": reason != "NONE", "PARTIAL": True}[status]
            and partial == (status == "PARTIAL")
            and (reason != "COOLDOWN" or flags["on_cooldown"])
            and (reason != "BLOCKED" or flags["is_blocked"])
        )
    except (KeyError, TypeError):
        return False
