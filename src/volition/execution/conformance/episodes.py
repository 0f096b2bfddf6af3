"""Episodes: a reset begins the world again from its seed alone, and ends what was open. For executors with the feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import expect, expect_failure, payload, words
from volition.execution.conformance.lasting import TRIES, long_move, was_open
from volition.execution.conformance.law import Group
from volition.execution.conformance.talk import ANSWER, STEP
from volition.execution.conformance.verdict import Breaks, Unoffered, Unseen
from volition.execution.wire.frames import RESET as FEATURE
from volition.execution.wire.probe import WireProbe

if TYPE_CHECKING:
    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.log import Frame
    from volition.execution.conformance.talk import Talk

EPISODES: Final = Group("episodes")

_SEED: Final = 7
_BEGIN: Final = 2 * ANSWER
"""How long, in seconds, an executor may take to begin again."""


@EPISODES.law("Episodes")
def answered(bench: Bench) -> None:
    """A reset is answered by a full state with its id, of another episode than the states before it."""
    talk = _session(bench)
    before = talk.state()
    state = _reset(talk)
    expect(state.get("full") is True, "a state that is not full", "a full state")
    expect(state.get("episode") != before.get("episode"), f"episode {state.get('episode')} again", "another episode")
    after = talk.state()
    expect(after.get("episode") == state.get("episode"), f"episode {after.get('episode')} after it", "the same episode")


@EPISODES.law("Episodes")
def ends_what_is_open(bench: Bench) -> None:
    """What is open when a reset arrives has its result before the answer: PARTIAL, or FAILURE/UNKNOWN; detail RESET."""
    for _ in range(TRIES):
        talk = _session(bench)
        id = long_move(bench, talk)
        _reset(talk)
        if was_open(talk, id):
            expect(id in talk.results, "the state before the result of a MOVE that was open", "its result first")
            answer = talk.results[id][0]
            found = (payload(answer).get("status"), payload(answer).get("failure_reason"), answer.get("detail"))
            legal = {("PARTIAL", "NONE", "RESET"), ("FAILURE", "UNKNOWN", "RESET")}
            expect(found in legal, words(answer), "PARTIAL/NONE (RESET), or FAILURE/UNKNOWN (RESET) if it was queued")
            return
    raise Unseen(f"{TRIES} times a MOVE was over before the reset arrived")


@EPISODES.law("Episodes")
def goes_on_at_once(bench: Bench) -> None:
    """What follows a reset in the same write is attempted in the new episode, and answered after it."""
    talk = _session(bench)
    reset = _frame(talk)
    intent = talk.intent(bench.pick("RELEASE", "JUMP", "STOP"))
    since = len(talk.heard)
    talk.say(reset, intent)
    talk.await_frame("state", _BEGIN, since=since, id=reset["id"])
    answer = talk.result(intent["id"])
    expect(answer.get("detail") != "RESET", words(answer), f"{intent['intent']} attempted in the new episode")
    order = [spoken.data.get("id") for spoken in talk.heard[since:] if spoken.data is not None]
    expect(
        order.index(reset["id"]) < order.index(intent["id"]), "its result first", "the state of the new episode first"
    )


@EPISODES.law("Episodes")
def former_states(bench: Bench) -> None:
    """An intent that is based on a state of before the reset fails with INVALID_STATE, detail FORMER_EPISODE."""
    talk = _session(bench)
    before = talk.state()
    _reset(talk)
    name = bench.pick("JUMP", "RELEASE", "MOVE", "HOLD")
    answer = talk.do(name, STEP.get(name), based_on=before["seq"])
    expect_failure(answer, "INVALID_STATE", "FORMER_EPISODE")


@EPISODES.law("Episodes")
def needs_the_feature(bench: Bench) -> None:
    """A reset from a bridge that did not ask for the feature, or that observes, is out of order, and nothing is reset."""
    _session(bench)
    talk = bench.open_session()
    _expect_refusal(talk)
    if "observe" in bench.begin_session(features=["observe"]).frames("welcome")[0].get("features", []):
        talk = bench.begin_session(features=["observe", FEATURE])
        _expect_refusal(talk)


@EPISODES.law("Episodes")
def seed_alone(bench: Bench) -> None:
    """The world that begins depends on the seed alone, not on what was done before."""
    bench.need_probe()
    talk = _session(bench)
    first = _begin(bench, talk)
    for name in ("MOVE", "JUMP", "PRIMARY_ATTACK"):
        if bench.supports(name):
            talk.do(name, STEP.get(name))
    again = _begin(bench, talk)
    expect(first == again, f"seed {_SEED} begins with {again}", f"as before: {first}")


@EPISODES.law("Episodes")
def deterministic(bench: Bench) -> None:
    """The same seed and the same intents in the same ticks have the same results, if the welcome says so."""
    if bench.welcome.get("deterministic") is not True:
        raise Unoffered("the welcome does not say that the executor is deterministic")
    talk = _session(bench)
    known: dict[Any, list[Frame]] = {}
    for _ in range(TRIES):
        ticks, results = _play(bench, talk)
        if ticks in known:
            for one, other in zip(known[ticks], results, strict=True):
                same = _content(one) == _content(other)
                expect(same, f"{words(other)} after {words(one)}, in the same ticks", "the same result")
            return
        known[ticks] = results
    raise Unseen(f"in {TRIES} episodes the intents never arrived in the same ticks")


def _play(bench: Bench, talk: Talk) -> tuple[Any, list[Frame]]:
    """An episode of a few intents in one write: in which ticks since its beginning they ended, and how."""
    names = [name for name in ("JUMP", "PRIMARY_ATTACK", "MOVE", "HOLD", "RELEASE") if bench.supports(name)]
    reset = _frame(talk)
    intents = [talk.intent(name, STEP.get(name), ttl_ms=3000) for name in names[: bench.limit("max_inflight", 8)]]
    since = len(talk.heard)
    talk.say(reset, *intents)
    began = talk.await_frame("state", _BEGIN, since=since, id=reset["id"])
    results = [talk.result(intent["id"]) for intent in intents]
    ends = [state.get("tick") if isinstance(state := frame.get("next_state"), dict) else None for frame in results]
    return tuple(None if tick is None else tick - began["tick"] for tick in ends), results


def _content(frame: Frame) -> Frame:
    """A result without what the engine's clock says."""
    return {key: value for key, value in payload(frame).items() if key != "metadata"} | {"detail": frame.get("detail")}


