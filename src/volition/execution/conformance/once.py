"""Requests: done once whatever is sent again, and never under an outdated token. For executors with the feature.

Here they outlive a connection; `restart` sees whether they outlive the executor too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import expect, expect_failure, in_time, payload, status, words
from volition.execution.conformance.lasting import TRIES, long_move, sent_frame, was_cut_short, was_open
from volition.execution.conformance.law import Group
from volition.execution.conformance.talk import STEP
from volition.execution.conformance.timing import at_once
from volition.execution.conformance.verdict import Unoffered, Unseen
from volition.execution.wire.marks import REQUESTS as FEATURE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.log import Frame
    from volition.execution.conformance.talk import Talk

REQUESTS: Final = Group("requests")

_RESOURCE: Final = "volition-conformance"
_ENDED: Final = 3


@REQUESTS.law("Once only")
def remembered(bench: Bench) -> None:
    """The same request, over another connection, is answered with the result that it had, and not attempted."""
    request = new_request(bench)
    first = ask_for(bench, open_requests_session(bench), request)
    talk = open_requests_session(bench)
    talk.gather(3 * bench.tick)
    again = ask_for(bench, talk, request)
    expect(payload(first) == payload(again), f"{words(again)} after {words(first)}", "the same result, field by field")


@REQUESTS.law("Once only")
def other_digest(bench: Bench) -> None:
    """A request that was used for something else fails with INVALID_STATE, detail OTHER_DIGEST."""
    request, talk = new_request(bench), open_requests_session(bench)
    ask_for(bench, talk, request)
    expect_failure(ask_for(bench, talk, {**request, "digest": "another"}), "INVALID_STATE", "OTHER_DIGEST")


@REQUESTS.law("Intents")
def order_of_refusals(bench: Bench) -> None:
    """What is known of a request counts before its token: its result, or OTHER_DIGEST, and only then STALE_TOKEN."""
    request, talk = new_request(bench), open_requests_session(bench)
    first = ask_for(bench, talk, request)
    outdated = {**request, "token": request["token"] - 1}
    again = ask_for(bench, talk, outdated)
    expect(payload(again) == payload(first), f"{words(again)} after {words(first)}", "the same result, field by field")
    expect_failure(ask_for(bench, talk, {**outdated, "digest": "another"}), "INVALID_STATE", "OTHER_DIGEST")


@REQUESTS.law("Once only")
def interrupted(bench: Bench) -> None:
    """A request whose bridge vanished while it was under way fails with UNKNOWN, detail INTERRUPTED, from then on."""
    bench.need_shared()
    ended: list[str] = []
    for talk, move in open_requests(bench):
        talk.leave("hung up")
        mark = {**_mark(move), "digest": move["digest"]}
        after = open_requests_session(bench)
        answers = [after.do("MOVE", move["parameters"], **mark) for _ in range(2)]
        if answers[0].get("detail") is not None:
            for answer in answers:
                expect_failure(answer, "UNKNOWN", "INTERRUPTED")
            return
        # It may have ended before the bridge went, but not each time.
        ended.append(words(answers[0]))
        in_time(len(ended) < _ENDED, f"{ended[0]}, each time", "FAILURE/UNKNOWN (INTERRUPTED)")


@REQUESTS.law("Once only")
def stale_token(bench: Bench) -> None:
    """A token below the highest for its resource fails with INVALID_STATE, detail STALE_TOKEN; no other token does."""
    request, talk = new_request(bench), open_requests_session(bench)
    ask_for(bench, talk, request)
    outdated = {**new_request(bench), "token": request["token"] - 1}
    expect_failure(ask_for(bench, talk, outdated), "INVALID_STATE", "STALE_TOKEN")
    for other in ({"token": request["token"]}, {"token": 0, "resource": f"{_RESOURCE}-{request['token']}"}):
        answer = ask_for(bench, talk, {**new_request(bench), **other})
        expect(answer.get("detail") != "STALE_TOKEN", words(answer), f"not STALE_TOKEN for {other}")


@REQUESTS.law("Once only")
def fences(bench: Bench) -> None:
    """A token in the fences of a greeting outdates lower ones before anything is asked for, over connections too."""
    request = new_request(bench)
    open_requests_session(bench, fences={_RESOURCE: request["token"]})
    talk = open_requests_session(bench)
    expect_failure(ask_for(bench, talk, {**request, "token": request["token"] - 1}), "INVALID_STATE", "STALE_TOKEN")


@REQUESTS.law("Once only")
def texts_compared(bench: Bench) -> None:
    """Requests are compared exactly: texts that only look alike are different requests."""
    request, talk = new_request(bench), open_requests_session(bench)
    for name in ("\u00e9t\u00e9", "e\u0301te\u0301", "\u00c9T\u00c9", "\u00e9t\u00e9 "):
        mark = {**request, "request": f"{request['request']}-{name}", "digest": name}
        answer = ask_for(bench, talk, mark)
        expect(answer.get("detail") != "OTHER_DIGEST", words(answer), f"a new request for {name!r}")


@REQUESTS.law("Once only")
def refusals_forgotten(bench: Bench) -> None:
    """A refusal that needs no attempt is not remembered: the request is still unused."""
    request, talk = new_request(bench), open_requests_session(bench)
    expect_failure(talk.do("DANCE", **request), "UNKNOWN", "NOT_CANONICAL")
    beyond = talk.state()["seq"] + 1000
    expect_failure(ask_for(bench, talk, {**request, "based_on": beyond}), "INVALID_STATE", "NO_SUCH_STATE")
    answer = ask_for(bench, talk, {**request, "digest": "another"})
    expect(answer.get("detail") is None, words(answer), "an attempt")


@REQUESTS.law("Once only")
def whole_marks(bench: Bench) -> None:
    """An intent without one of the four fields is not remembered."""
    talk = open_requests_session(bench)
    for name in ("token", "resource"):
        request = {key: value for key, value in new_request(bench).items() if key != name}
        for digest in ("kit", "another"):
            answer = ask_for(bench, talk, {**request, "digest": digest})
            expect(answer.get("detail") != "OTHER_DIGEST", words(answer), f"an attempt, without its {name}")


@REQUESTS.law("Once only")
def only_where_agreed(bench: Bench) -> None:
    """Where the bridge does not have the feature, marks are ignored."""
    open_requests_session(bench)
    request, talk = new_request(bench), bench.open_session()
    for digest in ("kit", "another"):
        answer = ask_for(bench, talk, {**request, "digest": digest})
        expect(answer.get("detail") != "OTHER_DIGEST", words(answer), "an attempt, without the feature")


@REQUESTS.law("Once only")
def under_way(bench: Bench) -> None:
    """The same request while it is under way waits for its result: both have the same, and nothing is attempted again."""
    for talk, move in open_requests(bench):
        again = {**move, "id": talk.next_id()}
        talk.exchange(again)
        seen = move["id"] not in talk.results
        early = talk.results.get(again["id"], [{}])[0]
        expect(
            not (seen and early), f"{words(early)} while the first is under way", "no result before that of the first"
        )
        talk.say({"type": "cancel", "id": move["id"]})
        _expect_the_same(talk.result(move["id"]), talk.result(again["id"]))
        if seen:
            return


@REQUESTS.law("Once only")
def under_way_open(bench: Bench) -> None:
    """What repeats a request under way is an open intent: a pong names it beside the first."""
    for talk, move in open_requests(bench):
        again = {**move, "id": talk.next_id()}
        talk.exchange(again)
        since = len(talk.heard)
        talk.say({"type": "ping", "n": 803})
        named = talk.await_frame("pong", since=since, n=803).get("open")
        if move["id"] not in talk.results:
            expect(named == [move["id"], again["id"]], f"open {named}", f"open {[move['id'], again['id']]}")
            return


@REQUESTS.law("Once only")
def under_way_stop(bench: Bench) -> None:
    """A STOP ends a request under way, and all of its ids with the same result, before its own."""
    for talk, move in open_requests(bench):
        again = {**move, "id": talk.next_id()}
        talk.exchange(again)
        seen = move["id"] not in talk.results
        talk.do("STOP")
        late = [each["id"] for each in (move, again) if each["id"] not in talk.results]
        expect(not late, f"STOP is answered, and {late} are open", "their results first")
        _expect_the_same(talk.result(move["id"]), talk.result(again["id"]))
        if seen:
            return


@REQUESTS.law("Once only")
def under_way_cancel(bench: Bench) -> None:
    """To cancel an intent that repeats a request under way is to cancel the request: both have the same result."""
    for talk, move in open_requests(bench):
        again = {**move, "id": talk.next_id()}
        talk.exchange(again)
        bench.let_pass(talk, 2)
        asked = talk.now
        talk.say({"type": "cancel", "id": again["id"]})
        answer = talk.result(again["id"])
        if answer.get("detail") == "CANCELLED":
            continue  # it was still queued
        _expect_the_same(talk.result(move["id"]), answer)
        if was_cut_short(talk, move["id"]):
            return
        took = talk.now - asked
        in_time(took <= at_once(bench), f"it ended {took:.1f} s after the cancel", "PARTIAL, soon")


@REQUESTS.law("Once only")
def under_way_overdue(bench: Bench) -> None:
    """When the time of a repeated intent is over and the request goes on, it fails with UNKNOWN, detail UNDER_WAY."""
    for talk, move in open_requests(bench):
        life = max(0.1, 3 * bench.tick)
        asked, again = talk.now, {**move, "id": talk.next_id(), "ttl_ms": round(1000 * life)}
        talk.say(again)
        answer = talk.result(again["id"])
        took, over = talk.now - asked - life, move["id"] in talk.results
        in_time(took <= at_once(bench), f"an answer {took:.1f} s after its time", "UNDER_WAY, soon after its time")
        bench.let_pass(talk, 2)
        expect(not was_cut_short(talk, move["id"]), "the request ended with it", "a request that goes on")
        if not over and answer.get("detail") != "EXPIRED":
            expect_failure(answer, "UNKNOWN", "UNDER_WAY")
            return


@REQUESTS.law("Once only")
def under_way_digest(bench: Bench) -> None:
    """A request that is under way for something else fails with INVALID_STATE, detail OTHER_DIGEST, and that goes on."""
    for talk, move in open_requests(bench):
        answer = talk.do("MOVE", move["parameters"], **_mark(move), digest="another")
        expect_failure(answer, "INVALID_STATE", "OTHER_DIGEST")
        cut = "the request under way ended with it"
        expect(not was_cut_short(talk, move["id"]), cut, "a request that goes on")
        if move["id"] not in talk.results:
            return


@REQUESTS.law("Once only")
def marked_stop(bench: Bench) -> None:
    """STOP is carried out every time: a mark on it is ignored, whatever is remembered."""
    stop, talk = new_request(bench), open_requests_session(bench)
    talk.do("STOP", **stop)
    for each, move in open_requests(bench):
        outdated = {**stop, "token": 0}
        answer = each.do("STOP", **outdated)
        expect(status(answer) in {"SUCCESS", "PARTIAL"}, words(answer), "SUCCESS, or PARTIAL in the air")
        expect(move["id"] in each.results, "a STOP that was answered while a MOVE goes on", "what was under way ended")
        if was_open(each, move["id"]):
            return


def open_requests(bench: Bench) -> Iterator[tuple[Talk, Frame]]:
    """Begin a MOVE that is a request and stays open, again and again: its connection and its frame.

    NotApplicable where no MOVE stays open, or nothing else may be open beside one; Unseen once the law has had enough.
    """
    if bench.limit("max_inflight", 8) < 2:
        raise Unoffered("no two intents may be open at once")
    talk = open_requests_session(bench)
    for _ in range(TRIES):
        id = long_move(bench, talk, lambda: new_request(bench))
        yield talk, sent_frame(bench, talk, id)
        if talk.ended:
            talk = open_requests_session(bench)
        else:
            talk.do("STOP")
    raise Unseen(f"{TRIES} times a MOVE was over before the kit's next frame arrived")


def _expect_the_same(first: Frame, again: Frame) -> None:
    same = payload(first) == payload(again) and first.get("detail") == again.get("detail")
    expect(same, f"{words(again)} beside {words(first)}", "the same result, field by field")


def _mark(frame: Frame) -> Frame:
    """The fields of a request, without its digest."""
    return {name: frame[name] for name in ("request", "token", "resource")}


def open_requests_session(bench: Bench, **changes: Any) -> Talk:
    """A connection after its opening, with the feature; NotApplicable where the executor does not have it."""
    talk = bench.open_session(features=[*bench.hello()["features"], FEATURE], **changes)
    if FEATURE not in talk.frames("welcome")[0].get("features", []):
        raise Unoffered(f"the executor does not offer the feature {FEATURE!r}")
    return talk


def new_request(bench: Bench) -> Frame:
    """The fields of a request that no earlier check has used, with a higher token."""
    number: int = bench.findings.get("requests", 0) + 2
    bench.findings["requests"] = number
    run = f"{bench.seed:x}-{bench.clock.monotonic():.6f}"
    # Milliseconds since some moment, so that a later run of the kit has higher tokens.
    token = int(bench.clock.now() * 1000) * 1000 + number
    return {"request": f"kit-{run}-{number}", "digest": "kit", "token": token, "resource": _RESOURCE}


def ask_for(bench: Bench, talk: Talk, request: Frame) -> Frame:
    """Ask for something marked that is soon over."""
    name = bench.pick("RELEASE", "JUMP", "MOVE")
    return talk.do(name, STEP.get(name), **request)
