"""Moves bytes and time between a door and its connection; the caller who waits does the reading.

One lock guards the door and the writing. Reading and dialling go on without it: whoever does that holds the role
`_reading`, and other threads that wait follow until something has changed.
"""

from __future__ import annotations

import time
import weakref
from collections import deque
from contextlib import suppress
from threading import Condition, Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from volition.core.clock import SystemClock
from volition.core.errors import VolitionError
from volition.execution.bridge.bridging import (
    CRITICAL,
    EVENTS_KEPT,
    HALF_WAY,
    BridgeClosed,
    bridge_closed,
    critical_log,
    is_durable,
)
from volition.execution.door.door import Door
from volition.execution.session.events import Happened
from volition.execution.session.link import Timing
from volition.execution.session.refusals import HandshakeFailed
from volition.execution.transports import StdioStream

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.core.clock import Clock
    from volition.execution.bridge.bridging import Records
    from volition.execution.door.outcome import Outcome
    from volition.execution.door.told import DoorEvent
    from volition.execution.intents import CanonicalIntent
    from volition.execution.session.handshake import Offer
    from volition.execution.session.link import End
    from volition.execution.transports import Stream

    Dial: TypeAlias = Callable[[float], Stream]
    """Makes a connection within so many seconds; HandshakeFailed says why there is none."""

_SOONEST_DIAL: Final = 0.05
"""Seconds that dialling may take at the least, however little time the caller has left."""

_NEAR: Final = 0.2
"""Seconds before the door's next moment from which on it is looked up anew at every turn."""

_NEVER: Final = float("inf")


