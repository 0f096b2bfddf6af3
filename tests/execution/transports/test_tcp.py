"""TCP: nothing listening, connecting to itself, remote addresses, and small writes."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any

import pytest

from volition.core.errors import InvalidInput
from volition.execution.transports.address import Address, parse_address
from volition.execution.transports.endpoint import dial
from volition.execution.transports.sockets import dial_tcp, listen_tcp
from volition.execution.transports.stream import EndStream, SocketEnd
from volition.execution.wire.session.handshake import NothingListening

if TYPE_CHECKING:
    from tests.sentences import Told

LOCAL = Address("tcp", host="127.0.0.1", port=0)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


@pytest.mark.req("EX-13")
def test_a_refused_connection_says_what_to_start() -> None:
    """If nothing listens, the error is NothingListening, and names the command to start."""
    port = free_port()
    with pytest.raises(NothingListening) as refused:
        dial(f"tcp://127.0.0.1:{port}")
    assert f"volition serve-arena --port {port}" in str(refused.value)


@pytest.mark.req("EX-13")
def test_a_name_that_is_nowhere_is_nobody() -> None:
    """A host that cannot be found is NothingListening too."""
    with pytest.raises(NothingListening):
        dial("tcp://no-such-host.invalid:5001", allow_remote=True, timeout=2.0)


@pytest.mark.req("EX-13")
def test_a_connection_to_oneself_is_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket that was given the very port it dials hears itself; it is refused, and closed."""
    mirrors: list[socket.socket] = []

    def mirror(address: tuple[str, int], timeout: float) -> socket.socket:
        looped = socket.socket()
        looped.bind(("127.0.0.1", 0))
        looped.connect(looped.getsockname())
        mirrors.append(looped)
        return looped

    monkeypatch.setattr(socket, "create_connection", mirror)
    with pytest.raises(NothingListening, match="itself"):
        dial("tcp://127.0.0.1:5001")
    assert [looped.fileno() for looped in mirrors] == [-1]


def test_remote_addresses_need_permission(told: Told) -> None:
    """Neither dialling nor listening leaves this computer unless that was allowed."""
    away = parse_address("tcp://0.0.0.0:0")
    with told.raises(InvalidInput):
        dial_tcp(away)
    with told.raises(InvalidInput):
        listen_tcp(away)
    listener, _ = listen_tcp(away, allow_remote=True)
    listener.close()


def test_port_0_becomes_a_port(told: Told) -> None:
    """A listener at port 0 says which port it got; a second one there is refused, with a remedy."""
    listener, address = listen_tcp(LOCAL)
    assert address.port > 0
    with told.raises(InvalidInput):
        listen_tcp(address)
    listener.close()


def test_two_small_writes_do_not_wait_for_each_other() -> None:
    """Neither end of a connection holds a write back until the one before was acknowledged."""
    listener, address = listen_tcp(LOCAL)
    stream = dial(address)
    with socket.socket(fileno=os.dup(stream.end.reader)) as dialled:
        assert dialled.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    stream.close()
    listener.close()


def test_a_flush_is_one_write() -> None:
    """What is sent in one piece is one write to the socket."""
    writes: list[bytes] = []

    class Counting(socket.socket):
        def send(self, data: Any, flags: int = 0, /) -> int:
            writes.append(bytes(data))
            return len(data)

    here, there = socket.socketpair()
    stream = EndStream(SocketEnd(Counting(fileno=here.detach())))
    stream.send(b'{"v":1}\n{"v":1}\n')
    stream.close()
    there.close()
    assert writes == [b'{"v":1}\n{"v":1}\n']
