"""The bridge's side: one result per intent, matched by id, and STOP whenever something goes wrong."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.hostile import HOSTILE
from tests.execution.wire.samples import WELCOME, answer, limited, lines, of, opened, payload, state
from tests.execution.wire.test_intents import JSON
from volition.core.errors import InvalidInput
from volition.core.ledger.line import verbatim
from volition.execution import Evade, Jump, Move, Stop, make_result
from volition.execution.wire import frames as f
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import ErrorFrame, StateFrame
from volition.execution.wire.request import Outcome
from volition.execution.wire.results import UNKNOWN_FAILURE
from volition.execution.wire.session.events import (
    Breach,
    Closed,
    LateAnswer,
    Ready,
    Stalled,
    StateMissing,
)
from volition.execution.wire.session.handshake import NotReady
from volition.execution.wire.session.link import MAX_FAULTS, Timing
from volition.execution.wire.session.memory import find_addressee
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.execution.wire.session.events import SessionEvent


def sent(session: Session) -> list[str]:
    """What goes out: intents by their name, other frames by their type."""
    return [
        frame.intent if isinstance(frame, f.IntentFrame) else type(frame).__name__ for frame in lines(session.take())
    ]


@pytest.mark.req("EX-16")
def test_every_connection_begins_with_state_and_stop() -> None:
    """After the welcome come a request for the full state and STOP; no other intent passes before both are answered."""
    session = Session(now=0)
    assert sent(session) == ["Hello"]
    session.receive(encode(WELCOME), 0)
    assert sent(session) == ["StateRequest", "STOP"]
    for line in (encode(state(5, id=1)), answer(2)):
        assert session.room == 0
        with pytest.raises(InvalidInput, match="opening"):
            session.send(Jump(), now=0, ttl=1)
        told = session.receive(line, 0)
    assert of(Ready, told) == [Ready(state(5, id=1))]
    assert session.send(Jump(), now=0, ttl=1) == 3


@pytest.mark.req("EX-16")
def test_half_a_state_opens_nothing() -> None:
    """A pushed part of a state, or one in answer to the request for all of it, does not make a session ready."""
    session = Session(now=0)
    session.receive(encode(WELCOME) + answer(2) + encode(state(1, full=False)), 0)
    assert session.phase == "opening"
    (breach,) = of(Breach, session.receive(encode(state(2, full=False, id=1)), 0))
    assert breach.kind == "unexpected"
    assert session.phase == "opening"


def test_an_executor_without_a_state_is_not_ready() -> None:
    """Where no full state comes in time the session ends as not ready."""
    session = Session(now=0)
    session.receive(encode(WELCOME) + answer(2), 0)
    session.receive(encode(f.Ping(n=1)), 4)
    told = session.poll(5)
    assert of(StateMissing, told) == [StateMissing(1)]
    assert type(of(Closed, told)[0].error) is NotReady


@pytest.mark.req("EX-01")
@pytest.mark.parametrize("wrong", ["JUMP", {"intent": "JUMP"}, None, Jump])
def test_only_canonical_intents_are_sent(wrong: Any, told: Told) -> None:
    """What is not one of the seven types never becomes a frame."""
    session = opened()
    with told.raises(InvalidInput):
        session.send(wrong, now=0, ttl=1)
    assert sent(session) == []


@pytest.mark.req("EX-11")
@given(st.permutations(range(4)))
def test_results_find_their_intents_in_any_order(order: list[int]) -> None:
    """A result is bound by its id, whatever the order, and its payload arrives verbatim."""
    session = opened()
    ids = [session.send(Move((n, 0, 0)), now=0, ttl=1) for n in range(4)]
    told: list[SessionEvent] = []
    for n in order:
        told += session.receive(answer(ids[n], "MOVE", make_result(engine_timestamp=n).to_data()), n)
    finished = of(Outcome, told)
    assert [event.sent for event in finished] == [Move((n, 0, 0)) for n in order]
    assert [event.payload["metadata"]["engine_timestamp"] for event in finished] == order
    assert [event.elapsed for event in finished] == order
    assert session.open_ids == ()


@pytest.mark.req("EX-11")
def test_intents_name_the_state_they_are_based_on() -> None:
    """An intent carries the number of the newest state, or the one that its sender names; older states never count."""
    session = opened()
    told = session.receive(encode(state(7)) + encode(state(6)) + encode(state(7)), 0)
    assert [event.seq for event in of(StateFrame, told)] == [7]
    session.send(Jump(), now=0, ttl=1)
    session.send(Jump(), now=0, ttl=1, based_on=3)
    assert [frame.based_on for frame in lines(session.take()) if isinstance(frame, f.IntentFrame)] == [7, 3]
    told = session.receive(answer(3, "JUMP", next_state=state(8)), 0)
    assert [type(event) for event in told] == [Outcome, StateFrame]
    assert session.state == state(8)


@pytest.mark.req("EX-03")
def test_an_intent_keeps_its_purpose() -> None:
    """The purpose of an intent comes back with its result, and does not cross the wire."""
    session = opened()
    plain, instead = session.send(Stop(), now=0, ttl=1), session.send(Stop(), now=0, ttl=1, purpose="instead")
    first, second = session.take().splitlines()
    assert first.replace(b'"id":3', b'"id":4') == second
    told = of(Outcome, session.receive(answer(instead) + answer(plain), 0))
    assert [(event.id, event.purpose) for event in told] == [(instead, "instead"), (plain, "policy")]


@pytest.mark.req("EX-17")
@pytest.mark.parametrize(
    "wrong", [{"agent": ""}, {"agent": "a" * 201}, {"agent": 7}, {"agent": "\ud800"}, {"based_on": -1}, {"based_on": 2**53}, {"based_on": True}],
)  # fmt: skip
def test_nothing_is_sent_that_the_other_side_must_refuse(wrong: dict[str, Any]) -> None:
    """A name or a number that the wire does not hold is refused here, and takes no id."""
    session = opened()
    with pytest.raises(InvalidInput):
        session.send(Jump(), now=0, ttl=1, **wrong)
    assert session.take() == b""
    assert session.open_ids == ()
    assert session.send(Jump(), now=0, ttl=1, agent="a" * 200, based_on=2**53 - 1) == 3
    (frame,) = lines(session.take())
    assert isinstance(frame, f.IntentFrame)


@pytest.mark.req("EX-09")
@pytest.mark.parametrize("written", [b'{"status":"DONE", "x":[1.0,1]}', b"null", b'{ "status" : 7 }'])
def test_what_a_result_was_is_kept_verbatim(written: bytes) -> None:
    """The line of an answer, good or bad, in time or late, stays as it came, and its payload can be read from it."""
    session = opened()
    ids = [session.send(Jump(), now=0, ttl=1) for _ in range(2)]
    bad = b'{"v":1,"type":"result","id":%d,"intent":"JUMP","result":%b}' % (ids[0], written)
    (finished,) = of(Outcome, session.receive(bad + b"\n", 0))
    assert (finished.line, finished.payload) == (bad, json.loads(written))
    session.receive(answer(5), 1)
    (unanswered,) = [event for event in of(Outcome, session.poll(1.25)) if event.id == ids[1]]
    assert (unanswered.line, unanswered.payload) == (None, None)
    good = answer(ids[1], "JUMP", payload(more=1))
    (late,) = of(LateAnswer, session.receive(good, 1.25))
    assert isinstance(late.payload, msgspec.Raw)
    assert json.loads(bytes(late.payload)) == payload(more=1)
    assert bytes(late.payload) in good


@given(st.lists(st.tuples(st.sampled_from(["send", "answer", "poll"]), st.floats(0.01, 0.4)), max_size=30))
def test_the_time_to_wake_is_exact(steps: list[tuple[str, float]]) -> None:
    """`wake_at` is the earliest of all open deadlines and the pulse, whatever was sent and answered in between."""
    session, now = opened(), 0.0
    for step, amount in steps:
        if step == "send" and session.room:
            session.send(Jump(), now=now, ttl=amount)
        elif step == "answer" and session.open_ids:
            id = session.open_ids[int(amount * 100) % len(session.open_ids)]
            session.receive(answer(id, session._open[id].intent.name), now)
        else:
            now += amount / 4
            session.poll(now)
        deadlines = [sent.expires for sent in session._open.values()]
        expected = None if session.phase == "closed" else min([session._next_pulse(), *deadlines])
        assert session.wake_at == expected


@pytest.mark.req("EX-15")
def test_a_deadline_passes() -> None:
    """Past its time an intent is FAILURE/UNKNOWN with the label timeout; cancel and STOP go out; late is late."""
    session = opened()
    id = session.send(Move((1, 0, 0)), now=0, ttl=0.5)
    session.take()
    session.receive(encode(f.Ping(n=1)), 0.5)
    assert session.wake_at == 0.75
    assert session.poll(0.74) == []
    (finished,) = of(Outcome, session.poll(0.75))
    assert (finished.id, finished.result, finished.label) == (id, UNKNOWN_FAILURE, "timeout")
    assert not finished.answered
    assert [name for name in sent(session) if name != "Pong"] == ["Cancel", "STOP"]
    (late,) = session.receive(answer(id, "MOVE"), 1.0)
    assert isinstance(late, LateAnswer)
    assert (late.id, late.intent, late.label, late.elapsed_us) == (id, "MOVE", "positive", 1_000_000)
    (again,) = session.receive(answer(id, "MOVE"), 1.0)
    assert isinstance(again, Breach)
    assert again.kind == "repeated"


@pytest.mark.req("EX-15")
@pytest.mark.parametrize("ttl", [0, -1, 0.0001, 3601, float("nan"), float("inf")])
def test_every_intent_has_a_deadline(ttl: float) -> None:
    """No intent is sent with a time to live of zero or infinity."""
    with pytest.raises(InvalidInput, match="ttl"):
        opened().send(Jump(), now=0, ttl=ttl)


@pytest.mark.req("EX-05", "EX-06")
@pytest.mark.parametrize(
    "result", [7, {}, {"status": "DONE"}, payload(outcomes=None), payload(failure_reason="BLOCKED")]
)
def test_a_bad_result_falls_back_to_stop_once(result: Any) -> None:
    """It finishes its intent as malformed, is a breach, and sends one STOP; nothing else goes out until that is answered."""
    session = opened()
    first, second = (session.send(Jump(), now=0, ttl=1) for _ in range(2))
    session.take()
    told = session.receive(answer(first, "JUMP", result), 0)
    assert [type(event) for event in told] == [Breach, Outcome]
    (finished,) = of(Outcome, told)
    assert (finished.id, finished.result, finished.label, finished.payload) == (
        first,
        UNKNOWN_FAILURE,
        "malformed",
        result,
    )
    assert finished.violations
    assert sent(session) == ["STOP"]
    session.receive(answer(second, "JUMP", result), 0)
    assert sent(session) == []
    assert session.room == 0
    (stopped,) = of(Outcome, session.receive(answer(5, "STOP"), 0))
    assert stopped.purpose == "fallback"
    assert session.room > 0


@pytest.mark.req("EX-05")
@pytest.mark.parametrize("bad", [answer(4, "STOP", {"status": 1}), answer(4, "JUMP"), None])
def test_a_bad_answer_to_the_fallback_closes(bad: bytes | None) -> None:
    """A fallback STOP that is answered badly, or not at all, ends the session: nothing loops."""
    session = opened()
    session.send(Jump(), now=0, ttl=1)
    session.take()
    session.receive(b"?\n", 0)
    assert sent(session) == ["ErrorFrame", "STOP"]
    told = session.receive(bad, 0) if bad else session.receive(encode(f.Ping(n=1)), 1.2) + session.poll(1.25)
    assert of(Closed, told)[-1].reason == "stop_failed"
    assert [event.id for event in of(Outcome, told)] == [4]
    assert "STOP" not in sent(session)
    assert session.receive(answer(3, "JUMP"), 2) == session.poll(9) == []


@pytest.mark.req("EX-06")
def test_lenient_keeps_the_status_and_still_complains() -> None:
    """In lenient mode a deviant result keeps its status, and is a breach with one STOP all the same; an answer to that
    STOP that only deviates counts, and what is malformed is malformed."""
    session = opened(strict=False)
    first, second = (session.send(Jump(), now=0, ttl=1) for _ in range(2))
    session.take()
    deviant = payload()
    del deviant["metadata"]
    told = session.receive(answer(first, "JUMP", deviant), 0)
    assert of(Breach, told)
    assert of(Outcome, told)[0].label == "positive"
    assert sent(session) == ["STOP"]
    session.receive(answer(5, "STOP", deviant), 0)
    assert (session.phase, sent(session)) == ("ready", [])
    assert of(Outcome, session.receive(answer(second, "JUMP", []), 0))[0].label == "malformed"
    assert sent(session) == ["STOP"]
    assert of(Closed, session.receive(answer(6, "STOP", []), 0))[0].reason == "stop_failed"


@pytest.mark.req("EX-05", "EX-17")
@pytest.mark.parametrize(
    ("line", "ended"),
    [
        (b"?", "one at STOP"),
        (b'{"v":1,"type":"result","id":4,"detail":7}', "at once"),
        (b'{"v":1,"type":"result","id":99,"detail":7}', "never"),
        (b'{"v":1,"type":"event","id":4}', "never"),
        (answer(4, "JUMP")[:-1], "one at STOP"),
    ],
)
def test_a_lost_answer_ends_its_intent_without_a_second_stop(line: bytes, ended: str) -> None:
    """Of several open intents the one that an unreadable answer names ends at once; where it names none, the one that
    has no result when STOP is answered. None waits for its deadline, so there is one STOP."""
    session = opened()
    jump, evade = (session.send(intent, now=0, ttl=1) for intent in (Jump(), Evade()))
    session.take()
    lost = [event.id for event in of(Outcome, session.receive(line + b"\n", 0))]
    assert lost == ([evade] if ended == "at once" else [])
    assert sent(session).count("STOP") == 1
    told = of(Outcome, session.receive(answer(jump, "JUMP") + answer(5), 0.1))
    late = [event.id for event in told if event.label == "malformed"]
    assert late == ([evade] if ended == "one at STOP" else [])
    assert session.open_ids == ((evade,) if ended == "never" else ())
    if ended != "never":
        assert of(Outcome, session.poll(1.3)) == []
        assert "STOP" not in sent(session)


@pytest.mark.req("EX-05")
def test_noise_is_not_taken_for_the_answer_to_stop() -> None:
    """While the session's own STOP is open, further noise ends nothing: STOP has a deadline, and its answer may come."""
    session = opened()
    session.send(Jump(), now=0, ttl=1)
    told = session.receive(b"Traceback\n  File x\nError\n" + answer(4), 0)
    assert [(event.id, event.label) for event in of(Outcome, told)] == [(3, "malformed"), (4, "positive")]
    assert (session.phase, session.room) == ("ready", 4)


