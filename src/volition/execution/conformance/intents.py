"""Intents: each answered once, by its id; unknown ones refused; the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import expect, expect_errors, expect_failure, payload, status, words
from volition.execution.conformance.lasting import open_moves, sent_frame, was_open
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
    """Everything but the seven intents with their parameters, and declared ones, fails with UNKNOWN, detail NOT_CANONICAL."""
    talk = bench.session()
    declares = bench.welcome.get("declares") or ()
    declared = {each.get("name") for each in declares if isinstance(each, dict)}
    for name, parameters in NOT_CANONICAL:
        if name in declared:
            continue
        expect_failure(talk.do(name, parameters), "UNKNOWN", "NOT_CANONICAL")


@INTENTS.law("Intents")
def name_echoed(bench: Bench) -> None:
    """A result has the name of its intent exactly as it was sent, also where nobody knows it."""
    talk = bench.session()
    for name in ("dance", "T\u00c4NZE \u2028\U0001f600\u0000", "Ta\u0308nze", "N" * 200):
        answer = talk.do(name)
        named = answer.get("intent")
        expect(named == name, f"a result of {named!r}", f"a result of {name!r}")


@INTENTS.law("Intents")
def order_of_refusals(bench: Bench) -> None:
    """Where several reasons apply, the first counts: NOT_CANONICAL, UNSUPPORTED, NO_SUCH_STATE, WINDOW_FULL."""
    talk = bench.session()
    seq = talk.state().get("seq", 0) + 1000
    expect_failure(talk.do("DANCE", based_on=seq), "UNKNOWN", "NOT_CANONICAL")
    for name in [name for name in CANONICAL if not bench.supports(name)][:1]:
        expect_failure(talk.do(name, STEP.get(name), based_on=seq), "UNKNOWN", "UNSUPPORTED")
    most = bench.limit("max_inflight", 8)
    filling = _many(bench, talk, most + 1)
    unknown = talk.intent("DANCE")
    late = _many(bench, talk, 1)[0] | {"based_on": seq}
    talk.say(*filling, unknown, late)
    for frame in filling:
        talk.result(frame["id"], 3 * ANSWER)
    expect_failure(talk.result(unknown["id"]), "UNKNOWN", "NOT_CANONICAL")
    expect_failure(talk.result(late["id"]), "INVALID_STATE", "NO_SUCH_STATE")


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
    """An id that is sent again while it is open changes nothing: there is one result, of one attempt."""
    for talk, id in open_moves(bench):
        talk.exchange(sent_frame(bench, talk, id))
        bench.let_pass(talk, 2)
        talk.do("STOP")
        answer = talk.result(id)
        count = len(talk.results[id])
        if was_open(talk, id):
            expect(count == 1, f"{count} results", "one result")
            return
        same = all(_content(each) == _content(answer) for each in talk.results[id])
        expect(same, f"{count} different results", "the same result")


@IDS.law("Intents")
def stale(bench: Bench) -> None:
    """An intent whose id is not above all before, of whatever frames, and has no result, is answered with stale_id."""
    talk = bench.open_session()
    below_an_intent = talk.next_id()
    talk.do("STOP")
    below_a_request = talk.next_id()
    of_a_request = talk.state()["id"]
    for id in (below_an_intent, below_a_request, of_a_request):
        since = talk.exchange({"type": "intent", "id": id, "intent": "STOP", "ttl_ms": 1000})
        expect(id not in talk.results, "a result for it", "error with the code stale_id")
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


@WINDOW.law("Intents")
def stop_not_counted(bench: Bench) -> None:
    """STOP takes no room in the window: beside one, limits.max_inflight intents may be open."""
    talk = bench.session()
    stop = talk.intent("STOP")
    frames = _many(bench, talk, bench.limit("max_inflight", 8))
    talk.say(stop, *frames)
    for frame in frames:
        answer = talk.result(frame["id"], 3 * ANSWER)
        expect(not _is_full(answer), words(answer), "none refused for a full window")


@WINDOW.law("Intents")
def free_again(bench: Bench) -> None:
    """What has its result takes no room in the window: however many were cancelled or stopped, as many fit again."""
    most = bench.limit("max_inflight", 8)
    for talk, id in open_moves(bench):
        talk.exchange({"type": "cancel", "id": id})
        talk.result(id)
        if was_open(talk, id):
            break
    for talk, id in open_moves(bench):
        talk.do("STOP")
        if was_open(talk, id):
            break
    talk.do("STOP")
    since = len(talk.heard)
    talk.say({"type": "ping", "n": 802})
    still = talk.await_frame("pong", since=since, n=802).get("open")
    expect(not still, f"{still} are open after their results", "nothing open")
    for answer in _burst(bench, talk, most):
        expect(not _is_full(answer), words(answer), f"room for {most} again")


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
