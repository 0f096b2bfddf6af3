"""Non-blocking connections: they read and write as much as is possible now."""

from __future__ import annotations

import os
import select
import socket
from contextlib import suppress
from typing import Final, Protocol

from volition.execution.client.transports.sockets import CHUNK

_PIECE: Final = 4096
"""The number of bytes that a writable pipe accepts without blocking."""


class LooseEnd(Protocol):
    """A non-blocking connection; ConnectionResetError if it broke."""

    @property
    def reader(self) -> int:
        """The descriptor to poll for reading."""
        ...

    @property
    def writer(self) -> int:
        """The descriptor to poll for writing."""
        ...

    def read(self) -> bytes | None:
        """The available bytes; None if there are none, b"" at the end."""
        ...

    def write(self, data: bytes) -> int:
        """Write what is possible, and return the number of bytes."""
        ...

    def finish(self) -> None:
        """Close the writing side; reading continues."""
        ...

    def close(self) -> None: ...


class SocketEnd:
    """A connected socket."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        self._socket = connected
        self.reader = self.writer = connected.fileno()

    def read(self) -> bytes | None:
        try:
            return self._socket.recv(CHUNK)
        except BlockingIOError:
            return None
        except OSError as error:
            raise ConnectionResetError(str(error)) from error

    def write(self, data: bytes) -> int:
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise ConnectionResetError(str(error)) from error

    def finish(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._socket.close()


class PipeEnd:
    """Two pipes. They stay in blocking mode, because other processes may share the descriptors."""

    def __init__(self, reader: int, writer: int) -> None:
        self.reader, self.writer = reader, writer
        self._writes = True

    def read(self) -> bytes | None:
        if not _can(self.reader, select.POLLIN):
            return None
        try:
            return os.read(self.reader, CHUNK)
        except OSError as error:
            raise ConnectionResetError(str(error)) from error

    def write(self, data: bytes) -> int:
        if not self._writes or not _can(self.writer, select.POLLOUT):
            return 0
        try:
            return os.write(self.writer, data[:_PIECE])
        except OSError as error:
            raise ConnectionResetError(str(error)) from error

    def finish(self) -> None:
        if self._writes:
            self._writes = False
            os.close(self.writer)

    def close(self) -> None:
        self.finish()
        os.close(self.reader)


def _can(descriptor: int, what: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, what)
    return bool(poll.poll(0))
