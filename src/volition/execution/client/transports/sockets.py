"""A connected socket as a Stream; TCP and Unix sockets share it."""

from __future__ import annotations

import select
import socket
import struct
import sys
import time
from contextlib import suppress
from typing import Final

CHUNK: Final = 2**16
"""The maximum number of bytes per read."""

PATIENCE: Final = 3.0
"""Seconds after which a side that reads nothing is considered gone."""

_SLICE: Final = 0.1
"""The kernel's timeout for one read, in seconds: a faster round trip needs no system call for waiting."""


class SocketStream:
    """A Stream over a connected socket, which it owns from then on."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._closed = False
        connected.setblocking(True)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _kernel_time(_SLICE))
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _kernel_time(PATIENCE))
        self._receive = connected.recv

    def send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except (BlockingIOError, TimeoutError):
            raise ConnectionResetError(f"the other side has read nothing for {PATIENCE} s") from None
        except OSError as error:
            raise ConnectionResetError(str(error)) from error

    def receive(self, timeout: float | None) -> bytes | None:
        try:
            if timeout is not None and timeout < _SLICE:
                return self._receive(CHUNK) if self._readable(timeout) else None
            ends = None if timeout is None else time.monotonic() + timeout
            while True:
                try:
                    return self._receive(CHUNK)
                except (BlockingIOError, TimeoutError):
                    left = _SLICE if ends is None else ends - time.monotonic()
                    if left < _SLICE:
                        return self._receive(CHUNK) if self._readable(left) else None
        except (OSError, ValueError) as error:  # ValueError: closed, there is no descriptor to wait on
            if self._closed:
                return b""
            raise ConnectionResetError(str(error)) from error

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        with suppress(OSError):  # the other side may have hung up first
            # Wakes a reader in another thread, which a bare close would leave waiting.
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    def _readable(self, timeout: float) -> bool:
        timeout = max(0.0, timeout)
        if sys.platform == "win32":
            return bool(select.select([self._socket], [], [], timeout)[0])
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(timeout * 1000))


def _kernel_time(seconds: float) -> bytes:
    """A timeout as the kernel expects it."""
    if sys.platform == "win32":
        return struct.pack("@I", round(seconds * 1000))
    whole = int(seconds)
    return struct.pack("@ll", whole, round((seconds - whole) * 1e6))
