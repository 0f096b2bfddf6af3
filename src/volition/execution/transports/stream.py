"""A blocking connection, and the error if there is none."""

from __future__ import annotations

import select
from typing import TYPE_CHECKING, Final, Protocol

from volition.execution.transports.ends import is_writable
from volition.execution.wire.session.refusals import NothingListening

if TYPE_CHECKING:
    from volition.execution.transports.address import Address
    from volition.execution.transports.ends import LooseEnd

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
