"""Conduct of states and events: laws about everything the run showed, in the order of arrival."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.law import Group
from volition.execution.conformance.laws.conduct import executor_frames_of, find_fault, lines_of, never_back, repeats
from volition.execution.conformance.verdict import Breaks, NotApplicable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.verdict import Frame, LoggedLine

    Path = tuple[str, ...]


HISTORY: Final = Group("conduct")

_PACE: Final = 1.5
_SLACK: Final = 10
"""Ticks that a world may catch up at once."""


@HISTORY.law("States and events")
def seq_never_back(bed: TestBed) -> None:
    """The seq of states never goes back on any connection, next states included."""
    never_back("seq", ((logged.connection, state.get("seq"), logged) for logged, state in _shown_states(bed)))


@HISTORY.law("States and events")
def tick_never_back(bed: TestBed) -> None:
    """The tick of states never goes back within an episode, next states included."""
    never_back(
        "tick",
        (
            ((logged.connection, state.get("episode")), state.get("tick"), logged)
            for logged, state in _shown_states(bed)
        ),
    )


@HISTORY.law("States and events")
def episode_never_back(bed: TestBed) -> None:
    """An episode that is over does not come back: no state of it follows one of the next."""
    former: dict[int, set[Any]] = {}
    latest: dict[int, tuple[Any, LoggedLine]] = {}
    for logged, state in _shown_states(bed):
        episode, over = state.get("episode"), former.setdefault(logged.connection, set())
        last, frame = latest.get(logged.connection, (episode, logged))
        if episode != last:
            over.add(last)
        if episode in over:
            what = f"a state of episode {episode} after one of episode {last}"
            raise Breaks(what, expected="states of the newest episode", frames=(frame, logged))
        latest[logged.connection] = (episode, logged)


@HISTORY.law("Handshake")
def tick_pace(bed: TestBed) -> None:
    """Ticks pass no faster than tick_hz says."""
    if not bed.tick:
        raise NotApplicable("tick_hz is 0: the world moves only when acted upon")
    asked: dict[tuple[int, Any], LoggedLine] = {}
    for logged in lines_of(bed, "state_request"):
        id = (logged.data or {}).get("id")
        # The kit's own noise has ids of any type.
        if logged.by == "kit" and isinstance(id, int):
            asked.setdefault((logged.connection, id), logged)
    first: dict[tuple[int, Any], tuple[int, LoggedLine]] = {}
    measured = False
    for logged, state in _shown_states(bed):
        key, request = (logged.connection, state.get("episode")), asked.get((logged.connection, state.get("id")))
        if not isinstance(state.get("tick"), int):
            continue
        if key not in first and request is not None:
            # From the request on: a kit without a core reads late what was shown long ago.
            first[key] = (state["tick"], request)
        tick, began = first.get(key, (state["tick"], logged))
        passed, most = state["tick"] - tick, (logged.at - began.at) / bed.tick
        measured = measured or most >= _SLACK
        if passed > _PACE * most + _SLACK:
            what = f"{passed} ticks in {logged.at - began.at:.2f} s"
            raise Breaks(what, expected=f"about {most:.0f}, by tick_hz", frames=(began, logged))
    if not measured:
        raise NotApplicable("no session lasted long enough")


@HISTORY.law("Intents")
def stop_is_last(bed: TestBed) -> None:
    """When a STOP is answered, every intent that was sent before it on its connection has its result."""
    waiting: dict[int, dict[Any, LoggedLine]] = {}
    stops: dict[tuple[int, Any], list[Any]] = {}
    for logged in lines_of(bed, "intent", "result", "error"):
        data, number = logged.data or {}, logged.connection
        kind, id, open_ones = data.get("type"), data.get("id"), waiting.setdefault(logged.connection, {})
        if logged.by == "kit" and kind == "intent" and find_fault(logged) is None and (number, id) not in stops:
            if data.get("intent") == "STOP" and data.get("agent") is None:
                stops[number, id] = [*open_ones]
            open_ones[id] = logged
        elif logged.by == "executor" and kind in {"result", "error"} and isinstance(id, int):
            open_ones.pop(id, None)
            late = [each for each in stops.get((number, id), ()) if each in open_ones and kind == "result"]
            if late:
                what = f"STOP {id} is answered, and {late} are still open"
                raise Breaks(what, expected="their results first", frames=(open_ones[late[0]], logged))


@HISTORY.law("Probe")
def probe_vectors(bed: TestBed) -> None:
    """The ways of a probe are the longest first, its obstructed ones the shortest, and its precision is above 0."""
    seen = False
    for logged, data in executor_frames_of(bed, "probe.sight"):
        seen = True
        for name, sign in (("ways", -1), ("obstructed", 1)):
            lengths = [sign * round(hypot(*vector), 6) for vector in data.get(name) or ()]
            if lengths != sorted(lengths):
                order = "longest" if sign < 0 else "shortest"
                raise Breaks(f"{name} in another order", expected=f"the {order} first", frames=(logged,))
        if data.get("precision", 1) <= 0:
            raise Breaks(f"a precision of {data['precision']}", expected="above 0", frames=(logged,))
    if not seen:
        raise NotApplicable("no probe was answered")


@HISTORY.law("States and events")
def next_state(bed: TestBed) -> None:
    """A next_state shows the world at its result: a state of the same tick right after it shows the same."""
    pairs = [*_pairs(bed)]
    unsteady = {path for first, second, is_next in pairs if not is_next for path in _differences(first[1], second[1])}
    compared = 0
    for first, second, is_next in pairs:
        if not is_next:
            continue
        compared += 1
        wrong = sorted(set(_differences(first[1], second[1])) - unsteady)
        if wrong:
            where = ".".join(wrong[0])
            what = f"the next_state of a result and the state after it, of the same tick, differ in {where}"
            raise Breaks(what, expected="the world as it was at the result", frames=(first[0], second[0]))
    if not compared:
        raise NotApplicable("no next_state was followed by a state of the same tick")


@HISTORY.law("States and events")
def state_ids(bed: TestBed) -> None:
    """A state with an id answers a request with that id, once; a pushed state has none."""
    asked: dict[tuple[int, Any], int] = {}
    for logged in lines_of(bed, "state_request", "reset", "state"):
        data = logged.data or {}
        key = (logged.connection, data.get("id"))
        if not isinstance(key[1], int):
            continue
        if logged.by == "kit" and data.get("type") in ("state_request", "reset"):
            asked[key] = asked.get(key, 0) + 1
        elif logged.by == "executor" and data.get("type") == "state":
            if not asked.get(key):
                what = f"a state with the id {key[1]}, which is not an open request"
                raise Breaks(what, expected="the id of a request that has no answer yet, or none", frames=(logged,))
            asked[key] -= 1


@HISTORY.law("States and events")
def event_ids(bed: TestBed) -> None:
    """An event or a progress that has an id names an intent that was sent before on its connection."""
    sent: set[tuple[int, Any]] = set()
    for logged in lines_of(bed, "intent", "event", "progress"):
        data = logged.data or {}
        kind, key = str(data.get("type")), (logged.connection, data.get("id"))
        if logged.by == "kit" and kind == "intent" and isinstance(key[1], int):
            sent.add(key)
        elif logged.by == "executor" and kind in {"event", "progress"} and key[1] is not None and key not in sent:
            what = f"{kind} with the id {key[1]!r}, which was never sent"
            raise Breaks(what, expected="the id of an intent, or none for an event", frames=(logged,))


def _shown_states(bed: TestBed) -> Iterator[tuple[LoggedLine, Frame]]:
    """All states in the order of arrival, including those inside results; repeated results are skipped."""
    again = {id(logged) for logged in repeats(bed)}
    for logged, data in executor_frames_of(bed, "state", "result"):
        if data["type"] == "state":
            yield logged, data
        elif isinstance(data.get("next_state"), dict) and id(logged) not in again:
            yield logged, data["next_state"]


def _pairs(bed: TestBed) -> Iterator[tuple[tuple[LoggedLine, Any], tuple[LoggedLine, Any], bool]]:
    """Consecutive states of the same tick with no request in between: both, and whether the first is a next_state."""
    again = {id(logged) for logged in repeats(bed)}
    open_ids: dict[int, set[Any]] = {}
    last: dict[int, tuple[LoggedLine, Frame, bool]] = {}
    for logged in lines_of(bed):
        data, number = logged.data or {}, logged.connection
        kind, waiting = str(data.get("type")), open_ids.setdefault(logged.connection, set())
        if logged.by == "kit":
            if kind not in {"ping", "pong", "state_request", "probe.read"}:
                last.pop(number, None)
            if kind == "intent":
                waiting.add(str(data.get("id")))
        elif kind == "result":
            waiting.discard(str(data.get("id")))
            last.pop(number, None)
            state = data.get("next_state")
            if isinstance(state, dict) and not waiting and id(logged) not in again:
                last[number] = (logged, state, True)
        elif kind == "state":
            before = last.pop(number, None)
            if before is not None and _moment(before[1]) == _moment(data):
                yield (before[0], before[1].get("data")), (logged, data.get("data")), before[2]
            if not waiting:
                last[number] = (logged, data, False)


def _moment(state: Frame) -> tuple[Any, Any]:
    return state.get("tick"), state.get("episode")


def _differences(first: Any, second: Any, path: Path = ()) -> Iterator[Path]:
    """The paths at which two values differ, among those that both have."""
    if first == second:
        return
    if isinstance(first, dict) and isinstance(second, dict):
        for key in sorted(first.keys() & second.keys()):
            yield from _differences(first[key], second[key], (*path, key))
    else:
        yield path or ("data",)