@pytest.mark.req("EX-11", "EX-17")
@given(st.integers(1, 12), st.sampled_from(["JUMP", "EVADE", "STOP", "", "jump"]), JSON)
def test_no_result_binds_to_the_wrong_intent(id: int, name: str, result: Any) -> None:
    """Only the right id with the right name finishes an intent; unknown, repeated and mismatched ones are breaches."""
    session = opened()
    expected = {session.send(Jump(), now=0, ttl=1): "JUMP", session.send(Evade(), now=0, ttl=1): "EVADE"}
    frame = encode(f.ResultFrame(id=id, intent=name, result=payload(extra=repr(result))))
    told = session.receive(frame, 0)
    if expected.get(id) == name:
        assert [event.id for event in of(Outcome, told)] == [id]
        assert not of(Breach, told)
    else:
        kind = "mismatched" if id in expected else "repeated" if id < 5 else "unknown_id"
        assert [event.kind for event in of(Breach, told)] == [kind]
        assert not of(Outcome, told)
        assert session.open_ids[:2] == tuple(expected)


@pytest.mark.req("EX-17")
@pytest.mark.parametrize(
    ("line", "code"), [(line, code) for _, line, code in HOSTILE], ids=[name for name, *_ in HOSTILE]
)
def test_hostile_lines_are_survived(line: bytes, code: str) -> None:
    """A bad line is a breach, an error frame and one STOP, and the stream goes on; an over-long one ends it. It ends the
    one intent that waits for an answer; what may come after it is late."""
    session = opened()
    id = session.send(Jump(), now=0, ttl=1)
    session.take()
    told = session.receive(line + b"\n" + answer(id, "JUMP"), 0)
    if code == "too_long":
        assert of(Closed, told)[0].reason == "overrun"
        assert not of(Outcome, told)[0].answered
        return
    assert of(Breach, told)[0].raw == verbatim(line)
    if find_addressee(line) is None:
        assert [type(event) for event in told] == [Breach, Outcome, LateAnswer]
        assert (of(Outcome, told)[0].label, of(Outcome, told)[0].answered) == ("malformed", False)
    else:
        assert [type(event) for event in told] == [Breach, Outcome]
        assert of(Outcome, told)[0].label == "positive"
    assert sent(session) == ["ErrorFrame", "STOP"]


