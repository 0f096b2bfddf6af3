"""The door and its connections: dialling, opening, losing, closing, and the requests meanwhile."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.door.door_laws import broken_laws
from tests.execution.door.doorway import Doorway
from tests.execution.wire.samples import WELCOME, answer, limited, of, state
from volition.core.errors import InvalidInput, Problem
from volition.execution import Evade, Hold, Jump, Stop, make_result
from volition.execution.door.events import Connected, Lost
from volition.execution.wire import frames as f
from volition.execution.wire.codec import encode
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.handshake import NothingListening, VersionMismatch

if TYPE_CHECKING:
    from tests.sentences import Told

ASTRAY = make_result("FAILURE", "INVALID_STATE").to_data()
NOBODY = NothingListening(Problem("nobody", "address", "an executor", "start one"))


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


def test_requests_wait_for_the_connection() -> None:
    """Requests made before a connection exists are sent in order once it is open; STOP as soon as the handshake is
    over."""
    way = Doorway()
    way.ask(Jump(), agent="hero")
    way.ask(Evade(), agent="other")
    way.ask(Stop(), agent="other")
    way.ask(Hold(), agent="other")
    way.door.connection_made(0.0)
    way.receive(encode(WELCOME))
    assert way.sent == ["STOP", "STOP"]
    assert [(e.requested.intent, e.label, e.connection) for e in way.outcomes] == [("EVADE", "unknown", 0)]
    way.receive(encode(state(0, id=1)) + answer(2))
    assert way.sent == ["STOP", "STOP", "JUMP", "HOLD"]
    assert {frame.based_on for frame in way.out if isinstance(frame, f.IntentFrame)} == {0}


@pytest.mark.req("EX-16")
def test_a_lost_connection_ends_all_that_waits() -> None:
    """Open and held requests end as unknown before the loss is reported; then the door dials, opens and stops again."""
    way = Doorway().ready(limited(max_inflight=1))
    tickets = [way.ask(Jump()), way.ask(Evade())]
    way.end()
    assert [way.the(ticket).label for ticket in tickets] == ["unknown", "unknown"]
    assert [type(event) for event in way.told[-3:]] == [Outcome, Outcome, Lost]
    assert (way.door.phase, way.door.state, way.door.welcome, way.door.fresh) == ("connecting", None, None, False)
    assert way.door.dial_at is not None
    way.now = way.door.dial_at
    held = way.ask(Hold(), ttl=9.0)
    way.ready()
    assert (way.door.connection, way.sent) == (2, ["STOP", "JUMP", "STOP", "HOLD"])
    assert [event.connection for event in of(Connected, way.told)] == [1, 2]
    way.receive(answer(3, "HOLD"))
    assert way.the(held).connection == 2


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
    assert of(Lost, way.told) == [Lost(connection=1, reason="dead")]


def test_a_refused_greeting_keeps_what_is_held(told: Told) -> None:
    """If no session can be opened, held requests keep waiting within their time, and the error says why."""
    way = Doorway()
    ticket = way.ask(Jump(), ttl=1.0)
    way.door.connection_failed(NOBODY, 0.0)
    assert way.door.error is NOBODY
    way.door.connection_made(0.1)
    way.receive(encode(msgspec.structs.replace(WELCOME, spec="2.0.0")))
    assert isinstance(way.door.error, VersionMismatch)
    assert of(Lost, way.told)[0].error.startswith("VersionMismatch: ")
    assert way.door.waiting == (ticket,)
    way.wait(1.0)
    told(way.the(ticket).detail)


@given(st.integers(0, 2**40), st.integers(1, 12))
def test_dialling_slows_down(seed: int, failures: int) -> None:
    """Waits grow to the cap, each at least half of its due, the same for the same seed; a ready session forgets them."""
    way, again = Doorway(seed=seed), Doorway(seed=seed)
    delays = []
    for _ in range(failures):
        for one in (way, again):
            one.door.connection_failed(NOBODY, 0.0)
        assert way.door.dial_at == again.door.dial_at is not None
        delays.append(way.door.dial_at)
    due = [min(2.0, 0.05 * 2**n) for n in range(failures)]
    assert all(full / 2 <= delay <= full for delay, full in zip(delays, due, strict=True))
    way.ready().end()
    assert way.door.dial_at == delays[0]


def test_closing_ends_everything() -> None:
    """A closed door has given every request its outcome, says goodbye, dials no more, and sends nothing ever after."""
    way = Doorway().ready(limited(max_inflight=1))
    tickets = [way.ask(Jump()), way.ask(Evade())]
    way.close()
    assert way.out == [f.Goodbye(reason="local")]
    tickets += [way.ask(Jump()), way.ask(Stop()), way.ask("DANCE")]
    assert [way.the(ticket).label for ticket in tickets] == ["unknown"] * 4 + ["intercepted"]
    way.close()
    assert (way.out, way.door.phase, way.door.dial_at, way.door.wake_at) == ([], "closed", None, None)
    way.door.connection_failed(NOBODY, 1.0)
    assert way.door.dial_at is None
    with pytest.raises(InvalidInput):
        way.door.connection_made(1.0)
    assert not broken_laws(way.record)


def test_one_connection_at_a_time() -> None:
    """A second connection next to an open one is an error of the owner."""
    way = Doorway().ready()
    with pytest.raises(InvalidInput):
        way.door.connection_made(0.0)


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
