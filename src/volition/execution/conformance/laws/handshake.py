"""The greeting, on every connection, and the opening after it: full state and STOP, then a session that is ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

import msgspec

from volition.core.typed import convert
from volition.execution.conformance.bed import GREETING, RELEASE
from volition.execution.conformance.connection import ANSWER, STEP, Leaving
from volition.execution.conformance.law import Group, expect, expect_errors, in_time, status, words
from volition.execution.conformance.verdict import Breaks, Unoffered, Unseen
from volition.execution.wire.frames import Reject, Welcome
from volition.execution.wire.intents import CANONICAL
from volition.execution.wire.session.events import Closed
from volition.execution.wire.session.handshake import Offer
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed


HANDSHAKE: Final = Group("handshake")

_MARGIN: Final = 1.5
_START: Final = 5.0
"""How long an executor may take to start with the connection."""


@HANDSHAKE.law("Handshake")
def welcome(bed: TestBed) -> None:
    """A welcome is complete, speaks major version 1, and offers canonical intents, STOP among them."""
    connection = bed.begin_session()
    answer = connection.frames("welcome")[0]
    try:
        read = convert(answer, Welcome)
    except msgspec.ValidationError as error:
        raise Breaks(f"a welcome that cannot be read: {error}", expected="all fields, of their types") from error
    expect(read.spec.partition(".")[0] == "1", f"spec {read.spec}", "a version 1.x.y")
    unknown = sorted(set(read.intents) - set(CANONICAL))
    expect(not unknown and "STOP" in read.intents, f"intents {list(read.intents)}", "canonical ones, STOP among them")


@HANDSHAKE.law("Handshake")
def features_shared(bed: TestBed) -> None:
    """The features of a welcome are those that both sides have."""
    connection = bed.begin_session()
    features = connection.frames("welcome")[0].get("features", [])
    asked = bed.hello()["features"]
    expect(set(features) <= set(asked), f"features {features}", f"some of {asked}")
    connection = bed.open_session(features=["dancing"])
    features = connection.frames("welcome")[0].get("features", [])
    expect(not features, f"features {features} for a bridge that has none of them", "none")


@HANDSHAKE.law("Handshake")
def features_off(bed: TestBed) -> None:
    """Pushed states, events, next states and progress are not sent to a bridge that did not ask for them."""
    connection = bed.open_session(features=[])
    name = bed.pick("MOVE", "STOP")
    connection.do(name, STEP.get(name))
    bed.let_pass(connection, 3)
    pushed = [frame for frame in connection.frames("state") if frame.get("id") is None]
    stages = [frame for frame in connection.frames("progress") if frame.get("stage") != "cancelling"]
    following = [frame for frame in connection.frames("result") if frame.get("next_state") is not None]
    unasked = [*pushed, *stages, *following, *connection.frames("event")]
    expect(not unasked, f"unasked: {unasked[:1]}", "only answers")


@HANDSHAKE.law("Probe")
def probe_refused(bed: TestBed) -> None:
    """A probe is answered only where the welcome of its session names the feature; else with error."""
    connection = bed.open_session(features=[])
    since = connection.exchange({"type": "probe.read", "id": connection.next_id()})
    expect(
        not connection.frames("probe.sight", since=since),
        "an answer",
        "error, as to any frame that does not belong here",
    )
    expect(
        bool(connection.frames("error", since=since)), "no error", "error with the code unknown_type or out_of_order"
    )


@HANDSHAKE.law("Handshake")
def version_refused(bed: TestBed) -> None:
    """A greeting with another major version is rejected with version, and the executor hangs up."""
    for spec in ("2.0.0", "0.9.0", "10.0.0"):
        _expect_reject(bed, "version", spec=spec)


@HANDSHAKE.law("Handshake")
def minor_accepted(bed: TestBed) -> None:
    """A different minor version of the same major version is accepted."""
    bed.begin_session(spec="1.99.3")


@HANDSHAKE.law("Handshake")
def token_refused(bed: TestBed) -> None:
    """A token that differs from the executor's, in whole or in part, is rejected."""
    if not bed.token:
        raise Unoffered("no token was given to compare others with")
    token = bed.token
    for wrong in (None, "", token[:-1], token[:1], token + "x", token.swapcase() + "\u00fc"):
        if wrong != token:
            _expect_reject(bed, "token", token=wrong)


