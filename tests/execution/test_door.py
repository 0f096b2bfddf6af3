"""The door: one outcome for each request, and the rules of the contract over any number of connections."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.door_laws import broken_laws
from tests.execution.doorway import Doorway
from tests.execution.wire import WELCOME, answer, limited, of, payload, state
from volition.core.errors import InvalidInput, Problem
from volition.execution import Evade, Hold, Jump, Move, Stop, Timing, encode, make_result
from volition.execution import frames as f
from volition.execution.backoff import Backoff
from volition.execution.door import Door
from volition.execution.outcome import Outcome, Requested
from volition.execution.session.events import Breach
from volition.execution.session.refusals import NothingListening, VersionMismatch
from volition.execution.told import Connected, DoorEvent, LateResult, Lost, StateSeen

BLOCKED = make_result("FAILURE", "BLOCKED").to_data()
ASTRAY = make_result("FAILURE", "INVALID_STATE").to_data()
NOBODY = NothingListening(Problem("nobody", "address", "an executor", "start one"))


def the(way: Doorway, ticket: int) -> Outcome:
    outcome = way.door.outcome(ticket)
    assert outcome is not None
    return outcome


def test_a_request_is_sent_and_answered() -> None:
    """A request crosses the bridge at once where it can, and its outcome is given once."""
    way = Doorway().ready()
    ticket = way.ask("MOVE", {"vector": [1, 0, 0]}, agent="hero")
    assert way.out == [
        f.IntentFrame(id=3, intent="MOVE", ttl_ms=500, parameters={"vector": [1.0, 0.0, 0.0]}, based_on=0, agent="hero")
    ]
    assert (way.door.waiting, way.door.room) == ((ticket,), 3)
    way.now = 0.1
    way.receive(answer(3, "MOVE", next_state=state(1)))
    outcome = the(way, ticket)
    assert way.door.outcome(ticket) is None
    assert (outcome.sent, outcome.id, outcome.connection) == (Move((1, 0, 0)), 3, 1)
    assert (outcome.requested, outcome.purpose) == (Requested("MOVE", {"vector": [1, 0, 0]}, "hero"), "policy")
    assert (outcome.elapsed, outcome.next_state) == (0.1, state(1))
    assert [type(event) for event in way.told[-2:]] == [Outcome, StateSeen]


@pytest.mark.req("EX-03", "EX-01")
@pytest.mark.parametrize(
    ("intent", "parameters"),
    [("DANCE", None), ("move", {"vector": [0, 0, 0]}), ("MOVE", None), ("MOVE", {"vector": [0, 0, float("nan")]}),
     ("JUMP", {"if": "grounded"}), (None, None), (Jump(), {"height": 2})],
)  # fmt: skip
def test_nonsense_is_intercepted(intent: Any, parameters: Any) -> None:
    """Whatever is no canonical intent ends at once, STOP goes in its place, and its success rewards nobody."""
    way = Doorway().ready()
    ticket = way.ask(intent, parameters, agent="hero")
    outcome = the(way, ticket)
    assert (outcome.label, outcome.status, outcome.reason) == ("intercepted", "FAILURE", "UNKNOWN")
    assert (outcome.sent, outcome.id, outcome.answered) == (None, None, False)
    assert [(frame.intent, frame.agent) for frame in way.out if isinstance(frame, f.IntentFrame)] == [("STOP", "hero")]
    way.receive(answer(3))
    stop = way.outcomes[-1]
    assert (stop.purpose, stop.label, stop.ticket) == ("instead", "positive", ticket + 1)
    assert stop.requested == Requested("STOP", None, "hero")
    assert way.door.outcome(stop.ticket) is None


@pytest.mark.req("EX-05")
@pytest.mark.parametrize("words", [None, "SUCCESS", [], {}, {"status": "DONE"}, {"status": None}])
def test_a_malformed_answer_calls_for_stop_once(words: Any) -> None:
    """What has no valid status is FAILURE/UNKNOWN and a breach; one STOP follows, and others wait for it."""
    way = Doorway().ready()
    first, second = way.ask(Jump()), way.ask(Evade())
    way.receive(encode(f.ResultFrame(id=3, intent="JUMP", result=words)))
    assert the(way, first).label == "malformed"
    assert [frame.intent for frame in way.out if isinstance(frame, f.IntentFrame)] == ["STOP"]
    way.receive(encode(f.ResultFrame(id=4, intent="EVADE", result=words)))
    assert way.out == []
    third = way.ask(Hold())
    assert way.out == []
    way.receive(answer(5))
    assert way.sent == ["STOP", "JUMP", "EVADE", "STOP", "HOLD"]
    assert the(way, second).label == "malformed"
    assert third in way.door.waiting
    assert len(of(Breach, way.told)) == 2


@pytest.mark.req("EX-05")
def test_a_malformed_answer_to_the_fallback_stop_ends_the_connection() -> None:
    """Nothing loops: where STOP itself is answered badly the connection is given up, and dialled anew."""
    way = Doorway().ready()
    way.ask(Jump())
    way.receive(answer(3, "JUMP", {"status": 1}))
    way.receive(answer(4, "STOP", {"status": 1}))
    assert of(Lost, way.told) == [Lost(1, "stop_failed")]
    assert way.out == [f.Goodbye(reason="stop_failed")]
    assert way.door.phase == "connecting"
    assert way.door.dial_at is not None


@pytest.mark.req("EX-06")
@pytest.mark.parametrize(
    "words",
    [payload(status="SUCCESS", failure_reason="BLOCKED"), payload(status="FAILURE"), payload(status="PARTIAL"),
     payload(status="FAILURE", failure_reason="COOLDOWN"), payload(outcomes=None), payload(partial_execution=1)],
)  # fmt: skip
@pytest.mark.parametrize("strict", [True, False])
def test_any_other_deviation_falls_back_where_strict(words: dict[str, Any], strict: bool) -> None:
    """A deviant result is always a breach; strict, it is malformed and calls for STOP; lenient, its status stands."""
    way = Doorway(strict=strict).ready()
    ticket = way.ask(Jump())
    way.receive(answer(3, "JUMP", words))
    outcome = the(way, ticket)
    assert outcome.violations
    assert of(Breach, way.told)[0].kind == "bad_result"
    assert outcome.payload == words
    if strict:
        assert (outcome.label, way.sent[-1]) == ("malformed", "STOP")
    else:
        assert (outcome.status, way.sent[-1]) == (words["status"], "JUMP")


@pytest.mark.req("EX-07")
def test_invalid_state_forces_a_full_state() -> None:
    """After INVALID_STATE the door asks for a full state by itself; nothing but STOP is sent until it is there."""
    way = Doorway().ready()
    way.ask(Jump())
    way.receive(answer(3, "JUMP", ASTRAY, next_state=state(5)))
    assert way.out == [f.StateRequest(id=4, full=True)]
    assert (way.door.fresh, way.door.room) == (False, 0)
    held = way.ask(Evade(), ttl=2.0, agent="hero")
    assert way.out == []
    way.ask(Stop(), agent="other")
    way.receive(encode(state(6)) + answer(5))
    assert way.sent == ["STOP", "JUMP", "STOP"]
    way.wait(1.0)
    assert of(f.StateRequest, way.out) == [f.StateRequest(id=6, full=True)]
    way.receive(encode(state(7, id=6)))
    assert way.sent == ["STOP", "JUMP", "STOP", "EVADE"]
    assert way.door.fresh
    assert held in way.door.waiting


@pytest.mark.req("EX-07")
def test_a_refresh_asked_for_earlier_is_not_enough() -> None:
    """A full state that was asked for before INVALID_STATE was heard does not end the wait for one asked after it."""
    way = Doorway().ready()
    way.ask(Jump())
    way.refresh()
    way.receive(answer(3, "JUMP", ASTRAY))
    way.receive(encode(state(1, id=4)))
    assert not way.door.fresh
    way.receive(encode(state(2, id=5)))
    assert way.door.fresh


@pytest.mark.req("EX-07", "EX-15")
def test_a_late_invalid_state_forces_a_full_state_too() -> None:
    """Late as it is, INVALID_STATE says that what this side knows is not so."""
    way = Doorway().ready()
    way.ask(Jump())
    way.wait(0.75)
    way.receive(answer(3, "JUMP", ASTRAY))
    assert isinstance(way.out[-1], f.StateRequest)
    assert not way.door.fresh


@pytest.mark.req("EX-07", "EX-16")
def test_a_new_connection_owes_nothing_to_the_one_before() -> None:
    """A full state that was awaited when the connection was lost is not awaited on the next one."""
    way = Doorway().ready()
    way.ask(Jump())
    way.receive(answer(3, "JUMP", ASTRAY))
    way.end()
    way.ready()
    assert (way.door.fresh, way.door.room) == (True, 4)
    way.ask(Evade())
    assert way.sent[-1] == "EVADE"


@pytest.mark.req("EX-08")
def test_the_fifth_identical_failure_is_answered_here() -> None:
    """After one try and three retries the next is refused with the same reason; STOPs of the door change nothing."""
    way = Doorway().ready()
    for turn in range(4):
        way.ask("MOVE", {"vector": [turn, 0, 0]})
        way.receive(answer(way.last_id, "MOVE", BLOCKED))
        way.ask("DANCE")
        way.receive(answer(way.last_id))
    before = len(way.sent)
    outcome = the(way, way.ask("MOVE", {"vector": [9, 0, 0]}))
    assert (outcome.label, outcome.reason, outcome.sent) == ("refused_retry", "BLOCKED", None)
    assert outcome.result == make_result("FAILURE", "BLOCKED")
    assert way.sent[before:] == []
    way.ask(Stop())
    way.ask("MOVE", {"vector": [9, 0, 0]})
    assert way.sent[before:] == ["STOP", "MOVE"]


@pytest.mark.req("EX-08")
def test_identical_attempts_in_flight_count() -> None:
    """Once a failure is known, others wait so that no more than four can fail in a row; another agent goes on."""
    way = Doorway().ready(limited(max_inflight=16))
    for _ in range(4):
        way.ask(Jump())
    way.receive(answer(3, "JUMP", BLOCKED))
    last, other = way.ask(Jump(), ttl=5.0), way.ask(Jump(), agent="other")
    assert way.door.waiting[-2:] == (last, other)
    assert len(way.sent) == 6
    behind = way.ask(Evade(), ttl=5.0)
    assert len(way.sent) == 6
    way.receive(answer(4, "JUMP", BLOCKED) + answer(5, "JUMP", BLOCKED))
    assert last in way.door.waiting
    way.receive(answer(6, "JUMP", BLOCKED))
    assert the(way, last).label == "refused_retry"
    assert way.sent[6:] == ["EVADE"]
    assert behind in way.door.waiting


@pytest.mark.req("EX-11")
def test_answers_find_their_requests_in_any_order() -> None:
    """Results out of order, between states and events, are bound by their ids."""
    way = Doorway().ready()
    tickets = [way.ask(intent) for intent in (Jump(), Evade(), Hold())]
    way.receive(answer(5, "HOLD") + encode(state(3)) + answer(3, "JUMP") + answer(4, "EVADE"))
    assert [the(way, ticket).sent for ticket in tickets] == [Jump(), Evade(), Hold()]
    way.ask(Jump(), based_on=3)
    way.ask(Jump())
    assert [frame.based_on for frame in way.out if isinstance(frame, f.IntentFrame)] == [3]


@pytest.mark.req("EX-15")
def test_a_deadline_passes() -> None:
    """Past its deadline a request is FAILURE/UNKNOWN, is cancelled, and STOP is sent; a late result finds its ticket."""
    way = Doorway().ready()
    ticket = way.ask(Jump(), ttl=0.5)
    assert way.door.wake_at == 0.75
    way.wait(0.75)
    assert (the(way, ticket).label, way.outcomes[-1].elapsed) == ("timeout", 0.75)
    assert [type(frame) for frame in way.out] == [f.Cancel, f.IntentFrame]
    way.receive(answer(3, "JUMP"))
    late = of(LateResult, way.told)[0]
    assert (late.ticket, late.label, late.intent, late.payload) == (ticket, "positive", Jump(), payload())
    assert way.door.outcome(ticket) is None


@pytest.mark.req("EX-15")
def test_what_is_held_has_its_deadline_too() -> None:
    """A held request is sent with the time it has left, or ends as a timeout that says why it was not sent."""
    way = Doorway().ready(limited(max_inflight=1))
    way.ask(Jump(), ttl=3.0)
    short, long = way.ask(Evade(), ttl=0.5), way.ask(Hold(), ttl=1.0)
    assert way.door.wake_at == 0.5
    way.wait(0.5)
    outcome = the(way, short)
    assert (outcome.label, outcome.sent, outcome.elapsed) == ("timeout", None, 0.5)
    assert outcome.detail == "not sent: the window was full, or a STOP was not yet answered"
    way.now = 0.6
    way.receive(answer(3, "JUMP"))
    assert [frame.ttl_ms for frame in way.out if isinstance(frame, f.IntentFrame)] == [400]
    assert long in way.door.waiting


def test_requests_wait_for_the_connection() -> None:
    """What is asked before a connection stands is sent in order once it is open; STOP as soon as the handshake is over."""
    way = Doorway()
    way.ask(Jump(), agent="hero")
    way.ask(Evade(), agent="other")
    way.ask(Stop(), agent="other")
    way.ask(Hold(), agent="other")
    way.door.connected(0.0)
    way.receive(encode(WELCOME))
    assert way.sent == ["STOP", "STOP"]
    assert [(e.requested.intent, e.label, e.connection) for e in way.outcomes] == [("EVADE", "unknown", 0)]
    way.receive(encode(state(0, id=1)) + answer(2))
    assert way.sent == ["STOP", "STOP", "JUMP", "HOLD"]
    assert {frame.based_on for frame in way.out if isinstance(frame, f.IntentFrame)} == {0}


def test_stop_ends_what_is_held_before_it() -> None:
    """STOP is sent whatever the window says, and what was held for its agent before it is not sent after it."""
    way = Doorway().ready(limited(max_inflight=1))
    way.ask(Jump(), agent="hero")
    mine, others = way.ask(Evade(), agent="hero"), way.ask(Evade(), agent="other")
    way.ask(Stop(), agent="hero")
    assert way.sent[-1] == "STOP"
    assert the(way, mine).detail == "not sent: a STOP was asked for after it"
    assert others in way.door.waiting


@pytest.mark.req("EX-16")
def test_a_lost_connection_ends_all_that_waits() -> None:
    """Open and held requests end as unknown before the loss is told; then the door dials, opens and stops anew."""
    way = Doorway().ready(limited(max_inflight=1))
    tickets = [way.ask(Jump()), way.ask(Evade())]
    way.end()
    assert [the(way, ticket).label for ticket in tickets] == ["unknown", "unknown"]
    assert [type(event) for event in way.told[-3:]] == [Outcome, Outcome, Lost]
    assert (way.door.phase, way.door.state, way.door.welcome, way.door.fresh) == ("connecting", None, None, False)
    assert way.door.dial_at is not None
    way.now = way.door.dial_at
    held = way.ask(Hold(), ttl=9.0)
    way.ready()
    assert (way.door.connection, way.sent) == (2, ["STOP", "JUMP", "STOP", "HOLD"])
    assert [event.connection for event in of(Connected, way.told)] == [1, 2]
    way.receive(answer(3, "HOLD"))
    assert the(way, held).connection == 2


@pytest.mark.req("EX-16")
def test_silence_is_noticed_within_three_seconds() -> None:
    """An executor that says nothing is pinged, then given up 3 s after its last word."""
    way = Doorway().ready()
    pinged = False
    while not of(Lost, way.told):
        assert way.door.wake_at is not None
        way.wait(way.door.wake_at - way.now)
        pinged |= bool(of(f.Ping, way.out))
        assert way.now <= 3.0
    assert pinged
    assert of(Lost, way.told) == [Lost(1, "dead")]


def test_a_refused_greeting_keeps_what_is_held() -> None:
    """Where no session comes about nothing is lost: what is held waits on within its time, and the error says why."""
    way = Doorway()
    ticket = way.ask(Jump(), ttl=1.0)
    way.door.failed(NOBODY, 0.0)
    assert way.door.error is NOBODY
    way.door.connected(0.1)
    way.receive(encode(msgspec.structs.replace(WELCOME, spec="2.0.0")))
    assert isinstance(way.door.error, VersionMismatch)
    assert isinstance(of(Lost, way.told)[0].error, VersionMismatch)
    assert way.door.waiting == (ticket,)
    way.wait(1.0)
    assert the(way, ticket).detail == "not sent: there was no connection"


@given(st.integers(0, 2**40), st.integers(1, 12))
def test_dialling_slows_down(seed: int, failures: int) -> None:
    """Waits grow to the cap, each at least half of its due, the same for the same seed; a ready session forgets them."""
    way, again = Doorway(seed=seed), Doorway(seed=seed)
    delays = []
    for _ in range(failures):
        for one in (way, again):
            one.door.failed(NOBODY, 0.0)
        assert way.door.dial_at == again.door.dial_at is not None
        delays.append(way.door.dial_at)
    due = [min(2.0, 0.05 * 2**n) for n in range(failures)]
    assert all(full / 2 <= delay <= full for delay, full in zip(delays, due, strict=True))
    way.ready().end()
    assert way.door.dial_at == delays[0]


@pytest.mark.parametrize(("first", "most"), [(0, 1), (2, 1), (1, float("inf")), (float("nan"), 1)])
def test_a_backoff_is_made_of_times(first: float, most: float) -> None:
    """A backoff without sense is refused."""
    with pytest.raises(InvalidInput):
        Backoff(first, most)


def test_cancelling() -> None:
    """A held request that is cancelled ends at once; one under way is cancelled there, and its result still counts."""
    way = Doorway().ready(limited(max_inflight=1))
    under_way, held = way.ask(Jump()), way.ask(Evade())
    way.door.cancel(held)
    assert the(way, held).detail == "not sent: cancelled"
    way.door.cancel(under_way)
    way.door.cancel(77)
    way.flush()
    assert way.out == [f.Cancel(id=3)]
    way.receive(answer(3, "JUMP"))
    assert the(way, under_way).label == "positive"


def test_closing_ends_everything() -> None:
    """A closed door has given every request its outcome, says goodbye, dials no more, and sends nothing ever after."""
    way = Doorway().ready(limited(max_inflight=1))
    tickets = [way.ask(Jump()), way.ask(Evade())]
    way.close()
    assert way.out == [f.Goodbye(reason="local")]
    tickets += [way.ask(Jump()), way.ask(Stop()), way.ask("DANCE")]
    assert [the(way, ticket).label for ticket in tickets] == ["unknown"] * 4 + ["intercepted"]
    way.close()
    assert (way.out, way.door.phase, way.door.dial_at, way.door.wake_at) == ([], "closed", None, None)
    way.door.failed(NOBODY, 1.0)
    assert way.door.dial_at is None
    with pytest.raises(InvalidInput):
        way.door.connected(1.0)
    assert not broken_laws(way.record)


def test_one_connection_at_a_time() -> None:
    """A second connection while one stands is an error of the owner."""
    way = Doorway().ready()
    with pytest.raises(InvalidInput):
        way.door.connected(0.0)


def test_a_listener_that_fails_misses_nothing() -> None:
    """What `tell` refuses by raising reaches the caller as that error, changes no outcome, and is told again later."""
    told: list[DoorEvent] = []
    full = [False]

    def tell(event: DoorEvent) -> None:
        if full[0]:
            raise OSError("the disk is full")
        told.append(event)

    door = Door(now=0.0, tell=tell)
    door.connected(0.0)
    door.receive(encode(WELCOME) + encode(state(0, id=1)) + answer(2), 0.0)
    ticket, before = door.request(Jump(), now=0.0), len(told)
    full[0] = True
    with pytest.raises(OSError, match="full"):
        door.receive(answer(3, "JUMP", next_state=state(1)), 0.1)
    with pytest.raises(OSError, match="full"):
        door.poll(0.2)
    assert door.outcome(ticket) is not None
    full[0] = False
    door.poll(0.3)
    assert [type(event) for event in told[before:]] == [Outcome, StateSeen]


def test_a_state_is_remembered_for_a_while() -> None:
    """A request that names a state of some while ago is recorded with it; the number kept is bounded."""
    way = Doorway().ready()
    for seq in range(1, 300):
        way.receive(encode(state(seq)))
    old, recent = way.ask(Jump(), based_on=1), way.ask(Evade(), based_on=250)
    way.close()
    assert (the(way, old).state, the(way, recent).state) == (None, state(250))


def test_a_request_that_no_frame_can_hold_is_not_sent() -> None:
    """Where the agreed frame is too short for an agent's name, the request ends here and nothing breaks."""
    way = Doorway().ready(limited(max_frame=1024))
    ticket = way.ask(Jump(), agent="\x01" * 200)
    assert the(way, ticket).detail.startswith("not sent: a frame of")


def test_the_time_left_is_never_too_short_to_say() -> None:
    """However large the clock, the shortest time to live is sent as it is."""
    way = Doorway(timing=Timing())
    way.now = 2.0**33
    way.ready()
    way.ask(Jump(), ttl=0.001)
    assert [frame.ttl_ms for frame in way.out if isinstance(frame, f.IntentFrame)] == [1]


def test_tickets_count_over_connections() -> None:
    """Tickets grow by one with every request and every STOP of the door's own, whatever connection carries them."""
    way = Doorway()
    for _ in range(3):
        way.ready()
        way.ask(Jump())
        way.end()
    tickets = [outcome.ticket for outcome in way.outcomes]
    assert all(later == sooner + 1 for sooner, later in pairwise(tickets))
    way.close()
    assert not broken_laws(way.record)
