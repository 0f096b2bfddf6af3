"""Conduct: laws that hold for every line of the whole run, looked at when all else was tried."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from volition.execution.conformance.bench import payload, words
from volition.execution.conformance.intents import rehearse
from volition.execution.conformance.law import Group
from volition.execution.conformance.verdict import Breaks, NotApplicable
from volition.execution.frames import Welcome
from volition.execution.results import Result, contradictions, read_result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.talk import Spoken

    Frame = dict[str, Any]

CONDUCT: Final = Group("conduct")

_SAYS: Final = frozenset({
    "welcome", "reject", "result", "progress", "state", "event", "ping", "pong", "error", "goodbye", "probe.sight",
})  # fmt: skip
_UNTRIED: Final = frozenset({
    "EXPIRED", "FORMER_EPISODE", "NO_SUCH_STATE", "WINDOW_FULL", "STOPPED", "CANCELLED", "NOT_CANONICAL", "UNSUPPORTED",
})  # fmt: skip
"""The details of results that no attempt stands behind: nothing was measured for them."""
_LONG: Final = 250.0
"""Milliseconds after which an attempt must show that it took time."""
_ORDER: Final = 25.0
"""How many times longer or shorter than the time that passed: an engine may run at another pace, within reason."""
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


@CONDUCT.law("Lines")
def strict_lines(bench: Bench) -> None:
    """What the executor writes is as strict as what it reads: every line is a frame."""
    rehearsed(bench)
    for spoken in bench.log:
        if spoken.by == "executor" and spoken.fault is not None:
            raise Breaks(f"{spoken.fault.code}: {spoken.fault.problems[0].what}", expected="a frame", frames=(spoken,))


@CONDUCT.law("Handshake")
def executor_frames(bench: Bench) -> None:
    """An executor sends what an executor may send, nothing before the welcome but ping, pong, error and goodbye."""
    rehearsed(bench)
    welcomed: set[int] = set()
    for spoken, data in heard(bench):
        kind = data.get("type")
        if kind not in _SAYS:
            raise Breaks(f"a frame of the type {kind!r}", expected="a frame of an executor", frames=(spoken,))
        if kind in {"result", "state", "event", "progress"} and spoken.connection not in welcomed:
            raise Breaks(f"{kind} before the welcome", expected="the welcome first", frames=(spoken,))
        if kind == "welcome":
            welcomed.add(spoken.connection)


@CONDUCT.law("Lines")
def line_length(bench: Bench) -> None:
    """No line of the executor is longer than the limit."""
    rehearsed(bench)
    most = min(2**20, bench.limit("max_frame", 2**20))
    for spoken in bench.log:
        if spoken.by == "executor" and len(spoken.line) > most:
            raise Breaks(f"a line of {len(spoken.line)} bytes", expected=f"at most {most}", frames=(spoken,))


@CONDUCT.law("Results")
def result_schema(bench: Bench) -> None:
    """Every result has all fields, of their types, with numbers that are finite."""
    rehearsed(bench)
    for spoken, data in results(bench):
        try:
            msgspec.convert(data.get("result"), Result)
        except msgspec.ValidationError as error:
            wrong = read_result(data.get("result")).violations
            what = "; ".join(f"{v.field}: {v.what}" for v in wrong) or str(error)
            raise Breaks(what, expected="the whole schema", frames=_pair(bench, spoken)) from error


@CONDUCT.law("Results")
def result_flags(bench: Bench) -> None:
    """Status, reason and flags of every result agree."""
    rehearsed(bench)
    for spoken, data in results(bench):
        try:
            wrong = contradictions(msgspec.convert(data.get("result"), Result))
        except msgspec.ValidationError:
            continue
        if wrong:
            raise Breaks(wrong[0].what, expected="flags that agree with the reason", frames=_pair(bench, spoken))


@CONDUCT.law("Results")
def bound_by_id(bench: Bench) -> None:
    """Every result has the id and the name of an intent that was sent on its connection."""
    rehearsed(bench)
    asked = _asked(bench)
    for spoken, data in results(bench):
        sent = asked.get((spoken.connection, data.get("id")), [])
        names = [(intent.data or {}).get("intent") for intent in sent]
        if not names:
            raise Breaks(f"a result for the id {data.get('id')!r}, which was never sent", expected="an id that was",
                         frames=(spoken,))  # fmt: skip
        if data.get("intent") not in names:
            what = f"a result of {data.get('intent')!r} for the id of {names[0]}"
            raise Breaks(what, expected="the name of its intent", frames=_pair(bench, spoken))


@CONDUCT.law("Results")
def one_result(bench: Bench) -> None:
    """Every intent has exactly one result, and one more for each time that its id is sent again."""
    rehearsed(bench)
    asked = _asked(bench)
    counts: dict[tuple[int, Any], int] = {}
    for spoken, data in results(bench):
        key = (spoken.connection, data.get("id"))
        counts[key] = counts.get(key, 0) + 1
        if key in asked and counts[key] > len(asked[key]):
            what = f"{counts[key]} results for the id {key[1]}, which was sent {len(asked[key])} times"
            raise Breaks(what, expected="one for each", frames=_pair(bench, spoken))


@CONDUCT.law("Results")
def time_measured(bench: Bench) -> None:
    """execution_time_ms is measured, in milliseconds: it is of the order of the time that passed."""
    rehearsed(bench)
    asked = _asked(bench)
    lasting = 0
    short: list[tuple[Spoken, str]] = []
    for spoken, data in _tried(bench):
        sent = asked.get((spoken.connection, data.get("id")))
        took = payload(data).get("metadata", {}).get("execution_time_ms")
        if sent is None or not isinstance(took, int | float):
            continue
        elapsed = (spoken.at - sent[0].at) * 1000
        what = f"{words(data)} came after {elapsed:.0f} ms and says that it took {took:g} ms"
        if took > (elapsed + _LONG) * _ORDER:
            raise Breaks(what, expected="about the time that passed", frames=_pair(bench, spoken))
        if data.get("intent") == "MOVE" and payload(data).get("status") != "FAILURE" and elapsed >= _LONG:
            lasting += 1
            if took < elapsed / _ORDER:
                short.append((spoken, what))
    if not lasting:
        raise NotApplicable("no MOVE took long enough to be measured")
    # One that waited while the executor stood still took long to come and short to do; most did not.
    if 2 * len(short) > lasting:
        spoken, what = short[0]
        raise Breaks(what, expected="about the time that passed", frames=_pair(bench, spoken))


@CONDUCT.law("Results")
def timestamps(bench: Bench) -> None:
    """engine_timestamp never goes back within a session."""
    rehearsed(bench)
    latest: dict[int, tuple[int, Spoken]] = {}
    again = {spoken.line for spoken in repeats(bench)}
    for spoken, data in _tried(bench):
        stamp = payload(data).get("metadata", {}).get("engine_timestamp")
        if not isinstance(stamp, int) or spoken.line in again:
            continue
        before = latest.get(spoken.connection)
        if before is not None and stamp < before[0]:
            what = f"engine_timestamp {stamp} after {before[0]}"
            raise Breaks(what, expected="a time that does not go back", frames=(before[1], spoken))
        latest[spoken.connection] = (stamp, spoken)


@CONDUCT.law("Handshake")
def timestamp_unit(bench: Bench) -> None:
    """engine_timestamp counts the unit of the welcome's clock: it passes about as fast as time."""
    rehearsed(bench)
    clock = bench.welcome.get("clock")
    unit = clock.get("unit") if isinstance(clock, dict) else None
    length = bench.tick if unit == "tick" else _UNITS.get(str(unit), 0.0)
    if not length or not bench.tick:
        raise NotApplicable("the engine's time does not pass by itself, or its unit is unknown")
    spans: dict[int, list[_Stamped]] = {}
    for spoken, data in _tried(bench):
        stamp = payload(data).get("metadata", {}).get("engine_timestamp")
        if isinstance(stamp, int):
            following = data.get("next_state")
            tick = following.get("tick") if isinstance(following, dict) else None
            spans.setdefault(spoken.connection, []).append(_Stamped(spoken.at, stamp, tick))
    ends = max(((seen[0], seen[-1]) for seen in spans.values()), key=_length, default=None)
    if ends is None or _length(ends) < 1.0:
        raise NotApplicable("no session with results over more than a second")
    first, last = ends
    passed = [last.at - first.at]
    if isinstance(first.tick, int) and isinstance(last.tick, int):
        # A world that was held up has lost time: then its own ticks tell.
        passed.append((last.tick - first.tick) * bench.tick)
    if not any(0.1 * seconds <= (last.stamp - first.stamp) * length <= 10 * seconds for seconds in passed):
        what = f"it passed by {last.stamp - first.stamp} ({unit}) in {passed[0]:.1f} s"
        raise Breaks(what, expected=f"about {passed[-1] / length:.0f}", frames=())


