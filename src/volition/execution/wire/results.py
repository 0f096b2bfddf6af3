"""The executor's result of an intent, read strictly, with every deviation named.

There are two tiers of deviation. *Malformed*: the payload is not an object or has no valid status, so nothing in it can
be used. *Deviant*: it has a status, but a field is missing or ill-typed, or two fields contradict each other. In strict
mode both become FAILURE/UNKNOWN; in lenient mode a deviant payload keeps its status and gets defaults for the rest.
Either way every violation is reported.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from volition.core.canonical import MAX_INTEGER
from volition.core.errors import format_value
from volition.core.typed import DataStruct, convert, decoder

Status: TypeAlias = Literal["SUCCESS", "FAILURE", "PARTIAL"]
FailureReason: TypeAlias = Literal["NONE", "COOLDOWN", "BLOCKED", "INVALID_STATE", "RESOURCE_EXHAUSTED", "UNKNOWN"]
Label: TypeAlias = Literal[
    "positive", "environmental_constraint", "out_of_sync", "partial", "unknown",
    "timeout", "malformed", "intercepted", "refused_retry",
]  # fmt: skip
"""How an attempt is classified. The last four are assigned by this side, never by the content of a payload."""

STATUSES: Final[tuple[str, ...]] = get_args(Status)
FAILURE_REASONS: Final[tuple[str, ...]] = get_args(FailureReason)

Amount = Annotated[float, Meta(ge=0, le=sys.float_info.max)]
Timestamp = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]


class SafetyFlags(Struct, frozen=True, kw_only=True, gc=False):
    """What prevented the intent, as the executor saw it.

    `invalid_environment` means that the intent is impossible in the actor's situation: a jump in mid-air, a target
    outside the map, a dead actor.
    """

    is_blocked: bool
    on_cooldown: bool
    invalid_environment: bool


class Outcomes(Struct, frozen=True, kw_only=True, gc=False):
    """What changed in the world during the attempt.

    `is_alive` describes the actor at the end of the attempt. `action_wasted` means that the attempt cost something (a
    cooldown, a resource, the actor's time) without any effect, such as a swing that hit nobody.
    """

    damage_dealt: Amount
    damage_received: Amount
    is_alive: bool
    action_wasted: bool


class Metadata(Struct, frozen=True, kw_only=True, gc=False):
    """The engine's time, in the unit named in the handshake, and how long the attempt took."""

    engine_timestamp: Timestamp
    execution_time_ms: Amount


class Result(DataStruct, frozen=True, kw_only=True, gc=False):
    """A complete result. SUCCESS means that the attempt was made, never that its goal was reached."""

    status: Status
    failure_reason: FailureReason
    partial_execution: bool
    safety_flags: SafetyFlags
    outcomes: Outcomes
    metadata: Metadata


class Violation(Struct, frozen=True, gc=False):
    """One way in which a payload breaks the contract: the field, what is wrong with it, and its tier."""

    field: str
    what: str
    tier: Literal["malformed", "deviant"]


def make_result(
    status: Status = "SUCCESS",
    reason: FailureReason = "NONE",
    *,
    invalid_environment: bool = False,
    damage_dealt: float = 0.0,
    damage_received: float = 0.0,
    is_alive: bool = True,
    action_wasted: bool = False,
    engine_timestamp: int = 0,
    execution_time_ms: float = 0.0,
) -> Result:
    """A result whose flags are consistent with its status and reason.

    >>> make_result("FAILURE", "COOLDOWN").safety_flags.on_cooldown
    True
    """
    return Result(
        status=status,
        failure_reason=reason,
        partial_execution=status == "PARTIAL",
        safety_flags=SafetyFlags(
            is_blocked=reason == "BLOCKED",
            on_cooldown=reason == "COOLDOWN",
            invalid_environment=invalid_environment,
        ),
        outcomes=Outcomes(
            damage_dealt=damage_dealt,
            damage_received=damage_received,
            is_alive=is_alive,
            action_wasted=action_wasted,
        ),
        metadata=Metadata(engine_timestamp=engine_timestamp, execution_time_ms=execution_time_ms),
    )


UNKNOWN_FAILURE: Final = make_result("FAILURE", "UNKNOWN")
"""What this side assumes without a usable answer."""


UNTRIED: Final = frozenset({
    "EXPIRED", "FORMER_EPISODE", "NO_SUCH_AGENT", "NO_SUCH_STATE", "WINDOW_FULL", "STOPPED", "CANCELLED", "NOT_CANONICAL",
    "UNSUPPORTED",
})  # fmt: skip
"""The details of results without an attempt."""


def label_of(result: Result) -> Label:
    """The label of a result, from its content alone.

    >>> label_of(make_result("FAILURE", "BLOCKED"))
    'environmental_constraint'
    """
    if result.status == "SUCCESS":
        return "positive"
    if result.status == "PARTIAL":
        return "partial"
    if result.failure_reason in {"COOLDOWN", "BLOCKED", "RESOURCE_EXHAUSTED"}:
        return "environmental_constraint"
    return "out_of_sync" if result.failure_reason == "INVALID_STATE" else "unknown"


def interpret_result(payload: Any, *, strict: bool = True) -> tuple[Result, Label, tuple[Violation, ...]]:
    """The result to act on, its label, and what was wrong with the payload. Never raises: a bad payload is an answer too.

    >>> result, label, violations = interpret_result({"status": "DONE"})
    >>> result.failure_reason, label, violations[0].what
    ('UNKNOWN', 'malformed', "'DONE' is not a status")
    """
    try:
        result = convert(payload, Result)
    except (msgspec.ValidationError, RecursionError):
        pass
    else:
        if not contradictions(result):
            return result, label_of(result), ()
    result, violations = _mend(payload)
    if strict or violations[0].tier == "malformed":
        return UNKNOWN_FAILURE, "malformed", violations
    return result, label_of(result), violations


class _Answer(Struct):
    """Of an answer's line, the bytes of the result alone."""

    result: msgspec.Raw = msgspec.Raw(b"null")


_read_answer: Final = decoder(_Answer).decode


def differing_payload(line: bytes | None, result: Result) -> Any | UnsetType:
    """The executor's own words, where they differ from the result: more, less, or otherwise; UNSET where they do not."""
    if line is None:
        return UNSET
    words = _read_answer(line).result
    return UNSET if msgspec.json.decode(words) == msgspec.to_builtins(result) else words


def contradictions(result: Result) -> tuple[Violation, ...]:
    """The contradictions in a result whose fields are all valid."""
    status, reason, flags = result.status, result.failure_reason, result.safety_flags
    faults: list[tuple[str, str]] = []
    if status == "SUCCESS" and reason != "NONE":
        faults.append(("failure_reason", f"SUCCESS with the reason {reason}"))
    if status == "FAILURE" and reason == "NONE":
        faults.append(("failure_reason", "FAILURE without a reason"))
    if (status == "PARTIAL") != result.partial_execution:
        faults.append(("partial_execution", f"{status} that is {'' if result.partial_execution else 'not '}partial"))
    if reason == "COOLDOWN" and not flags.on_cooldown:
        faults.append(("safety_flags.on_cooldown", "COOLDOWN without its flag"))
    if reason == "BLOCKED" and not flags.is_blocked:
        faults.append(("safety_flags.is_blocked", "BLOCKED without its flag"))
    return tuple(Violation(field, what, "deviant") for field, what in faults)


_DEFAULTS: Final = UNKNOWN_FAILURE.to_data()
_WRONG: Final = {
    FailureReason: "is not a failure reason",
    bool: "is neither true nor false",
    Amount: "is not a number from 0 up",
    Timestamp: "is not an integer up to 2^53 - 1",
}
"""What is said about a value that is not of a field's type; where that is a struct, it is not an object."""


def _mend(payload: Any) -> tuple[Result, tuple[Violation, ...]]:
    """Read field by field: valid fields are kept; the others are reported and get their defaults."""
    if not isinstance(payload, dict):
        return UNKNOWN_FAILURE, (Violation("result", f"{format_value(payload)} is not an object", "malformed"),)
    status = payload.get("status")
    if not isinstance(status, str) or status not in STATUSES:
        what = f"{format_value(status)} is not a status" if "status" in payload else "there is no status"
        return UNKNOWN_FAILURE, (Violation("status", what, "malformed"),)
    # Defaults for missing fields must not contradict the given status.
    defaults = _DEFAULTS | {
        "failure_reason": "UNKNOWN" if status == "FAILURE" else "NONE",
        "partial_execution": status == "PARTIAL",
    }
    violations: list[Violation] = []
    result = convert(_mend_fields(payload, Result, defaults, "", violations), Result)
    return result, (*violations, *contradictions(result))


def _mend_fields(
    fields_sent: dict[str, Any], kind: type[Struct], defaults: dict[str, Any], prefix: str, violations: list[Violation]
) -> dict[str, Any]:
    mended = dict(defaults)
    for field in msgspec.structs.fields(kind):
        name, path = field.name, prefix + field.name
        value, default = fields_sent.get(name), defaults[name]
        if isinstance(default, dict) and isinstance(value, dict):
            mended[name] = _mend_fields(value, field.type, default, f"{path}.", violations)
        elif name not in fields_sent:
            violations.append(Violation(path, "is missing", "deviant"))
        elif _fits(value, field.type):
            mended[name] = value
        else:
            wrong = _WRONG.get(field.type, "is not an object")
            violations.append(Violation(path, f"{format_value(value)} {wrong}", "deviant"))
    return mended


def _fits(value: Any, kind: Any) -> bool:
    try:
        convert(value, kind)
    except (msgspec.ValidationError, RecursionError):
        return False
    return True