@HANDSHAKE.law("Handshake")
def schema_refused(bed: TestBed) -> None:
    """A greeting with the hash of other states is rejected with schema; one with the right hash is not."""
    schema = bed.welcome.get("state_schema")
    expect(isinstance(schema, dict), f"state_schema {schema!r}", "an object with name, version and hash")
    bed.begin_session(state_schema=schema)
    _expect_reject(bed, "schema", state_schema={**(schema or {}), "hash": "0" * 64})


@HANDSHAKE.law("Handshake")
def order_of_refusals(bed: TestBed) -> None:
    """The reasons to refuse are checked in the order version, token, schema."""
    other = {"token": "wrong", "state_schema": {"name": "other", "version": "9", "hash": "0" * 64}}
    _expect_reject(bed, "version", spec="2.0.0", **other)
    if bed.token:
        _expect_reject(bed, "token", **other)


@HANDSHAKE.law("Handshake")
def nothing_before_hello(bed: TestBed) -> None:
    """Before the greeting only ping, pong, error and goodbye count; everything else is answered with error."""
    connection = bed.connect()
    connection.say(
        connection.intent("STOP"),
        connection.state_request(),
        {"type": "cancel", "id": 1},
    )
    answer = bed.greet(connection)
    done = [*connection.frames("result"), *connection.frames("state"), *connection.frames("progress")]
    expect(not done, f"done before the greeting: {done[:1]}", "error with the code out_of_order")
    expect_errors(connection, 0, *["out_of_order"] * 3)
    expect(answer["type"] == "welcome" or answer.get("code") == "not_ready", f"{answer}", "a welcome all the same")


@HANDSHAKE.law("Handshake")
def ping_before_hello(bed: TestBed) -> None:
    """A ping is answered before the greeting too."""
    connection = bed.connect()
    connection.say({"type": "ping", "n": 7})
    connection.await_frame("pong", n=7)


@HANDSHAKE.law("Handshake")
def greeting_twice(bed: TestBed) -> None:
    """A second greeting on a connection is out of order and has no effect."""
    connection = bed.open_session()
    since = connection.exchange(bed.hello())
    again = [*connection.frames("welcome", since=since), *connection.frames("reject", since=since)]
    expect(not again, f"a second answer: {again[:1]}", "error with the code out_of_order")
    expect_errors(connection, since, "out_of_order")


@HANDSHAKE.law("Opening")
def wrong_direction(bed: TestBed) -> None:
    """A frame that only an executor sends is out of order from a bridge, and has no effect."""
    connection = bed.session()
    since = connection.exchange(
        {"type": "progress", "id": 1, "stage": "started"},
        {"type": "result", "id": 1, "intent": "STOP", "result": {}},
        {"type": "event", "name": "won", "tick": 1},
    )
    expect_errors(connection, since, *["out_of_order"] * 3)


@HANDSHAKE.law("Handshake")
def second_bridge(bed: TestBed) -> None:
    """A second bridge at the same time is refused, and does not disturb the first."""
    bed.need_shared()
    first = bed.open_session()
    second = bed.connect(beside=True)
    second.say(bed.hello())
    second.gather(0.3)
    first.state()
    second.gather(0.0)
    expect(not second.frames("welcome"), "a second welcome", "reject with the code not_ready")
    codes = [frame.get("code") for frame in second.frames("reject")]
    expect(codes in ([], ["not_ready"]), f"reject with {codes}", "reject with the code not_ready")
    second.close()
    first.state()


@HANDSHAKE.law("Handshake")
def nothing_remembered(bed: TestBed) -> None:
    """Nothing is remembered of the previous connection: the same id is a new intent."""
    before = bed.begin_session()
    first = before.do(bed.pick("RELEASE", "STOP"))
    after = bed.begin_session()
    again = after.do("STOP")
    expect(again["id"] == first["id"], f"the id {again['id']}", "the same id in both sessions")
    expect(again.get("intent") == "STOP", words(again), "the result of this session's STOP")


@HANDSHAKE.law("Errors and the end")
def free_again(bed: TestBed) -> None:
    """After a connection has ended, in whatever way, the next bridge is welcome."""
    for how in get_args(Leaving):
        bed.begin_session().leave(how)
        began = bed.clock.monotonic()
        bed.begin_session()
        waited = bed.clock.monotonic() - began
        in_time(waited <= RELEASE, f"welcome after {waited:.1f} s ({how})", "the next welcome at once")


