"""The studio on an address: bound before the address is printed, and shut down cleanly."""

from __future__ import annotations

import os
import socket
import webbrowser
from threading import Timer
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from volition.core.errors import MissingPart, refuse
from volition.studio.app import Application, application
from volition.studio.connection import HEAD_SECONDS, timed_protocol
from volition.studio.gate import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONNECTIONS: Final = 256
"""From this many open connections on, requests are answered with 503."""
TOKEN: Final = "VOLITION_STUDIO_TOKEN"  # noqa: S105  the name of a variable
"""The environment variable with the token: everybody on the machine can read a command line."""
SHORTEST: Final = 16
"""The least length of a token."""


def serve(
    folder: Path,
    *,
    host: str,
    port: int,
    token: str | None,
    tell: Callable[[str], None],
    look: bool = False,
    registry: str | None = None,
) -> None:
    """Serve the studio of a folder until it is interrupted; `tell` gets the address once it is bound.

    Any address other than loopback needs a token.
    """
    check_settings(folder, host, token)
    if look and token:
        refuse(
            "the browser would be started with the token, which everybody on this machine could read",
            where="--open",
            expected="no token, or no --open",
            remedy="leave --open out, and open the address that is printed",
        )
    with bind(host, port) as listening:
        number = listening.getsockname()[1]
        url_host = f"[{host}]" if ":" in host else host
        address = f"http://{url_host}:{number}/" + (f"?token={token}" if token else "")
        tell(address)
        if look:
            opening = Timer(0.5, webbrowser.open, [address])
            opening.daemon = True
            opening.start()
        make_server(application(folder, bound=host, token=token, registry=registry)).run(sockets=[listening])


def token_from(file: Path | None) -> str | None:
    """The token in a file, without surrounding white space, or else the one in the environment; None where there is none."""
    if file is None:
        return os.environ.get(TOKEN) or None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        refuse(
            f"the token cannot be read: {error.strerror if isinstance(error, OSError) else 'it is not text'}",
            where=str(file),
            expected="a file that holds the token",
            remedy="name another one, or use " + TOKEN,
        )


def check_settings(folder: Path, host: str, token: str | None) -> None:
    """Refuse a folder that does not exist, and an address that others could reach without a proper token."""
    if not folder.is_dir():
        refuse(
            "there is no such folder", where=str(folder), expected="an existing folder", remedy="name one with --folder"
        )
    if token is None and not is_loopback(host):
        refuse(
            f"{host} can be reached from other machines",
            where="--host",
            expected="a token for every address other than loopback",
            remedy=f"put a token of at least {SHORTEST} characters into {TOKEN} or a --token-file, or leave --host out",
        )
    if token is not None and not (
        len(token) >= SHORTEST and token.isascii() and token.replace("-", "").replace("_", "").isalnum()
    ):
        refuse("the token is too short or has other characters", where=f"{TOKEN}, --token-file", expected=f"at least {SHORTEST} of A-Z, a-z, 0-9, - and _", remedy="python -c 'import secrets; print(secrets.token_urlsafe())' makes one")  # fmt: skip


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens on this address; MissingPart where that is not possible."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, proto)
    except OSError as error:
        _refuse_address(host, port, error)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        _refuse_address(host, port, error)
    return listening


def _refuse_address(host: str, port: int, error: OSError) -> Any:
    raise MissingPart.of(
        f"the address cannot be used: {error.strerror or error}",
        where=f"{host}, port {port}",
        expected="a free port on an address of this machine",
        remedy="choose another --port, or 0 for any that is free",
    ) from None


def make_server(app: Application, *, head: float = HEAD_SECONDS) -> uvicorn.Server:
    """A server for the studio that ends its streams when it is interrupted, and waits `head` seconds for a head."""
    settings: dict[str, Any] = {
        "http": timed_protocol(head, app.seconds),
        "limit_concurrency": CONNECTIONS,
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "date_header": False,
        "timeout_graceful_shutdown": 3,
        "lifespan": "on",
        "ws": "none",
    }
    return _Server(uvicorn.Config(app, **settings), app)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, app: Application) -> None:
        super().__init__(config)
        self._studio = app.studio

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._studio.stop_all()
        super().handle_exit(sig, frame)
