"""Streams in an event loop: each passes what it receives to its owner, and reports its end."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

from volition.core.clock import SystemClock

if TYPE_CHECKING:
    from volition.core.clock import Clock
    from volition.execution.transports.endpoint import Endpoint
    from volition.execution.transports.memory import MemoryStream
    from volition.execution.transports.stream import EndStream, Stream
    from volition.execution.wire.session.link import End

FAREWELL: Final = 2.0
"""Seconds that the other side has to read the last frames."""


class Owner(Protocol):
    """The owner of a line."""

    def receive(self, line: Line, data: bytes) -> None: ...

    def end(self, line: Line, how: End) -> None: ...

    def next_moment(self) -> float | None:
        """When `poll` must be called, on a manual clock; None while no call waits."""
        ...

    def poll(self) -> None: ...


class EndLine:
    """A connection to another process: sockets or pipes. What the other side does not read yet is kept."""

    def __init__(self, owner: Owner, stream: EndStream) -> None:
        self._owner, self._stream, self._end = owner, stream, stream.end
        self._loop = asyncio.get_running_loop()
        self._rest = b""
        self._written = asyncio.Event()
        self._written.set()
        self._loop.add_reader(self._end.reader, self._read)

    def write(self, data: bytes) -> None:
        waiting, self._rest = self._rest, self._rest + data
        if not waiting:
            self._write()
            if self._rest:
                self._written.clear()
                self._loop.add_writer(self._end.writer, self._write_on)

    async def close(self) -> None:
        """Hang up once the last frames are written, or have been unread for too long."""
        self._loop.remove_reader(self._end.reader)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._written.wait(), FAREWELL)
        self._loop.remove_writer(self._end.writer)
        # In a thread: a child process may take a while to end.
        await asyncio.to_thread(self._stream.close)

    def _read(self) -> None:
        try:
            data = self._end.read()
        except ConnectionResetError:
            self._owner.end(self, "reset")
            return
        if data:
            self._owner.receive(self, data)
        elif data is not None:
            self._owner.end(self, "eof")

    def _write(self) -> None:
        try:
            self._rest = self._rest[self._end.write(self._rest) :]
        except ConnectionResetError:
            self._rest = b""
            # Not now: the owner is in the middle of its work.
            self._loop.call_soon(self._owner.end, self, "reset")

    def _write_on(self) -> None:
        self._write()
        if not self._rest:
            self._loop.remove_writer(self._end.writer)
            self._written.set()


class MemoryLine:
    """An executor in this process.

    On the system clock its world runs in real time. On a manual clock nothing happens, not even delivery, unless a call
    waits; then the clock jumps from one event to the next.
    """

    def __init__(self, owner: Owner, stream: MemoryStream, clock: Clock) -> None:
        self._owner, self._stream, self._clock = owner, stream, clock
        self._lasting = isinstance(clock, SystemClock)
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.Handle | None = None

    def write(self, data: bytes) -> None:
        with suppress(ConnectionResetError):  # reading reports the end
            self._stream.send(data)
        self.wake()

    def wake(self) -> None:
        """Look again soon: there may be something to receive, or a call that waits."""
        self._cancel()
        self._handle = self._loop.call_soon(self._look)

    async def close(self) -> None:
        self._cancel()
        self._stream.close()

    def _cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel()

    def _look(self) -> None:
        now, moment = self._clock.monotonic(), self._owner.next_moment()
        if not self._lasting and moment is None:
            return
        data = self._stream.receive(0.0 if self._lasting or moment is None else moment - now)
        if data:
            self.wake()
            self._owner.receive(self, data)
        elif data is not None:
            self._owner.end(self, "eof")
        elif not self._lasting:
            self.wake()
            self._owner.poll()
        elif (wake := self._stream.peer.wake_at) is not None:
            self._handle = self._loop.call_at(wake, self._look)


Line: TypeAlias = EndLine | MemoryLine


async def dial(endpoint: Endpoint, timeout: float, owner: Owner) -> Line:  # noqa: ASYNC109  it is spent in a thread
    """A connection; HandshakeFailed if there is none within `timeout` seconds."""
    if endpoint.host is not None:
        return MemoryLine(owner, cast("MemoryStream", endpoint.dial(timeout)), endpoint.clock)
    # A thread for each: those that take long must not keep others waiting.
    thread = ThreadPoolExecutor(1, "volition-dial")
    dialled = thread.submit(endpoint.dial, timeout)
    thread.shutdown(wait=False)
    try:
        stream = await asyncio.wrap_future(dialled)
    except asyncio.CancelledError:
        dialled.add_done_callback(_hang_up)
        raise
    return EndLine(owner, cast("EndStream", stream))


def _hang_up(dialled: Future[Stream]) -> None:
    """Nobody wants this connection any more."""
    if not dialled.cancelled() and dialled.exception() is None:
        dialled.result().close()
