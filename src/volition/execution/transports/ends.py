"""This side's end of a connection for a loop that never waits: reads and writes what is possible now."""

from __future__ import annotations

import os
import select
import socket
from contextlib import suppress
from typing import Final, Protocol

from volition.execution.transports.sockets import CHUNK

_PIECE: Final = 4096
"""Bytes that a pipe which can be written to takes without waiting."""


class LooseEnd(Protocol):
    """Bytes both ways, without waiting; ConnectionResetError is a connection that broke."""

    @property
    def reader(self) -> int:
        """The descriptor that tells when something can be read."""
        ...

    @property
    def writer(self) -> int:
        """The descriptor that tells when something can be written."""
        ...

    def read(self) -> bytes | None:
        """What is there; None where nothing is, b"" at the end."""
        ...

    def write(self, data: bytes) -> int:
        """How many of these bytes were taken."""
        ...

    def finish(self) -> None:
        """Say that nothing more will be written; reading goes on."""
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
    """Two pipes. Their descriptors are left as they are: whoever shares them would be surprised."""

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