class _Stamped(NamedTuple):
    """When a result came, its engine_timestamp, and the tick that it shows, where it does."""

    at: float
    stamp: int
    tick: Any


def _length(ends: tuple[_Stamped, _Stamped]) -> float:
    return ends[1].at - ends[0].at


@CONDUCT.law("Handshake")
def same_welcome(bench: Bench) -> None:
    """Every welcome of a run says the same of the executor, its session and features apart."""
    rehearsed(bench)
    kept: Frame | None = None
    for spoken, data in heard(bench):
        if data.get("type") != "welcome":
            continue
        fixed = {key: data.get(key) for key in Welcome.__struct_fields__ if key not in {"session", "features"}}
        if kept is not None and fixed != kept:
            what = sorted(key for key in fixed if fixed[key] != kept[key])
            raise Breaks(f"another {what}", expected="the same executor", frames=(spoken,))
        kept = fixed


def rehearsed(bench: Bench) -> None:
    """See to it that something was said."""
    with suppress(Breaks, NotApplicable):
        rehearse(bench)


def heard(bench: Bench) -> Iterator[tuple[Spoken, Frame]]:
    """All objects that the executor said."""
    for spoken in bench.log:
        if spoken.by == "executor" and spoken.data is not None:
            yield spoken, spoken.data


