"""Both bridges keep the same laws over every transport: one outcome for each intent, in time, and matched to its
intent."""

from __future__ import annotations

import socket
import sys
import time
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.execution.client.bridges import (
    ANYWHERE,
    EAST,
    FLAVOURS,
    QUICK,
    Flavour,
    Puppet,
    Relay,
    Stamping,
    driving,
    eventually,
    served,
)
from tests.execution.transports.stream_bridge import SCHEMA, Toy
from tests.execution.wire.samples import WELCOME, of
from volition.core.errors import InvalidInput
from volition.execution import Evade, Hold, Jump, Stop
from volition.execution.client.driver import BridgeClosed
from volition.execution.connecting.connect import connect
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import StateSchema
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.events import Breach
from volition.execution.wire.session.handshake import (
    BadToken,
    NoAnswer,
    NothingListening,
    NotReady,
    SchemaMismatch,
    VersionMismatch,
)
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told
    from volition.execution import HandshakeFailed
    from volition.execution.door.events import DoorEvent

HASTY = Timing(handshake=0.4)
CALM = Timing(handshake=60.0, idle=1000.0, dead=3000.0, stop=1000.0, opening=60.0)
ARENA = [sys.executable, "-m", "tests.execution.processes.executor"]

flavours = pytest.mark.parametrize("flavour", FLAVOURS)


@pytest.fixture(params=["tcp", "unix", "stdio", "embedded"])
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    """An address of each kind, with an arena behind it."""
    if request.param == "embedded":
        yield "embedded"
    elif request.param == "stdio":
        yield f"stdio:{' '.join(ARENA)} --stdio"
    else:
        with TemporaryDirectory(prefix="volition-") as folder:
            address = ANYWHERE if request.param == "tcp" else f"unix:{folder}/a.sock"
            with served(Stamping(), address=address) as at:
                yield at


# Asking.


@pytest.mark.req("EX-04", "EX-11")
@flavours
def test_an_intent_has_one_outcome_over_every_transport(flavour: Flavour, place: str) -> None:
    """Whatever carries the bytes, the outcome names its intent, its states before and after, and its connection."""
    with driving(flavour, place) as bridge:
        before = bridge.state
        moved, stopped = bridge.execute(EAST, deadline=60.0), bridge.execute("STOP", deadline=60.0)
        assert (moved.status, moved.sent, moved.connection, moved.answered) == ("SUCCESS", EAST, 1, True)
        assert (moved.state, stopped.sent) == (before, Stop())
        assert moved.next_state is not None
        assert before is not None
        assert moved.next_state.seq > before.seq
        assert (moved.ticket, stopped.ticket) == (moved.ticket, moved.ticket + 1)


@flavours
def test_submitted_intents_are_waited_for_in_any_order(flavour: Flavour, told: Told) -> None:
    """A ticket gives its own outcome, in any order of waiting, and only once."""
    with served(Stamping()) as at, driving(flavour, at) as bridge:
        slow, quick = bridge.submit(EAST, deadline=60.0), bridge.submit(Jump(), deadline=60.0)
        assert bridge.wait(quick).sent == Jump()
        assert bridge.wait(slow).sent == EAST
        for ticket in (slow, quick, 10**6):
            with told.raises(InvalidInput):
                bridge.wait(ticket)


@pytest.mark.req("EX-11")
@flavours
def test_many_are_sent_within_the_window_and_come_back_in_order(flavour: Flavour) -> None:
    """Outcomes are in the order of the intents, each with the result of its own id, whatever the size of the window."""
    asked = [QUICK[n % 2] if n % 7 else EAST for n in range(60)]
    with served(Stamping(hz=500)) as at, driving(flavour, at) as bridge:
        outcomes = bridge.execute_many(asked, deadline=60.0)
        assert [outcome.sent for outcome in outcomes] == asked
        assert all(outcome.answered and outcome.label == "positive" for outcome in outcomes)
        assert all(outcome.result.metadata.engine_timestamp == outcome.id for outcome in outcomes)
        assert bridge.execute_many([]) == []
        named = bridge.execute_many(["DANCE", "JUMP", ("MOVE", {"vector": [1, 0, 0]})], deadline=60.0)
        assert [outcome.label for outcome in named] == ["intercepted", "positive", "positive"]


@pytest.mark.req("EX-03")
@flavours
def test_what_is_no_intent_never_crosses(flavour: Flavour) -> None:
    """An invalid intent fails locally and immediately, and STOP is sent in its place."""
    game = Toy()
    with served(game) as at, driving(flavour, at) as bridge:
        before = game.calls.count("STOP")
        outcome = bridge.execute("DANCE", deadline=0.5)
        assert (outcome.label, outcome.sent, outcome.answered) == ("intercepted", None, False)
        bridge.execute(Jump(), deadline=60.0)
        assert (game.calls.count("STOP"), game.calls[-1]) == (before + 1, "JUMP")


