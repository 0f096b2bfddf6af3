"""States: requests are answered, numbers grow, and an episode that is over is no basis for a decision."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bed import (
    expect,
    expect_errors,
    expect_failure,
    in_time,
    outcome,
    payload,
    status,
    words,
)
from volition.execution.conformance.connection import ANSWER, STEP
from volition.execution.conformance.law import Group
from volition.execution.conformance.verdict import Breaks, NotApplicable, Unseen
from volition.execution.wire.probe import WireProbe

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.log import Frame
    from volition.execution.wire.probe import Sight, Vector

STATES: Final = Group("states")

_DYING: Final = 20.0
_NEXT_LIFE: Final = 5.0
_LOOKS: Final = 4
_NUDGE: Final = 0.45
"""How far the actor walks back and forth in a harmful place."""
_SHORT: Final = 0.3
"""The share of that for a shorter step."""


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


@STATES.law("States and events")
def episode_changes(bed: TestBed) -> None:
    """The episode changes when the actor dies."""
    _, before, after = bed.once(die)
    expect(after.get("episode") != before.get("episode"), f"episode {after.get('episode')} again", "another episode")


@STATES.law("States and events")
def dead_in_its_episode(bed: TestBed) -> None:
    """A dead actor is shown in the episode in which it died: the next one begins with a living actor."""
    _, before, _ = bed.once(die)
    dead = bed.findings.get("state of the dead")
    if dead is None:
        raise Unseen("the next episode began at once")
    found = f"a dead actor in episode {dead.get('episode')}, after episode {before.get('episode')}"
    expect(dead.get("episode") == before.get("episode"), found, "the episode in which it died")


@STATES.law("Intents")
def former_episode(bed: TestBed) -> None:
    """An intent that is based on a state of a former episode fails with INVALID_STATE, detail FORMER_EPISODE."""
    _, before, after = bed.once(die)
    if after.get("episode") == before.get("episode"):
        raise NotApplicable("no session that saw two episodes")
    expect_failure(bed.findings["too late"], "INVALID_STATE", "FORMER_EPISODE")


@STATES.law("Results")
def the_dead_do_nothing(bed: TestBed) -> None:
    """An intent of a dead actor fails, in an invalid environment, with is_alive false."""
    bed.once(die)
    answer = bed.findings.get("posthumous")
    if answer is None:
        raise Unseen("the next episode began at once")
    alive, flags = outcome(answer, "is_alive"), payload(answer).get("safety_flags", {})
    expect(status(answer) == "FAILURE", words(answer), "FAILURE")
    expect(alive is False, f"is_alive {alive!r}", "is_alive false")
    expect(flags.get("invalid_environment") is True, f"{flags}", "invalid_environment true")


@dataclass(frozen=True, slots=True)
class Hurt:
    """An attempt near a harmful place: its result, the health lost around it, whether it was there throughout, and the
    share of the ticks around it that it took itself; 0 where there are no ticks."""

    answer: Frame
    lost: float
    throughout: bool
    share: float


@dataclass(frozen=True, slots=True)
class LastMove:
    """The MOVE after which the actor was seen dead: its result and vector, and the actor before and after it."""

    answer: Frame
    vector: Vector
    before: Sight
    after: Sight


def die(bed: TestBed) -> tuple[KitConnection, Frame, Frame]:
    """Walk into a harmful place until the actor dies and restarts: the connection, a state before and one after.

    NotApplicable where the actor cannot die. Also found: the results of attempts that `hurt`, the `last move`, the `dead`
    actor and its state, the `posthumous` result, and that of an intent that is `too late`: based on the state before.
    """
    probe = bed.need_probe("MOVE")
    connection = bed.session()
    before, sight = bed.ready(connection)
    state, nudge = before, _NUDGE
    hurt: list[Hurt] = bed.findings.setdefault("hurt", [])
    patience = bed.patience(connection, _DYING)
    for _ in patience:
        if not sight.alive:
            break
        step = bed.consult(probe.step_to_harm, state)
        if step is None:
            raise NotApplicable("no way was found for the actor to die")
        earlier, earlier_state, harmed = sight, state, not any(step)
        nudge = -nudge if harmed else nudge
        # Not at the very moment of arrival: one short step shifts the death into the middle of the next MOVE.
        short = harmed and bool(hurt) and hurt[-1].lost == sight.health
        vector = (nudge * _SHORT if short else nudge, 0.0, 0.0) if harmed else step
        answer = connection.do("MOVE", {"vector": list(vector)})
        state = bed.state(connection)
        if state.get("episode") != before.get("episode") and bed.read(state).alive:
            return _look_back(bed, connection, before, state)
        sight = bed.read(state)
        lost = earlier.health - sight.health
        if status(answer) != "FAILURE" and lost >= 0:
            share = _share_of_ticks(bed, earlier_state, answer, state)
            hurt.append(Hurt(answer, lost, harmed and lost > 0, share))
        if sight.alive:
            # In a harmful place one MOVE follows the other, so that the actor dies during one.
            if not harmed or status(answer) != "SUCCESS":
                connection.gather(bed.tick or 0.05)
            state = bed.state(connection)
            sight = bed.read(state)
        elif status(answer) != "FAILURE":
            bed.findings["last move"] = LastMove(answer, vector, earlier, sight)
    else:
        raise patience.give_up(f"the actor did not die within {_DYING:g} s")
    bed.findings["dead"], bed.findings["state of the dead"] = sight, state
    answer = connection.do("MOVE", STEP["MOVE"])
    bed.findings["posthumous"] = None if bed.see(connection).alive else answer
    after, _ = bed.look(connection, attrgetter("alive"), "alive again", _NEXT_LIFE)
    return _look_back(bed, connection, before, after)


def _share_of_ticks(bed: TestBed, before: Frame, answer: Frame, after: Frame) -> float:
    """Which part of the ticks between two states an attempt took, as it says itself."""
    passed = (after.get("tick", 0) - before.get("tick", 0)) * bed.tick
    took = payload(answer).get("metadata", {}).get("execution_time_ms")
    return min(1.0, took / 1000 / passed) if passed > 0 and isinstance(took, int | float) else 0.0


def _look_back(
    bed: TestBed, connection: KitConnection, before: Frame, after: Frame
) -> tuple[KitConnection, Frame, Frame]:
    """In the new life, ask for something that is based on the old one."""
    bed.findings["too late"] = connection.do("MOVE", STEP["MOVE"], based_on=before.get("seq"))
    return connection, before, after
