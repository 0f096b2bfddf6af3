"""Requests: done once whatever is sent again, and never under an outdated token. For executors with the feature.

Here they outlive a connection; `restart` sees whether they outlive the executor too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.execution.conformance.connection import STEP
from volition.execution.conformance.law import Group, expect, expect_failure, in_time, payload, status, words
from volition.execution.conformance.open_moves import TRIES, at_once, long_move, sent_frame, was_cut_short, was_open
from volition.execution.conformance.verdict import Unoffered, Unseen
from volition.execution.wire.request import REQUESTS as FEATURE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame


REQUESTS: Final = Group("requests")

_RESOURCE: Final = "volition-conformance"
_ENDED: Final = 3


@REQUESTS.law("Once only")
def remembered(bed: TestBed) -> None:
    """The same request, over another connection, is answered with the result that it had, and not attempted."""
    request = new_request(bed)
    first = ask_for(bed, bed.open_with(FEATURE), request)
    connection = bed.open_with(FEATURE)
    connection.gather(3 * bed.tick)
    again = ask_for(bed, connection, request)
    expect(payload(first) == payload(again), f"{words(again)} after {words(first)}", "the same result, field by field")


@REQUESTS.law("Once only")
def other_digest(bed: TestBed) -> None:
    """A request that was used for something else fails with INVALID_STATE, detail OTHER_DIGEST."""
    request, connection = new_request(bed), bed.open_with(FEATURE)
    ask_for(bed, connection, request)
    expect_failure(ask_for(bed, connection, {**request, "digest": "another"}), "INVALID_STATE", "OTHER_DIGEST")


@REQUESTS.law("Intents")
def order_of_refusals(bed: TestBed) -> None:
    """What is known of a request counts before its token: its result, or OTHER_DIGEST, and only then STALE_TOKEN."""
    request, connection = new_request(bed), bed.open_with(FEATURE)
    first = ask_for(bed, connection, request)
    outdated = {**request, "token": request["token"] - 1}
    again = ask_for(bed, connection, outdated)
    expect(payload(again) == payload(first), f"{words(again)} after {words(first)}", "the same result, field by field")
    expect_failure(ask_for(bed, connection, {**outdated, "digest": "another"}), "INVALID_STATE", "OTHER_DIGEST")


@REQUESTS.law("Once only")
def interrupted(bed: TestBed) -> None:
    """A request whose bridge vanished while it was under way fails with UNKNOWN, detail INTERRUPTED, from then on."""
    bed.need_shared()
    ended: list[str] = []
    for connection, move in open_requests(bed):
        connection.leave("hung up")
        mark = {**_mark(move), "digest": move["digest"]}
        after = bed.open_with(FEATURE)
        answers = [after.do("MOVE", move["parameters"], **mark) for _ in range(2)]
        if answers[0].get("detail") is not None:
            for answer in answers:
                expect_failure(answer, "UNKNOWN", "INTERRUPTED")
            return
        # It may have ended before the bridge went, but not each time.
        ended.append(words(answers[0]))
        in_time(len(ended) < _ENDED, f"{ended[0]}, each time", "FAILURE/UNKNOWN (INTERRUPTED)")


@REQUESTS.law("Once only")
def stale_token(bed: TestBed) -> None:
    """A token below the highest for its resource fails with INVALID_STATE, detail STALE_TOKEN; no other token does."""
    request, connection = new_request(bed), bed.open_with(FEATURE)
    ask_for(bed, connection, request)
    outdated = {**new_request(bed), "token": request["token"] - 1}
    expect_failure(ask_for(bed, connection, outdated), "INVALID_STATE", "STALE_TOKEN")
    for other in ({"token": request["token"]}, {"token": 0, "resource": f"{_RESOURCE}-{request['token']}"}):
        answer = ask_for(bed, connection, {**new_request(bed), **other})
        expect(answer.get("detail") != "STALE_TOKEN", words(answer), f"not STALE_TOKEN for {other}")


@REQUESTS.law("Once only")
def fences(bed: TestBed) -> None:
    """A token in the fences of a greeting outdates lower ones before anything is asked for, over connections too."""
    request = new_request(bed)
    bed.open_with(FEATURE, fences={_RESOURCE: request["token"]})
    connection = bed.open_with(FEATURE)
    expect_failure(ask_for(bed, connection, {**request, "token": request["token"] - 1}), "INVALID_STATE", "STALE_TOKEN")


@REQUESTS.law("Once only")
def texts_compared(bed: TestBed) -> None:
    """Requests are compared exactly: texts that only look alike are different requests."""
    request, connection = new_request(bed), bed.open_with(FEATURE)
    for name in ("\u00e9t\u00e9", "e\u0301te\u0301", "\u00c9T\u00c9", "\u00e9t\u00e9 "):
        mark = {**request, "request": f"{request['request']}-{name}", "digest": name}
        answer = ask_for(bed, connection, mark)
        expect(answer.get("detail") != "OTHER_DIGEST", words(answer), f"a new request for {name!r}")


@REQUESTS.law("Once only")
def refusals_forgotten(bed: TestBed) -> None:
    """A refusal that needs no attempt is not remembered: the request is still unused."""
    request, connection = new_request(bed), bed.open_with(FEATURE)
    expect_failure(connection.do("DANCE", **request), "UNKNOWN", "NOT_CANONICAL")
    beyond = connection.state()["seq"] + 1000
    expect_failure(ask_for(bed, connection, {**request, "based_on": beyond}), "INVALID_STATE", "NO_SUCH_STATE")
    answer = ask_for(bed, connection, {**request, "digest": "another"})
    expect(answer.get("detail") is None, words(answer), "an attempt")


@REQUESTS.law("Once only")
def whole_marks(bed: TestBed) -> None:
    """An intent without one of the four fields is not remembered."""
    connection = bed.open_with(FEATURE)
    for name in ("token", "resource"):
        request = {key: value for key, value in new_request(bed).items() if key != name}
        for digest in ("kit", "another"):
            answer = ask_for(bed, connection, {**request, "digest": digest})
            expect(answer.get("detail") != "OTHER_DIGEST", words(answer), f"an attempt, without its {name}")


@REQUESTS.law("Once only")
def only_where_agreed(bed: TestBed) -> None:
    """Where the bridge does not have the feature, marks are ignored."""
    bed.open_with(FEATURE)
    request, connection = new_request(bed), bed.open_session()
    for digest in ("kit", "another"):
        answer = ask_for(bed, connection, {**request, "digest": digest})
        expect(answer.get("detail") != "OTHER_DIGEST", words(answer), "an attempt, without the feature")


@REQUESTS.law("Once only")
def under_way(bed: TestBed) -> None:
    """The same request while it is under way waits for its result: both have the same, and nothing is attempted again."""
    for connection, move in open_requests(bed):
        again = {**move, "id": connection.next_id()}
        connection.exchange(again)
        seen = move["id"] not in connection.results
        early = connection.results.get(again["id"], [{}])[0]
        expect(
            not (seen and early), f"{words(early)} while the first is under way", "no result before that of the first"
        )
        connection.say({"type": "cancel", "id": move["id"]})
        _expect_the_same(connection.result(move["id"]), connection.result(again["id"]))
        if seen:
            return


@REQUESTS.law("Once only")
def under_way_open(bed: TestBed) -> None:
    """What repeats a request under way is an open intent: a pong names it beside the first."""
    for connection, move in open_requests(bed):
        again = {**move, "id": connection.next_id()}
        connection.exchange(again)
        since = len(connection.heard)
        connection.say({"type": "ping", "n": 803})
        named = connection.await_frame("pong", since=since, n=803).get("open")
        if move["id"] not in connection.results:
            expect(named == [move["id"], again["id"]], f"open {named}", f"open {[move['id'], again['id']]}")
            return


@REQUESTS.law("Once only")
def under_way_stop(bed: TestBed) -> None:
    """A STOP ends a request under way, and all of its ids with the same result, before its own."""
    for connection, move in open_requests(bed):
        again = {**move, "id": connection.next_id()}
        connection.exchange(again)
        seen = move["id"] not in connection.results
        connection.do("STOP")
        late = [each["id"] for each in (move, again) if each["id"] not in connection.results]
        expect(not late, f"STOP is answered, and {late} are open", "their results first")
        _expect_the_same(connection.result(move["id"]), connection.result(again["id"]))
        if seen:
            return


@REQUESTS.law("Once only")
def under_way_cancel(bed: TestBed) -> None:
    """To cancel an intent that repeats a request under way is to cancel the request: both have the same result."""
    for connection, move in open_requests(bed):
        again = {**move, "id": connection.next_id()}
        connection.exchange(again)
        bed.let_pass(connection, 2)
        asked = connection.now
        connection.say({"type": "cancel", "id": again["id"]})
        answer = connection.result(again["id"])
        if answer.get("detail") == "CANCELLED":
            continue  # it was still queued
        _expect_the_same(connection.result(move["id"]), answer)
        if was_cut_short(connection, move["id"]):
            return
        took = connection.now - asked
        in_time(took <= at_once(bed), f"it ended {took:.1f} s after the cancel", "PARTIAL, soon")


@REQUESTS.law("Once only")
def under_way_overdue(bed: TestBed) -> None:
    """When the time of a repeated intent is over and the request goes on, it fails with UNKNOWN, detail UNDER_WAY."""
    for connection, move in open_requests(bed):
        life = max(0.1, 3 * bed.tick)
        asked, again = connection.now, {**move, "id": connection.next_id(), "ttl_ms": round(1000 * life)}
        connection.say(again)
        answer = connection.result(again["id"])
        took, over = connection.now - asked - life, move["id"] in connection.results
        in_time(took <= at_once(bed), f"an answer {took:.1f} s after its time", "UNDER_WAY, soon after its time")
        bed.let_pass(connection, 2)
        expect(not was_cut_short(connection, move["id"]), "the request ended with it", "a request that goes on")
        if not over and answer.get("detail") != "EXPIRED":
            expect_failure(answer, "UNKNOWN", "UNDER_WAY")
            return


@REQUESTS.law("Once only")
def under_way_digest(bed: TestBed) -> None:
    """A request that is under way for something else fails with INVALID_STATE, detail OTHER_DIGEST, and that goes on."""
    for connection, move in open_requests(bed):
        answer = connection.do("MOVE", move["parameters"], **_mark(move), digest="another")
        expect_failure(answer, "INVALID_STATE", "OTHER_DIGEST")
        cut = "the request under way ended with it"
        expect(not was_cut_short(connection, move["id"]), cut, "a request that goes on")
        if move["id"] not in connection.results:
            return


@REQUESTS.law("Once only")
def marked_stop(bed: TestBed) -> None:
    """STOP is carried out every time: a mark on it is ignored, whatever is remembered."""
    stop, connection = new_request(bed), bed.open_with(FEATURE)
    connection.do("STOP", **stop)
    for each, move in open_requests(bed):
        outdated = {**stop, "token": 0}
        answer = each.do("STOP", **outdated)
        expect(status(answer) in {"SUCCESS", "PARTIAL"}, words(answer), "SUCCESS, or PARTIAL in the air")
        expect(move["id"] in each.results, "a STOP that was answered while a MOVE goes on", "what was under way ended")
        if was_open(each, move["id"]):
            return


def open_requests(bed: TestBed) -> Iterator[tuple[KitConnection, Frame]]:
    """Begin a MOVE that is a request and stays open, again and again: its connection and its frame.

    NotApplicable where no MOVE stays open, or nothing else may be open beside one; Unseen once the law has had enough.
    """
    if bed.limit("max_inflight", 8) < 2:
        raise Unoffered("no two intents may be open at once")
    connection = bed.open_with(FEATURE)
    for _ in range(TRIES):
        id = long_move(bed, connection, lambda: new_request(bed))
        yield connection, sent_frame(bed, connection, id)
        if connection.ended:
            connection = bed.open_with(FEATURE)
        else:
            connection.do("STOP")
    raise Unseen(f"{TRIES} times a MOVE was over before the kit's next frame arrived")


def _expect_the_same(first: Frame, again: Frame) -> None:
    same = payload(first) == payload(again) and first.get("detail") == again.get("detail")
    expect(same, f"{words(again)} beside {words(first)}", "the same result, field by field")


def _mark(frame: Frame) -> Frame:
    """The fields of a request, without its digest."""
    return {name: frame[name] for name in ("request", "token", "resource")}


def new_request(bed: TestBed) -> Frame:
    """The fields of a request that no earlier check has used, with a higher token."""
    number: int = bed.findings.get("requests", 0) + 2
    bed.findings["requests"] = number
    run = f"{bed.seed:x}-{bed.clock.monotonic():.6f}"
    # Milliseconds since some moment, so that a later run of the kit has higher tokens.
    token = int(bed.clock.now() * 1000) * 1000 + number
    return {"request": f"kit-{run}-{number}", "digest": "kit", "token": token, "resource": _RESOURCE}


def ask_for(bed: TestBed, connection: KitConnection, request: Frame) -> Frame:
    """Ask for something marked that is soon over."""
    name = bed.pick("RELEASE", "JUMP", "MOVE")
    return connection.do(name, STEP.get(name), **request)
