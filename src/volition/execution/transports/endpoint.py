"""How to reach an executor: an address to dial, a program to launch, or a server in this process."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from volition.core.clock import SystemClock
from volition.core.errors import refuse
from volition.execution.transports.address import Address, check_near, parse_address
from volition.execution.transports.child import StdioStream
from volition.execution.transports.sockets import dial_tcp, dial_unix

if TYPE_CHECKING:
    from ssl import SSLContext

    from volition.core.clock import Clock
    from volition.execution.transports.child import Launched
    from volition.execution.transports.stream import EndStream, Stream


class _Host(Protocol):
    """An executor in this process."""

    def connect(self, clock: Clock) -> Stream:
        """A connection to it, on the bridge's clock."""
        ...


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A host in this process, or a program to launch, or an address."""

    address: Address
    clock: Clock = field(default_factory=SystemClock)
    host: _Host | None = None
    launched: Launched | None = None
    allow_remote: bool = False
    tls: SSLContext | None = None

    def resolve(self, timeout: float) -> Address:
        """The address to dial; a launched program has `timeout` seconds to print its address."""
        if self.launched is None:
            return self.address
        address = self.launched.address(timeout)
        check_near(address, allow_remote=self.allow_remote)
        return address

    def dial(self, timeout: float) -> Stream:
        """A blocking connection; HandshakeFailed if there is none within `timeout` seconds."""
        if self.host is not None:
            return self.host.connect(self.clock)
        until = time.monotonic() + timeout
        place = self.resolve(timeout)
        left = max(0.01, until - time.monotonic())
        return dial(place, timeout=left, allow_remote=self.allow_remote, tls=self.tls)

    def end(self) -> None:
        """End a launched program."""
        if self.launched is not None:
            self.launched.end()


def dial(
    address: str | Address, *, timeout: float = 5.0, allow_remote: bool = False, tls: SSLContext | None = None
) -> EndStream:
    """Connect to a listening executor, or launch one and talk over its pipes.

    NothingListening if nothing is there. `tls` is for tls:// alone. `embedded` and `java` cannot be dialled: `connect` starts these.
    """
    address = parse_address(address)
    if address.kind in {"embedded", "java"}:
        refuse(
            f"{address} cannot be dialled",
            where="address",
            expected="tcp://HOST:PORT, tls://HOST:PORT, unix:PATH or stdio:COMMAND",
            remedy="connect() starts this one by itself",
        )
    if address.kind == "tcp":
        return dial_tcp(address, timeout=timeout, allow_remote=allow_remote)
    if address.kind == "tls":
        from volition.execution.transports.tls import dial_tls  # noqa: PLC0415  only who uses it pays for it

        return dial_tls(address, timeout=timeout, allow_remote=allow_remote, tls=tls)
    return dial_unix(address, timeout=timeout) if address.kind == "unix" else StdioStream(address.command)
