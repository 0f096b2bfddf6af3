"""TCP and Unix sockets: dialling and listening.

TCP is for loopback unless allowed otherwise, without Nagle's algorithm. The file of a Unix socket is removed when its
listener ends, and never taken from a live one.
"""

from __future__ import annotations

import fcntl
import os
import socket
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from volition.core.errors import InvalidInput, refuse
from volition.execution.transports.address import Address, check_near
from volition.execution.transports.stream import EndStream, SocketEnd, nothing_listening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST_PATH: Final = 103
"""The maximum length of a Unix socket's path in bytes, on any system."""


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


def dial_unix(address: Address, *, timeout: float = 5.0) -> EndStream:
    """Connect; NothingListening if nothing is there."""
    _check_path(address)
    connected = socket.socket(socket.AF_UNIX)
    connected.settimeout(timeout)
    try:
        connected.connect(address.path)
    except OSError as error:
        connected.close()
        raise nothing_listening(address, error.strerror or f"nothing within {timeout} s") from error
    return EndStream(SocketEnd(connected))


def listen_unix(address: Address) -> tuple[socket.socket, Callable[[], None]]:
    """A listening socket that only this user may dial, and a function that removes its file.

    A leftover file of a dead listener is replaced; a socket in use, or any other file, is not.
    """
    _check_path(address)
    path = Path(address.path)
    listener = socket.socket(socket.AF_UNIX)
    try:
        with _alone_in(path.parent):
            _make_room(address)
            listener.bind(address.path)
            path.chmod(0o600)
            listener.listen()
            status = path.stat()
    except OSError as error:
        listener.close()
        raise InvalidInput.of(
            f"cannot listen at {address}: {error.strerror or error}",
            where=str(address),
            expected="a path in a folder that is there and may be written",
            remedy="make the folder, or choose another path",
        ) from error
    except InvalidInput:
        listener.close()
        raise

    def remove() -> None:
        """Remove the file, unless it was replaced by another one."""
        try:
            if os.path.samestat(path.lstat(), status):
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
            f"{path} exists and is not a socket",
            where=str(address),
            expected="a free path, or a socket that was left over",
            remedy="choose another path; this file was not touched",
        )
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(address.path)
        except ConnectionRefusedError:
            path.unlink()
            return
        except OSError:
            pass  # something listens there, but is too busy to answer
    refuse(
        f"something already listens at {address}",
        where=str(address),
        expected="a separate path for every executor",
        remedy="end that executor, or choose another path",
    )


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Lock the folder, so that of two listeners that start at the same time one sees the other."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _check_path(address: Address) -> None:
    length = len(os.fsencode(address.path))
    if length > LONGEST_PATH:
        refuse(
            f"the path has {length} bytes",
            where=str(address),
            expected=f"at most {LONGEST_PATH} bytes",
            remedy="use a shorter path, such as one in the temporary folder",
        )
