"""A studio on a real port, and a client for it."""

from __future__ import annotations

import json
import socket
import ssl
from contextlib import contextmanager
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import httpx

from tests.processes import PATIENCE
from volition.studio.app import Application
from volition.studio.bodies import BODY_SECONDS
from volition.studio.gate import STREAMS
from volition.studio.server import HEAD_SECONDS, bind, make_server
from volition.studio.studio import Studio

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

API = "/api/v1"
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""No studio here is served over TLS, and to load the authorities for each client would take longer than most requests."""


class Served:
    """A running studio: its port, and a client for it."""

    def __init__(self, studio: Studio, port: int) -> None:
        self.studio = studio
        self.port = port
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE, verify=PLAIN)

    def get(self, path: str, **settings: Any) -> Any:
        """The answer of the API, which must not be an error."""
        answer = self.client.get(f"{API}{path}", **settings)
        assert answer.status_code < 400, answer.text
        return answer.json()

    def post(self, path: str, data: Any = None) -> Any:
        """The same for POST."""
        answer = self.client.post(f"{API}{path}", json=data)
        assert answer.status_code < 400, answer.text
        return answer.json()

    def refusal(self, method: str, path: str, data: Any = None, **settings: Any) -> tuple[int, dict[str, str]]:
        """The status of a refusal and its first problem; the shape of all problems is checked."""
        answer = self.client.request(method, f"{API}{path}", json=data, **settings)
        return answer.status_code, problem_of(answer)

    def raw(self, target: str) -> httpx.Response:
        """The response to a GET of exactly this target, which no client has normalised."""
        with self.line() as line:
            line.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            return answer_on(line)

    def line(self) -> socket.socket:
        """A bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def stream(self, path: str, **settings: Any) -> list[tuple[str, Any]]:
        """Every event of a stream, to its end."""
        events: list[tuple[str, Any]] = []
        with self.client.stream("GET", f"{API}{path}", **settings) as answer:
            assert answer.status_code == 200
            name = ""
            for line in answer.iter_lines():
                key, _, value = line.partition(": ")
                if key == "event":
                    name = value
                elif key == "data":
                    events.append((name, json.loads(value)))
        return events


def answer_on(line: socket.socket) -> httpx.Response:
    """The response on a connection that the server closes."""
    told = b"".join(iter(lambda: line.recv(65536), b""))
    head, _, body = told.partition(b"\r\n\r\n")
    return httpx.Response(int(head.split()[1]), content=body)


def problem_of(answer: httpx.Response) -> dict[str, str]:
    """The first problem of an error."""
    assert answer.status_code >= 400, answer.text
    assert "Traceback" not in answer.text
    assert 'File "' not in answer.text
    assert "site-packages" not in answer.text
    data = answer.json()
    assert set(data) == {"error", "problems"}
    for problem in data["problems"]:
        assert set(problem) == {"what", "where", "expected", "remedy"}
        assert all(isinstance(text, str) and text for text in problem.values())
    first: dict[str, str] = data["problems"][0]
    return first


@contextmanager
def serving(
    folder: Path,
    *,
    token: str | None = None,
    host: str = "127.0.0.1",
    head: float = HEAD_SECONDS,
    seconds: float = BODY_SECONDS,
    streams: int = STREAMS,
    registry: str | None = None,
    listening: socket.socket | None = None,
) -> Iterator[Served]:
    """Serve a folder inside the block, on a socket that listens already or at a new address."""
    app = Application(Studio(folder, registry), bound=host, token=token, seconds=seconds, streams=streams)
    listening = listening or bind("127.0.0.1", 0)
    server = make_server(app, head=head)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    limit = monotonic() + PATIENCE
    while not server.started and monotonic() < limit:
        sleep(0.01)
    served = Served(app.studio, listening.getsockname()[1])
    try:
        yield served
    finally:
        served.client.close()
        app.studio.stop_all()
        server.should_exit = True
        thread.join(PATIENCE)
        listening.close()
        assert not thread.is_alive()


def wait_for(truth: Any, what: str) -> None:
    """Wait until a condition holds."""
    limit = monotonic() + PATIENCE
    while not truth():
        assert monotonic() < limit, what
        sleep(0.01)