@pytest.mark.req("EX-15")
@flavours
def test_no_answer_is_an_outcome(flavour: Flavour) -> None:
    """Past its deadline and the grace, and not before, an intent ends as a timeout, and the executor is told to cancel
    and stop."""
    game = Toy(mute=True)
    with served(game) as at, driving(flavour, at) as bridge:
        began = time.monotonic()
        outcome = bridge.execute(Jump(), deadline=0.1)
        assert time.monotonic() - began >= 0.14
        assert (outcome.label, outcome.status, outcome.reason) == ("timeout", "FAILURE", "UNKNOWN")
        eventually(lambda: "cancel" in game.calls and game.calls[-1] == "STOP")


@pytest.mark.req("EX-15")
@flavours
def test_a_short_deadline_is_kept_after_a_long_calm(flavour: Flavour) -> None:
    """A deadline is kept even if nothing else is due for a quarter of an hour."""
    game = Toy()
    with served(game, timing=CALM) as at, driving(flavour, at, timing=CALM) as bridge:
        assert bridge.execute(Jump(), deadline=1000.0).status == "SUCCESS"
        game.mute = True
        assert bridge.execute(Jump(), deadline=0.05).label == "timeout"


@flavours
def test_a_cancelled_intent_still_has_its_outcome(flavour: Flavour) -> None:
    """Cancelling asks the executor, whose answer is the outcome; cancelling a finished intent has no effect."""
    game = Toy(hz=0)
    with served(game) as at, driving(flavour, at) as bridge:
        ticket = bridge.submit(EAST, deadline=60.0)
        eventually(lambda: "MOVE" in game.calls)
        bridge.cancel(ticket)
        assert bridge.wait(ticket).status == "PARTIAL"
        bridge.cancel(ticket)
        assert bridge.execute(Jump(), deadline=60.0).status == "SUCCESS"


@flavours
def test_states_are_asked_for_and_waited_for(flavour: Flavour) -> None:
    """refresh returns a full state, next_state a newer one, or None if there is none in time."""
    with served(Toy(hz=50)) as at, driving(flavour, at) as bridge:
        full = bridge.refresh(60.0)
        pushed = bridge.next_state(60.0)
        assert full.full
        assert pushed is not None
        assert pushed.seq > full.seq
    with served(Toy(hz=0)) as at, driving(flavour, at) as bridge:
        began = time.monotonic()
        assert bridge.next_state(0.1) is None
        assert time.monotonic() - began >= 0.1


@flavours
def test_what_the_game_tells_is_kept_until_it_is_asked_for(flavour: Flavour) -> None:
    """Events of the game are returned once, in order."""
    with driving(flavour, "embedded", seed=1) as bridge:
        bridge.execute(Hold(), deadline=60.0)
        names = []
        for _ in range(150):
            bridge.next_state()
            names += [frame.name for frame in bridge.events()]
        assert names[:1] == ["hold_ended"]
        assert bridge.events() == []


# The connection.


def rejecting(spec: str) -> Puppet:
    """An executor of another version."""

    def play(connected: socket.socket) -> None:
        connected.recv(65536)
        connected.sendall(encode(msgspec.structs.replace(WELCOME, spec=spec)))
        connected.recv(65536)

    return Puppet(play)


@pytest.mark.req("EX-13")
@flavours
def test_each_of_the_six_causes_is_an_error_of_its_own(flavour: Flavour) -> None:
    """connect raises the reason why there is no session; it does not wait forever for a silent executor."""
    gone = socket.create_server(("127.0.0.1", 0))
    nowhere = f"tcp://127.0.0.1:{gone.getsockname()[1]}"
    gone.close()
    other = StateSchema(name="other", version="1", hash="0")

    def fails(error: type[HandshakeFailed], address: str, **options: object) -> None:
        with pytest.raises(error), driving(flavour, address, **options):
            pass

    fails(NothingListening, nowhere)
    fails(NothingListening, "unix:/nowhere/to/be.found")
    fails(NothingListening, "stdio:no-such-program-anywhere")
    with Puppet(lambda connected: None).running() as silent:
        fails(NoAnswer, silent, timing=HASTY)
    with Puppet(lambda connected: connected.close()).running() as hanging_up:
        fails(NoAnswer, hanging_up)
    with rejecting("2.0.0").running() as newer:
        fails(VersionMismatch, newer)
    with served(Toy(), token="sesame") as at:
        fails(BadToken, at, token="simsalabim")
        fails(SchemaMismatch, at, token="sesame", schema=other)
        with driving(flavour, at, token="sesame", schema=SCHEMA):
            fails(NotReady, at, token="sesame")


@flavours
def test_an_opening_that_breaks_off_is_no_answer(flavour: Flavour) -> None:
    """An executor that hangs up after the welcome is a handshake error too."""

    def play(connected: socket.socket) -> None:
        connected.recv(65536)
        connected.sendall(encode(WELCOME))
        connected.recv(65536)
        connected.close()

    with (
        Puppet(play).running() as at,
        pytest.raises(NoAnswer, match="ended"),
        driving(flavour, at),
    ):
        pass


