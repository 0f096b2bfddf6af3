"""The door: one outcome for each request, and the rules of the contract over any number of connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.door.doorway import Doorway
from tests.execution.wire.samples import WELCOME, answer, limited, of, payload, state
from volition.execution import Evade, Hold, Jump, Move, Stop, make_result
from volition.execution.door.door import Door
from volition.execution.door.events import DoorEvent, Lost
from volition.execution.wire import frames as f
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import StateFrame
from volition.execution.wire.request import Outcome, Request
from volition.execution.wire.session.events import Breach, LateAnswer
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from tests.sentences import Told

BLOCKED = make_result("FAILURE", "BLOCKED").to_data()
ASTRAY = make_result("FAILURE", "INVALID_STATE").to_data()


def test_a_request_is_sent_and_answered() -> None:
    """A request is sent immediately if possible, and its outcome is returned once."""
    way = Doorway().ready()
    ticket = way.ask("MOVE", {"vector": [1, 0, 0]}, agent="hero")
    assert way.out == [
        f.IntentFrame(id=3, intent="MOVE", ttl_ms=500, parameters={"vector": [1.0, 0.0, 0.0]}, based_on=0, agent="hero")
    ]
    assert (way.door.waiting, way.door.room) == ((ticket,), 3)
    way.now = 0.1
    way.receive(answer(3, "MOVE", next_state=state(1)))
    outcome = way.the(ticket)
    assert way.door.outcome(ticket) is None
    assert (outcome.sent, outcome.id, outcome.connection) == (Move((1, 0, 0)), 3, 1)
    assert (outcome.requested, outcome.agent) == (Request("MOVE", {"vector": [1, 0, 0]}), "hero")
    assert outcome.purpose == "policy"
    assert (outcome.elapsed, outcome.next_state) == (0.1, state(1))
    assert [type(event) for event in way.told[-2:]] == [Outcome, StateFrame]


@pytest.mark.req("EX-03", "EX-01")
@pytest.mark.parametrize(
    ("intent", "parameters"),
    [("DANCE", None), ("move", {"vector": [0, 0, 0]}), ("MOVE", None), ("MOVE", {"vector": [0, 0, float("nan")]}),
     ("JUMP", {"if": "grounded"}), (None, None), (Jump(), {"height": 2})],
)  # fmt: skip
def test_nonsense_is_intercepted(intent: Any, parameters: Any) -> None:
    """Anything but a canonical intent ends immediately, STOP is sent in its place, and nobody is credited with its
    success."""
    way = Doorway().ready()
    ticket = way.ask(intent, parameters, agent="hero")
    outcome = way.the(ticket)
    assert (outcome.label, outcome.status, outcome.reason) == ("intercepted", "FAILURE", "UNKNOWN")
    assert (outcome.sent, outcome.id, outcome.answered) == (None, None, False)
    assert [(frame.intent, frame.agent) for frame in way.out if isinstance(frame, f.IntentFrame)] == [("STOP", "hero")]
    way.receive(answer(3))
    stop = way.outcomes[-1]
    assert (stop.purpose, stop.label, stop.ticket) == ("instead", "positive", ticket + 1)
    assert (stop.requested, stop.agent) == (Request("STOP"), "hero")
    assert way.door.outcome(stop.ticket) is None


@pytest.mark.req("EX-05")
@pytest.mark.parametrize("words", [None, "SUCCESS", [], {}, {"status": "DONE"}, {"status": None}])
def test_a_malformed_answer_calls_for_stop_once(words: Any) -> None:
    """What has no valid status is FAILURE/UNKNOWN and a breach; one STOP follows, and others wait for it."""
    way = Doorway().ready()
    first, second = way.ask(Jump()), way.ask(Evade())
    way.receive(encode(f.ResultFrame(id=3, intent="JUMP", result=words)))
    assert way.the(first).label == "malformed"
    assert [frame.intent for frame in way.out if isinstance(frame, f.IntentFrame)] == ["STOP"]
    way.receive(encode(f.ResultFrame(id=4, intent="EVADE", result=words)))
    assert way.out == []
    third = way.ask(Hold())
    assert way.out == []
    way.receive(answer(5))
    assert way.sent == ["STOP", "JUMP", "EVADE", "STOP", "HOLD"]
    assert way.the(second).label == "malformed"
    assert third in way.door.waiting
    assert len(of(Breach, way.told)) == 2


@pytest.mark.req("EX-05")
def test_a_malformed_answer_to_the_fallback_stop_ends_the_connection() -> None:
    """Nothing loops: if STOP itself is answered badly, the connection is given up and dialled again."""
    way = Doorway().ready()
    way.ask(Jump())
    way.receive(answer(3, "JUMP", {"status": 1}))
    way.receive(answer(4, "STOP", {"status": 1}))
    assert of(Lost, way.told) == [Lost(connection=1, reason="stop_failed")]
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
    """A deviant result is always a breach and triggers STOP; in strict mode it is malformed, in lenient mode it keeps
    its status."""
    way = Doorway(strict=strict).ready()
    ticket = way.ask(Jump())
    way.receive(answer(3, "JUMP", words))
    outcome = way.the(ticket)
    assert outcome.violations
    assert of(Breach, way.told)[0].kind == "bad_result"
    assert outcome.payload == words
    assert way.sent[-1] == "STOP"
    if strict:
        assert outcome.label == "malformed"
    else:
        assert outcome.status == words["status"]


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
    """Even a late INVALID_STATE shows that this side is out of sync."""
    way = Doorway().ready()
    way.ask(Jump())
    way.wait(0.75)
    way.receive(answer(3, "JUMP", ASTRAY))
    assert isinstance(way.out[-1], f.StateRequest)
    assert not way.door.fresh


@pytest.mark.req("EX-08")
def test_the_fifth_identical_failure_is_answered_here(told: Told) -> None:
    """After one try and three retries the next is refused with the same reason; STOPs of the door change nothing."""
    way = Doorway().ready()
    for turn in range(4):
        way.ask("MOVE", {"vector": [1 + turn, 0, 0]})
        way.receive(answer(way.last_id, "MOVE", BLOCKED))
        way.ask("DANCE")
        way.receive(answer(way.last_id))
    before = len(way.sent)
    outcome = way.the(way.ask("MOVE", {"vector": [9, 0, 0]}))
    assert (outcome.label, outcome.reason, outcome.sent) == ("refused_retry", "BLOCKED", None)
    assert outcome.result == make_result("FAILURE", "BLOCKED")
    assert way.sent[before:] == []
    told(outcome.detail)
    way.ask("MOVE", {"vector": [0, 9, 0]})
    way.ask("MOVE", {"vector": [9, 0, 0]})
    assert way.sent[before:] == ["MOVE", "MOVE"]


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
    assert way.the(last).label == "refused_retry"
    assert way.sent[6:] == ["EVADE"]
    assert behind in way.door.waiting


@pytest.mark.req("EX-11")
def test_answers_find_their_requests_in_any_order() -> None:
    """Results out of order, between states and events, are bound by their ids."""
    way = Doorway().ready()
    tickets = [way.ask(intent) for intent in (Jump(), Evade(), Hold())]
    way.receive(answer(5, "HOLD") + encode(state(3)) + answer(3, "JUMP") + answer(4, "EVADE"))
    assert [way.the(ticket).sent for ticket in tickets] == [Jump(), Evade(), Hold()]
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
    assert (way.the(ticket).label, way.outcomes[-1].elapsed) == ("timeout", 0.75)
    assert [type(frame) for frame in way.out] == [f.Cancel, f.IntentFrame]
    way.receive(answer(3, "JUMP"))
    late = of(LateAnswer, way.told)[0]
    assert (late.ticket, late.label, late.intent, late.result) == (ticket, "positive", "JUMP", make_result())
    assert way.door.outcome(ticket) is None


@pytest.mark.req("EX-15")
def test_what_is_held_has_its_deadline_too(told: Told) -> None:
    """A held request is sent with the time it has left, or ends as a timeout that says why it was not sent."""
    way = Doorway().ready(limited(max_inflight=1))
    way.ask(Jump(), ttl=3.0)
    short, long = way.ask(Evade(), ttl=0.5), way.ask(Hold(), ttl=1.0)
    assert way.door.wake_at == 0.5
    way.wait(0.5)
    outcome = way.the(short)
    assert (outcome.label, outcome.sent, outcome.elapsed) == ("timeout", None, 0.5)
    told(outcome.detail)
    way.now = 0.6
    way.receive(answer(3, "JUMP"))
    assert [frame.ttl_ms for frame in way.out if isinstance(frame, f.IntentFrame)] == [400]
    assert long in way.door.waiting


def test_stop_ends_what_is_held_before_it(told: Told) -> None:
    """STOP is sent whatever the window says, and what was held for its agent before it is not sent after it."""
    way = Doorway().ready(limited(max_inflight=1))
    way.ask(Jump(), agent="hero")
    mine, others = way.ask(Evade(), agent="hero"), way.ask(Evade(), agent="other")
    way.ask(Stop(), agent="hero")
    assert way.sent[-1] == "STOP"
    told(way.the(mine).detail)
    assert others in way.door.waiting


def test_cancelling() -> None:
    """A held request that is cancelled ends at once; one under way is cancelled there, and its result still counts."""
    way = Doorway().ready(limited(max_inflight=1))
    under_way, held = way.ask(Jump()), way.ask(Evade())
    way.door.cancel(held)
    assert way.the(held).detail == "not sent: cancelled"
    way.door.cancel(under_way)
    way.door.cancel(77)
    way.flush()
    assert way.out == [f.Cancel(id=3)]
    way.receive(answer(3, "JUMP"))
    assert way.the(under_way).label == "positive"


def test_a_listener_that_fails_is_told_everything_once() -> None:
    """What `tell` raises reaches the caller, changes no outcome, and no event is told twice or left out."""
    told: list[DoorEvent] = []
    full = [False]

    def tell(event: DoorEvent) -> None:
        told.append(event)
        if full[0]:
            raise OSError("the disk is full")

    door = Door(now=0.0, tell=tell)
    door.connection_made(0.0)
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
    assert [type(event) for event in told[before:]] == [Outcome, StateFrame]


def test_a_state_is_remembered_for_a_while() -> None:
    """A request that names a state of some while ago is recorded with it; the number kept is bounded."""
    way = Doorway().ready()
    for seq in range(1, 300):
        way.receive(encode(state(seq)))
    old, recent = way.ask(Jump(), based_on=1), way.ask(Evade(), based_on=250)
    way.close()
    assert (way.the(old).state, way.the(recent).state) == (None, state(250))


def test_a_request_that_no_frame_can_hold_is_not_sent() -> None:
    """Where the agreed frame is too short for an agent's name, the request ends here and nothing breaks."""
    way = Doorway().ready(limited(max_frame=1024))
    ticket = way.ask(Jump(), agent="\x01" * 200)
    assert way.the(ticket).detail.startswith("not sent: a frame of")


def test_the_time_left_is_never_too_short_to_say() -> None:
    """However large the clock, the shortest time to live is sent as it is."""
    way = Doorway(timing=Timing())
    way.now = 2.0**33
    way.ready()
    way.ask(Jump(), ttl=0.001)
    assert [frame.ttl_ms for frame in way.out if isinstance(frame, f.IntentFrame)] == [1]


@pytest.mark.req("EX-07")
def test_a_push_does_not_take_the_place_of_a_full_state() -> None:
    """A refresh gives the full state that answered it, even where a newer push that is not full came with it; a lost
    connection takes it along."""
    way = Doorway().ready()
    way.refresh()
    way.receive(encode(state(1, id=3)) + encode(state(2, full=False)))
    assert way.door.fresh
    assert (way.door.full_state, way.door.state) == (state(1, id=3), state(2, full=False))
    way.end()
    assert way.door.full_state is None
