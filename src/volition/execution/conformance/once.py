"""Requests: done once whatever is sent again, and never under an outdated token. For executors with the feature.

Here they outlive a connection; `restart` sees whether they outlive the executor too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import expect, expect_failure, in_time, payload, status, words
from volition.execution.conformance.lasting import TRIES, long_move, was_cut_short, was_open
from volition.execution.conformance.law import Group
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
    request = _new(bench)
    first = _ask(bench, _session(bench), request)
    talk = _session(bench)
    talk.gather(3 * bench.tick)
    again = _ask(bench, talk, request)
    expect(payload(first) == payload(again), f"{words(again)} after {words(first)}", "the same result, field by field")


@REQUESTS.law("Once only")
def other_digest(bench: Bench) -> None:
    """A request that was used for something else fails with INVALID_STATE, detail OTHER_DIGEST."""
    request, talk = _new(bench), _session(bench)
    _ask(bench, talk, request)
    expect_failure(_ask(bench, talk, {**request, "digest": "another"}), "INVALID_STATE", "OTHER_DIGEST")


@REQUESTS.law("Once only")
def texts_compared(bench: Bench) -> None:
    """Requests are compared exactly: texts that only look alike are different requests."""
    request, talk = _new(bench), _session(bench)
    for name in ("caf\u00e9", "cafe\u0301", "CAF\u00c9", "caf\u00e9 "):
        mark = {**request, "request": f"{request['request']}-{name}", "digest": name}
        answer = _ask(bench, talk, mark)
        expect(answer.get("detail") != "OTHER_DIGEST", words(answer), f"a new request for {name!r}")


@REQUESTS.law("Once only")
def order_of_refusals(bench: Bench) -> None:
    """What is known of a request counts before its token: its result, or OTHER_DIGEST, and only then STALE_TOKEN."""
    request, talk = _new(bench), _session(bench)
    first = _ask(bench, talk, request)
    outdated = {**request, "token": request["token"] - 1}
    again = _ask(bench, talk, outdated)
    expect(payload(again) == payload(first), f"{words(again)} after {words(first)}", "the same result, field by field")
    expect_failure(_ask(bench, talk, {**outdated, "digest": "another"}), "INVALID_STATE", "OTHER_DIGEST")


@REQUESTS.law("Once only")
def interrupted(bench: Bench) -> None:
    """A request whose bridge vanished while it was under way fails with UNKNOWN, detail INTERRUPTED, from then on."""
    bench.need_shared()
    ended: list[str] = []
    for talk, move in _open_requests(bench):
        talk.leave("hung up")
        mark = {**_mark(move), "digest": move["digest"]}
        after = _session(bench)
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
    request, talk = _new(bench), _session(bench)
    _ask(bench, talk, request)
    outdated = {**_new(bench), "token": request["token"] - 1}
    expect_failure(_ask(bench, talk, outdated), "INVALID_STATE", "STALE_TOKEN")
    for other in ({"token": request["token"]}, {"token": 0, "resource": f"{_RESOURCE}-{request['token']}"}):
        answer = _ask(bench, talk, {**_new(bench), **other})
        expect(answer.get("detail") != "STALE_TOKEN", words(answer), f"not STALE_TOKEN for {other}")


@REQUESTS.law("Once only")
def fences(bench: Bench) -> None:
    """A token in the fences of a greeting outdates lower ones before anything is asked for, over connections too."""
    request = _new(bench)
    _session(bench, fences={_RESOURCE: request["token"]})
    talk = _session(bench)
    expect_failure(_ask(bench, talk, {**request, "token": request["token"] - 1}), "INVALID_STATE", "STALE_TOKEN")


@REQUESTS.law("Once only")
def under_way(bench: Bench) -> None:
    """The same request while it is under way waits for its result: both have the same, and nothing is attempted again."""
    for talk, move in _open_requests(bench):
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
def under_way_cancel(bench: Bench) -> None:
    """To cancel an intent that repeats a request under way is to cancel the request: both have the same result."""
    for talk, move in _open_requests(bench):
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
    for talk, move in _open_requests(bench):
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
    for talk, move in _open_requests(bench):
        answer = talk.do("MOVE", move["parameters"], **_mark(move), digest="another")
        expect_failure(answer, "INVALID_STATE", "OTHER_DIGEST")
        cut = "the request under way ended with it"
        expect(not was_cut_short(talk, move["id"]), cut, "a request that goes on")
        if move["id"] not in talk.results:
            return


@REQUESTS.law("Once only")
def marked_stop(bench: Bench) -> None:
    """STOP is carried out every time: a mark on it is ignored, whatever is remembered."""
    stop, talk = _new(bench), _session(bench)
    talk.do("STOP", **stop)
    for each, move in _open_requests(bench):
        outdated = {**stop, "token": 0}
        answer = each.do("STOP", **outdated)
        expect(status(answer) in {"SUCCESS", "PARTIAL"}, words(answer), "SUCCESS, or PARTIAL in the air")
        expect(move["id"] in each.results, "a STOP that was answered while a MOVE goes on", "what was under way ended")
        if was_open(each, move["id"]):
            return


def _open_requests(bench: Bench) -> Iterator[tuple[Talk, Frame]]:
    """Begin a MOVE that is a request and stays open, again and again: its connection and its frame.

    NotApplicable where no MOVE stays open, or nothing else may be open beside one; Unseen once the law has had enough.
    """
    if bench.limit("max_inflight", 8) < 2:
        raise Unoffered("no two intents may be open at once")
    talk = _session(bench)
    for _ in range(TRIES):
        id = long_move(bench, talk, lambda: _new(bench))
        said = [spoken.data for spoken in bench.log if spoken.by == "kit" and spoken.connection == talk.number]
        yield talk, next(frame for frame in reversed(said) if frame and frame.get("id") == id)
        if talk.ended:
            talk = _session(bench)
        else:
            talk.do("STOP")
    raise Unseen(f"{TRIES} times a MOVE was over before the kit's next frame arrived")


def _expect_the_same(first: Frame, again: Frame) -> None:
    same = payload(first) == payload(again) and first.get("detail") == again.get("detail")
    expect(same, f"{words(again)} beside {words(first)}", "the same result, field by field")


def _mark(frame: Frame) -> Frame:
    """The fields of a request, without its digest."""
    return {name: frame[name] for name in ("request", "token", "resource")}


def _session(bench: Bench, **changes: Any) -> Talk:
    talk = bench.open_session(features=[*bench.hello()["features"], FEATURE], **changes)
    if FEATURE not in talk.frames("welcome")[0].get("features", []):
        raise Unoffered(f"the executor does not offer the feature {FEATURE!r}")
    return talk


def _new(bench: Bench) -> Frame:
    """The fields of a request that no earlier check has used, with a higher token."""
    number: int = bench.findings.get("requests", 0) + 2
    bench.findings["requests"] = number
    run = f"{bench.seed:x}-{bench.clock.monotonic():.6f}"
    # Milliseconds since some moment, so that a later run of the kit has higher tokens.
    token = int(bench.clock.now() * 1000) * 1000 + number
    return {"request": f"kit-{run}-{number}", "digest": "kit", "token": token, "resource": _RESOURCE}


def _ask(bench: Bench, talk: Talk, request: Frame) -> Frame:
    return talk.do(bench.pick("RELEASE", "JUMP"), **request)
