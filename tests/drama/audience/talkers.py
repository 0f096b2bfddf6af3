"""Endpoints on loopback for the tests: one that answers well, and ones that fail in every way they can."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]
LINE = "I would rather say nothing"


class TalkServer(ThreadingHTTPServer):
    """A server that keeps what it was asked, and waits no longer than until it is stopped."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        self.answer, self.stopped = answer, Event()
        self.asked: list[dict[str, Any]] = []
        self.headers_seen: list[dict[str, str]] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: TalkServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body | {"path": self.path})
        self.server.headers_seen.append(dict(self.headers))
        self.server.answer(self, body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True


@contextmanager
def talking(answer: Answer) -> Iterator[TalkServer]:
    """A server on loopback that answers like this."""
    server = TalkServer(answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()


def send(handler: BaseHTTPRequestHandler, data: bytes, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def completion(text: Any) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


def speaks(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Answer with a line that names the speaker's voice."""
    send(handler, completion(f'"{LINE}"'))


def lags(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    handler.server.stopped.wait(30)  # type: ignore[attr-defined]


def drips(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Send a header byte by byte, so that no single read ever times out."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(1000):
        if handler.server.stopped.is_set():  # type: ignore[attr-defined]
            return
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.02)


def sends_a_megabyte(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    send(handler, completion("x" * 2**20))


def closes_early(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices"')
    handler.close_connection = True


def fails(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    send(handler, b"{}", 500)


def lies(data: bytes) -> Answer:
    """Answer with bytes that are no completion."""
    return lambda handler, body: send(handler, data)
