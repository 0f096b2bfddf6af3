"""Unix sockets: a leftover file is replaced, a live listener never, and nothing is left behind."""

from __future__ import annotations

import socket
import stat
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from volition.core.errors import InvalidInput
from volition.execution.transports.address import Address
from volition.execution.transports.endpoint import dial
from volition.execution.transports.sockets import listen_unix
from volition.execution.wire.session.handshake import NothingListening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.sentences import Told


@pytest.fixture
def place() -> Iterator[Address]:
    """A path that is short enough wherever the tests run."""
    with TemporaryDirectory(prefix="volition-") as folder:
        yield Address("unix", path=f"{folder}/a.sock")


def leave_behind(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(path)
        dead.listen()


def test_bytes_travel_and_the_file_goes(place: Address) -> None:
    """Who dials reaches the listener; the file is for this user alone, and gone at the end."""
    listener, remove = listen_unix(place)
    assert stat.S_IMODE(Path(place.path).stat().st_mode) == 0o600
    stream = dial(place)
    accepted, _ = listener.accept()
    stream.send(b"hello")
    assert accepted.recv(10) == b"hello"
    stream.close()
    accepted.close()
    listener.close()
    remove()
    remove()
    assert not Path(place.path).exists()


@pytest.mark.req("EX-13")
@pytest.mark.parametrize("leftover", [False, True])
def test_nobody_there(place: Address, leftover: bool) -> None:
    """No file, and a file that a dead listener left, are both NothingListening, with what to start."""
    if leftover:
        leave_behind(place.path)
    with pytest.raises(NothingListening, match=f"serve-arena --unix {place.path}"):
        dial(place)


def test_a_leftover_file_is_replaced(place: Address) -> None:
    """A socket file on which nothing listens is replaced."""
    leave_behind(place.path)
    listener, remove = listen_unix(place)
    dial(place).close()
    listener.close()
    remove()


def test_a_living_listener_keeps_its_file(place: Address) -> None:
    """A second listener at the same path is refused, and the first one can still be reached."""
    listener, remove = listen_unix(place)
    with pytest.raises(InvalidInput, match="already listens"):
        listen_unix(place)
    dial(place).close()
    listener.close()
    remove()


@pytest.mark.parametrize("make", [lambda path: path.write_text("precious"), lambda path: path.mkdir()])
def test_what_is_no_socket_is_not_touched(place: Address, make: Callable[[Path], object], told: Told) -> None:
    """A file or folder in the place of the socket is refused and stays."""
    path = Path(place.path)
    make(path)
    before = path.stat()
    with told.raises(InvalidInput):
        listen_unix(place)
    assert path.stat().st_ino == before.st_ino


def test_somebody_elses_file_is_not_removed(place: Address) -> None:
    """At the end only the file that this listener made is removed."""
    listener, remove = listen_unix(place)
    Path(place.path).unlink()
    leave_behind(place.path)
    listener.close()
    remove()
    assert Path(place.path).exists()


def test_of_two_that_start_at_once_one_listens(place: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two that find the same leftover file in the same moment one listens and is reached; the other is refused."""
    unlink = Path.unlink

    def hesitating(path: Path) -> None:
        time.sleep(0.1)
        unlink(path)

    monkeypatch.setattr(Path, "unlink", hesitating)
    leave_behind(place.path)
    together = threading.Barrier(2)
    won: list[tuple[socket.socket, Callable[[], None]]] = []
    lost: list[InvalidInput] = []

    def start() -> None:
        together.wait()
        try:
            won.append(listen_unix(place))
        except InvalidInput as refused:
            lost.append(refused)

    threads = [threading.Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 1)
    dial(place).close()
    for listener, remove in won:
        listener.close()
        remove()
    assert not Path(place.path).exists()


@pytest.mark.parametrize("path", ["/tmp/" + "é" * 50, "/no/such/folder/a.sock"], ids=["long", "nowhere"])
def test_a_path_that_cannot_be_is_refused(path: str) -> None:
    """A path that is too long (in bytes, not in characters), or in no folder, is refused with a remedy."""
    with pytest.raises(InvalidInput):
        listen_unix(Address("unix", path=path))
