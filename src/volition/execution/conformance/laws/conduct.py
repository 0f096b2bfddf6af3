"""Conduct: laws about every line of the whole run, checked after everything else."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.typed import convert
from volition.execution.conformance.law import Group, payload, words
from volition.execution.conformance.laws.intents import rehearse
from volition.execution.conformance.verdict import Breaks, NotApplicable
from volition.execution.wire.codec import FrameFault, decode
from volition.execution.wire.frames import Welcome
from volition.execution.wire.results import UNTRIED, Result, contradictions, interpret_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.verdict import Frame, LoggedLine


CONDUCT: Final = Group("conduct")

_SAYS: Final = frozenset({
    "welcome", "reject", "result", "progress", "state", "event", "ping", "pong", "error", "goodbye", "probe.sight",
})  # fmt: skip
_LONG: Final = 250.0
"""From this many milliseconds on, the duration of an attempt is checked."""
_FACTOR: Final = 2.0
_SHORTER: Final = 3.0
"""How many times longer or shorter than the time that passed it may be."""
_CATCHING_UP: Final = 6
"""Ticks that a world may catch up at once: they count for an attempt, and took no time."""
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


@CONDUCT.law("Lines")
def strict_lines(bed: TestBed) -> None:
    """Every line that the executor writes is a valid frame."""
    for logged in lines_of(bed):
        fault = find_fault(logged) if logged.by == "executor" else None
        if fault is not None:
            raise Breaks(f"{fault.code}: {fault.problems[0].what}", expected="a frame", frames=(logged,))


@CONDUCT.law("Handshake")
def executor_frames(bed: TestBed) -> None:
    """An executor sends only frames of an executor, and before the welcome only ping, pong, error and goodbye."""
    welcomed: set[int] = set()
    for logged, data in executor_frames_of(bed):
        kind = data.get("type")
        if kind not in _SAYS:
            raise Breaks(f"a frame of the type {kind!r}", expected="a frame of an executor", frames=(logged,))
        if kind in {"result", "state", "event", "progress"} and logged.connection not in welcomed:
            raise Breaks(f"{kind} before the welcome", expected="the welcome first", frames=(logged,))
        if kind == "welcome":
            welcomed.add(logged.connection)


@CONDUCT.law("Lines")
def line_length(bed: TestBed) -> None:
    """No line of the executor is longer than the limit."""
    most = min(2**20, bed.limit("max_frame", 2**20))
    for logged in lines_of(bed):
        if logged.by == "executor" and len(logged.line) > most:
            raise Breaks(f"a line of {len(logged.line)} bytes", expected=f"at most {most}", frames=(logged,))


@CONDUCT.law("Results")
def result_schema(bed: TestBed) -> None:
    """Every result has all fields, with the right types and finite numbers."""
    for logged, data in results(bed):
        try:
            convert(data.get("result"), Result)
        except msgspec.ValidationError as error:
            _, _, wrong = interpret_result(data.get("result"))
            what = "; ".join(f"{v.field}: {v.what}" for v in wrong) or str(error)
            raise Breaks(what, expected="the whole schema", frames=_pair(bed, logged)) from error


@CONDUCT.law("Results")
def result_flags(bed: TestBed) -> None:
    """Status, reason and flags of every result agree."""
    for logged, data in results(bed):
        try:
            wrong = contradictions(convert(data.get("result"), Result))
        except msgspec.ValidationError:
            continue
        if wrong:
            raise Breaks(wrong[0].what, expected="flags that agree with the reason", frames=_pair(bed, logged))


@CONDUCT.law("Results")
def bound_by_id(bed: TestBed) -> None:
    """Every result has the id and the name of an intent that was sent on its connection."""
    asked = _sent_intents(bed)
    for logged, data in results(bed):
        sent = asked.get((logged.connection, data.get("id")), [])
        names = [(intent.data or {}).get("intent") for intent in sent]
        if not names:
            raise Breaks(f"a result for the id {data.get('id')!r}, which was never sent", expected="an id that was",
                         frames=(logged,))  # fmt: skip
        if data.get("intent") not in names:
            what = f"a result of {data.get('intent')!r} for the id of {names[0]}"
            raise Breaks(what, expected="the name of its intent", frames=_pair(bed, logged))


@CONDUCT.law("Results")
def one_result(bed: TestBed) -> None:
    """Every intent has exactly one result, and one more for each time that its id is sent again."""
    asked = _sent_intents(bed)
    counts: dict[tuple[int, Any], int] = {}
    for logged, data in results(bed):
        key = (logged.connection, data.get("id"))
        counts[key] = counts.get(key, 0) + 1
        if key in asked and counts[key] > len(asked[key]):
            what = f"{counts[key]} results for the id {key[1]}, which was sent {len(asked[key])} times"
            raise Breaks(what, expected="one for each", frames=_pair(bed, logged))


@CONDUCT.law("Results")
def time_measured(bed: TestBed) -> None:
    """execution_time_ms is measured, in milliseconds: about the time that passed, and no more."""
    asked = _sent_intents(bed)
    most = _LONG + 1000 * _CATCHING_UP * bed.tick
    lasting = 0
    short: list[tuple[LoggedLine, str]] = []
    for logged, data in _attempted_results(bed):
        sent = asked.get((logged.connection, data.get("id")))
        took = payload(data).get("metadata", {}).get("execution_time_ms")
        if sent is None or not isinstance(took, int | float):
            continue
        elapsed = (logged.at - sent[0].at) * 1000
        what = f"{words(data)} came after {elapsed:.0f} ms and says that it took {took:g} ms"
        if took > elapsed * _FACTOR + most:
            raise Breaks(what, expected="about the time that passed", frames=_pair(bed, logged))
        # One that was cut short may have been in a queue until just before.
        if data.get("intent") == "MOVE" and payload(data).get("status") == "SUCCESS" and elapsed >= _LONG:
            lasting += 1
            if took < elapsed / _SHORTER - 1000 * bed.tick:
                short.append((logged, what))
    if not lasting:
        raise NotApplicable("no MOVE took long enough to be measured")
    # A result may arrive late after a short attempt where the executor was suspended; most do not.
    if 2 * len(short) > lasting:
        logged, what = short[0]
        raise Breaks(what, expected="about the time that passed", frames=_pair(bed, logged))


@CONDUCT.law("Results")
def timestamps(bed: TestBed) -> None:
    """engine_timestamp never goes back within a session."""
    again = {logged.line for logged in repeats(bed)}
    never_back(
        "engine_timestamp",
        (
            (logged.connection, payload(data).get("metadata", {}).get("engine_timestamp"), logged)
            for logged, data in _attempted_results(bed)
            if logged.line not in again
        ),
    )


@CONDUCT.law("Handshake")
def timestamp_unit(bed: TestBed) -> None:
    """engine_timestamp is in the unit of the welcome's clock: it advances about as fast as time."""
    clock = bed.welcome.get("clock")
    unit = clock.get("unit") if isinstance(clock, dict) else None
    length = bed.tick if unit == "tick" else _UNITS.get(str(unit), 0.0)
    if not length or not bed.tick:
        raise NotApplicable("the engine's time does not advance by itself, or its unit is unknown")
    spans: dict[int, list[_Stamped]] = {}
    for logged, data in _attempted_results(bed):
        stamp = payload(data).get("metadata", {}).get("engine_timestamp")
        if isinstance(stamp, int):
            following = data.get("next_state")
            tick = following.get("tick") if isinstance(following, dict) else None
            spans.setdefault(logged.connection, []).append(_Stamped(logged.at, stamp, tick))
    longest = max(spans.values(), key=lambda seen: seen[-1].at - seen[0].at, default=None)
    if longest is None or longest[-1].at - longest[0].at < 1.0:
        raise NotApplicable("no session with results over more than a second")
    first, last = longest[0], longest[-1]
    passed = [last.at - first.at]
    if isinstance(first.tick, int) and isinstance(last.tick, int):
        # A world that was suspended has lost time: then its ticks are the measure.
        passed.append((last.tick - first.tick) * bed.tick)
    if not any(0.1 * seconds <= (last.stamp - first.stamp) * length <= 10 * seconds for seconds in passed):
        what = f"it advanced by {last.stamp - first.stamp} ({unit}) in {passed[0]:.1f} s"
        raise Breaks(what, expected=f"about {passed[-1] / length:.0f}", frames=())


