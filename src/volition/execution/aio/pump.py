"""Moves bytes and time between a door and its connection in an event loop: one protocol, one timer, futures."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from volition.core.clock import SystemClock
from volition.execution.aio.lines import MemoryLine, dial
from volition.execution.bridge.bridging import CRITICAL, EVENTS_KEPT, bridge_closed, critical_log, is_durable
from volition.execution.door.door import Door
from volition.execution.door.outcome import Outcome
from volition.execution.session.events import Happened
from volition.execution.session.link import Timing
from volition.execution.session.refusals import HandshakeFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.aio.lines import Line
    from volition.execution.bridge.bridging import Records
    from volition.execution.bridge.way import Way
    from volition.execution.door.tickets import Numbers
    from volition.execution.door.told import DoorEvent
    from volition.execution.intents import CanonicalIntent
    from volition.execution.session.handshake import Offer
    from volition.execution.session.link import End


class AsyncPump:
    """Keeps a door going in one event loop: it dials, reads, writes, wakes the door in time, and hands outcomes out."""

    def __init__(
        self,
        way: Way,
        *,
        offer: Offer | None = None,
        timing: Timing | None = None,
        strict: bool = True,
        seed: int = 0,
        journal: Records | None = None,
        reconnect: bool = True,
        numbers: Numbers | None = None,
    ) -> None:
        self.timing = timing or Timing()
        self._way = way
        self._loop = asyncio.get_running_loop()
        self._lasting = isinstance(way.clock, SystemClock)
        self._now = time.monotonic if self._lasting else way.clock.monotonic
        self._door = Door(
            offer,
            now=self._now(),
            timing=self.timing,
            strict=strict,
            seed=seed,
            tell=self._tell,
            announce=is_durable(journal),
            numbers=numbers,
        )
        self._journal = journal
        self._critical = critical_log()
        self._reconnect = reconnect
        self._line: Line | None = None
        self._dialled = self._going = False
        self._dialling: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._fault: Exception | None = None
        self._closed = ""
        self._submitted: set[int] = set()
        self._orphans: set[int] = set()
        self._waiting: dict[int, asyncio.Future[Outcome]] = {}
        self._finished: list[int] = []
        self._watchers: list[tuple[asyncio.Future[None], float]] = []
        self._events: deque[Happened] = deque(maxlen=EVENTS_KEPT)
        self._farewells: set[asyncio.Task[None]] = set()
        self._last_words: list[Callable[[], object]] = []

    @property
    def closed(self) -> bool:
        return bool(self._closed)

    # The beginning and the end.

    async def open(self) -> None:
        """Make the first connection, or raise the reason why there is none."""
        try:
            self._arm()
            while self._door.phase != "ready":
                if self._fault is not None:
                    raise self._fault  # noqa: TRY301  one end for all failures
                if self._dialled and self._line is None and self._dialling is None:
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
        while self._last_words:
            # It may wait for a disk or a process.
            await self._loop.run_in_executor(None, self._last_words.pop())

    def at_end(self, call: Callable[[], object]) -> None:
        """Have something done, in a thread, when this is closed, the latest first."""
        self._last_words.append(call)

    # What the line brings.

    def heard(self, line: Line, data: bytes) -> None:
        if line is self._line:
            self._door.receive(data, self._now())
            self._settle()

    def ended(self, line: Line, how: End) -> None:
        if line is self._line:
            self._door.end(self._now(), how)
            self._settle()

    def poll(self) -> None:
        """Do what is due, and see to it that this is called again in time."""
        self._going = False
        if not self._closed:
            now = self._now()
            wake, dial_at = self._door.wake_at, self._door.dial_at
            if wake is not None and wake <= now:
                self._door.poll(now)
            if self._line is None and self._dialling is None and dial_at is not None and dial_at <= now:
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
        """Wait until something has happened, or until `limit`."""
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
        """Where time moves only while somebody waits: somebody does."""
        if isinstance(self._line, MemoryLine):
            self._line.wake()
        elif not self._lasting and self._dialling is None and not self._going:
            self._going = True
            moments = [moment for moment in (self._door.dial_at, self.next_moment()) if moment is not None]
            self._way.clock.sleep(max(0.0, min(moments, default=0.0) - self._now()))
            self._loop.call_soon(self.poll)

    # Around the door.

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
        self._check_open()
        now = self._now()
        ticket = self._door.request(
            intent, parameters, now=now, ttl=ttl, agent=agent, based_on=based_on, asked_at=asked_at
        )
        timer, begins = self._timer, now if asked_at is None else asked_at
        if timer is None or begins + min(ttl, self.timing.stop) < timer.when():
            self._arm()
        return ticket

    def _flush(self) -> None:
        """After a request: send it, unless it could not be recorded."""
        if self._fault is not None:
            self._give_up()
        if self._line is not None and (out := self._door.take()):
            self._line.write(out)
        if self._finished:
            self._hand_out()

    def _settle(self) -> None:
        """After the door has done something: write, hang up where it has given up, and hand out what has ended."""
        door, line = self._door, self._line
        if self._fault is not None and not self._closed:
            self._give_up()
        if line is not None:
            if out := door.take():
                line.write(out)
                self._arm()
            if door.dial_at is not None or self._closed:
                self._line = None
                self._hang_up(line)
        if self._finished:
            self._hand_out()
        if self._watchers:
            watchers, self._watchers = self._watchers, []
            for future, _ in watchers:
                _wake(future)
        if self._line is None or self._timer is None:
            self._arm()
        if self._line is None and self._waiting and not self._closed:
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
        """One timer for everything; one that is too early only looks and is set again."""
        if not self._lasting or self._closed:
            return
        door = self._door
        wake = door.wake_at
        if self._line is None and self._dialling is None and door.dial_at is not None:
            wake = door.dial_at if wake is None else min(wake, door.dial_at)
        if wake is None:
            return
        timer = self._timer
        if timer is None or wake < timer.when():
            if timer is not None:
                timer.cancel()
            self._timer = self._loop.call_at(wake, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        self.poll()

    async def _dial(self) -> None:
        line, error = None, None
        try:
            line = await dial(self._way, self.timing.handshake, self)
        except HandshakeFailed as failure:
            error = failure
        except Exception as failure:  # noqa: BLE001  kept, and raised from the call that waits
            self._fault = failure
            self._close(f"it cannot be dialled: {failure}")
        self._dialling, self._dialled = None, True
        if self._closed:
            self._hang_up(line)
        elif error is not None:
            self._door.failed(error, self._now())
        else:
            self._line = line
            self._door.connected(self._now())
        self._settle()

    def _hang_up(self, line: Line | None) -> None:
        if line is None:
            return
        line.close()
        farewell = self._loop.create_task(line.closed())
        self._farewells.add(farewell)
        farewell.add_done_callback(self._farewells.discard)
        if not self._reconnect:
            self._close("the connection was lost")

    def _abandon(self, ticket: int) -> None:
        """Nobody waits for this one any more: cancel it, and let its outcome go when it comes."""
        self._waiting.pop(ticket, None)
        if not self._closed and self._door.outcome(ticket) is None:
            self._orphans.add(ticket)
            self._door.cancel(ticket)
            self._settle()

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

    def _check_open(self) -> None:
        if self._closed:
            raise bridge_closed(self._closed)

    def _tell(self, event: DoorEvent) -> None:
        if type(event) is Outcome:
            self._finished.append(event.ticket)
        elif type(event) is Happened:
            self._events.append(event)
        if type(event) in CRITICAL:
            self._critical.hear(event, self._now())
        if self._journal is not None:
            try:
                self._journal.tell(event)
            except Exception as error:  # noqa: BLE001  kept, and raised from the call that waits
                self._fault = self._fault or error


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
