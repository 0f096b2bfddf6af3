"""TCP: loopback unless allowed otherwise, without Nagle's algorithm."""

from __future__ import annotations

import socket

from volition.core.errors import InvalidInput
from volition.execution.transports.address import Address, check_near
from volition.execution.transports.ends import SocketEnd
from volition.execution.transports.stream import EndStream, nothing_listening


def dial_tcp(address: Address, *, timeout: float = 5.0, allow_remote: bool = False) -> EndStream:
    """Connect; NothingListening if nothing is there."""
    return EndStream(SocketEnd(connect_socket(address, timeout=timeout, allow_remote=allow_remote)))


def connect_socket(address: Address, *, timeout: float, allow_remote: bool) -> socket.socket:
    """A connected socket; NothingListening if nothing is there.

    A socket that dials a free local port may be assigned that very port and be connected to itself. That counts as
    nothing listening.
    """
    check_near(address, allow_remote=allow_remote)
    try:
        connected = socket.create_connection((address.host, address.port), timeout=timeout)
    except OSError as error:
        raise nothing_listening(address, error.strerror or f"nothing within {timeout} s") from error
    try:
        if connected.getsockname() == connected.getpeername():
            raise ConnectionAbortedError(None, "the connection led back to itself")
        prepare(connected)
    except OSError as error:
        connected.close()
        raise nothing_listening(address, error.strerror or str(error)) from error
    return connected


def prepare(connected: socket.socket) -> None:
    """Send small writes immediately: a frame must not wait for an acknowledgement of the previous one."""
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def listen_tcp(address: Address, *, allow_remote: bool = False) -> tuple[socket.socket, Address]:
    """A listening socket and its address; port 0 is replaced by a free port."""
    check_near(address, allow_remote=allow_remote)
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address.host, address.port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise InvalidInput.of(
            f"cannot listen at {address}: {error.strerror or error}",
            where=str(address),
            expected="a free port of this computer",
            remedy="choose another port; 0 takes any that is free",
        ) from error
    return listener, Address(address.kind, host=address.host, port=listener.getsockname()[1])