def test_endless_noise_ends_the_session() -> None:
    """After so many unusable lines the other side does not speak this protocol."""
    session = opened()
    told = session.receive(b"?\n" * (2 * MAX_FAULTS), 0)
    assert len(of(Breach, told)) == MAX_FAULTS
    assert of(Closed, told)[0].reason == "faults"
    assert sent(session).count("STOP") == 1


@pytest.mark.req("EX-17")
@given(st.data())
def test_any_cut_of_the_stream_gives_the_same_events(draw: st.DataObject) -> None:
    """However the bytes are cut, the same events are told and the same bytes sent."""
    parts = [
        encode(limited(max_frame=2048)), encode(state(0, id=1)), answer(2), answer(3, "JUMP"), answer(4, "JUMP"),
        b"?\n", encode(state(4)), b"x" * 1500 + b"\n", encode(f.Ping(n=3)), b'{"v":1,"type":"pi', b"\n\n", b"y" * 2100 + b"\n",
    ]  # fmt: skip
    chosen = draw.draw(st.lists(st.sampled_from(parts), max_size=8))
    stream = b"".join([*parts[:3], *chosen])
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    whole, pieces = Session(now=0), Session(now=0)
    expected = whole.receive(stream, 0)
    found = [event for a, b in pairwise([0, *cuts, len(stream)]) for event in pieces.receive(stream[a:b], 0)]
    assert found == expected
    assert pieces.take() == whole.take()


