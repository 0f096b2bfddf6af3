"""The studio on an address: bound before the address is printed, and shut down cleanly.

A client that is slow with the head of a request gets 408, and the connection is closed.
"""

from __future__ import annotations

import os
import socket
import webbrowser
from threading import Timer
from typing import TYPE_CHECKING, Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from volition.core.errors import InvalidInput, MissingPart, Problem, refuse
from volition.studio.app import Application, application
from volition.studio.bodies import BODY_SECONDS
from volition.studio.errors import body_of
from volition.studio.gate import is_loopback

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from pathlib import Path


HEAD_SECONDS: Final = 10.0
"""How long the head of a request may take, from the connection or its first byte on."""
GRACE: Final = 5.0
"""Seconds after which a connection is closed whose late body was already answered."""
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
    announce: Callable[[str], None],
    open_browser: bool = False,
    registry: str | None = None,
    by_person: bool = True,
) -> None:
    """Serve the studio of a folder until it is interrupted; `announce` gets the address once it is bound.

    Any address other than loopback needs a token. Unless a person started it, it acts as nobody.
    """
    check_settings(folder, host, token)
    if open_browser and token:
        refuse(
            "the browser would be started with the token, which everybody on this machine could read",
            where="--open",
            expected="no token, or no --open",
            remedy="leave --open out, and open the address that is printed",
        )
    app = application(folder, bound=host, token=token, registry=registry)
    if not by_person:
        app.studio.actor.be_nobody()
    app.studio.actor.open_key()
    with bind(host, port) as listening:
        number = listening.getsockname()[1]
        url_host = f"[{host}]" if ":" in host else host
        address = f"http://{url_host}:{number}/" + (f"?token={token}" if token else "")
        announce(address)
        if open_browser:
            opening = Timer(0.5, webbrowser.open, [address])
            opening.daemon = True
            opening.start()
        make_server(app).run(sockets=[listening])


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
        "proxy_headers": False,  # anybody can write them, and tries are counted by address
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


def timed_protocol(head: float, body: float) -> type[H11Protocol]:
    """The protocol with these time limits, as a class: uvicorn creates its instances."""
    return type("Timed", (TimedProtocol,), {"head_seconds": head, "body_seconds": body})


class TimedProtocol(H11Protocol):
    """HTTP/1.1 with a deadline while the client has to send. The gate answers late bodies; this closes the connection."""

    head_seconds = HEAD_SECONDS
    body_seconds = BODY_SECONDS

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._deadline: asyncio.TimerHandle | None = None
        self._awaited: Any = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await(h11.IDLE)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await(self.conn.their_state)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is not h11.SEND_BODY:
            # Between two requests the keep-alive limit applies, until the first byte comes.
            self._await(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._await(None)
        super().connection_lost(exc)

    def _await(self, state: Any) -> None:
        """Start to wait for the client's head or body; if it is already awaited, the deadline stays: dripping bytes gain nothing."""
        if state is self._awaited:
            return
        if self._deadline is not None:
            self._deadline.cancel()
        limits = {h11.IDLE: self.head_seconds, h11.SEND_BODY: self.body_seconds + GRACE}
        self._awaited = state if state in limits else None
        self._deadline = self.loop.call_later(limits[state], self._time_out) if self._awaited is not None else None

    def _time_out(self) -> None:
        if self.transport.is_closing():
            return
        if self._awaited is h11.IDLE and self.conn.our_state is h11.IDLE:
            problem = Problem(
                "the head of the request was too slow",
                "the head of the request",
                f"a whole head within {self.head_seconds:g} seconds",
                "send it again, at once",
            )
            body = body_of(InvalidInput(problem))
            headers = [
                ("content-type", "application/json"),
                ("content-length", str(len(body))),
                ("connection", "close"),
            ]
            for event in (
                h11.Response(status_code=408, headers=headers, reason=b"Request Timeout"),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