@pytest.mark.req("EX-16")
@flavours
def test_a_lost_connection_is_dialled_again(flavour: Flavour) -> None:
    """When the executor is gone, open intents fail; when it is back, the bridge reconnects and starts with a new
    opening."""
    with TemporaryDirectory(prefix="volition-") as folder:
        address, game = f"unix:{folder}/a.sock", Toy()
        with served(game, address=address):
            bridges = driving(flavour, address)
            bridge = bridges.__enter__()
            ticket = bridge.submit(EAST, deadline=60.0)
            eventually(lambda: "MOVE" in game.calls)
        lost = bridge.wait(ticket)
        assert (lost.label, lost.answered, lost.connection) == ("unknown", False, 1)
        unsent = bridge.execute(Jump(), deadline=0.3)
        assert (unsent.label, unsent.sent, unsent.connection) == ("timeout", None, 0)
        eventually(lambda: bridge.next_state(0.01) or isinstance(bridge.error, NothingListening))
        again = Toy()
        with served(again, address=address):
            back = bridge.execute(Jump(), deadline=60.0)
            assert (back.status, back.connection) == ("SUCCESS", 2)
            assert again.calls == ["STOP", "JUMP"]
            bridges.__exit__(None, None, None)
        assert again.calls[-1] == "stopped"


@pytest.mark.req("EX-16")
@flavours
def test_a_line_that_is_cut_is_known(flavour: Flavour) -> None:
    """The end of a connection without a goodbye ends open intents immediately, long before a deadline or heartbeat is
    due."""
    with served(Toy(hz=0)) as real:
        relay = Relay(real)
        with Puppet(relay).running() as at, driving(flavour, at, timing=CALM) as bridge:
            ticket = bridge.submit(EAST, deadline=1000.0)
            relay.silent.set()
            assert bridge.wait(ticket).label == "unknown"


@flavours
def test_who_does_not_want_to_reconnect_is_closed(flavour: Flavour, told: Told) -> None:
    """Without reconnecting, a lost connection closes the bridge, and the error says so."""
    game = Toy()
    with served(game) as at:
        bridges = driving(flavour, at, reconnect=False, timing=CALM)
        bridge = bridges.__enter__()
        ticket = bridge.submit(EAST, deadline=1000.0)
        eventually(lambda: "MOVE" in game.calls)
    assert bridge.wait(ticket).label == "unknown"
    assert bridge.closed
    with told.raises(BridgeClosed):
        bridge.execute(Jump(), deadline=60.0)
    bridges.__exit__(None, None, None)


@flavours
def test_a_closed_bridge_says_so(flavour: Flavour) -> None:
    """Closing stops the actor, may be repeated, and every later call is refused."""
    game = Toy()
    with served(game) as at, driving(flavour, at) as bridge:
        ticket = bridge.submit(EAST, deadline=60.0)
        bridge.close()
        bridge.close()
        assert bridge.wait(ticket).label == "unknown"
        assert (bridge.state, bridge.welcome) == (None, None)
        eventually(lambda: game.calls[-1] == "stopped")
        for ask in (
            lambda: bridge.execute(Jump(), deadline=60.0),
            bridge.refresh,
            lambda: bridge.execute_many([Jump()]),
        ):
            with pytest.raises(BridgeClosed):
                ask()


class Failing:
    """A journal whose disk is full after `room` events."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.told: list[DoorEvent] = []

    def tell(self, event: DoorEvent) -> None:
        self.told.append(event)
        if len(self.told) > self.room:
            raise OSError(28, "No space left on device")


@pytest.mark.req("EX-09")
@flavours
def test_what_cannot_be_recorded_is_not_done(flavour: Flavour, told: Told) -> None:
    """The journal's error reaches the caller, the bridge is closed, and the actor has stopped."""
    game, journal = Toy(hz=0), Failing(room=6)
    with served(game) as at:
        with driving(flavour, at, journal=journal) as bridge, told.raises(OSError):
            bridge.execute_many([Jump(), Evade()] * 10, deadline=60.0)
        assert bridge.closed
        eventually(lambda: game.calls[-1] == "stopped")
    done = game.calls.count("JUMP") + game.calls.count("EVADE")
    assert done < 20
    assert len(of(Outcome, journal.told)) == done + 1


@pytest.mark.req("EX-06")
def test_breaches_are_logged_first_and_then_in_sums(caplog: pytest.LogCaptureFixture) -> None:
    """Of a hundred breaches of one kind, the first is logged immediately, and the others as one line with their
    count."""
    with connect("embedded") as body, caplog.at_level("CRITICAL", logger="volition.execution"):
        for number in range(100):
            body._tell(Breach(connection=1, kind="bad_result", what=f"result {number}", id=number))
        assert [record.message for record in caplog.records] == ["contract violation (bad_result): result 0"]
        body.close()
    assert caplog.records[-1].message == "contract violation (bad_result): 99 more, the last: result 99"
    assert len(caplog.records) == 2
