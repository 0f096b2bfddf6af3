"""From an address to a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.errors import refuse
from volition.execution.transports.address import Address, parse_address
from volition.execution.transports.stdio import StdioStream
from volition.execution.transports.tcp import dial_tcp
from volition.execution.transports.unix import dial_unix

if TYPE_CHECKING:
    from volition.execution.transports.stream import Stream


def dial(address: str | Address, *, timeout: float = 5.0, allow_remote: bool = False) -> Stream:
    """Connect to an executor that listens, or launch one that talks over its pipes.

    NothingListening where nobody is there. `embedded` and `java` are no places yet: whoever connects makes one of them.
    """
    address = parse_address(address)
    if address.kind in {"embedded", "java"}:
        refuse(
            f"{address} is no place to dial",
            where="address",
            expected="tcp://HOST:PORT, unix:PATH or stdio:COMMAND",
            remedy="connect() starts this one by itself",
        )
    if address.kind == "tcp":
        return dial_tcp(address, timeout=timeout, allow_remote=allow_remote)
    return dial_unix(address, timeout=timeout) if address.kind == "unix" else StdioStream(address.command)
