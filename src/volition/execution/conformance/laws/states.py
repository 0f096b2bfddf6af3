"""States: requests are answered, numbers grow, and what states show is what the executor's own probe knows.

Laws about an episode that is over are with those about deaths, in fights.py.
"""

from __future__ import annotations

from math import dist, hypot
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.connection import ANSWER, STEP
from volition.execution.conformance.law import (
    Group,
    expect,
    expect_errors,
    expect_failure,
    in_time,
    status,
    words,
)
from volition.execution.conformance.verdict import Breaks, NotApplicable, Unseen
from volition.execution.wire.probe import FEATURE, WireProbe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame
    from volition.execution.wire.probe import Probe, Sight, Vector

    Pair = tuple[Sight, Sight]
    Leaves = dict[str, Any]


STATES: Final = Group("states")
_LOOKS: Final = 4


@STATES.law("States and events")
def answered(bed: TestBed) -> None:
    """Every request is answered by one state with its id, a full one where requested."""
    connection = bed.session()
    ids = [connection.next_id() for _ in range(4)]
    since = connection.exchange(*({"type": "state_request", "id": id, "full": id % 2 == 0} for id in ids))
    for id in ids:
        states = connection.frames("state", since=since, id=id)
        expect(len(states) == 1, f"{len(states)} states with the id {id}", "one")
        expect(id % 2 == 1 or states[0].get("full") is True, f"full is {states[0].get('full')!r}", "true")


@STATES.law("Intents")
def any_id(bed: TestBed) -> None:
    """A request is answered whatever its id: also one below the others, and one that was used before."""
    connection = bed.session()
    skipped, used = connection.next_id(), connection.next_id()
    connection.exchange({"type": "state_request", "id": used, "full": False})
    for id in (skipped, used):
        since = connection.exchange({"type": "state_request", "id": id, "full": False})
        states = connection.frames("state", since=since, id=id)
        expect(len(states) == 1, f"{len(states)} states with the id {id}", "one")
        expect_errors(connection, since)


@STATES.law("Intents")
def agent_echoed(bed: TestBed) -> None:
    """A state that names an agent names the one that was asked about, exactly."""
    connection = bed.session()
    for agent in ("h\u00e9ros \u2028 \U0001f600", "x" * 200):
        id = connection.next_id()
        connection.say({"type": "state_request", "id": id, "full": False, "agent": agent})
        named = connection.await_frame("state", id=id).get("agent")
        expect(named in {None, agent}, f"the agent {named!r}", f"the agent {agent!r}, or none")


@STATES.law("States and events")
def seq_grows(bed: TestBed) -> None:
    """The seq of states never goes back within a session, and one seq is one state."""
    connection = bed.session()
    since = len(connection.heard)
    for _ in range(3):
        connection.state()
        connection.do("STOP")
        connection.gather(bed.tick)
    last: Frame | None = None
    for state in connection.frames("state", since=since):
        if last is not None:
            seq, before = state.get("seq", 0), last.get("seq", 0)
            expect(seq >= before, f"seq {seq} after {before}", "one that is not smaller")
            same = (state.get("tick"), state.get("episode")) == (last.get("tick"), last.get("episode"))
            expect(seq > before or same, f"seq {seq} for two states", "a different seq for each state")
        last = state


@STATES.law("States and events")
def tick_grows(bed: TestBed) -> None:
    """In a world with a tick rate the tick of states grows, like the tick in pongs."""
    connection = bed.session()
    since = len(connection.heard)

    def read_tick() -> Any:
        connection.say({"type": "ping", "n": 881})
        return connection.state().get("tick")

    first, last = bed.watch_tick(connection, read_tick)
    expect(isinstance(first, int) and isinstance(last, int), f"ticks {first!r} and {last!r}", "the tick in every state")
    pongs = [frame["tick"] for frame in connection.frames("pong", since=since) if isinstance(frame.get("tick"), int)]
    if pongs and max(pongs) > min(pongs):
        expect(last > first, f"the tick of states stays {last}, that of pongs went to {max(pongs)}", "one that grows")
    in_time(last > first, f"tick {first}, then {last}, over {ANSWER:g} s", "a tick that grows")


@STATES.law("States and events")
def tick_agrees(bed: TestBed) -> None:
    """States and pongs count the same ticks."""
    connection = bed.session()
    apart: list[int] = []
    for n in range(_LOOKS):
        since, id = len(connection.heard), connection.next_id()
        connection.say({"type": "ping", "n": 890 + n}, {"type": "state_request", "id": id, "full": False})
        shown = connection.await_frame("state", since=since, id=id).get("tick")
        counted = connection.await_frame("pong", since=since, n=890 + n).get("tick")
        if not isinstance(shown, int) or not isinstance(counted, int):
            raise NotApplicable("pongs have no tick")
        apart.append(abs(shown - counted))
        connection.gather(bed.tick)
    expect(min(apart) <= 1, f"a state and a pong of one moment are {min(apart)} ticks apart", "the same tick")


@STATES.law("Intents")
def based_on_now(bed: TestBed) -> None:
    """An intent that is based on the newest state is not refused as of a former episode."""
    connection, name = bed.session(), bed.pick("RELEASE", "JUMP", "MOVE")
    answer = connection.do(name, STEP.get(name), based_on=connection.state().get("seq"))
    expect(answer.get("detail") != "FORMER_EPISODE", words(answer), "an attempt")


