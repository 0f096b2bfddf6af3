"""Moves bytes and time between a door and its connection; the caller that waits does the reading.

One lock guards the door and writing. Reading and dialling happen without it: the thread that does so has set
`_reading`, and the other waiting threads follow until something has changed.
"""

from __future__ import annotations

import time
import weakref
from contextlib import suppress
from threading import Condition, Event, Lock, Thread
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias, Unpack

from volition.core.clock import SystemClock
from volition.core.errors import VolitionError
from volition.execution.client.driver import HALF_WAY, Driver
from volition.execution.client.errors import BridgeClosed
from volition.execution.transports import StdioStream
from volition.execution.wire.session.refusals import HandshakeFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.core.clock import Clock
    from volition.execution.client.driver import DriverOptions
    from volition.execution.door.outcome import Outcome
    from volition.execution.transports import Stream
    from volition.execution.wire.session.link import End

    Dial: TypeAlias = Callable[[float], Stream]
    """Makes a connection within the given number of seconds; HandshakeFailed says why there is none."""

_MIN_DIAL: Final = 0.05
"""The minimum timeout for dialling, in seconds, even if the caller has less time left."""


class BlockingDriver(Driver["Stream"]):
    """Keeps a door going: it dials, reads, writes, and wakes the door in time.

    An interrupt (Ctrl-C) may lose bytes that were read, so it ends the connection: halves of two lines must never be
    joined. An interrupt inside the door may leave it in an inconsistent state, so it closes the driver.
    """

    def __init__(
        self, dial: Dial, *, clock: Clock | None = None, keep: bool = True, **options: Unpack[DriverOptions]
    ) -> None:
        self._clock = clock or SystemClock()
        self._lasting = isinstance(self._clock, SystemClock)
        super().__init__(time.monotonic if self._lasting else self._clock.monotonic, **options)
        self._dial = dial
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._reading = False
        self._followers = 0
        self._farewells: list[Thread] = []
        self._resting = Event()
        self._open()
        if keep:
            arguments = (weakref.ref(self), self._resting, self.timing.idle / 4)
            Thread(target=_keep, args=arguments, name="volition-bridge-keeper", daemon=True).start()

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

    # Waiting, without the lock.

    def _open(self) -> None:
        """Make the first connection, or raise the reason why there is none."""
        try:
            while self._door.phase != "ready":
                if self._dialled and self._connection is None:
                    assert self._door.error is not None
                    raise self._door.error  # noqa: TRY301  one end for all failures
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
                if self._reading or (stream is None and not self._dial_due(now)):
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
        with self._lock:
            if mine:
                self._reading = False
            if inside:
                self._close(HALF_WAY)
            elif mine:
                self._lose(self._connection, "reset")
            self._changed.notify_all()

    def _abandon(self, ticket: int) -> None:
        with self._lock:
            super()._abandon(ticket)

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

    def _dial_due(self, now: float) -> bool:
        return self._door.dial_at is not None and self._door.dial_at <= now

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


def _keep(driver: weakref.ref[BlockingDriver], resting: Event, pause: float) -> None:
    """Tend the driver until it is closed or garbage-collected; errors are left to its callers."""
    while not resting.wait(pause):
        there = driver()
        if there is None or there.closed:
            return
        with suppress(VolitionError):
            there.tend()
        del there