@HANDSHAKE.law("Handshake")
def silent_caller(bed: TestBed) -> None:
    """A connection without a greeting is closed after 5 s."""
    connection = bed.connect()
    connection.polite = False
    late = _MARGIN if bed.shared else _START
    in_time(connection.wait_for_end(GREETING + late, due=False), "still there", "the end of the connection after 5 s")


def _expect_reject(bed: TestBed, code: str, **changes: Any) -> None:
    connection, answer = bed.connect_and_greet(**changes)
    expect(answer["type"] == "reject", f"a welcome to {changes}", f"reject with the code {code}")
    expect(answer.get("code") == code, f"reject with the code {answer.get('code')!r}", f"the code {code}")
    try:
        convert(answer, Reject)
    except msgspec.ValidationError as error:
        raise Breaks(f"a reject that cannot be read: {error}", expected="code, message and supported") from error
    in_time(
        connection.wait_for_end(ANSWER, hang_up=True), "the connection stays", "the executor hangs up after a reject"
    )


OPENING: Final = Group("opening")

READY: Final = 5.0
"""How long, in seconds, an executor may take from the greeting to a session that is ready."""
_ROUNDS: Final = 3
_MOMENT: Final = 0.01
_ANSWERS: Final = frozenset({"welcome", "reject"})
_PAUSE: Final = 0.02
"""Seconds between two greetings of an executor that is not ready: it may not have noticed that the last bridge is gone."""


@OPENING.law("Opening")
def full_state(bed: TestBed) -> None:
    """The request for the full state is answered by a full state with its id."""
    state = bed.begin_session().state()
    expect(state.get("full") is True, f"full is {state.get('full')!r}", "true")


@OPENING.law("Opening")
def first_stop(bed: TestBed) -> None:
    """The STOP of the opening is answered by a result other than FAILURE."""
    connection = bed.begin_session()
    result = connection.do("STOP", ttl_ms=1000, within=ANSWER)
    expect(status(result) in {"SUCCESS", "PARTIAL"}, words(result), "SUCCESS, or PARTIAL in the air")


@OPENING.law("Opening")
def together(bed: TestBed) -> None:
    """Greeting, request and STOP may arrive in one write."""
    until = bed.clock.monotonic() + RELEASE
    while bed.clock.monotonic() <= until:
        connection = bed.connect()
        request, stop = connection.state_request(), connection.intent("STOP")
        connection.say(bed.hello(), request, stop)
        answer = connection.until(lambda frame: frame.get("type") in _ANSWERS, "welcome or reject", since=0)
        if answer["type"] == "welcome":
            connection.await_frame("state", since=0, id=request["id"])
            connection.result(stop["id"])
            return
        bed.clock.sleep(_PAUSE)
    raise Unseen("the executor was never ready")


@OPENING.law("Opening")
def ready(bed: TestBed) -> None:
    """A bridge that wants every feature is ready within 5 s of its greeting, while states are pushed."""
    for _ in range(_ROUNDS):
        phase, why, took = _open_as_a_bridge(bed)
        expect(phase != "closed", f"the opening failed: {why}", "a session that is ready")
        what = f"after {took:.1f} s the bridge waits for its opening ({phase})"
        in_time(phase == "ready", what, f"full state and STOP answered within {READY:g} s")


def _open_as_a_bridge(bed: TestBed) -> tuple[str, str, float]:
    """Open a connection with a real bridge session: its last phase, why it closed, and the seconds it took."""
    until = bed.clock.monotonic() + RELEASE
    while True:
        connection = bed.connect()
        connection.polite = False
        began = connection.now
        session = Session(Offer(token=bed.token), now=began)
        why = ""
        while session.phase in {"greeting", "opening"} and connection.now <= began + READY:
            if out := session.take():
                connection.write(out)
            # Never for too short a time: rounding may stop a manual clock just short of what is due.
            logged = connection.hear(max(_MOMENT, min(began + READY, session.wake_at or began) - connection.now))
            if logged is not None:
                events = session.receive(logged.line + b"\n", connection.now)
            elif connection.ended:
                events = session.end(connection.now)
            else:
                events = session.poll(connection.now)
            why = next((f"{event.reason}: {event.error}" for event in events if isinstance(event, Closed)), why)
        if not connection.frames("reject", code="not_ready") or bed.clock.monotonic() > until:
            return session.phase, why, connection.now - began
        bed.clock.sleep(_PAUSE)