class _Stamped(msgspec.Struct, frozen=True):
    """When a result arrived, its engine_timestamp, and the tick of its next state where it has one."""

    at: float
    stamp: int
    tick: Any


@CONDUCT.law("Handshake")
def same_welcome(bed: TestBed) -> None:
    """Every welcome of a run describes the same executor, except for session and features."""
    first: Frame | None = None
    for logged, data in executor_frames_of(bed, "welcome"):
        fixed = {key: data.get(key) for key in Welcome.__struct_fields__ if key not in {"session", "features"}}
        if first is not None and fixed != first:
            what = sorted(key for key in fixed if fixed[key] != first[key])
            raise Breaks(f"different values of {what}", expected="the same executor", frames=(logged,))
        first = fixed


def never_back(what: str, numbers: Iterable[tuple[Any, Any, LoggedLine]]) -> None:
    """Breaks where a number is smaller than the previous one of the same key; each is (key, number, its line)."""
    latest: dict[Any, tuple[int, LoggedLine]] = {}
    for key, number, logged in numbers:
        if not isinstance(number, int):
            continue
        before = latest.get(key)
        if before is not None and number < before[0]:
            found, expected = f"{what} {number} after {before[0]}", f"a {what} that does not go back"
            raise Breaks(found, expected=expected, frames=(before[1], logged))
        latest[key] = (number, logged)


