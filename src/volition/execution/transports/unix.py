"""Unix sockets: a file that stands for a listener, cleaned up after it and never taken from a living one."""

from __future__ import annotations

import os
import socket
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from volition.core.errors import InvalidInput, MissingPart, Problem, refuse
from volition.execution.transports.sockets import SocketStream
from volition.execution.transports.stream import nothing_listening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.execution.transports.address import Address
    from volition.execution.transports.stream import Stream

LONGEST_PATH: Final = 103
"""Bytes that a path may have on every system; the kernel keeps it in a small field."""


def dial_unix(address: Address, *, timeout: float = 5.0) -> Stream:
    """Connect; NothingListening where nobody is there."""
    _check_path(address)
    connected = _socket(address)
    connected.settimeout(timeout)
    try:
        connected.connect(address.path)
    except OSError as error:
        connected.close()
        raise nothing_listening(address, error.strerror or f"nothing within {timeout} s") from error
    return SocketStream(connected)


def listen_unix(address: Address) -> tuple[socket.socket, Callable[[], None]]:
    """A listening socket that only this user may dial, and what removes its file at the end.

    A file left over by a listener that is gone is replaced. One where somebody listens, or that is no socket, is not.
    """
    _check_path(address)
    path = Path(address.path)
    listener = _socket(address)
    try:
        with _alone_in(path.parent):
            _make_room(address)
            listener.bind(address.path)
            path.chmod(0o600)
            listener.listen()
            made = path.stat()
    except OSError as error:
        listener.close()
        problem = Problem(
            f"cannot listen at {address}: {error.strerror or error}",
            str(address),
            "a path in a folder that is there and may be written",
            "make the folder, or choose another path",
        )
        raise InvalidInput(problem) from error
    except InvalidInput:
        listener.close()
        raise

    def remove() -> None:
        """Remove the file, unless somebody has put another one in its place."""
        try:
            if os.path.samestat(path.lstat(), made):
                path.unlink()
        except FileNotFoundError:
            pass

    return listener, remove


def _make_room(address: Address) -> None:
    path = Path(address.path)
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        refuse(
            f"{path} is there and is no socket",
            where=str(address),
            expected="a free path, or a socket that was left over",
            remedy="choose another path; this file was not touched",
        )
    with _socket(address) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(address.path)
        except ConnectionRefusedError:
            path.unlink()
            return
        except OSError:
            pass  # somebody is there, too busy to answer
    refuse(
        f"somebody listens at {address}",
        where=str(address),
        expected="a path of its own for every executor",
        remedy="end that executor, or choose another path",
    )


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other listeners out of the folder, so that of two that start at once one sees the other."""
    import fcntl  # noqa: PLC0415  not there on every system

    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _socket(address: Address) -> socket.socket:
    if not hasattr(socket, "AF_UNIX"):
        problem = Problem("there are no Unix sockets here", str(address), "a system that has them", "use tcp://")
        raise MissingPart(problem)
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


def _check_path(address: Address) -> None:
    length = len(os.fsencode(address.path))
    if length > LONGEST_PATH:
        refuse(
            f"the path has {length} bytes",
            where=str(address),
            expected=f"at most {LONGEST_PATH} bytes",
            remedy="use a shorter path, such as one in the temporary folder",
        )
