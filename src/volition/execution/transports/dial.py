"""From an address to a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.errors import refuse
from volition.execution.transports.address import Address, parse_address
from volition.execution.transports.stdio import StdioStream
from volition.execution.transports.tcp import dial_tcp
from volition.execution.transports.unix import dial_unix

if TYPE_CHECKING:
    from ssl import SSLContext

    from volition.execution.transports.stream import EndStream


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