def test_the_window_holds(told: Told) -> None:
    """No more than max_inflight intents are open, STOP apart, and a result makes room."""
    session = opened(welcome=limited(max_inflight=2))
    for _ in range(2):
        session.send(Jump(), now=0, ttl=1)
    assert session.room == 0
    with told.raises(InvalidInput):
        session.send(Jump(), now=0, ttl=1)
    session.send(Stop(), now=0, ttl=1)
    session.receive(answer(3, "JUMP") + answer(5, "STOP"), 0)
    assert session.room == 1


def test_cancel() -> None:
    """To cancel sends a request and finishes nothing by itself; to cancel what is finished sends nothing."""
    session = opened()
    id = session.send(Jump(), now=0, ttl=1)
    session.take()
    session.cancel(id)
    assert sent(session) == ["Cancel"]
    told = session.receive(encode(f.Progress(id=id, stage="cancelling")), 0)
    assert [type(event) for event in told] == [f.Progress]
    assert session.open_ids == (id,)
    session.receive(answer(id, "JUMP", make_result("PARTIAL").to_data()), 0)
    session.cancel(id)
    assert sent(session) == []


@pytest.mark.req("EX-16")
def test_silence_is_death() -> None:
    """One second of silence brings a ping, three the end; half a line is silence too; open intents are unknown."""
    session = opened()
    id = session.send(Jump(), now=0, ttl=60)
    session.take()
    told: list[SessionEvent] = []
    for now in (0.5, 1.0, 1.5, 2.0, 2.5, 2.99):
        told += session.receive(b"{", now) + session.poll(now)
    assert sent(session) == ["Ping", "Ping"]
    assert told == []
    finished, closed = session.poll(3.0)
    assert isinstance(finished, Outcome)
    assert (finished.id, finished.label, finished.answered) == (id, "unknown", False)
    assert closed == Closed("dead")
    assert session.wake_at is None