def results(bench: Bench) -> Iterator[tuple[Spoken, Frame]]:
    """All results."""
    return (
        (spoken, data)
        for spoken, data in heard(bench)
        if data.get("type") == "result" and (spoken.fault is None or isinstance(data.get("id"), int))
    )


def _tried(bench: Bench) -> Iterator[tuple[Spoken, Frame]]:
    """The results behind which an attempt stands."""
    return (
        (spoken, data)
        for spoken, data in results(bench)
        if data.get("detail") not in _UNTRIED and isinstance(payload(data).get("metadata"), dict)
    )


def _asked(bench: Bench) -> dict[tuple[int, Any], list[Spoken]]:
    """The intents that were sent, by connection and id."""
    asked: dict[tuple[int, Any], list[Spoken]] = {}
    for spoken in bench.log:
        data = spoken.data
        if spoken.by == "kit" and data and data.get("type") == "intent" and isinstance(data.get("id"), int):
            asked.setdefault((spoken.connection, data["id"]), []).append(spoken)
    return asked


def _pair(bench: Bench, result: Spoken) -> tuple[Spoken, ...]:
    """A result after its intent."""
    sent = _asked(bench).get((result.connection, (result.data or {}).get("id")), [])
    return (*sent[:1], result)


def repeats(bench: Bench) -> Iterator[Spoken]:
    """Results that were sent a second time: they are as old as the first."""
    seen: set[tuple[int, Any]] = set()
    for spoken, data in results(bench):
        key = (spoken.connection, data.get("id"))
        if key in seen:
            yield spoken
        seen.add(key)
