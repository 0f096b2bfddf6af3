"""A chat completions server on loopback for the tests, which answers well or fails in every way it can."""

from __future__ import annotations

import gzip
import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

if TYPE_CHECKING:
    from pathlib import Path

Behaviour = Callable[["Handler", dict[str, Any]], None]


class ChatServer(ThreadingHTTPServer):
    """A server that keeps what it was asked, and waits no longer than until it is stopped."""

    daemon_threads = True

    def __init__(self, behaviour: Behaviour, certificate: Path | None = None) -> None:
        self.scheme = "http" if certificate is None else "https"
        self.behaviour, self.stopped = behaviour, Event()
        self.asked: list[dict[str, Any]] = []
        self.headers_seen: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connections = 0
        super().__init__(("127.0.0.1", 0), Handler)
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet about clients that hang up."""


class Handler(BaseHTTPRequestHandler):
    """Hands each question to the behaviour of its server."""

    server: ChatServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.headers_seen.append(dict(self.headers))
        self.server.paths.append(self.path)
        self.server.behaviour(self, body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True


@contextmanager
def serving(behaviour: Behaviour, certificate: Path | None = None) -> Iterator[ChatServer]:
    """A server on loopback that behaves like this; encrypted, if it has a certificate."""
    server = ChatServer(behaviour, certificate)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()


def write_certificate(path: Path) -> Path:
    """A certificate for loopback that nobody has signed but itself, with its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
        .add_extension(alternative, critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(certificate.public_bytes(Encoding.PEM) + secret)
    return path


def send(handler: Handler, data: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def completion(text: Any, tokens: Any = 21, **message: Any) -> bytes:
    """A chat completion with this text."""
    choices = [{"message": {"role": "assistant", "content": text, **message}}]
    return json.dumps({"choices": choices, "usage": {"total_tokens": tokens}}).encode()


def choosing(id: str, reason: str = "it is dry") -> bytes:
    """A chat completion that names an option as it was asked to."""
    return completion(json.dumps({"choice": id, "reason": reason}))


def answers(data: bytes, status: int = 200, **headers: str) -> Behaviour:
    """Answer every question with these bytes."""
    return lambda handler, body: send(handler, data, status, **headers)


def answers_in_turn(*behaviours: Behaviour) -> Behaviour:
    """Behave like the first at the first question, and so on; the last one stays."""
    return lambda handler, body: behaviours[min(len(handler.server.asked), len(behaviours)) - 1](handler, body)


def lags(handler: Handler, body: dict[str, Any]) -> None:
    """Say nothing until the test is over."""
    handler.server.stopped.wait(60)
    handler.close_connection = True


def _drip(handler: Handler, start: bytes) -> None:
    """Send byte after byte, so that no single read ever takes long."""
    handler.close_connection = True
    handler.wfile.write(start)
    while not handler.server.stopped.is_set():
        handler.wfile.write(b"x")
        time.sleep(0.02)


def drips_its_head(handler: Handler, body: dict[str, Any]) -> None:
    _drip(handler, b"HTTP/1.1 200 OK\r\nX-Slow: ")


def drips_its_body(handler: Handler, body: dict[str, Any]) -> None:
    _drip(handler, b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")


def never_ends(handler: Handler, body: dict[str, Any]) -> None:
    """Send chunks as long as anybody reads them."""
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not handler.server.stopped.is_set():
        handler.wfile.write(b"400\r\n" + b"x" * 1024 + b"\r\n")


def drops_mid_answer(handler: Handler, body: dict[str, Any]) -> None:
    handler.close_connection = True
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"choices"')


def drops_at_once(handler: Handler, body: dict[str, Any]) -> None:
    handler.close_connection = True


def speaks_no_http(handler: Handler, body: dict[str, Any]) -> None:
    handler.close_connection = True
    handler.wfile.write(b"220 mail.example ESMTP ready\r\n\r\n")


def packs(handler: Handler, body: dict[str, Any]) -> None:
    """Answer with a few bytes that unpack to many."""
    send(handler, gzip.compress(completion("x" * 2**22)), Content_Encoding="gzip")


def redirects_to(url: str) -> Behaviour:
    return lambda handler, body: send(handler, b"", 307, Location=f"{url}/chat/completions")


def repeats_the_key(handler: Handler, body: dict[str, Any]) -> None:
    """Tell the key to whoever reads the reason."""
    send(handler, choosing("stay", f"You sent {handler.headers['Authorization']}."))


def complains_with_the_key(handler: Handler, body: dict[str, Any]) -> None:
    send(handler, f"bad key: {handler.headers['Authorization']}".encode(), 401)
