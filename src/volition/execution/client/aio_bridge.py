"""The asyncio bridge: the methods of `Bridge` as coroutines, with one timer that moves bytes and time."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, cast

from volition.core.clock import SystemClock
from volition.execution.client.driver import Driver, bridge_closed, no_such_ticket
from volition.execution.client.lines import MemoryLine, dial
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.handshake import HandshakeFailed

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from volition.execution.client.driver import DriverOptions, IntentLike
    from volition.execution.client.lines import Line
    from volition.execution.door.events import DoorEvent
    from volition.execution.transports.endpoint import Endpoint
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.request import RequestMark
    from volition.execution.wire.session.link import End

T = TypeVar("T")


class AsyncBridge(Driver["Line"]):
    """One executor, seen from the side that decides, in one event loop; `connect` of this package makes one.

    It gives the same guarantees as `Bridge`. Any number of tasks of its loop may share it, but not threads. If a task
    is cancelled while it waits, the executor is asked to cancel its intent, and the outcome is still recorded. A
    journal with a full queue blocks the whole loop.
    """

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

    # Intents.

    async def execute(
        self,
        intent: AnyIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
        mark: RequestMark | None = None,
    ) -> Outcome:
        """As `Bridge.execute`."""
        ticket = self._request(intent, parameters, deadline, agent, based_on, mark=mark)
        self._flush()
        try:
            return await self._collect(ticket)
        except asyncio.CancelledError:
            self._abandon(ticket)
            raise

    async def submit(
        self,
        intent: AnyIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
        mark: RequestMark | None = None,
    ) -> int:
        """As `Bridge.submit`."""
        ticket = self._request(intent, parameters, deadline, agent, based_on, mark=mark)
        self._submitted.add(ticket)
        self._flush()
        return ticket

    async def wait(self, ticket: int) -> Outcome:
        """The outcome of a submitted intent, returned once. After a cancellation, the same ticket may be waited for
        again."""
        if ticket not in self._submitted:
            raise no_such_ticket(ticket)
        self._submitted.discard(ticket)
        try:
            return await self._collect(ticket)
        except asyncio.CancelledError:
            self._submitted.add(ticket)
            raise

    async def execute_many(
        self, intents: Iterable[IntentLike], *, deadline: float = 0.5, agent: str | None = None
    ) -> list[Outcome]:
        """As `Bridge.execute_many`."""
        sending = self._send_many(intents, deadline, agent)
        try:
            ticket = next(sending)
            while True:
                ticket = sending.send(await self._collect(ticket))
        except StopIteration as end:
            return cast("list[Outcome]", end.value)
        finally:
            sending.close()

    async def cancel(self, ticket: int, why: str = "cancelled") -> None:
        """As `Bridge.cancel`."""
        self._door.cancel(ticket, why)
        self._settle()

    # States.

    async def refresh(self, timeout: float = 1.0) -> StateFrame:  # noqa: ASYNC109  one loop timer does it
        """As `Bridge.refresh`."""
        return await self._follow_through(self._fresh_state(timeout))

    async def reset(self, seed: int, *, timeout: float = 5.0) -> StateFrame:  # noqa: ASYNC109  as above
        """As `Bridge.reset`."""
        return await self._follow_through(self._begin_again(seed, timeout))

    async def next_state(self, timeout: float = 1.0) -> StateFrame | None:  # noqa: ASYNC109  as above
        """As `Bridge.next_state`."""
        return await self._follow_through(self._newer_state(timeout))

    async def _follow_through(self, call: Generator[float, None, T]) -> T:
        """Run a call that waits for changes to its end."""
        try:
            while True:
                await self._change(next(call))
        except StopIteration as end:
            return cast("T", end.value)

    # Opening and closing.

    async def open(self) -> None:
        """Make the first connection, or raise the reason why there is none."""
        try:
            self._arm()
            while self._door.phase != "ready":
                if self._fault is not None or (self._dialled and self._connection is None and self._dialling is None):
                    raise self._opening_error()  # noqa: TRY301  one end for all failures
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

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

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
