"""A blocking connection, and the error if there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from volition.core.errors import Problem
from volition.execution.wire.session.refusals import NothingListening

if TYPE_CHECKING:
    from volition.execution.client.transports.address import Address


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

    def fileno(self) -> int:
        """The descriptor to poll for receiving; -1 if there is none."""
        ...


def nothing_listening(address: Address, why: str) -> NothingListening:
    """The error for an address where nothing listens, with what to start."""
    if address.kind == "stdio":
        problem = Problem(
            f"{address.command[0]!r} cannot be started: {why}",
            str(address),
            "a program that speaks the protocol over its standard input and output",
            "install it, or write its whole path",
        )
        return NothingListening(problem)
    start = f"--unix {address.path}" if address.kind == "unix" else f"--port {address.port}"
    problem = Problem(
        f"nothing listens at {address}: {why}",
        str(address),
        "an executor that listens there",
        f"start the game, or the arena: volition serve-arena {start}",
    )
    return NothingListening(problem)
