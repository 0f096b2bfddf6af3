"""A socket as a stream: it waits no longer than asked, says how it ended, and never spins."""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.work import calls
from volition.execution.transports.stream import EndStream, SocketEnd

if TYPE_CHECKING:
    from collections.abc import Iterator

Pair = tuple[EndStream, socket.socket]


def tcp_pair() -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        dialled = socket.create_connection(listener.getsockname())
        accepted, _ = listener.accept()
    return dialled, accepted


@pytest.fixture(params=["tcp", "unix"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    """A stream and the plain socket at its other end."""
    here, there = tcp_pair() if request.param == "tcp" else socket.socketpair()
    stream = EndStream(SocketEnd(here))
    yield stream, there
    stream.close()
    there.close()


def await_bytes(stream: EndStream) -> None:
    """Wait until something can be received, be it the end: the kernel may take its time on a busy machine."""
    assert select.select([stream.end.reader], [], [], 60.0)[0]


@pytest.mark.parametrize("timeout", [0.0, -1.0, 0.03, 0.25])
def test_waiting_ends(pair: Pair, timeout: float) -> None:
    """With nothing to receive the answer is None, and not before the time is over."""
    began = time.monotonic()
    assert pair[0].receive(timeout) is None
    assert max(0.0, timeout) <= time.monotonic() - began + 0.002


@pytest.mark.parametrize("timeout", [0.0, 0.05, 1.0, None])
def test_what_is_there_is_received(pair: Pair, timeout: float | None) -> None:
    """Bytes that are there are received, whatever the limit."""
    pair[1].sendall(b"abc")
    await_bytes(pair[0])
    assert pair[0].receive(timeout) == b"abc"


def test_bytes_come_as_soon_as_they_are_there(pair: Pair) -> None:
    """A reader that waits is woken by the bytes, also after the kernel's own wait has passed several times."""
    sender = threading.Timer(0.25, pair[1].sendall, [b"late"])
    sender.start()
    assert pair[0].receive(None) == b"late"
    sender.join()


@pytest.mark.parametrize("timeout", [0.0, 0.05, 1.0, None])
def test_the_end_is_the_end(pair: Pair, timeout: float | None) -> None:
    """Once the other side has closed, what it had sent is received, then b"" every time, whatever the limit."""
    pair[1].sendall(b"last")
    pair[1].close()
    for data in (b"last", b"", b""):
        await_bytes(pair[0])
        assert pair[0].receive(timeout) == data


def test_waiting_costs_no_work() -> None:
    """Waiting for a silent side sleeps: it looks a few times in a second, and not again and again."""
    here, there = tcp_pair()
    stream = EndStream(SocketEnd(here))
    assert calls(lambda: stream.receive(0.5)) < 60
    stream.close()
    there.close()


def test_a_reset_is_no_end() -> None:
    """A connection that breaks is told apart from one that is closed, on both verbs."""
    here, there = tcp_pair()
    stream = EndStream(SocketEnd(here))
    there.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    there.close()
    with pytest.raises(ConnectionResetError):
        stream.receive(None)
    with pytest.raises(ConnectionResetError):
        stream.send(b"x")
    stream.close()


def test_who_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sending to a side that reads nothing ends as a broken connection."""
    monkeypatch.setattr("volition.execution.transports.stream.PATIENCE", 0.2)
    here, there = socket.socketpair()
    stream = EndStream(SocketEnd(here))
    with pytest.raises(ConnectionResetError, match="read nothing"):
        stream.send(bytes(2**24))
    stream.close()
    there.close()


def test_closing_wakes_a_reader_and_may_be_repeated(pair: Pair) -> None:
    """A caller that waits in another thread gets the end when the stream is closed; then nothing can be sent."""
    got: list[bytes | None] = []
    reader = threading.Thread(target=lambda: got.append(pair[0].receive(None)))
    reader.start()
    time.sleep(0.05)
    pair[0].close()
    pair[0].close()
    reader.join()
    assert got == [b""]
    assert pair[0].receive(0.0) == b""
    with pytest.raises(ConnectionResetError):
        pair[0].send(b"x")
