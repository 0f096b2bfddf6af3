"""Connections: non-blocking ends that read and write as much as is possible now, and the blocking streams over them."""

from __future__ import annotations

import os
import select
import socket
from abc import ABC, abstractmethod
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from volition.execution.wire.session.handshake import NothingListening

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.transports.address import Address

CHUNK: Final = 2**14
"""The maximum number of bytes per read; a buffer of four times this size makes a round trip 0.8 us longer."""

_PIECE: Final = 4096
"""The number of bytes that a writable pipe accepts without blocking."""


class LooseEnd(ABC):
    """A non-blocking connection; ConnectionResetError if it broke. `reader` and `writer` are the descriptors to poll."""

    def __init__(self, reader: int, writer: int, receive: Callable[[int], bytes], send: Callable[[bytes], int]) -> None:
        self.reader, self.writer, self._receive, self._send = reader, writer, receive, send

    def read(self) -> bytes | None:
        """The available bytes; None if there are none, b"" at the end. Call it when `reader` is readable."""
        try:
            return self._receive(CHUNK)
        except BlockingIOError:
            return None
        except OSError as error:
            raise ConnectionResetError(str(error)) from error

    def write(self, data: bytes) -> int:
        """Write what is possible, and return the number of bytes."""
        try:
            return self._send(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise ConnectionResetError(str(error)) from error

    @abstractmethod
    def finish(self) -> None:
        """Close the writing side; reading continues."""

    @abstractmethod
    def close(self) -> None: ...


class SocketEnd(LooseEnd):
    """A connected socket, which it owns from then on."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        super().__init__(connected.fileno(), connected.fileno(), connected.recv, connected.send)
        self._socket = connected

    def finish(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        with suppress(OSError):  # the other side may have hung up first
            # Wakes a reader in another thread, which a bare close would leave waiting.
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class PipeEnd(LooseEnd):
    """Two pipes. They stay in blocking mode, because other processes may share the descriptors."""

    def __init__(self, reader: int, writer: int) -> None:
        super().__init__(reader, writer, partial(os.read, reader), partial(os.write, writer))
        self._writes = True

    def write(self, data: bytes) -> int:
        if not self._writes or not is_writable(self.writer, 0.0):
            return 0
        return super().write(data[:_PIECE])

    def finish(self) -> None:
        if self._writes:
            self._writes = False
            os.close(self.writer)

    def close(self) -> None:
        self.finish()
        os.close(self.reader)


def is_writable(descriptor: int, timeout: float) -> bool:
    """Whether a descriptor takes bytes within `timeout` seconds."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(timeout * 1000))


PATIENCE: Final = 3.0
"""Seconds after which a side that reads nothing is considered gone."""


class Stream(Protocol):
    """A blocking byte stream. Only one caller may receive at a time; another may send meanwhile."""

    def send(self, data: bytes) -> None:
        """Send all of `data`; ConnectionResetError if the other side is gone or has stopped reading."""
        ...

    def receive(self, timeout: float | None) -> bytes | None:
        """The next bytes, as soon as there are any; None if none came within `timeout` seconds (None: no limit).

        b"" is the end of the stream, permanently. ConnectionResetError if the connection broke.
        """
        ...

    def close(self) -> None:
        """Hang up; closing twice changes nothing."""
        ...


class EndStream:
    """A Stream over a non-blocking end, which it owns from then on: it waits until the end is ready."""

    def __init__(self, end: LooseEnd) -> None:
        self.end: Final = end
        self.closed = False
        self._readable = select.poll()
        self._readable.register(end.reader, select.POLLIN)

    def send(self, data: bytes) -> None:
        while data:
            if self.closed:
                raise ConnectionResetError("the stream is closed")
            taken = self.end.write(data)
            data = data[taken:]
            if not taken and not is_writable(self.end.writer, PATIENCE):
                raise ConnectionResetError(f"the other side has read nothing for {PATIENCE} s")

    def receive(self, timeout: float | None) -> bytes | None:
        try:
            ready = not self.closed and self._readable.poll(None if timeout is None else max(0.0, timeout) * 1000)
            return b"" if self.closed else self.end.read() if ready else None
        except ConnectionResetError:
            if self.closed:
                return b""
            raise

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.end.close()


def nothing_listening(address: Address, why: str) -> NothingListening:
    """The error for an address where nothing listens, with what to start."""
    if address.kind == "stdio":
        return NothingListening.of(
            f"{address.command[0]!r} cannot be started: {why}",
            where=str(address),
            expected="a program that speaks the protocol over its standard input and output",
            remedy="install it, or write its whole path",
        )
    start = f"--unix {address.path}" if address.kind == "unix" else f"--port {address.port}"
    return NothingListening.of(
        f"nothing listens at {address}: {why}",
        where=str(address),
        expected="an executor that listens there",
        remedy=f"start the game, or the arena: volition serve-arena {start}",
    )
