"""A connection as the blocking side sees it, and the error for one that did not come about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from volition.core.errors import Problem
from volition.execution.session.refusals import NothingListening

if TYPE_CHECKING:
    from volition.execution.transports.address import Address


class Stream(Protocol):
    """Bytes both ways, in order. Only one caller receives at a time; another may send meanwhile."""

    def send(self, data: bytes) -> None:
        """Hand over all of `data`; ConnectionResetError where the other side is gone or has stopped reading."""
        ...

    def receive(self, timeout: float | None) -> bytes | None:
        """What came, as soon as something did; None where nothing came within `timeout` seconds (None: no limit).

        b"" is the end, and stays the end. ConnectionResetError is a connection that broke.
        """
        ...

    def close(self) -> None:
        """Hang up; closing twice changes nothing."""
        ...

    def fileno(self) -> int:
        """The descriptor to wait on until something can be received; -1 where there is none."""
        ...


def nothing_listening(address: Address, why: str) -> NothingListening:
    """The error for an address where nobody is, with what to start."""
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