class Pump:
    """Keeps a door going: it dials, reads, writes, and wakes the door in time.

    An interrupt (Ctrl-C) may lose bytes that were read, so it ends the connection: half a line must never meet the half
    of another. One that strikes within the door leaves rules half applied, so it ends the pump.
    """

    def __init__(
        self,
        dial: Dial,
        *,
        offer: Offer | None = None,
        timing: Timing | None = None,
        strict: bool = True,
        seed: int = 0,
        journal: Records | None = None,
        reconnect: bool = True,
        clock: Clock | None = None,
        keep: bool = True,
    ) -> None:
        self.timing = timing or Timing()
        self._clock = clock or SystemClock()
        self._lasting = isinstance(self._clock, SystemClock)
        self._now = time.monotonic if self._lasting else self._clock.monotonic
        self._door = Door(
            offer,
            now=self._now(),
            timing=self.timing,
            strict=strict,
            seed=seed,
            tell=self._tell,
            announce=is_durable(journal),
        )
        self._wake = -_NEVER
        self._own_ttl = self.timing.stop
        self._dial = dial
        self._dialled = False
        self._reconnect = reconnect
        self._stream: Stream | None = None
        self._journal = journal
        self._critical = critical_log()
        self._fault: Exception | None = None
        self._closed = ""
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._reading = False
        self._followers = 0
        self._submitted: set[int] = set()
        self._orphans: set[int] = set()
        self._events: deque[Happened] = deque(maxlen=EVENTS_KEPT)
        self._farewells: list[Thread] = []
        self._last_words: list[Callable[[], object]] = []
        self._resting = Event()
        self._open()
        if keep:
            arguments = (weakref.ref(self), self._resting, self.timing.idle / 4)
            Thread(target=_keep, args=arguments, name="volition-bridge-keeper", daemon=True).start()

    @property
    def closed(self) -> bool:
        return bool(self._closed)

    def close(self) -> None:
        """Say goodbye and hang up; open intents end as FAILURE/UNKNOWN. Closing twice changes nothing."""
        with self._lock:
            self._close("it was closed")
        self._resting.set()
        for farewell in self._farewells:
            farewell.join()
        while self._last_words:
            self._last_words.pop()()

    def at_end(self, call: Callable[[], object]) -> None:
        """Have something done when this is closed, the latest first."""
        self._last_words.append(call)

    def tend(self) -> None:
        """Read what has come while nobody waited, answer it, and dial where that is due."""
        self._critical.poll(self._now())
        if not self._reading:
            for _ in range(2):
                self._turn(self._now(), patience=self.timing.handshake)
        if self._fault is not None:
            self._unrecorded()

    # Waiting, without the lock.

    def _collect(self, ticket: int) -> Outcome:
        outcomes = self._door.outcomes
        while (outcome := outcomes.pop(ticket, None)) is None:
            try:
                self._turn()
            except BridgeClosed:
                if ticket not in outcomes:  # closing gives everything that is open its outcome
                    raise
        if self._fault is not None:
            self._unrecorded()
        return outcome

    def _turn(self, limit: float | None = None, patience: float = 0.0) -> None:
        """Wait until something has happened: bytes, an end, a moment of the door's, or `limit`."""
        mine, inside = False, True
        try:
            with self._lock:
                if self._closed:
                    raise bridge_closed(self._closed)  # noqa: TRY301  the lock is held just long enough
                now, stream, wake = self._now(), self._stream, self._wake
                if wake - now < _NEAR:
                    due = self._door.wake_at
                    wake = self._wake = _NEVER if due is None else due
                    if wake <= now:
                        self._door.poll(now)
                        self._settle()
                        return
                if limit is not None and limit < wake:
                    wake = limit
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
            self._interrupted(mine=mine, inside=inside)
            raise

    def _connect(self, timeout: float) -> None:
        """Dial once, within the time that whoever waits has."""
        self._dialled = True
        stream, error = None, None
        try:
            stream = self._dial(min(self.timing.handshake, max(timeout, _SOONEST_DIAL)))
        except HandshakeFailed as failure:
            error = failure
        with self._lock:
            self._reading = False
            self._wake = -_NEVER
            if self._closed:
                self._hang_up(stream)
            elif error is not None:
                self._door.failed(error, self._now())
            else:
                self._stream = stream
                self._door.connected(self._now())
                self._settle()
            self._changed.notify_all()

    def _open(self) -> None:
        """Make the first connection, or raise the reason why there is none."""
        try:
            while self._door.phase != "ready":
                if self._dialled and self._stream is None:
                    assert self._door.error is not None
                    raise self._door.error  # noqa: TRY301  one end for all failures
                self._turn(patience=self.timing.handshake)
        except BaseException:
            self.close()
            raise

    def _interrupted(self, *, mine: bool, inside: bool) -> None:
        with self._lock:
            if mine:
                self._reading = False
            if inside:
                self._close(HALF_WAY)
            elif mine:
                self._lose(self._stream, "reset")
            self._changed.notify_all()

    def _abandon(self, ticket: int) -> None:
        """Nobody waits for this one any more: cancel it, and let its outcome go when it comes."""
        with self._lock:
            if ticket and not self._closed and self._door.outcome(ticket) is None:
                self._door.cancel(ticket)
                self._orphans.add(ticket)
                self._settle()

    def _unrecorded(self) -> NoReturn:
        """The journal has failed: what cannot be recorded must not be done."""
        assert self._fault is not None
        with self._lock:
            self._close(f"its journal failed: {self._fault}")
        raise self._fault

    # Around the door, with the lock held.

    def _ask(
        self,
        intent: CanonicalIntent | str,
        parameters: Any,
        ttl: float,
        agent: str | None,
        based_on: int | None,
        asked_at: float | None = None,
    ) -> int:
        """Hand a request to the door; `_flush` sends it."""
        if self._closed:
            raise bridge_closed(self._closed)
        now = self._now()
        try:
            ticket = self._door.request(
                intent, parameters, now=now, ttl=ttl, agent=agent, based_on=based_on, asked_at=asked_at
            )
        except VolitionError:
            raise
        except BaseException:
            self._close(HALF_WAY)
            raise
        # The door's next moment is looked up late: `_wake` is never later than it, and may be earlier.
        soonest = (now if asked_at is None else asked_at) + (ttl if ttl < self._own_ttl else self._own_ttl)  # noqa: FURB136  a call costs more
        if soonest < self._wake:  # noqa: PLR1730  as above
            self._wake = soonest
        if self._followers:
            self._changed.notify_all()
        return ticket

    def _flush(self) -> bool:
        """Write what the door wants written; whether there was anything. Half a line is never left on the wire."""
        stream = self._stream
        if stream is None:
            return False
        if self._fault is not None:
            self._door.take()
            self._close(f"its journal failed: {self._fault}")
            return False
        try:
            if not (out := self._door.take()):
                return False
            stream.send(out)
        except BaseException as error:
            self._lose(stream, "reset")
            if not isinstance(error, ConnectionError):
                raise
        return True

    def _settle(self) -> None:
        """After the door has done something: write, hang up where it has given up, and let others look."""
        door = self._door
        if door.out and self._flush():
            self._wake = -_NEVER
        if door.dial_at is not None and (stream := self._stream) is not None:
            self._stream = None
            self._lost(stream)
        if self._orphans:
            self._orphans = {ticket for ticket in self._orphans if door.outcome(ticket) is None}
        if self._followers:
            self._changed.notify_all()

    def _follow(self, now: float, wake: float) -> None:
        """Wait while another thread reads, or for the moment to dial."""
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
        if stream is None or stream is not self._stream:
            return
        self._stream = None
        self._door.end(self._now(), how)
        self._lost(stream)

    def _lost(self, stream: Stream) -> None:
        self._wake = -_NEVER
        self._hang_up(stream)
        if not self._reconnect:
            self._close("the connection was lost")
        self._changed.notify_all()

    def _hang_up(self, stream: Stream | None) -> None:
        if isinstance(stream, StdioStream):
            # A child may take its time to end; nobody waits for it before the bridge is closed.
            farewell = Thread(target=stream.close, name="volition-bridge-farewell")
            farewell.start()
            self._farewells = [*(old for old in self._farewells if old.is_alive()), farewell]
        elif stream is not None:
            stream.close()

    def _close(self, why: str) -> None:
        if self._closed:
            return
        self._closed = why
        stream, self._stream = self._stream, None
        try:
            with suppress(Exception):  # a door that is half way through its rules may not get to its end
                self._door.close(self._now())
                if stream is not None:
                    stream.send(self._door.take())
        finally:
            self._hang_up(stream)
            self._critical.close(self._now())
            self._changed.notify_all()

    def _tell(self, event: DoorEvent) -> None:
        if type(event) is Happened:
            self._events.append(event)
        if type(event) in CRITICAL:
            self._critical.hear(event, self._now())
        if self._journal is not None:
            try:
                self._journal.tell(event)
            except Exception as error:  # noqa: BLE001  kept, and raised from the call that waits
                self._fault = self._fault or error


def _keep(pump: weakref.ref[Pump], resting: Event, pause: float) -> None:
    """Tend until it is closed or forgotten; errors are for those who call."""
    while not resting.wait(pause):
        there = pump()
        if there is None or there.closed:
            return
        with suppress(VolitionError):
            there.tend()
        del there
