"""States against the executor's own probe: what states show is what its engine knows, and neither follows from claims."""

from __future__ import annotations

from math import dist, hypot
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bed import expect, status
from volition.execution.conformance.states import STATES
from volition.execution.conformance.truth import probe_for_move
from volition.execution.conformance.verdict import NotApplicable, Unseen
from volition.execution.wire.probe import FEATURE, WireProbe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.log import Frame
    from volition.execution.wire.probe import Probe, Sight, Vector

    Pair = tuple[Sight, Sight]
    Leaves = dict[str, Any]

_ROUNDS: Final = 3
_TRIES: Final = 12
_STRETCH: Final = 2.0
_OPAQUE: Final = 64
"""A longer text is a picture of something: nobody knows what has changed in it."""
_FAR: Final = 1.0
"""A distance in the unit of MOVE's vectors that no rounding hides."""
_SHARED: Final = ("alive", "grounded", "busy", "holding", "health", "cooling", "tired", "target")
"""What both probes must see alike; places and directions may be in other units and words."""


@STATES.law("States and events")
def show_what_moves(bed: TestBed) -> None:
    """After a MOVE that moved the actor, states show something else than while it stands."""
    probe = probe_for_move(bed)
    connection, moving, standing, axis = bed.session(), list[set[str]](), set[str](), -1
    for _ in range(_TRIES):
        if len(moving) == _ROUNDS:
            break
        state, sight = bed.ready(connection)
        shown = _leaves(connection.state())
        # Along one axis, so that the same coordinate follows each time.
        free = [way for way in bed.consult(probe.ways, state) if hypot(*way) <= _STRETCH]
        ways = [way for way in free if axis in {-1, _axis(way)}]
        if not ways:
            bed.step_aside(connection, state)
            continue
        axis = _axis(ways[0])
        answer = connection.do("MOVE", {"vector": list(ways[0])})
        after, moved = bed.see(connection), _leaves(connection.state())
        bed.let_pass(connection, 6)
        later, stood = bed.see(connection), _leaves(connection.state())
        if later.place == after.place and later.alive:
            standing |= _changed_paths(moved, stood)
        if status(answer) == "SUCCESS" and after.alive and dist(after.place, sight.place) > 0:
            moving.append(_changed_paths(shown, moved))
    if len(moving) < _ROUNDS:
        raise Unseen("the actor was hardly seen to move")
    if any(isinstance(moved.get(path), str) and len(moved[path]) > _OPAQUE for path in standing):
        raise NotApplicable("the states are pictures that nobody can read")
    following = set.intersection(*moving) - standing
    what = f"in {_ROUNDS} MOVEs by which the probe shows another place, the states show nothing that stands otherwise"
    expect(bool(following), what, "states in which something follows the actor")


@STATES.law("Probe")
def match_the_probe(bed: TestBed) -> None:
    """What states show is what the executor's own probe shows at the same moment."""
    reader, connection = _reader(bed), bed.session()
    if not isinstance(bed.probe, WireProbe):
        connection = bed.open_session(features=[*bed.hello()["features"], FEATURE])
        if FEATURE not in connection.frames("welcome")[0].get("features", []):
            raise NotApplicable("the executor does not answer probes")
    last: Pair | None = None
    behind: list[str] = []
    for name in _acts(bed):
        if name:
            connection.do(name, {"vector": _way(reader, connection)} if name == "MOVE" else None)
        for tried in range(_ROUNDS):  # the world may step between two answers, but not each time
            now = _look_twice(reader, connection)
            found = _difference(now, last)
            if not found:
                break
            behind += [found] * (not tried)
        expect(not found, f"after {name or 'nothing'}: {found}", "states and a probe that show the same")
        last = now
    expect(len(behind) < _ROUNDS, f"{len(behind)} times at the first look: {behind[:1]}", "the same at every look")


def _look_twice(reader: Probe, connection: KitConnection) -> Pair:
    """One moment, by a full state and by the executor's probe."""
    request, read, since = connection.next_id(), connection.next_id(), len(connection.heard)
    connection.say({"type": "state_request", "id": request, "full": True}, {"type": "probe.read", "id": read})
    sight = connection.await_frame("probe.sight", since=since, id=read)
    state = connection.await_frame("state", since=since, id=request)
    return reader.see(state.get("data")), WireProbe().see(sight)


def _difference(now: Pair, last: Pair | None) -> str:
    """What differs between a state and a probe, or in how far each has moved since; empty where nothing does."""
    for field in _SHARED:
        shown, known = (getattr(sight, field) for sight in now)
        if shown != known:
            return f"{field} is {shown} in states and {known} by the probe"
    if last is None:
        return ""
    shown, known = (dist(then.place, sight.place) for then, sight in zip(last, now, strict=True))
    if (shown == 0 and known >= _FAR) or (shown > 0 and known == 0):
        return f"the actor moved by {shown:g} in states and by {known:g} by the probe"
    return ""


def _acts(bed: TestBed) -> list[str]:
    return ["", *(name for name in ("MOVE", "HOLD", "RELEASE", "JUMP", "MOVE", "EVADE") if bed.supports(name)), ""]


def _way(reader: Probe, connection: KitConnection) -> list[float]:
    return [*(reader.ways(connection.state()["data"]) or [(1.0, 0.0, 0.0)])[0]]


def _reader(bed: TestBed) -> Probe:
    """Who reads the states themselves; NotApplicable where nobody does."""
    schema = bed.welcome.get("state_schema")
    known = [probe for probe in (bed.probe, *bed.known_probes) if probe and not isinstance(probe, WireProbe)]
    for probe in known:
        if isinstance(schema, dict) and probe.fits(schema):
            return probe
    raise NotApplicable("nothing reads the states: pass a probe (--probe MODULE:CLASS)")


def _axis(way: Vector) -> int:
    """The axis along which a way is the longest."""
    return max(range(3), key=lambda at: abs(way[at]))


def _leaves(state: Frame) -> Leaves:
    """The values in a state by their paths; numbers are rounded, for nobody stands perfectly still."""
    return dict(_walk(state.get("data"), ""))


def _walk(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _walk(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _walk(inner, f"{path}.{at}")
    else:
        yield path, round(value, 3) if isinstance(value, float) else value


def _changed_paths(before: Leaves, after: Leaves) -> set[str]:
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
