"""Moves bytes and time between a door and its connection in an event loop, with one timer."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Unpack

from volition.core.clock import SystemClock
from volition.execution.client.aio.lines import MemoryLine, dial
from volition.execution.client.driver import Driver
from volition.execution.client.errors import bridge_closed
from volition.execution.door.outcome import Outcome
from volition.execution.wire.session.refusals import HandshakeFailed

if TYPE_CHECKING:
    from volition.execution.client.aio.lines import Line
    from volition.execution.client.driver import DriverOptions
    from volition.execution.client.endpoint import Endpoint
    from volition.execution.door.events import DoorEvent
    from volition.execution.wire.session.link import End


class AsyncDriver(Driver["Line"]):
    """Runs a door in one event loop: it dials, reads, writes, wakes the door in time, and delivers outcomes."""

    def __init__(self, endpoint: Endpoint, **options: Unpack[DriverOptions]) -> None:
        self._endpoint = endpoint
        self._loop = asyncio.get_running_loop()
        self._lasting = isinstance(endpoint.clock, SystemClock)
        self._waiting: dict[int, asyncio.Future[Outcome]] = {}
        self._finished: list[int] = []
        self._watchers: list[tuple[asyncio.Future[None], float]] = []
        self._going = False
        self._dialling: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._farewells: set[asyncio.Task[None]] = set()
        super().__init__(time.monotonic if self._lasting else endpoint.clock.monotonic, **options)

    # Opening and closing.

    async def open(self) -> None:
        """Make the first connection, or raise the reason why there is none."""
        try:
            self._arm()
            while self._door.phase != "ready":
                if self._fault is not None:
                    raise self._fault  # noqa: TRY301  one end for all failures
                if self._dialled and self._connection is None and self._dialling is None:
                    assert self._door.error is not None
                    raise self._door.error  # noqa: TRY301  as above
                await self._change(self._now() + self.timing.idle)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Say goodbye and hang up; open intents end as FAILURE/UNKNOWN. Closing twice changes nothing."""
        self._close("it was closed")
        if self._dialling is not None:
            self._dialling.cancel()
        if self._farewells:
            await asyncio.wait(self._farewells)
        if self._last_words:
            # They may wait for a disk or a process.
            await self._loop.run_in_executor(None, self._say_last_words)

    # Called by the line.

    def receive(self, line: Line, data: bytes) -> None:
        if line is self._connection:
            self._door.receive(data, self._now())
            self._settle()

    def end(self, line: Line, how: End) -> None:
        if line is self._connection:
            self._door.connection_lost(self._now(), how)
            self._settle()

    def poll(self) -> None:
        """Do whatever is due, and schedule the next call."""
        self._timer, self._going = None, False
        if not self._closed:
            now = self._now()
            wake, dial_at = self._door.wake_at, self._door.dial_at
            if wake is not None and wake <= now:
                self._door.poll(now)
            if self._connection is None and self._dialling is None and dial_at is not None and dial_at <= now:
                self._dialling = self._loop.create_task(self._dial())
        self._settle()

    def next_moment(self) -> float | None:
        if not self._waiting and not self._watchers:
            return None
        moments = [limit for _, limit in self._watchers]
        if (wake := self._door.wake_at) is not None:
            moments.append(wake)
        return min(moments, default=None)

    # Waiting.

    async def _collect(self, ticket: int) -> Outcome:
        outcome = self._door.outcome(ticket)
        if outcome is None:
            self._check_open()
            self._waiting[ticket] = future = self._loop.create_future()
            if not self._lasting:
                self._go_on()
            outcome = await future
        if self._fault is not None:
            self._give_up()
            raise self._fault
        return outcome

    async def _change(self, limit: float) -> None:
        """Wait until something happens, or until `limit`."""
        self._check_open()
        watcher = (self._loop.create_future(), limit)
        self._watchers.append(watcher)
        handle = self._loop.call_at(limit, _wake, watcher[0]) if self._lasting else None
        self._go_on()
        try:
            await watcher[0]
        finally:
            if handle is not None:
                handle.cancel()
            if watcher in self._watchers:
                self._watchers.remove(watcher)

    def _go_on(self) -> None:
        """On a manual clock, time advances only while a call waits: now one does."""
        if isinstance(self._connection, MemoryLine):
            self._connection.wake()
        elif not self._lasting and self._dialling is None and not self._going:
            self._going = True
            moments = [moment for moment in (self._door.dial_at, self.next_moment()) if moment is not None]
            self._endpoint.clock.sleep(max(0.0, min(moments, default=0.0) - self._now()))
            self._loop.call_soon(self.poll)

    # Around the door.

    def _expect(self, asked_at: float, ttl: float) -> None:
        # The door may send a STOP instead, which has its own time to live.
        if self._timer is None or asked_at + min(ttl, self.timing.stop) < self._timer.when():
            self._arm()

    def _flush(self) -> None:
        """Send a request, unless it could not be recorded."""
        if self._fault is not None:
            self._give_up()
        if self._connection is not None and (out := self._door.take()):
            self._connection.write(out)
        if self._finished:
            self._hand_out()

    def _settle(self) -> None:
        door, line = self._door, self._connection
        if self._fault is not None and not self._closed:
            self._give_up()
        if line is not None:
            if out := door.take():
                line.write(out)
                self._arm()
            if door.dial_at is not None or self._closed:
                self._connection = None
                self._hang_up(line)
        if self._finished:
            self._hand_out()
        if self._watchers:
            watchers, self._watchers = self._watchers, []
            for future, _ in watchers:
                _wake(future)
        if self._connection is None or self._timer is None:
            self._arm()
        if self._connection is None and self._waiting and not self._closed:
            self._go_on()

    def _hand_out(self) -> None:
        finished, self._finished = self._finished, []
        for ticket in finished:
            future = self._waiting.pop(ticket, None)
            if future is None:
                if ticket in self._orphans:
                    self._orphans.discard(ticket)
                    self._door.outcome(ticket)
            elif not future.done() and (outcome := self._door.outcome(ticket)) is not None:
                future.set_result(outcome)

    def _arm(self) -> None:
        """Set the one timer; if it fires early, it is just set again."""
        if not self._lasting or self._closed:
            return
        door = self._door
        wake = door.wake_at
        if self._connection is None and self._dialling is None and door.dial_at is not None:
            wake = door.dial_at if wake is None else min(wake, door.dial_at)
        if wake is None:
            return
        timer = self._timer
        if timer is None or wake < timer.when():
            if timer is not None:
                timer.cancel()
            self._timer = self._loop.call_at(wake, self.poll)

    async def _dial(self) -> None:
        line, error = None, None
        try:
            line = await dial(self._endpoint, self.timing.handshake, self)
        except HandshakeFailed as failure:
            error = failure
        except Exception as failure:  # noqa: BLE001  kept, and raised from the call that waits
            self._fault = failure
            self._close(f"it cannot be dialled: {failure}")
        self._dialling = None
        self._take_up(line, error)

    def _hang_up(self, connection: Line | None) -> None:
        if connection is None:
            return
        farewell = self._loop.create_task(connection.close())
        self._farewells.add(farewell)
        farewell.add_done_callback(self._farewells.discard)
        if not self._reconnect:
            self._close("the connection was lost")

    def _abandon(self, ticket: int) -> None:
        self._waiting.pop(ticket, None)
        super()._abandon(ticket)

    def _close(self, why: str) -> None:
        if self._closed:
            return
        self._closed = why
        self._door.close(self._now())
        self._settle()
        self._critical.close(self._now())
        if self._timer is not None:
            self._timer.cancel()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(bridge_closed(why))

    def _give_up(self) -> None:
        """The journal has failed: what cannot be recorded must not be done."""
        if not self._closed:
            self._door.take()
            self._close(f"its journal failed: {self._fault}")

    def _tell(self, event: DoorEvent) -> None:
        if isinstance(event, Outcome):
            self._finished.append(event.ticket)
        super()._tell(event)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
