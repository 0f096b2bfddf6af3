"""Episodes: a reset begins the world again from its seed alone, and ends what was open. For executors with the feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from volition.execution.conformance.connection import ANSWER, STEP
from volition.execution.conformance.law import Group, expect, expect_failure, payload, words
from volition.execution.conformance.open_moves import TRIES, long_move, was_open
from volition.execution.conformance.verdict import Breaks, Unoffered, Unseen
from volition.execution.wire.frames import RESET as FEATURE
from volition.execution.wire.probe import WireProbe

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame
    from volition.execution.wire.probe import Sight


EPISODES: Final = Group("episodes")

_SEED: Final = 7
_BEGIN: Final = 2 * ANSWER
"""How long, in seconds, an executor may take to begin again."""


@EPISODES.law("Episodes")
def answered(bed: TestBed) -> None:
    """A reset is answered by a full state with its id, of another episode than the states before it."""
    connection = bed.open_with(FEATURE)
    before = connection.state()
    state = _reset(connection)
    expect(state.get("full") is True, "a state that is not full", "a full state")
    expect(state.get("episode") != before.get("episode"), f"episode {state.get('episode')} again", "another episode")
    after = connection.state()
    expect(after.get("episode") == state.get("episode"), f"episode {after.get('episode')} after it", "the same episode")


@EPISODES.law("Episodes")
def ends_what_is_open(bed: TestBed) -> None:
    """What is open when a reset arrives has its result before the answer: PARTIAL, or FAILURE/UNKNOWN; detail RESET."""
    for _ in range(TRIES):
        connection = bed.open_with(FEATURE)
        id = long_move(bed, connection)
        _reset(connection)
        if was_open(connection, id):
            expect(id in connection.results, "the state before the result of a MOVE that was open", "its result first")
            answer = connection.results[id][0]
            ending = (payload(answer).get("status"), payload(answer).get("failure_reason"), answer.get("detail"))
            legal = {("PARTIAL", "NONE", "RESET"), ("FAILURE", "UNKNOWN", "RESET")}
            expect(ending in legal, words(answer), "PARTIAL/NONE (RESET), or FAILURE/UNKNOWN (RESET) if it was queued")
            return
    raise Unseen(f"{TRIES} times a MOVE was over before the reset arrived")


@EPISODES.law("Episodes")
def goes_on_at_once(bed: TestBed) -> None:
    """What follows a reset in the same write is attempted in the new episode, and answered after it."""
    connection = bed.open_with(FEATURE)
    reset = _frame(connection)
    intent = connection.intent(bed.pick("RELEASE", "JUMP", "STOP"))
    since = len(connection.heard)
    connection.say(reset, intent)
    connection.await_frame("state", _BEGIN, since=since, id=reset["id"])
    answer = connection.result(intent["id"])
    expect(answer.get("detail") != "RESET", words(answer), f"{intent['intent']} attempted in the new episode")
    order = [logged.data.get("id") for logged in connection.heard[since:] if logged.data is not None]
    expect(
        order.index(reset["id"]) < order.index(intent["id"]), "its result first", "the state of the new episode first"
    )


@EPISODES.law("Episodes")
def former_states(bed: TestBed) -> None:
    """An intent that is based on a state of before the reset fails with INVALID_STATE, detail FORMER_EPISODE."""
    connection = bed.open_with(FEATURE)
    before = connection.state()
    _reset(connection)
    name = bed.pick("JUMP", "RELEASE", "MOVE", "HOLD")
    answer = connection.do(name, STEP.get(name), based_on=before["seq"])
    expect_failure(answer, "INVALID_STATE", "FORMER_EPISODE")


@EPISODES.law("Episodes")
def needs_the_feature(bed: TestBed) -> None:
    """A reset from a bridge that did not ask for the feature, or that observes, is out of order, and nothing is reset."""
    bed.open_with(FEATURE)
    connection = bed.open_session()
    _expect_refusal(connection)
    if "observe" in bed.begin_session(features=["observe"]).features:
        connection = bed.begin_session(features=["observe", FEATURE])
        _expect_refusal(connection)


@EPISODES.law("Episodes")
def seed_alone(bed: TestBed) -> None:
    """The world that begins depends on the seed alone, not on what was done before."""
    bed.need_probe()
    connection = bed.open_with(FEATURE)
    first = _begin(bed, connection)
    for name in ("MOVE", "JUMP", "PRIMARY_ATTACK"):
        if bed.supports(name):
            connection.do(name, STEP.get(name))
    again = _begin(bed, connection)
    same = bed.same_place(first, again) and first == replace(again, place=first.place)
    expect(same, f"seed {_SEED} begins with {again}", f"as before: {first}")


@EPISODES.law("Episodes")
def deterministic(bed: TestBed) -> None:
    """The same seed and the same intents in the same ticks have the same results, if the welcome says so."""
    if bed.welcome.get("deterministic") is not True:
        raise Unoffered("the welcome does not say that the executor is deterministic")
    connection = bed.open_with(FEATURE)
    known: dict[Any, list[Frame]] = {}
    for _ in range(TRIES):
        ticks, results = _play(bed, connection)
        if ticks in known:
            for one, other in zip(known[ticks], results, strict=True):
                same = _content(one) == _content(other)
                expect(same, f"{words(other)} after {words(one)}, in the same ticks", "the same result")
            return
        known[ticks] = results
    raise Unseen(f"in {TRIES} episodes the intents never arrived in the same ticks")


def _play(bed: TestBed, connection: KitConnection) -> tuple[Any, list[Frame]]:
    """An episode of a few intents in one write: in which ticks since its beginning they ended, and how."""
    names = [name for name in ("JUMP", "PRIMARY_ATTACK", "MOVE", "HOLD", "RELEASE") if bed.supports(name)]
    reset = _frame(connection)
    intents = [connection.intent(name, STEP.get(name), ttl_ms=3000) for name in names[: bed.limit("max_inflight", 8)]]
    since = len(connection.heard)
    connection.say(reset, *intents)
    began = connection.await_frame("state", _BEGIN, since=since, id=reset["id"])
    results = [connection.result(intent["id"]) for intent in intents]
    ends = [state.get("tick") if isinstance(state := frame.get("next_state"), dict) else None for frame in results]
    return tuple(None if tick is None else tick - began["tick"] for tick in ends), results


def _content(frame: Frame) -> Frame:
    """A result without what the engine's clock says."""
    return {key: value for key, value in payload(frame).items() if key != "metadata"} | {"detail": frame.get("detail")}


