"""An executor as a child process: launched by the bridge, connected over pipes, ended with the stream."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from typing import TYPE_CHECKING, Final

from volition.execution.client.transports.address import Address
from volition.execution.client.transports.sockets import CHUNK, PATIENCE
from volition.execution.client.transports.stream import nothing_listening

if TYPE_CHECKING:
    from collections.abc import Sequence

FAREWELL: Final = 2.0
"""Seconds that a child has to end after its input is closed, and again after SIGTERM."""


class StdioStream:
    """A Stream to the standard input and output of a program that it launches; standard error is inherited.

    The child runs in a new session, so that Ctrl-C does not reach it directly. `close` closes its input, then sends
    SIGTERM, then SIGKILL.
    """

    def __init__(self, command: Sequence[str]) -> None:
        address = Address("stdio", command=tuple(command))
        try:
            self._child = subprocess.Popen(  # noqa: S603  the command is the caller's
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise nothing_listening(address, error.strerror or str(error)) from error
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._in = self._child.stdin.fileno()
        self._out = self._child.stdout.fileno()
        os.set_blocking(self._in, False)
        self._readable = select.poll()
        self._readable.register(self._out, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._in, select.POLLOUT)
        self._closed = False

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def exit_code(self) -> int | None:
        """How the child ended; None while it runs."""
        return self._child.poll()

    def send(self, data: bytes) -> None:
        if self._closed:
            raise ConnectionResetError("the stream is closed")
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._in, rest) :]
            except BlockingIOError:
                if not self._writable.poll(PATIENCE * 1000):
                    raise ConnectionResetError(f"the child has read nothing for {PATIENCE} s") from None
            except OSError as error:
                raise ConnectionResetError(f"the child reads no more: {error.strerror}") from error

    def receive(self, timeout: float | None) -> bytes | None:
        if self._closed:
            return b""
        if not self._readable.poll(None if timeout is None else max(0.0, timeout) * 1000):
            return None
        return os.read(self._out, CHUNK)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        try:
            if not self._has_ended():
                self._signal(signal.SIGTERM)
            if not self._has_ended():
                self._signal(signal.SIGKILL)
                self._child.wait()
        finally:
            self._child.stdout.close()

    def fileno(self) -> int:
        return self._out

    def _has_ended(self) -> bool:
        try:
            self._child.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _signal(self, number: int) -> None:
        """Signal the child and its descendants: they form a process group with the child's id."""
        if self._child.poll() is None:
            os.killpg(self._child.pid, number)
