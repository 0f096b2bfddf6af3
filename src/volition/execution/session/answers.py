"""A result as the bridge's side takes it: read, labelled, and with its line kept verbatim.

Nearly every line that a bridge waits for holds a good result and nothing else. Such a line is decoded straight into its
types, and is told from all others exactly: it has every field of `_Good` and of the `Result` inside, and no more colons
than these have keys, so no key stands twice and none is unknown. Any doubt, and the line is read by `decode` and
`read_result`, which name what is wrong with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec
import orjson
from msgspec import Raw, Struct

from volition.core.canonical import MAX_INTEGER
from volition.execution.codec import MAX_DEPTH, TYPES, FrameFault, read_object
from volition.execution.frames import Id, ResultFrame, StateFrame
from volition.execution.results import VERDICTS, Label, Metadata, Outcomes, Result, SafetyFlags, Violation, read_result

if TYPE_CHECKING:
    from typing import Any


class Answer(Struct, frozen=True, gc=False):
    """What the executor said of the intent `id`, before anybody knows whether it was asked."""

    id: int
    intent: str
    result: Result
    label: Label
    line: bytes
    detail: str = ""
    next_state: StateFrame | None = None
    violations: tuple[Violation, ...] = ()


_NONE: Final = Raw()


class _Good(Struct, frozen=True, gc=False):
    """A result frame that holds what it must, what it may, and nothing else."""

    v: Literal[1]
    type: Literal["result"]
    id: Id
    intent: Literal["PRIMARY_ATTACK", "EVADE", "MOVE", "HOLD", "RELEASE", "STOP", "JUMP"]
    result: Result
    detail: str | None = None
    next_state: Raw = _NONE


_decode: Final = msgspec.json.Decoder(_Good).decode
_BACKSLASH: Final = ord("\\")
_OPTIONAL: Final = 2
_KEYS: Final = sum(len(part.__struct_fields__) for part in (_Good, Result, SafetyFlags, Outcomes, Metadata)) - _OPTIONAL


def good_answer(line: bytes) -> Answer | None:
    """The answer on a line that holds a good result; None for every other line, and where there is any doubt."""
    if _BACKSLASH in line or not line.isascii():
        return None
    try:
        good = _decode(line)
    except (msgspec.MsgspecError, RecursionError):
        return None
    result, detail, keys = good.result, good.detail, _KEYS
    flags, outcomes = result.safety_flags, result.outcomes
    # What `verdict` says, without the call.
    label = VERDICTS.get(
        (result.status, result.failure_reason, result.partial_execution, flags.is_blocked, flags.on_cooldown)
    )
    if detail is None:
        detail = ""
    else:
        keys += 1
    next_state: StateFrame | None = None
    if good.next_state is not _NONE:
        inner = bytes(good.next_state)
        keys += 1 + inner.count(b":")
        next_state = _state(inner)
        if next_state is None:
            return None
    if (
        label is None
        or line.count(b":") != keys
        # An amount that was written as an integer may be too large for the wire.
        or outcomes.damage_dealt > MAX_INTEGER
        or outcomes.damage_received > MAX_INTEGER
        or result.metadata.execution_time_ms > MAX_INTEGER
    ):
        return None
    return Answer(good.id, good.intent, result, label, line, detail, next_state)


def answer_of(frame: ResultFrame, line: bytes, *, strict: bool) -> Answer:
    """The answer in any result frame, good or bad."""
    reading = read_result(frame.result, strict=strict)
    return Answer(
        frame.id,
        frame.intent,
        reading.result,
        reading.label,
        line,
        frame.detail or "",
        frame.next_state,
        reading.violations,
    )


def addressee(line: bytes) -> int | None:
    """Whose answer a line was that is no frame: the id that it names, 0 where it was no answer, None where it says neither.

    >>> addressee(b'{"v":1,"type":"result","id":7}'), addressee(b'{"v":1,"type":"event","id":7}'), addressee(b'{"v":1,"ty')
    (7, 0, None)
    """
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(found, dict):
        return None
    kind, id = found.get("type"), found.get("id")
    if isinstance(kind, str) and kind in TYPES and kind != "result":
        return 0
    return id if type(id) is int and id > 0 else None


def _state(inner: bytes) -> StateFrame | None:
    try:
        data: dict[str, Any] = read_object(inner, room=MAX_DEPTH - 1)
        return msgspec.convert(data, StateFrame)
    except (FrameFault, msgspec.ValidationError):
        return None