def test_traffic_is_life() -> None:
    """As long as frames come no ping is sent and nothing ends, however long it lasts."""
    session = opened()
    for second in range(1, 20):
        session.receive(encode(state(second)), second - 0.5)
        assert session.poll(second) == []
    assert sent(session) == []
    for second in range(20, 40):
        id = session.send(Jump(), now=second - 0.5, ttl=1)
        session.receive(answer(id, "JUMP"), second - 0.5)
        assert session.poll(second) == []
    assert "Ping" not in sent(session)


def test_a_world_that_stands_still_is_told_once() -> None:
    """Pongs with the same tick for three seconds mean that the game hangs, although the connection is alive."""
    session = opened()
    told = [event for n in range(1, 9) for event in session.receive(encode(f.Pong(n=n, tick=0)), n)]
    assert told == [Stalled(0)]
    assert session.receive(encode(f.Pong(n=9, tick=1)), 9) == []


@pytest.mark.parametrize(
    ("how", "rest", "reason"), [("eof", b"", "eof"), ("eof", b"{", "torn"), ("reset", b"{", "reset")]
)
def test_three_ends_are_told_apart(how: Any, rest: bytes, reason: str) -> None:
    """A clean end, an end in the middle of a frame and a broken connection are three things, each told once."""
    session = opened()
    session.receive(rest, 0)
    assert session.end(0, how) == [Closed(reason)]  # type: ignore[arg-type]
    assert session.end(0, how) == session.close(0) == session.poll(9) == []


