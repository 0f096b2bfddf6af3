"""Connections in asyncio: each passes what it receives to its owner, and reports its end once."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

from volition.core.clock import SystemClock
from volition.core.errors import MissingPart, Problem
from volition.execution.client.transports import Address, nothing_listening
from volition.execution.client.transports.tcp import prepare

if TYPE_CHECKING:
    from volition.core.clock import Clock
    from volition.execution.client.endpoint import Endpoint
    from volition.execution.executor.host import Guest
    from volition.execution.wire.session.link import End

FAREWELL: Final = 2.0
"""Seconds that the other side has to read the last frames, and a child process to end, before it is forced."""


class Owner(Protocol):
    """The owner of a line."""

    def receive(self, line: Line, data: bytes) -> None: ...

    def end(self, line: Line, how: End) -> None: ...

    def next_moment(self) -> float | None:
        """When `poll` must be called, on a manual clock; None while no call waits."""
        ...

    def poll(self) -> None: ...


class SocketLine(asyncio.Protocol):
    """A TCP or Unix socket."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._transport: asyncio.Transport | None = None
        self._gone = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._owner.receive(self, data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._gone.done():
            self._gone.set_result(None)
        self._owner.end(self, "eof" if exc is None else "reset")

    def write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()

    async def wait_closed(self) -> None:
        """Wait until the last frames are written, or have been unread for too long."""
        await asyncio.wait([self._gone], timeout=FAREWELL)
        assert self._transport is not None
        self._transport.abort()


class ChildLine(asyncio.SubprocessProtocol):
    """A launched program, over its pipes; closing it closes its input, then sends SIGTERM, then SIGKILL."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._transport: asyncio.SubprocessTransport | None = None
        self._gone = asyncio.get_running_loop().create_future()
        self._told = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._owner.receive(self, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if not self._told:
            self._told = True
            self._owner.end(self, "reset" if fd == 0 else "eof")

    def process_exited(self) -> None:
        if not self._gone.done():
            self._gone.set_result(None)

    def write(self, data: bytes) -> None:
        self._input.write(data)

    def close(self) -> None:
        self._input.close()

    async def wait_closed(self) -> None:
        assert self._transport is not None
        for number in (signal.SIGTERM, signal.SIGKILL):
            if (await asyncio.wait([self._gone], timeout=FAREWELL))[0]:
                break
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.killpg(self._transport.get_pid(), number)
        self._transport.close()

    @property
    def _input(self) -> asyncio.WriteTransport:
        assert self._transport is not None
        return cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))


class MemoryLine:
    """An executor in this process.

    On the system clock its world runs in real time. On a manual clock nothing happens, not even delivery, unless a call
    waits; then the clock jumps from one event to the next.
    """

    def __init__(self, owner: Owner, guest: Guest, clock: Clock) -> None:
        self._owner, self._guest, self._clock = owner, guest, clock
        self._lasting = isinstance(clock, SystemClock)
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.Handle | None = None
        self._over = False

    def write(self, data: bytes) -> None:
        if not self._over and not self._guest.over:
            self._guest.receive(data, self._clock.monotonic())
        self.wake()

    def wake(self) -> None:
        """Look again soon: there may be something to receive, or a call that waits."""
        if self._handle is not None:
            self._handle.cancel()
        self._handle = self._loop.call_soon(self._look)

    def close(self) -> None:
        if not self._over:
            self._over = True
            self._guest.end(self._clock.monotonic())
        if self._handle is not None:
            self._handle.cancel()

    async def wait_closed(self) -> None:
        pass

    def _look(self) -> None:
        self._handle = None
        if self._over or not (self._lasting or self._owner.next_moment() is not None):
            return
        if data := self._guest.take():
            self.wake()
            self._owner.receive(self, data)
        elif self._guest.over:
            self._over = True
            self._owner.end(self, "eof")
        else:
            self._go_on()

    def _go_on(self) -> None:
        now, wake = self._clock.monotonic(), self._guest.wake_at
        if self._lasting:
            if wake is not None:
                self._handle = self._loop.call_at(wake, self._step)
            return
        moment = self._owner.next_moment()
        assert moment is not None
        until = moment if wake is None else min(moment, wake)
        self._clock.sleep(max(0.0, until - now))
        if wake is not None and wake <= until:
            # Because of rounding, a manual clock may stop slightly before the intended moment.
            self._guest.step(max(wake, self._clock.monotonic()))
        self.wake()
        self._owner.poll()

    def _step(self) -> None:
        self._guest.step(self._clock.monotonic())
        self._look()


Line: TypeAlias = SocketLine | ChildLine | MemoryLine


async def dial(endpoint: Endpoint, timeout: float, owner: Owner) -> Line:  # noqa: ASYNC109  part of it waits in a thread
    """A connection; NothingListening if there is none within `timeout` seconds."""
    loop = asyncio.get_running_loop()
    if endpoint.host is not None:
        return MemoryLine(owner, endpoint.host.open(endpoint.clock.monotonic()), endpoint.clock)
    until = time.monotonic() + timeout
    # Wait for a launched program in a thread: it may take a while to print its address.
    place = (
        endpoint.address if endpoint.launched is None else await loop.run_in_executor(None, endpoint.resolve, timeout)
    )
    try:
        if place.kind == "stdio":
            _, child = await loop.subprocess_exec(
                lambda: ChildLine(owner), *place.command, stderr=None, start_new_session=True
            )
            return child
        async with asyncio.timeout_at(loop.time() + until - time.monotonic()):
            connected = await _connect_socket(place)
    except OSError as error:
        raise nothing_listening(place, error.strerror or f"nothing within {timeout:.3g} s") from error
    _, line = await loop.create_connection(lambda: SocketLine(owner), sock=connected)
    return line


async def _connect_socket(place: Address) -> socket.socket:
    loop = asyncio.get_running_loop()
    if place.kind == "unix" and not hasattr(socket, "AF_UNIX"):
        raise MissingPart(Problem("there are no Unix sockets here", str(place), "a system that has them", "use tcp://"))
    family = socket.AF_UNIX if place.kind == "unix" else socket.AF_INET6 if ":" in place.host else socket.AF_INET
    connected = socket.socket(family, socket.SOCK_STREAM)
    try:
        connected.setblocking(False)
        await loop.sock_connect(connected, place.path if place.kind == "unix" else (place.host, place.port))
        if place.kind == "tcp":
            prepare(connected)
    except BaseException:
        connected.close()
        raise
    return connected