def lines_of(bed: TestBed, *kinds: str) -> list[LoggedLine]:
    """All lines of the run, or those of some types of frames; every intent was tried, so that there is something to check."""
    with suppress(Breaks, NotApplicable):
        rehearse(bed)
    return bed.log.of(*kinds) if kinds else bed.log


def executor_frames_of(bed: TestBed, *kinds: str) -> Iterator[tuple[LoggedLine, Frame]]:
    """All objects that the executor sent, or those of some types of frames."""
    for logged in lines_of(bed, *kinds):
        if logged.by == "executor" and logged.data is not None:
            yield logged, logged.data


def find_fault(logged: LoggedLine) -> FrameFault | None:
    """Why a line is not a valid frame; None where it is one."""
    try:
        decode(logged.line)
    except FrameFault as fault:
        return fault
    return None


def results(bed: TestBed) -> Iterator[tuple[LoggedLine, Frame]]:
    """All results."""
    return (
        (logged, data)
        for logged, data in executor_frames_of(bed, "result")
        if isinstance(data.get("id"), int) or find_fault(logged) is None
    )


def _attempted_results(bed: TestBed) -> Iterator[tuple[LoggedLine, Frame]]:
    """The results of real attempts; one that is remembered for a request may be older than the session."""
    marked = {key for key, sent in _sent_intents(bed).items() if any("request" in (each.data or {}) for each in sent)}
    return (
        (logged, data)
        for logged, data in results(bed)
        if data.get("detail") not in {*UNTRIED, "RESET"}
        and isinstance(payload(data).get("metadata"), dict)
        and (logged.connection, data.get("id")) not in marked
    )


def _sent_intents(bed: TestBed) -> dict[tuple[int, Any], list[LoggedLine]]:
    """The intents that were sent, by connection and id."""
    asked: dict[tuple[int, Any], list[LoggedLine]] = {}
    for logged in lines_of(bed, "intent"):
        data = logged.data
        if logged.by == "kit" and data and isinstance(data.get("id"), int):
            asked.setdefault((logged.connection, data["id"]), []).append(logged)
    return asked


def _pair(bed: TestBed, result: LoggedLine) -> tuple[LoggedLine, ...]:
    """The intent of a result, and the result."""
    sent = _sent_intents(bed).get((result.connection, (result.data or {}).get("id")), [])
    return (*sent[:1], result)


def repeats(bed: TestBed) -> Iterator[LoggedLine]:
    """Results that were sent again: they are as old as the first."""
    seen: set[tuple[int, Any]] = set()
    for logged, data in results(bed):
        key = (logged.connection, data.get("id"))
        if key in seen:
            yield logged
        seen.add(key)
