"""Intents: each answered once, by its id; unknown ones refused; the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import expect, expect_errors, expect_failure, payload, status, words
from volition.execution.conformance.lasting import open_moves, was_open
from volition.execution.conformance.law import Group
from volition.execution.conformance.talk import ANSWER, STEP
from volition.execution.conformance.verdict import NotApplicable, Unoffered
from volition.execution.wire.intents import CANONICAL

if TYPE_CHECKING:
    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.log import Frame
    from volition.execution.conformance.talk import Talk

INTENTS: Final = Group("intents")
IDS: Final = Group("ids")
WINDOW: Final = Group("window")

_LARGEST_ID: Final = 2**53 - 1
_LARGEST_CACHE: Final = 2048
_BATCH: Final = 32

NOT_CANONICAL: Final[tuple[tuple[str, Any], ...]] = (
    ("DANCE", None),
    ("move", {"vector": [1, 0, 0]}),
    ("STOP ", None),
    ("MOVE", None),
    ("MOVE", {"vector": [1, 0]}),
    ("MOVE", {"vector": [1, 0, 0, 0]}),
    ("MOVE", {"vector": [1, "0", 0]}),
    ("MOVE", {"vector": [True, 0, 0]}),
    ("MOVE", {"vector": {"x": 1, "y": 0, "z": 0}}),
    ("MOVE", {"vector": [1, 0, 0], "speed": 2}),
    ("PRIMARY_ATTACK", {"if": "health > 10"}),
    ("JUMP", {"key": "space"}),
)
"""Intents outside the contract: another name, a condition, a key, or a MOVE without three numbers."""


@INTENTS.law("Results")
def every_intent(bench: Bench) -> None:
    """Every intent that the welcome offers has a result."""
    rehearse(bench)


def rehearse(bench: Bench) -> None:
    """Try every offered intent once, on one connection."""
    if bench.findings.get("rehearsed"):
        return
    bench.findings["rehearsed"] = True
    talk = bench.session()
    for name in ("HOLD", "RELEASE", "MOVE", "JUMP", "PRIMARY_ATTACK", "EVADE", "STOP"):
        if bench.supports(name):
            talk.do(name, STEP.get(name))


@INTENTS.law("Intents")
def not_canonical(bench: Bench) -> None:
    """Everything but the seven intents with their parameters fails with UNKNOWN, detail NOT_CANONICAL."""
    talk = bench.session()
    for name, parameters in NOT_CANONICAL:
        expect_failure(talk.do(name, parameters), "UNKNOWN", "NOT_CANONICAL")


@INTENTS.law("Handshake")
def not_offered(bench: Bench) -> None:
    """A canonical intent that the welcome does not name is not attempted: it fails."""
    missing = [name for name in CANONICAL if not bench.supports(name)]
    if not missing:
        raise Unoffered("all seven intents are offered")
    for name in missing:
        bench.rest(bench.session())
        answer = bench.session().do(name, STEP.get(name))
        expect(status(answer) == "FAILURE", words(answer), "FAILURE")


@INTENTS.law("Intents")
def empty_parameters(bench: Bench) -> None:
    """No parameters and an empty object of parameters mean the same."""
    answer = bench.session().do("STOP", {})
    expect(answer.get("detail") != "NOT_CANONICAL", words(answer), "STOP attempted")


@IDS.law("Intents")
def repeated(bench: Bench) -> None:
    """For a repeated id the same result is sent again, without another attempt."""
    talk = bench.session()
    frame = talk.intent(bench.pick("JUMP", "RELEASE", "STOP"))
    talk.say(frame)
    first = talk.result(frame["id"])
    bench.let_pass(talk, 2)
    again = _send_again(talk, frame)
    expect(_content(again) == _content(first), f"another result: {again.get('result')}", f"again {first.get('result')}")


@IDS.law("Intents")
def repeated_while_open(bench: Bench) -> None:
    """An id that is sent again while it is open is not attempted a second time."""
    for talk, id in open_moves(bench):
        sent = next(s.data for s in reversed(bench.log) if s.by == "kit" and s.data and s.data.get("id") == id)
        talk.exchange(sent)
        bench.let_pass(talk, 2)
        talk.do("STOP")
        results = [talk.result(id), *talk.results[id][1:]]
        different = {repr(_content(frame)) for frame in results}
        expect(len(different) == 1, f"{len(results)} different results", "one result")
        if was_open(talk, id):
            return


@IDS.law("Intents")
def stale(bench: Bench) -> None:
    """An id that is not above the previous ones and is not remembered is answered with stale_id, never attempted."""
    talk = bench.open_session()
    skipped = talk.next_id()
    talk.do("STOP")
    since = talk.exchange({"type": "intent", "id": skipped, "intent": "STOP", "ttl_ms": 1000})
    expect(skipped not in talk.results, "a result for it", "error with the code stale_id")
    expect_errors(talk, since, "stale_id")


@IDS.law("Intents")
def remembered(bench: Bench) -> None:
    """As many results are remembered as limits.result_cache says."""
    talk = bench.open_session()
    first = talk.intent(bench.pick("RELEASE", "STOP"))
    talk.say(first)
    result = talk.result(first["id"])
    left = min(bench.limit("result_cache", 1024), _LARGEST_CACHE) - 1
    while left > 0:
        batch = [talk.intent("STOP") for _ in range(min(left, _BATCH))]
        talk.say(*batch)
        for frame in batch:
            talk.result(frame["id"])
        left -= len(batch)
    again = _send_again(talk, first)
    expect(_content(again) == _content(result), f"another result: {words(again)}", words(result))


@IDS.law("Intents")
def largest(bench: Bench) -> None:
    """Ids up to 2^53 - 1 come back exactly."""
    talk = bench.open_session()
    talk.say({"type": "intent", "id": _LARGEST_ID, "intent": "STOP", "ttl_ms": 1000})
    talk.result(_LARGEST_ID)


@WINDOW.law("Intents")
def fits(bench: Bench) -> None:
    """As many intents as limits.max_inflight may be open at once."""
    talk = bench.session()
    for answer in _burst(bench, talk, bench.limit("max_inflight", 8)):
        expect(answer.get("detail") != "WINDOW_FULL", words(answer), "none refused for a full window")


@WINDOW.law("Intents")
def one_more(bench: Bench) -> None:
    """With limits.max_inflight open, one more fails with RESOURCE_EXHAUSTED, detail WINDOW_FULL."""
    talk = bench.session()
    most = bench.limit("max_inflight", 8)
    since = len(talk.heard)
    answers = _burst(bench, talk, 2 * most + 2)
    open_at_once = [len(frame["open"]) for frame in talk.frames("pong", since=since) if frame.get("open")]
    expect(max(open_at_once, default=0) <= most, f"{max(open_at_once, default=0)} open at once", f"at most {most}")
    if any(_is_full(answer) for answer in answers[:most]):
        raise NotApplicable("the actor is exhausted before the window is full")
    refused = [answer for answer in answers[most:] if _is_full(answer)]
    if not refused:
        raise NotApplicable(f"{most} were never open at once: each was done before the next arrived")
    for answer in refused:
        expect_failure(answer, "RESOURCE_EXHAUSTED", "WINDOW_FULL")


@WINDOW.law("Intents")
def stop_apart(bench: Bench) -> None:
    """STOP is never refused for a full window."""
    talk = bench.session()
    frames = _many(bench, talk, 2 * bench.limit("max_inflight", 8))
    stop = talk.intent("STOP")
    talk.say(*frames, stop)
    answer = talk.result(stop["id"])
    expect(not _is_full(answer), words(answer), "STOP attempted")
    for frame in frames:
        talk.result(frame["id"])


def _burst(bench: Bench, talk: Talk, count: int) -> list[Frame]:
    """Many intents and a ping in one write; their results."""
    frames = _many(bench, talk, count)
    talk.say(*frames, {"type": "ping", "n": 801})
    return [talk.result(frame["id"], 3 * ANSWER) for frame in frames]


def _many(bench: Bench, talk: Talk, count: int) -> list[Frame]:
    """Intents to fill the window with, not yet sent."""
    name = bench.pick("MOVE", "JUMP", "RELEASE")
    return [talk.intent(name, STEP.get(name)) for _ in range(count)]


def _is_full(answer: Frame) -> bool:
    return answer.get("detail") == "WINDOW_FULL" or payload(answer).get("failure_reason") == "RESOURCE_EXHAUSTED"


def _send_again(talk: Talk, frame: Frame) -> Frame:
    """Send an intent a second time, and wait for its result."""
    talk.say(frame)
    return talk.await_frame("result", id=frame["id"])


def _content(frame: Frame) -> Any:
    return frame.get("intent"), frame.get("result"), frame.get("detail")
