"""The blocking driver: what a round trip costs, what happens between calls, threads, and interrupts."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager, suppress
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from tests.execution.client.bridges import (
    EAST,
    PATIENT,
    QUICK,
    Endless,
    Listening,
    Puppet,
    Relay,
    Stamping,
    driving,
    eventually,
    served,
)
from tests.execution.transports.stream_bridge import Toy
from tests.execution.wire.samples import of
from volition.execution import Evade, HandshakeFailed, Jump
from volition.execution.client.bridge import Bridge
from volition.execution.client.driver import BridgeClosed
from volition.execution.connecting.connect import connect
from volition.execution.transports.address import parse_address
from volition.execution.transports.endpoint import Endpoint
from volition.execution.wire.frames import Hello, IntentFrame, StateRequest
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from volition.execution import IncomingIntent
    from volition.execution.door.events import DoorEvent
    from volition.execution.executor.contract import News
    from volition.execution.transports.stream import Stream

LIVELY = Timing(handshake=60.0, idle=0.05, dead=60.0, stop=60.0, opening=60.0)
BRIEF = replace(LIVELY, dead=0.4)
CALM = Timing(handshake=60.0, idle=1000.0, dead=3000.0, stop=1000.0, opening=60.0)


def listening(address: str, made: list[Listening], journal: Noting | None = None) -> Bridge:
    """A bridge without a background thread and with nothing due for long; its connections are recorded in `made`."""
    endpoint = Endpoint(parse_address(address))

    def dial(timeout: float) -> Stream:
        made.append(Listening(endpoint.dial(timeout)))
        return made[-1]

    return Bridge(dial, timing=CALM, keep=False, journal=journal)


def test_one_round_trip_is_one_write_and_one_read() -> None:
    """An intent that is answered immediately costs one send and one receive; a window of them is one send."""
    made: list[Listening] = []
    with served(Toy(hz=0), timing=CALM) as at, listening(at, made) as bridge:
        (stream,) = made
        sends, receives = len(stream.sent), stream.receives
        for _ in range(50):
            bridge.execute(Jump(), deadline=60.0)
        assert (len(stream.sent) - sends, stream.receives - receives) == (50, 50)
        sends = len(stream.sent)
        bridge.execute_many([Jump(), Evade()] * 4, deadline=60.0)
        assert len(stream.sent) - sends == 1
        assert len(of(IntentFrame, stream.frames)) == 1 + 50 + 8


@pytest.mark.req("EX-16")
def test_every_connection_begins_with_handshake_state_and_stop() -> None:
    """The first frames of each connection are hello, a request for the full state, and STOP."""
    made: list[Listening] = []
    with TemporaryDirectory(prefix="volition-") as folder:
        address = f"unix:{folder}/a.sock"
        with served(Toy(), address=address, timing=CALM):
            bridge = listening(address, made)
            bridge.execute(Jump(), deadline=60.0)
        with served(Toy(), address=address, timing=CALM), bridge:
            assert bridge.execute(Jump(), deadline=60.0).status in {"SUCCESS", "FAILURE"}
            assert bridge.execute(Jump(), deadline=60.0).status == "SUCCESS"
    assert len(made) == 2
    for stream in made:
        first = stream.frames[:4]
        assert [type(frame) for frame in first] == [Hello, StateRequest, IntentFrame, IntentFrame]
        assert [frame.intent for frame in of(IntentFrame, first)] == ["STOP", "JUMP"]


@pytest.mark.req("EX-16")
def test_a_bridge_that_nobody_asks_keeps_its_connection() -> None:
    """While the policy thinks, heartbeats are answered and pushed states are read."""
    game = Toy(hz=0)
    with served(game, timing=LIVELY) as real:
        relay = Relay(real)
        with Puppet(relay).running() as at, driving("blocking", at, timing=LIVELY) as bridge:
            eventually(lambda: relay.asked.count(b'"type":"pong"') >= 3)
            assert bridge.execute(Jump(), deadline=60.0).connection == 1
        eventually(lambda: game.calls[-1] == "stopped")
    with served(Toy(hz=100)) as at, driving("blocking", at, timing=LIVELY) as bridge:
        before = bridge.state
        assert before is not None
        eventually(lambda: bridge.state is not None and bridge.state.seq > before.seq)


def connected_at_last(at: str) -> Bridge:
    """A bridge that dials until it is ready: on a busy machine the opening may pause for longer than `BRIEF.dead`."""
    while True:
        with suppress(HandshakeFailed):
            return connect(at, timing=BRIEF)


@pytest.mark.req("EX-16")
def test_a_half_open_connection_is_noticed_while_nobody_asks() -> None:
    """Silence on an open connection is noticed as a loss, even if no call waits."""
    with served(Toy(hz=0)) as real:
        relay = Relay(real, hold=True)
        with Puppet(relay).running() as at, connected_at_last(at) as bridge:
            relay.silent.set()
            eventually(lambda: bridge.state is None)
            relay.let_go.set()


def test_threads_share_a_bridge() -> None:
    """Each thread gets the outcomes of its own intents, and a quick one does not wait for a slow one of another
    thread."""
    wrong: list[Outcome] = []
    game = Endless()
    with served(game) as at, driving("blocking", at) as bridge:

        def ask(name: str, intent: object, times: int) -> None:
            for _ in range(times):
                outcome = bridge.execute(intent, agent=name, deadline=600.0)
                good = outcome.sent == intent and outcome.agent == name and outcome.status == "SUCCESS"
                if not good or outcome.result.metadata.engine_timestamp != outcome.id:
                    wrong.append(outcome)

        slow = threading.Thread(target=ask, args=("slow", EAST, 1))
        quick = [threading.Thread(target=ask, args=(f"quick-{n}", QUICK[n % 2], 40)) for n in range(4)]
        slow.start()
        for thread in quick:
            thread.start()
        for thread in quick:
            thread.join()
        assert slow.is_alive()
        game.may_end.set()
        slow.join()
    assert wrong == []


class Waiting(Toy):
    """A game that answers a JUMP only when it is allowed to."""

    def __init__(self) -> None:
        super().__init__(hz=0)
        self.may_answer = threading.Event()

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        if attempt.intent == Jump():
            self.may_answer.wait()
        return super().attempt(attempt)


def test_a_thread_that_stops_waiting_hands_the_reading_over() -> None:
    """When the reading thread stops waiting, another waiting thread continues to read."""
    game = Waiting()
    with served(game, timing=CALM) as at, driving("blocking", at, timing=CALM) as bridge:
        outcomes: list[Outcome] = []
        watching = threading.Thread(target=lambda: bridge.next_state(0.15))
        watching.start()
        time.sleep(0.05)
        jumping = threading.Thread(target=lambda: outcomes.append(bridge.execute(Jump(), deadline=600.0)))
        jumping.start()
        watching.join()
        game.may_answer.set()
        jumping.join()
        assert [outcome.status for outcome in outcomes] == ["SUCCESS"]


def test_closing_wakes_who_waits_in_another_thread() -> None:
    """A call that waits when the bridge is closed ends with an outcome."""
    outcomes: list[Outcome] = []
    game = Toy(hz=0)
    with served(game) as at, driving("blocking", at) as bridge:
        waiting = threading.Thread(target=lambda: outcomes.append(bridge.execute(EAST, deadline=3600.0)))
        waiting.start()
        eventually(lambda: "MOVE" in game.calls)
        bridge.close()
        waiting.join()
    assert [outcome.label for outcome in outcomes] == ["unknown"]


# Interrupts.


@contextmanager
def interruptible() -> Iterator[None]:
    """In this block SIGALRM raises KeyboardInterrupt, wherever the main thread happens to be."""

    def strike(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGALRM, strike)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


class Noting:
    """A journal in memory."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []

    def tell(self, event: DoorEvent) -> None:
        if isinstance(event, Outcome):
            self.outcomes.append(event)


