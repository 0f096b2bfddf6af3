"""How to reach an executor: a host in this process, a program to launch, or an address; used by both bridges."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from volition.core.clock import SystemClock
from volition.execution.transports import Address, check_near, dial

if TYPE_CHECKING:
    from ssl import SSLContext

    from volition.core.clock import Clock
    from volition.execution.client.launch import Launched
    from volition.execution.executor.host import Host
    from volition.execution.transports import Stream


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A host in this process, or a program to launch, or an address."""

    address: Address
    clock: Clock = field(default_factory=SystemClock)
    host: Host | None = None
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
