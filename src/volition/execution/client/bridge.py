"""The blocking bridge: send an intent, get its outcome.

The caller that waits does the reading. One lock guards the door and writing. Reading and dialling happen without it: the
thread that does so has set `_reading`, and the other waiting threads follow until something has changed.
"""

from __future__ import annotations

import time
import weakref
from contextlib import suppress
from threading import Condition, Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, TypeAlias, TypeVar, Unpack, cast

from volition.core.clock import SystemClock
from volition.core.errors import VolitionError
from volition.execution.client.driver import HALF_WAY, BridgeClosed, Driver, no_such_ticket
from volition.execution.transports.child import StdioStream
from volition.execution.wire.session.handshake import HandshakeFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from volition.core.clock import Clock
    from volition.execution.client.driver import DriverOptions, IntentLike
    from volition.execution.transports.stream import Stream
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.request import Outcome, RequestMark
    from volition.execution.wire.session.link import End

    Dial: TypeAlias = Callable[[float], Stream]
    """Makes a connection within the given number of seconds; HandshakeFailed says why there is none."""

T = TypeVar("T")

_MIN_DIAL: Final = 0.05
"""The minimum timeout for dialling, in seconds, even if the caller has less time left."""


class Bridge(Driver["Stream"]):
    """One executor, seen from the side that decides; `connect` makes one.

    An intent always ends as an `Outcome`, whatever happens to the connection. A lost connection is dialled again, and
    starts with handshake, full state and STOP.

    Threads may share a bridge: their intents are open at the same time, and one of the waiting threads reads for all.
    While no call waits, a background thread answers heartbeats four times per `timing.idle`, so a policy may take as
    long as it likes to decide.

    Ctrl-C while a call waits ends the connection, so that the executor stops its actor, and the next call dials again;
    in the rare moment where it strikes in the middle of the rules, the bridge is closed. A bridge whose journal fails
    raises that error and is closed: what cannot be recorded is not done.
    """

    def __init__(
        self, dial: Dial, *, clock: Clock | None = None, keep: bool = True, **options: Unpack[DriverOptions]
    ) -> None:
        self._clock = clock or SystemClock()
        self._lasting = isinstance(self._clock, SystemClock)
        super().__init__(time.monotonic if self._lasting else self._clock.monotonic, **options)
        self._dial = dial
        self._lock = lock = Lock()
        self._changed = Condition(lock)
        self._reading = False
        self._followers = 0
        self._farewells: list[Thread] = []
        self._resting = Event()
        self._open()
        if keep:
            arguments = (weakref.ref(self), self._resting, self.timing.idle / 4)
            Thread(target=_keep, args=arguments, name="volition-bridge-keeper", daemon=True).start()

    # Intents.

    def execute(
        self,
        intent: AnyIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
        mark: RequestMark | None = None,
    ) -> Outcome:
        """Send one intent and wait for its outcome, for at most `deadline` seconds plus the grace.

        With a `mark` it happens at most once, however often the same request is sent, over connections and restarts, and
        also while the first is under way. InvalidInput, and nothing is sent, if the executor does not remember requests.
        """
        ticket = 0
        try:
            with self._lock:
                ticket = self._request(intent, parameters, deadline, agent, based_on, mark=mark)
                self._flush()
            return self._collect(ticket)
        except BaseException:
            self._abandon(ticket)
            raise

    def submit(
        self,
        intent: AnyIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
        mark: RequestMark | None = None,
    ) -> int:
        """Send one intent without waiting; pass the ticket to `wait`, once. For the `mark` see `execute`."""
        with self._lock:
            ticket = self._request(intent, parameters, deadline, agent, based_on, mark=mark)
            self._submitted.add(ticket)
            self._flush()
        return ticket

    def wait(self, ticket: int) -> Outcome:
        """The outcome of a submitted intent, returned once. After an interrupt, the same ticket may be waited for
        again."""
        if ticket not in self._submitted:
            raise no_such_ticket(ticket)
        outcome = self._collect(ticket)
        self._submitted.discard(ticket)
        return outcome

    def execute_many(
        self, intents: Iterable[IntentLike], *, deadline: float = 0.5, agent: str | None = None
    ) -> list[Outcome]:
        """Send intents without waiting in between, as many at a time as the executor allows.

        The outcomes are in the order of the intents. One deadline holds for all of them, counted from this call: what
        could not be sent by then ends as a timeout, and the call returns within the grace after it.
        """
        sending = self._send_many(intents, deadline, agent)
        try:
            ticket = next(sending)
            while True:
                ticket = sending.send(self._collect(ticket))
        except StopIteration as end:
            return cast("list[Outcome]", end.value)
        finally:
            sending.close()

    def cancel(self, ticket: int, why: str = "cancelled") -> None:
        """Ask the executor to cancel an intent; its outcome still follows. No effect on a finished intent.

        An intent that was not sent yet ends unsent, with `why` in its detail.
        """
        with self._lock:
            self._door.cancel(ticket, why)
            self._settle()

    # States.

    def refresh(self, timeout: float = 1.0) -> StateFrame:
        """Request a full state and wait for it; HandshakeFailed says why none came in time."""
        return self._follow_through(self._fresh_state(timeout))

    def reset(self, seed: int, *, timeout: float = 5.0) -> StateFrame:
        """Begin a new episode with this seed, and wait for its first state; what is open ends, and has its outcome.

        A lost connection is dialled again first. InvalidInput if the executor cannot begin again, HandshakeFailed if no
        state came in time.
        """
        return self._follow_through(self._begin_again(seed, timeout))

    def next_state(self, timeout: float = 1.0) -> StateFrame | None:
        """Wait for a state that is newer than `state`; None if none comes in time."""
        return self._follow_through(self._newer_state(timeout))

    def _follow_through(self, call: Generator[float, None, T]) -> T:
        """Run a call that waits for changes to its end."""
        try:
            while True:
                self._turn(next(call))
        except StopIteration as end:
            return cast("T", end.value)

    # Its end.

    def close(self) -> None:
        """Say goodbye and hang up; open intents end as FAILURE/UNKNOWN. Closing twice changes nothing."""
        with self._lock:
            self._close("it was closed")
        self._resting.set()
        for farewell in self._farewells:
            farewell.join()
        self._say_last_words()

    def tend(self) -> None:
        """Read and answer what arrived while no call was waiting, and dial if that is due."""
        self._critical.poll(self._now())
        if not self._reading:
            for _ in range(2):
                self._turn(self._now(), patience=self.timing.handshake)
        if self._fault is not None:
            self._fail()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Waiting, without the lock.

    def _open(self) -> None:
        """Make the first connection, or raise the reason why there is none."""
        try:
            while self._door.phase != "ready":
                if self._dialled and self._connection is None:
                    raise self._opening_error()  # noqa: TRY301  one end for all failures
                self._turn(patience=self.timing.handshake)
        except BaseException:
            self.close()
            raise

    def _collect(self, ticket: int) -> Outcome:
        outcomes = self._door.outcomes
        while (outcome := outcomes.pop(ticket, None)) is None:
            try:
                self._turn()
            except BridgeClosed:
                if ticket not in outcomes:  # closing gives every open request its outcome
                    raise
        if self._fault is not None:
            self._fail()
        return outcome

    def _turn(self, limit: float = float("inf"), patience: float = 0.0) -> None:
        """Wait until something happens: bytes, the end of the connection, a deadline of the door, or `limit`."""
        mine, inside = False, True
        try:
            with self._lock:
                self._check_open()
                now, stream, due = self._now(), self._connection, self._door.wake_at
                if due is not None and due <= now:
                    self._door.poll(now)
                    self._settle()
                    return
                wake = limit if due is None else min(due, limit)
                if self._reading or (stream is None and ((dial_at := self._door.dial_at) is None or dial_at > now)):
                    self._follow(now, wake)
                    return
                mine = self._reading = True
            inside = False
            if stream is None:
                self._connect(max(wake - now, patience))
                return
            data = stream.receive(wake - now)
            inside = True
            with self._lock:
                self._reading = mine = False
                if data:
                    self._door.receive(data, self._now())
                    self._settle()
                elif data is not None:
                    self._lose(stream, "eof")
                elif self._followers:
                    self._changed.notify_all()
        except BridgeClosed:
            raise
        except ConnectionError:
            with self._lock:
                self._reading = False
                self._lose(stream, "reset")
        except BaseException:
            self._interrupt(mine=mine, inside=inside)
            raise

    def _connect(self, timeout: float) -> None:
        """Dial once, within the time that the caller has left."""
        stream, error = None, None
        try:
            stream = self._dial(min(self.timing.handshake, max(timeout, _MIN_DIAL)))
        except HandshakeFailed as failure:
            error = failure
        with self._lock:
            self._reading = False
            self._take_up(stream, error)
            self._changed.notify_all()

    def _interrupt(self, *, mine: bool, inside: bool) -> None:
        """An interrupt may lose bytes that were read, and halves of two lines must never be joined: end the connection.

        Inside the door it may leave an inconsistent state: close everything.
        """
        with self._lock:
            if mine:
                self._reading = False
            if inside:
                self._close(HALF_WAY)
            elif mine:
                self._lose(self._connection, "reset")
            self._changed.notify_all()

    def _fail(self) -> NoReturn:
        """The journal has failed: what cannot be recorded must not be done."""
        assert self._fault is not None
        with self._lock:
            self._close(f"its journal failed: {self._fault}")
        raise self._fault

    # Around the door, with the lock held.

    def _expect(self, asked_at: float, ttl: float) -> None:
        if self._followers:
            self._changed.notify_all()

    def _flush(self) -> None:
        """Write the door's output. If that fails midway, the connection ends: a partial line is never continued."""
        stream = self._connection
        if stream is None:
            return
        if self._fault is not None:
            self._door.take()
            self._close(f"its journal failed: {self._fault}")
            return
        try:
            if out := self._door.take():
                stream.send(out)
        except BaseException as error:
            self._lose(stream, "reset")
            if not isinstance(error, ConnectionError):
                raise

    def _settle(self) -> None:
        self._flush()
        if self._door.dial_at is not None and (stream := self._connection) is not None:
            self._connection = None
            self._after_loss(stream)
        if self._orphans:
            self._orphans = {ticket for ticket in self._orphans if self._door.outcome(ticket) is None}
        if self._followers:
            self._changed.notify_all()

    def _follow(self, now: float, wake: float) -> None:
        """Wait while another thread reads, or until it is time to dial."""
        dial_at = self._door.dial_at
        moment = wake if self._reading or dial_at is None else min(wake, dial_at)
        timeout = min(max(0.0, moment - now), self.timing.idle)
        if not self._lasting:
            self._clock.sleep(timeout)
            return
        self._followers += 1
        try:
            self._changed.wait(timeout)
        finally:
            self._followers -= 1

    def _lose(self, stream: Stream | None, how: End) -> None:
        """The connection has ended."""
        if stream is None or stream is not self._connection:
            return
        self._connection = None
        self._door.connection_lost(self._now(), how)
        self._after_loss(stream)

    def _after_loss(self, stream: Stream) -> None:
        self._hang_up(stream)
        if not self._reconnect:
            self._close("the connection was lost")
        self._changed.notify_all()

    def _hang_up(self, connection: Stream | None) -> None:
        if isinstance(connection, StdioStream):
            # A child process may take a while to end.
            farewell = Thread(target=connection.close, name="volition-bridge-farewell")
            farewell.start()
            self._farewells = [*(old for old in self._farewells if old.is_alive()), farewell]
        elif connection is not None:
            connection.close()

    def _close(self, why: str) -> None:
        if self._closed:
            return
        self._closed = why
        stream, self._connection = self._connection, None
        try:
            with suppress(Exception):  # an interrupted door may be unable to close
                self._door.close(self._now())
                if stream is not None:
                    stream.send(self._door.take())
        finally:
            self._hang_up(stream)
            self._critical.close(self._now())
            self._changed.notify_all()


def _keep(driver: weakref.ref[Bridge], resting: Event, pause: float) -> None:
    """Tend the driver until it is closed or garbage-collected; errors are left to its callers."""
    while not resting.wait(pause):
        there = driver()
        if there is None or there.closed:
            return
        with suppress(VolitionError):
            there.tend()
        del there