def _begin(bench: Bench, talk: Talk) -> Any:
    """What the probe sees in a world that has just begun."""
    if not isinstance(bench.probe, WireProbe):
        return bench.read(_reset(talk))
    reset, read, since = _frame(talk), {"type": "probe.read", "id": talk.next_id()}, len(talk.heard)
    talk.say(reset, read)
    return bench.read({"data": talk.await_frame("probe.sight", _BEGIN, since=since, id=read["id"])})


def _session(bench: Bench) -> Talk:
    """A connection with the feature; NotApplicable where the executor does not have it."""
    talk = bench.open_session(features=[*bench.hello()["features"], FEATURE])
    if FEATURE not in (talk.frames("welcome")[0].get("features") or []):
        raise Unoffered("the executor does not offer the feature reset")
    return talk


def _frame(talk: Talk) -> Frame:
    return {"type": "reset", "id": talk.next_id(), "seed": _SEED}


def _reset(talk: Talk) -> Frame:
    """Begin again: the state that answers."""
    frame, since = _frame(talk), len(talk.heard)
    talk.say(frame)
    return talk.await_frame("state", _BEGIN, since=since, id=frame["id"])


def _expect_refusal(talk: Talk) -> None:
    before, since = talk.state(), len(talk.heard)
    frame = _frame(talk)
    talk.exchange(frame)
    codes = [error.get("code") for error in talk.frames("error", since=since)]
    expect(codes == ["out_of_order"], f"errors {codes}", "the error out_of_order")
    if talk.frames("state", since=since, id=frame["id"]):
        raise Breaks("a state in answer to it", expected="nothing but the error")
    expect(talk.state().get("episode") == before.get("episode"), "another episode", "the same episode")