def _begin(bed: TestBed, connection: KitConnection) -> Sight:
    """What the probe sees in a world that has just begun."""
    if not isinstance(bed.probe, WireProbe):
        return bed.read(_reset(connection))
    reset, read, since = _frame(connection), {"type": "probe.read", "id": connection.next_id()}, len(connection.heard)
    connection.say(reset, read)
    return bed.read({"data": connection.await_frame("probe.sight", _BEGIN, since=since, id=read["id"])})


def _frame(connection: KitConnection) -> Frame:
    return {"type": "reset", "id": connection.next_id(), "seed": _SEED}


def _reset(connection: KitConnection) -> Frame:
    """Begin again: the state that answers."""
    frame, since = _frame(connection), len(connection.heard)
    connection.say(frame)
    return connection.await_frame("state", _BEGIN, since=since, id=frame["id"])


def _expect_refusal(connection: KitConnection) -> None:
    before, since = connection.state(), len(connection.heard)
    frame = _frame(connection)
    connection.exchange(frame)
    codes = [error.get("code") for error in connection.frames("error", since=since)]
    expect(codes == ["out_of_order"], f"errors {codes}", "the error out_of_order")
    if connection.frames("state", since=since, id=frame["id"]):
        raise Breaks("a state in answer to it", expected="nothing but the error")
    expect(connection.state().get("episode") == before.get("episode"), "another episode", "the same episode")