def test_an_interrupt_while_waiting_ends_the_connection_and_nothing_else() -> None:
    """The executor stops its actor, the intent has its outcome, and the next call dials again."""
    game, journal, made = Toy(hz=0), Noting(), list[Listening]()

    def strike() -> None:
        eventually(lambda: "MOVE" in game.calls and made[0].receiving)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGALRM)

    with served(game, timing=CALM) as at, listening(at, made, journal=journal) as bridge:
        with interruptible():
            striking = threading.Thread(target=strike)
            striking.start()
            with pytest.raises(KeyboardInterrupt):
                bridge.execute(EAST, deadline=1000.0)
            striking.join()
        eventually(lambda: game.calls[-1] == "stopped")
        assert [outcome.label for outcome in journal.outcomes if outcome.sent == EAST] == ["unknown"]
        assert not bridge.closed
        again = bridge.execute(Jump(), deadline=60.0)
        assert (again.status, again.connection) == ("SUCCESS", 2)


class Cut(Listening):
    """A stream on which Ctrl-C strikes once, in the middle of a write."""

    def send(self, data: bytes) -> None:
        if b"MOVE" in data:
            self.inner.send(data[: len(data) // 2])
            raise KeyboardInterrupt
        super().send(data)


def test_an_interrupt_while_writing_leaves_no_half_line() -> None:
    """The connection ends after a partial line, and the executor never sees anything after it."""
    game = Toy()
    with served(game) as at:
        endpoint = Endpoint(parse_address(at))
        with Bridge(lambda timeout: Cut(endpoint.dial(timeout)), timing=PATIENT) as bridge:
            with pytest.raises(KeyboardInterrupt):
                bridge.execute(EAST, deadline=60.0)
            again = bridge.execute(Jump(), deadline=60.0)
            assert (again.status, again.connection) == ("SUCCESS", 2)
    assert "MOVE" not in game.calls


def test_an_interrupt_within_the_rules_closes_the_bridge() -> None:
    """If it is unknown what was done, the bridge does nothing more: the actor stops, and every later call is
    refused."""

    class Struck:
        """A journal in which Ctrl-C strikes as soon as it is told of a JUMP."""

        def tell(self, event: DoorEvent) -> None:
            if isinstance(event, Outcome) and event.sent == Jump():
                raise KeyboardInterrupt  # and again, when the bridge is closed over it

    game = Toy()
    with served(game) as at, driving("blocking", at, journal=Struck()) as bridge:
        with pytest.raises(KeyboardInterrupt):
            bridge.execute(Jump(), deadline=60.0)
        eventually(lambda: game.calls[-1] == "stopped")
        with pytest.raises(BridgeClosed, match="interrupted"):
            bridge.execute(Jump(), deadline=60.0)


# An interrupt in the middle of dialling leaves its socket to the garbage collector, which closes it and warns.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_never_binds_a_result_to_another_intent() -> None:
    """Wherever an interrupt strikes, each ticket has one outcome at most, with the result of its own id, and the bridge
    can be used again or says that it is closed."""
    random, journal = Random(7), Noting()
    closed = 0
    with served(Stamping(hz=0)) as at:
        bridge = driving("blocking", at, journal=journal)
        body = bridge.__enter__()
        for _ in range(150):
            try:
                with interruptible():
                    signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0002, 0.004))
                    for _ in range(1_000):  # one that strikes in a destructor is lost, as Python has it
                        body.execute(random.choice(QUICK), deadline=60.0)
            except KeyboardInterrupt:
                continue
            except BridgeClosed:
                closed += 1
                bridge.__exit__(None, None, None)
                bridge = driving("blocking", at, journal=(journal := _checked(journal)))
                body = bridge.__enter__()
        bridge.__exit__(None, None, None)
    _checked(journal)
    assert closed < 150


def _checked(journal: Noting) -> Noting:
    """Check the outcomes of one bridge, and return an empty journal."""
    tickets = [outcome.ticket for outcome in journal.outcomes]
    assert len(set(tickets)) == len(tickets)
    answered = [outcome for outcome in journal.outcomes if outcome.answered]
    # The session's own answers, such as to a cancel, have the time 0.
    assert [each for each in answered if each.result.metadata.engine_timestamp not in {0, each.id}] == []
    return Noting()


def test_a_closed_bridge_leaves_no_thread_behind() -> None:
    """The background thread ends with its bridge."""
    with served(Toy()) as at:
        with driving("blocking", at, timing=LIVELY):
            keepers = [thread for thread in threading.enumerate() if thread.name == "volition-bridge-keeper"]
            assert keepers
        eventually(lambda: not any(thread.is_alive() for thread in keepers))