def test_states_on_request() -> None:
    """A request is answered once, by its id; missing and unknown answers are reported."""
    session = opened()
    id = session.request_state(now=0, ttl=0.5)
    told = session.receive(encode(state(0, id=id)) + encode(state(1, id=id)) + encode(state(1, id=99)), 0)
    assert of(StateFrame, told) == [state(0, id=id)]
    assert [event.kind for event in of(Breach, told)] == ["repeated", "unknown_id"]
    other = session.request_state(now=0, ttl=0.5)
    assert session.poll(0.5) == [StateMissing(other)]
    assert session.phase == "ready"


def test_frames_of_the_other_side_are_breaches() -> None:
    """What only a bridge may say is a breach from an executor; an error frame is passed on and never answered."""
    session = opened()
    told = session.receive(encode(f.Cancel(id=1)) + encode(f.ErrorFrame(code="x", message="y")), 0)
    assert [type(event) for event in told] == [Breach, ErrorFrame]
    assert sent(session) == ["STOP"]


@pytest.mark.parametrize("wrong", [{"idle": 3.0}, {"dead": 0.5}, {"grace": 0.0}, {"stop": float("inf")}])
def test_times_make_sense(wrong: dict[str, float]) -> None:
    """Waiting times are finite, above 0, and a ping comes before death."""
    with pytest.raises(InvalidInput, match="timing"):
        Timing(**wrong)


@pytest.mark.req("EX-17")
def test_the_agreed_length_counts_from_the_welcome_on(told: Told) -> None:
    """After a welcome with a lower limit a longer line ends the session, and no longer frame is sent."""
    session = opened(welcome=limited(max_frame=1024))
    assert of(Closed, session.receive(b"x" * 1025, 0))[0].reason == "overrun"
    with told.raises(InvalidInput):
        opened(welcome=limited(max_frame=1024)).send(Jump(), now=0, ttl=1, agent="\x01" * 190)
