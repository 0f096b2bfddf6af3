"""Intents: each answered once, by its id; unknown ones refused; the window; and deadlines: what waits too long is not
begun, what lasts too long is ended, and what begins is answered at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.connection import ANSWER, STEP
from volition.execution.conformance.law import (
    Group,
    content,
    expect,
    expect_errors,
    expect_failure,
    in_time,
    payload,
    status,
    words,
)
from volition.execution.conformance.open_moves import (
    at_once,
    expect_within,
    long_ways,
    measure,
    open_moves,
    sent_frame,
    was_open,
)
from volition.execution.conformance.verdict import NotApplicable, Unoffered
from volition.execution.wire.intents import CANONICAL

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame


INTENTS: Final = Group("intents")
IDS: Final = Group("ids")
WINDOW: Final = Group("window")
DEADLINES: Final = Group("deadlines")

_LARGEST_ID: Final = 2**53 - 1
_LARGEST_CACHE: Final = 2048
_BATCH: Final = 32
_TRIES: Final = 6
_LAG: Final = 0.03
"""How much later than its arrival an attempt may seem to begin, because of other work."""
_GRACE: Final = 0.25
"""How long, in seconds, a bridge waits for a result after its ttl_ms."""
_SHORT_LIFE: Final = 300

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
def every_intent(bed: TestBed) -> None:
    """Every intent that the welcome offers has a result."""
    rehearse(bed)


def rehearse(bed: TestBed) -> None:
    """Try every offered intent once, on one connection."""
    if bed.findings.get("rehearsed"):
        return
    bed.findings["rehearsed"] = True
    connection = bed.session()
    for name in ("HOLD", "RELEASE", "MOVE", "JUMP", "PRIMARY_ATTACK", "EVADE", "STOP"):
        if bed.supports(name):
            connection.do(name, STEP.get(name))


@INTENTS.law("Intents")
def not_canonical(bed: TestBed) -> None:
    """Everything but the seven intents with their parameters, and declared ones, fails with UNKNOWN, detail NOT_CANONICAL."""
    connection = bed.session()
    declares = bed.welcome.get("declares") or ()
    declared = {each.get("name") for each in declares if isinstance(each, dict)}
    for name, parameters in NOT_CANONICAL:
        if name in declared:
            continue
        expect_failure(connection.do(name, parameters), "UNKNOWN", "NOT_CANONICAL")


@INTENTS.law("Intents")
def name_echoed(bed: TestBed) -> None:
    """A result has the name of its intent exactly as it was sent, also where nobody knows it."""
    connection = bed.session()
    for name in ("dance", "T\u00c4NZE \u2028\U0001f600\u0000", "Ta\u0308nze", "N" * 200):
        answer = connection.do(name)
        named = answer.get("intent")
        expect(named == name, f"a result of {named!r}", f"a result of {name!r}")


@INTENTS.law("Intents")
def order_of_refusals(bed: TestBed) -> None:
    """Where several reasons apply, the first counts: NOT_CANONICAL, UNSUPPORTED, NO_SUCH_STATE, WINDOW_FULL."""
    connection = bed.session()
    seq = connection.state().get("seq", 0) + 1000
    expect_failure(connection.do("DANCE", based_on=seq), "UNKNOWN", "NOT_CANONICAL")
    for name in [name for name in CANONICAL if not bed.supports(name)][:1]:
        expect_failure(connection.do(name, STEP.get(name), based_on=seq), "UNKNOWN", "UNSUPPORTED")
    most = bed.limit("max_inflight", 8)
    filling = _many(bed, connection, most + 1)
    unknown = connection.intent("DANCE")
    late = _many(bed, connection, 1)[0] | {"based_on": seq}
    connection.say(*filling, unknown, late)
    for frame in filling:
        connection.result(frame["id"], 3 * ANSWER)
    expect_failure(connection.result(unknown["id"]), "UNKNOWN", "NOT_CANONICAL")
    expect_failure(connection.result(late["id"]), "INVALID_STATE", "NO_SUCH_STATE")


@INTENTS.law("Handshake")
def not_offered(bed: TestBed) -> None:
    """A canonical intent that the welcome does not name is not attempted: it fails."""
    missing = [name for name in CANONICAL if not bed.supports(name)]
    if not missing:
        raise Unoffered("all seven intents are offered")
    for name in missing:
        bed.rest(bed.session())
        answer = bed.session().do(name, STEP.get(name))
        expect(status(answer) == "FAILURE", words(answer), "FAILURE")


@INTENTS.law("Intents")
def empty_parameters(bed: TestBed) -> None:
    """No parameters and an empty object of parameters mean the same."""
    answer = bed.session().do("STOP", {})
    expect(answer.get("detail") != "NOT_CANONICAL", words(answer), "STOP attempted")


@IDS.law("Intents")
def repeated(bed: TestBed) -> None:
    """For a repeated id the same result is sent again, without another attempt."""
    connection = bed.session()
    frame = connection.intent(bed.pick("JUMP", "RELEASE", "STOP"))
    connection.say(frame)
    first = connection.result(frame["id"])
    bed.let_pass(connection, 2)
    again = _send_again(connection, frame)
    expect(content(again) == content(first), f"another result: {again.get('result')}", f"again {first.get('result')}")


@IDS.law("Intents")
def repeated_while_open(bed: TestBed) -> None:
    """An id that is sent again while it is open changes nothing: there is one result, of one attempt."""
    for connection, id in open_moves(bed):
        connection.exchange(sent_frame(bed, connection, id))
        bed.let_pass(connection, 2)
        connection.do("STOP")
        answer = connection.result(id)
        count = len(connection.results[id])
        if was_open(connection, id):
            expect(count == 1, f"{count} results", "one result")
            return
        same = all(content(each) == content(answer) for each in connection.results[id])
        expect(same, f"{count} different results", "the same result")


@IDS.law("Intents")
def stale(bed: TestBed) -> None:
    """An intent whose id is not above all before, of whatever frames, and has no result, is answered with stale_id."""
    connection = bed.open_session()
    below_an_intent = connection.next_id()
    connection.do("STOP")
    below_a_request = connection.next_id()
    of_a_request = connection.state()["id"]
    for id in (below_an_intent, below_a_request, of_a_request):
        since = connection.exchange({"type": "intent", "id": id, "intent": "STOP", "ttl_ms": 1000})
        expect(id not in connection.results, "a result for it", "error with the code stale_id")
        expect_errors(connection, since, "stale_id")


@IDS.law("Intents")
def remembered(bed: TestBed) -> None:
    """As many results are remembered as limits.result_cache says."""
    connection = bed.open_session()
    first = connection.intent(bed.pick("RELEASE", "STOP"))
    connection.say(first)
    result = connection.result(first["id"])
    left = min(bed.limit("result_cache", 1024), _LARGEST_CACHE) - 1
    while left > 0:
        batch = [connection.intent("STOP") for _ in range(min(left, _BATCH))]
        connection.say(*batch)
        for frame in batch:
            connection.result(frame["id"])
        left -= len(batch)
    again = _send_again(connection, first)
    expect(content(again) == content(result), f"another result: {words(again)}", words(result))


@IDS.law("Intents")
def largest(bed: TestBed) -> None:
    """Ids up to 2^53 - 1 come back exactly."""
    connection = bed.open_session()
    connection.say({"type": "intent", "id": _LARGEST_ID, "intent": "STOP", "ttl_ms": 1000})
    connection.result(_LARGEST_ID)


@WINDOW.law("Intents")
def fits(bed: TestBed) -> None:
    """As many intents as limits.max_inflight may be open at once."""
    connection = bed.session()
    for answer in _burst(bed, connection, bed.limit("max_inflight", 8)):
        expect(answer.get("detail") != "WINDOW_FULL", words(answer), "none refused for a full window")


@WINDOW.law("Intents")
def one_more(bed: TestBed) -> None:
    """With limits.max_inflight open, one more fails with RESOURCE_EXHAUSTED, detail WINDOW_FULL."""
    connection = bed.session()
    most = bed.limit("max_inflight", 8)
    since = len(connection.heard)
    answers = _burst(bed, connection, 2 * most + 2)
    open_at_once = [len(frame["open"]) for frame in connection.frames("pong", since=since) if frame.get("open")]
    expect(max(open_at_once, default=0) <= most, f"{max(open_at_once, default=0)} open at once", f"at most {most}")
    if any(_is_full(answer) for answer in answers[:most]):
        raise NotApplicable("the actor is exhausted before the window is full")
    refused = [answer for answer in answers[most:] if _is_full(answer)]
    if not refused:
        raise NotApplicable(f"{most} were never open at once: each was done before the next arrived")
    for answer in refused:
        expect_failure(answer, "RESOURCE_EXHAUSTED", "WINDOW_FULL")


@WINDOW.law("Intents")
def stop_apart(bed: TestBed) -> None:
    """STOP is never refused for a full window."""
    connection = bed.session()
    frames = _many(bed, connection, 2 * bed.limit("max_inflight", 8))
    stop = connection.intent("STOP")
    connection.say(*frames, stop)
    answer = connection.result(stop["id"])
    expect(not _is_full(answer), words(answer), "STOP attempted")
    for frame in frames:
        connection.result(frame["id"])


@WINDOW.law("Intents")
def stop_not_counted(bed: TestBed) -> None:
    """STOP takes no room in the window: beside one, limits.max_inflight intents may be open."""
    connection = bed.session()
    stop = connection.intent("STOP")
    frames = _many(bed, connection, bed.limit("max_inflight", 8))
    connection.say(stop, *frames)
    for frame in frames:
        answer = connection.result(frame["id"], 3 * ANSWER)
        expect(not _is_full(answer), words(answer), "none refused for a full window")


@WINDOW.law("Intents")
def free_again(bed: TestBed) -> None:
    """What has its result takes no room in the window: however many were cancelled or stopped, as many fit again."""
    most = bed.limit("max_inflight", 8)
    for connection, id in open_moves(bed):
        connection.exchange({"type": "cancel", "id": id})
        connection.result(id)
        if was_open(connection, id):
            break
    for connection, id in open_moves(bed):
        connection.do("STOP")
        if was_open(connection, id):
            break
    connection.do("STOP")
    since = len(connection.heard)
    connection.say({"type": "ping", "n": 802})
    still = connection.await_frame("pong", since=since, n=802).get("open")
    expect(not still, f"{still} are open after their results", "nothing open")
    for answer in _burst(bed, connection, most):
        expect(not _is_full(answer), words(answer), f"room for {most} again")


def _burst(bed: TestBed, connection: KitConnection, count: int) -> list[Frame]:
    """Many intents and a ping in one write; their results."""
    frames = _many(bed, connection, count)
    connection.say(*frames, {"type": "ping", "n": 801})
    return [connection.result(frame["id"], 3 * ANSWER) for frame in frames]


def _many(bed: TestBed, connection: KitConnection, count: int) -> list[Frame]:
    """Intents to fill the window with, not yet sent."""
    name = bed.pick("MOVE", "JUMP", "RELEASE")
    return [connection.intent(name, STEP.get(name)) for _ in range(count)]


def _is_full(answer: Frame) -> bool:
    return answer.get("detail") == "WINDOW_FULL" or payload(answer).get("failure_reason") == "RESOURCE_EXHAUSTED"


def _send_again(connection: KitConnection, frame: Frame) -> Frame:
    """Send an intent a second time, and wait for its result."""
    connection.say(frame)
    return connection.await_frame("result", id=frame["id"])


@DEADLINES.law("Intents")
def not_started_late(bed: TestBed) -> None:
    """An intent that still waits after its ttl_ms is not attempted: INVALID_STATE, detail EXPIRED."""
    name = bed.pick("RELEASE", "JUMP")
    late: list[str] = []
    for n in range(_TRIES):
        connection = bed.session()
        frame = connection.intent(name, ttl_ms=1)
        # The pong shows when both have arrived: a result long after it has waited.
        connection.say(frame, {"type": "ping", "n": 810 + n})
        answer = connection.result(frame["id"])
        if answer.get("detail") == "EXPIRED":
            expect_failure(answer, "INVALID_STATE", "EXPIRED")
        elif arrived := _heard_at(connection, "pong", n=810 + n):
            took = payload(answer).get("metadata", {}).get("execution_time_ms")
            waited = _heard_at(connection, "result", id=frame["id"]) - arrived
            waited -= took / 1000 if isinstance(took, int | float) else 0.0
            late += [f"{waited * 1000:.0f}"] if waited > _LAG else []
        connection.gather(0.013)
    in_time(len(late) < 2, f"{name} with a ttl_ms of 1, begun after {', '.join(late)} ms", "EXPIRED")


@DEADLINES.law("Intents")
def stop_never_expires(bed: TestBed) -> None:
    """STOP never expires, however short its ttl_ms."""
    connection = bed.session()
    for _ in range(3):
        answer = connection.do("STOP", ttl_ms=1)
        expect(status(answer) != "FAILURE", words(answer), "STOP attempted")


@DEADLINES.law("Results")
def move_ends(bed: TestBed) -> None:
    """A MOVE ends when its ttl_ms is over, PARTIAL where it has not arrived; it does not continue."""
    connection = bed.session()
    limit = _SHORT_LIFE / 1000 + _GRACE
    for vector in long_ways(bed, connection):
        found = measure(bed, connection, "MOVE", {"vector": list(vector)}, ttl_ms=_SHORT_LIFE)
        expect_within(bed, found, limit)
        if status(found.answer) == "PARTIAL" and found.seconds >= _SHORT_LIFE / 2000:
            return
    raise NotApplicable(f"no MOVE lasts longer than its ttl_ms of {_SHORT_LIFE}")


@DEADLINES.law("Results")
def hold_at_once(bed: TestBed) -> None:
    """HOLD is answered when it begins, not when it ends."""
    bed.need("HOLD")
    connection = bed.session()
    bed.rest(connection)
    expect_within(bed, measure(bed, connection, "HOLD"), at_once(bed))


def _heard_at(connection: KitConnection, kind: str, **fields: Any) -> float:
    """When a frame was heard; 0 where it was not."""
    wanted = {"type": kind, **fields}
    return next(
        (logged.at for logged in connection.heard if logged.data and wanted.items() <= logged.data.items()), 0.0
    )