@STATES.law("Intents")
def no_such_state(bed: TestBed) -> None:
    """An intent that is based on a state that was never sent fails with INVALID_STATE, detail NO_SUCH_STATE."""
    connection, name = bed.session(), bed.pick("RELEASE", "JUMP", "MOVE")
    seq: int = connection.state()["seq"]
    for beyond in (1000, 2**52):
        expect_failure(connection.do(name, STEP.get(name), based_on=seq + beyond), "INVALID_STATE", "NO_SUCH_STATE")


@STATES.law("States and events")
def full_has_map(bed: TestBed) -> None:
    """A full state holds everything in its schema, including the map of the ground."""
    if isinstance(bed.probe, WireProbe):
        raise NotApplicable("the executor answers probes itself, and nothing reads its states")
    connection = bed.session()
    state = connection.state(full=True)
    bed.read(state)
    if bed.probe is not None:
        try:
            bed.probe.ways(state["data"])
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise Breaks(f"a full state without its ground: {error!r}", expected="the map in a full state") from error


SHOWN: Final = Group("states")

_ROUNDS: Final = 3
_MOVES: Final = 12
_STRETCH: Final = 2.0
_OPAQUE: Final = 64
"""A longer text is a picture of something: nobody knows what has changed in it."""
_FAR: Final = 1.0
"""A distance in the unit of MOVE's vectors that no rounding hides."""
_SHARED: Final = ("alive", "grounded", "busy", "holding", "health", "cooling", "tired", "target")
"""What both probes must see alike; places and directions may be in other units and words."""


@SHOWN.law("States and events")
def show_what_moves(bed: TestBed) -> None:
    """After a MOVE that moved the actor, states show something else than while it stands."""
    probe = bed.need_move_probe()
    connection, moving, standing, axis = bed.session(), list[set[str]](), set[str](), -1
    for _ in range(_MOVES):
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
        if bed.same_place(after, later) and later.alive:
            standing |= _changed_paths(moved, stood, bed.tolerance)
        if status(answer) == "SUCCESS" and after.alive and not bed.same_place(sight, after):
            moving.append(_changed_paths(shown, moved, bed.tolerance))
    if len(moving) < _ROUNDS:
        raise Unseen("the actor was hardly seen to move")
    if any(isinstance(moved.get(path), str) and len(moved[path]) > _OPAQUE for path in standing):
        raise NotApplicable("the states are pictures that nobody can read")
    following = set.intersection(*moving) - standing
    what = f"in {_ROUNDS} MOVEs by which the probe shows another place, the states show nothing that stands otherwise"
    expect(bool(following), what, "states in which something follows the actor")


@SHOWN.law("Probe")
def match_the_probe(bed: TestBed) -> None:
    """What states show is what the executor's own probe shows at the same moment."""
    reader, connection = _reader(bed), bed.session()
    if not isinstance(bed.probe, WireProbe):
        connection = bed.open_session(features=[*bed.hello()["features"], FEATURE])
        if FEATURE not in connection.features:
            raise NotApplicable("the executor does not answer probes")
    last: Pair | None = None
    behind: list[str] = []
    for name in _acts(bed):
        if name:
            connection.do(name, {"vector": _way(reader, connection)} if name == "MOVE" else None)
        for tried in range(_ROUNDS):  # the world may step between two answers, but not each time
            now = _look_twice(reader, connection)
            difference = _difference(now, last, bed.tolerance)
            if not difference:
                break
            behind += [difference] * (not tried)
        expect(not difference, f"after {name or 'nothing'}: {difference}", "states and a probe that show the same")
        last = now
    expect(len(behind) < _ROUNDS, f"{len(behind)} times at the first look: {behind[:1]}", "the same at every look")


def _look_twice(reader: Probe, connection: KitConnection) -> Pair:
    """One moment, by a full state and by the executor's probe."""
    request, read, since = connection.next_id(), connection.next_id(), len(connection.heard)
    connection.say({"type": "state_request", "id": request, "full": True}, {"type": "probe.read", "id": read})
    sight = connection.await_frame("probe.sight", since=since, id=read)
    state = connection.await_frame("state", since=since, id=request)
    return reader.see(state.get("data")), WireProbe().see(sight)


def _difference(now: Pair, last: Pair | None, tolerance: float) -> str:
    """What differs between a state and a probe, or in how far each has moved since; empty where nothing does."""
    for field in _SHARED:
        shown, known = (getattr(sight, field) for sight in now)
        if shown != known:
            return f"{field} is {shown} in states and {known} by the probe"
    if last is None:
        return ""
    shown, known = (dist(then.place, sight.place) for then, sight in zip(last, now, strict=True))
    if (shown <= tolerance and known >= _FAR) or (shown > tolerance and known == 0):
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


def _changed_paths(before: Leaves, after: Leaves, tolerance: float) -> set[str]:
    """Where values differ, numbers by more than the tolerance of places: any of them may be a coordinate."""

    def is_same(one: Any, other: Any) -> bool:
        return one == other or (isinstance(one, float) and isinstance(other, float) and abs(one - other) <= tolerance)

    return {path for path in before.keys() | after.keys() if not is_same(before.get(path), after.get(path))}
