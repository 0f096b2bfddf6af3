"""States against the executor's own probe: what states show is what its engine knows, and neither follows from claims."""

from __future__ import annotations

from math import dist, hypot
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import expect, status
from volition.execution.conformance.states import STATES
from volition.execution.conformance.truth import probe_for_move
from volition.execution.conformance.verdict import NotApplicable, Unseen
from volition.execution.wire.probe import FEATURE, WireProbe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.log import Frame
    from volition.execution.conformance.talk import Talk
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
def show_what_moves(bench: Bench) -> None:
    """After a MOVE that moved the actor, states show something else than while it stands."""
    probe = probe_for_move(bench)
    talk, moving, standing, axis = bench.session(), list[set[str]](), set[str](), -1
    for _ in range(_TRIES):
        if len(moving) == _ROUNDS:
            break
        state, sight = bench.ready(talk)
        shown = _leaves(talk.state())
        # Along one axis, so that the same coordinate follows each time.
        free = [way for way in bench.consult(probe.ways, state) if hypot(*way) <= _STRETCH]
        ways = [way for way in free if axis in {-1, _axis(way)}]
        if not ways:
            bench.step_aside(talk, state)
            continue
        axis = _axis(ways[0])
        answer = talk.do("MOVE", {"vector": list(ways[0])})
        after, moved = bench.see(talk), _leaves(talk.state())
        bench.let_pass(talk, 6)
        later, stood = bench.see(talk), _leaves(talk.state())
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
def match_the_probe(bench: Bench) -> None:
    """What states show is what the executor's own probe shows at the same moment."""
    reader, talk = _reader(bench), bench.session()
    if not isinstance(bench.probe, WireProbe):
        talk = bench.open_session(features=[*bench.hello()["features"], FEATURE])
        if FEATURE not in talk.frames("welcome")[0].get("features", []):
            raise NotApplicable("the executor does not answer probes")
    last: Pair | None = None
    behind: list[str] = []
    for name in _acts(bench):
        if name:
            talk.do(name, {"vector": _way(reader, talk)} if name == "MOVE" else None)
        for tried in range(_ROUNDS):  # the world may step between two answers, but not each time
            now = _look_twice(reader, talk)
            found = _difference(now, last)
            if not found:
                break
            behind += [found] * (not tried)
        expect(not found, f"after {name or 'nothing'}: {found}", "states and a probe that show the same")
        last = now
    expect(len(behind) < _ROUNDS, f"{len(behind)} times at the first look: {behind[:1]}", "the same at every look")


def _look_twice(reader: Probe, talk: Talk) -> Pair:
    """One moment, by a full state and by the executor's probe."""
    request, read, since = talk.next_id(), talk.next_id(), len(talk.heard)
    talk.say({"type": "state_request", "id": request, "full": True}, {"type": "probe.read", "id": read})
    sight = talk.await_frame("probe.sight", since=since, id=read)
    state = talk.await_frame("state", since=since, id=request)
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


def _acts(bench: Bench) -> list[str]:
    return ["", *(name for name in ("MOVE", "HOLD", "RELEASE", "JUMP", "MOVE", "EVADE") if bench.supports(name)), ""]


def _way(reader: Probe, talk: Talk) -> list[float]:
    return [*(reader.ways(talk.state()["data"]) or [(1.0, 0.0, 0.0)])[0]]


def _reader(bench: Bench) -> Probe:
    """Who reads the states themselves; NotApplicable where nobody does."""
    schema = bench.welcome.get("state_schema")
    known = [probe for probe in (bench.probe, *bench.known_probes) if probe and not isinstance(probe, WireProbe)]
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
