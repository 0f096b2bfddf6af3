"""The studio on an address: bound before anything is promised, and ended in order."""

from __future__ import annotations

import os
import socket
import webbrowser
from threading import Timer
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from volition.core.errors import MissingPart, refuse
from volition.studio.app import Application, application
from volition.studio.connection import HEAD_SECONDS, timed
from volition.studio.gate import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONNECTIONS: Final = 256
"""How many connections may be open; one more is answered with 503."""
TOKEN: Final = "VOLITION_STUDIO_TOKEN"  # noqa: S105  the name of a variable
"""The variable of the environment that holds the token: a command line can be read by everybody on the machine."""
SHORTEST: Final = 16
"""How many letters a token has at least."""


def serve(
    folder: Path, *, host: str, port: int, token: str | None, tell: Callable[[str], None], look: bool = False
) -> None:
    """Serve the studio of a folder until it is interrupted; `tell` gets the address once it is bound.

    Any address but this machine's own needs a token.
    """
    check(folder, host, token)
    if look and token:
        refuse(
            "the browser would be started with the token, which everybody on this machine could read",
            where="--open",
            expected="no token, or no --open",
            remedy="leave --open out, and open the address that is printed",
        )
    with bound(host, port) as listening:
        number = listening.getsockname()[1]
        address = f"http://{_written(host)}:{number}/" + (f"?token={token}" if token else "")
        tell(address)
        if look:
            opening = Timer(0.5, webbrowser.open, [address])
            opening.daemon = True
            opening.start()
        running(application(folder, bound=host, token=token)).run(sockets=[listening])


def token_from(file: Path | None) -> str | None:
    """The token in a file, without the white space around it, or else the one in the environment; None where there is none."""
    if file is None:
        return os.environ.get(TOKEN) or None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        refuse(
            f"the token cannot be read: {error.strerror if isinstance(error, OSError) else 'it is no text'}",
            where=str(file),
            expected="a file that holds the token",
            remedy="name another one, or use " + TOKEN,
        )


def check(folder: Path, host: str, token: str | None) -> None:
    """Refuse what must not be served."""
    if not folder.is_dir():
        refuse(
            "this is no folder", where=str(folder), expected="a folder that is there", remedy="name one with --folder"
        )
    if token is None and not is_loopback(host):
        refuse(
            f"{host} can be reached from other machines",
            where="--host",
            expected="a token for every address but this machine's own",
            remedy=f"put one of at least {SHORTEST} letters into {TOKEN} or a --token-file, or leave --host out",
        )
    if token is not None and not (
        len(token) >= SHORTEST and token.isascii() and token.replace("-", "").replace("_", "").isalnum()
    ):
        refuse("the token is too short or holds strange letters", where=f"{TOKEN}, --token-file", expected=f"at least {SHORTEST} of A-Z, a-z, 0-9, - and _", remedy="python -c 'import secrets; print(secrets.token_urlsafe())' makes one")  # fmt: skip


def bound(host: str, port: int) -> socket.socket:
    """A socket on this address; MissingPart where there is none to be had."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, proto)
    except OSError as error:
        _unbound(host, port, error)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        _unbound(host, port, error)
    return listening


def _unbound(host: str, port: int, error: OSError) -> Any:
    raise MissingPart.of(
        f"the address cannot be used: {error.strerror or error}",
        where=f"{host}, port {port}",
        expected="a free port on an address of this machine",
        remedy="choose another --port, or 0 for any that is free",
    ) from None


def running(app: Application, *, head: float = HEAD_SECONDS) -> uvicorn.Server:
    """A server for the studio that lets its streams end when it is to end, and waits `head` seconds for a head."""
    settings: dict[str, Any] = {
        "http": timed(head, app.seconds),
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
        self._studio.end()
        super().handle_exit(sig, frame)


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host
