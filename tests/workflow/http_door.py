"""A custom door: orders go to a web service over HTTP, under an idempotency key.

The door is all that a flow needs to know of a service. The server below it is the other half of the promise: it writes
down each key before it acts and each result before it answers, so that it does no order twice, over restarts too.
"""

from __future__ import annotations

import json
import os
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from volition.core.errors import MissingPart
from volition.workflow import WorkResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from volition.workflow import WorkOrder

DONE, STALE, INTERRUPTED = 200, 412, 409


def post(address: str, path: str, body: Any, *, key: str = "", timeout: float = 2.0) -> tuple[int, Any]:
    """The status and the answer of a request; OSError or HTTPException if there is none."""
    place = urlsplit(address)
    connection = HTTPConnection(place.hostname or "", place.port, timeout=timeout)
    try:
        connection.request("POST", path, json.dumps(body), {"Idempotency-Key": key})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


class HttpDoor:
    """A door to a service that remembers idempotency keys: the id of the request is the key.

    Whatever is not an answer about this request is `unknown`: a lost connection, silence, and a refusal of this driver
    too, because an earlier driver may have asked for the same. The flow asks again, or a person looks.
    """

    once_only = True

    def __init__(self, address: str) -> None:
        self._address = address

    def act(self, order: WorkOrder) -> WorkResult:
        body = {"intent": order.intent, "token": order.token, "resource": order.resource}
        try:
            status, said = post(self._address, "/orders", body, key=order.request, timeout=order.deadline)
        except (OSError, HTTPException, ValueError) as error:
            return WorkResult("unknown", None, f"no answer: {type(error).__name__}: {error}")
        if status != DONE:
            return WorkResult("unknown", None, f"status {status}: {said}")
        return WorkResult("done", said, "")

    def close(self) -> None:
        """Each request opens its own connection."""


def open_http_door(address: str, fences: Mapping[str, int]) -> HttpDoor:
    """A door whose fences are announced first; MissingPart if nobody is there, and then nothing is sent."""
    try:
        post(address, "/fences", dict(fences))
    except (OSError, HTTPException, ValueError) as error:
        raise MissingPart.of(
            f"the service does not answer: {error}", where=address, expected="a service that runs", remedy="start it"
        ) from None
    return HttpDoor(address)


class KeyMemory:
    """What a service knows of idempotency keys and fences, in a file that is written before anything else is done.

    `forgets`: nothing is kept, for a control that must show an effect twice.
    """

    def __init__(self, file: Path, *, forgets: bool = False) -> None:
        self._forgets = forgets
        self._keys: dict[str, str] = {}
        self._fences: dict[str, int] = {}
        self._changed = Condition()
        self._handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        content = file.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        os.ftruncate(self._handle, len(whole))
        for line in whole.decode().splitlines():
            self._take(*json.loads(line))
        # What was under way when the last process ended may have happened: it is not attempted again.
        self._keys = {key: "interrupted" if state == "begun" else state for key, state in self._keys.items()}

    def fence(self, fences: Mapping[str, int]) -> None:
        """Refuse lower tokens from here on."""
        with self._changed:
            for resource, token in fences.items():
                if token > self._fences.get(resource, 0):
                    self._write("fence", resource, token)

    def do(self, key: str, resource: str, token: int, act: Callable[[], None]) -> int:
        """Act, unless the key is known or the token too low; the status to answer with. One under way is waited for."""
        with self._changed:
            self._changed.wait_for(lambda: self._keys.get(key) != "begun" or self._forgets)
            if key in self._keys and not self._forgets:
                return DONE if self._keys[key] == "done" else INTERRUPTED
            if token < self._fences.get(resource, 0):
                return STALE
            self._write("key", key, "begun")
        act()
        with self._changed:
            self._write("key", key, "done")
            self._changed.notify_all()
        return DONE

    def _take(self, kind: str, name: str, value: Any) -> None:
        (self._keys if kind == "key" else self._fences)[name] = value

    def _write(self, kind: str, name: str, value: Any) -> None:
        os.write(self._handle, json.dumps([kind, name, value]).encode() + b"\n")
        os.fsync(self._handle)
        self._take(kind, name, value)


def make_server(memory: KeyMemory, act: Callable[[str, str], None]) -> ThreadingHTTPServer:
    """A service on a free port of this machine that does orders by `act(intent, key)`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/fences":
                memory.fence(body)
                self._answer(DONE)
                return
            key = self.headers["Idempotency-Key"]
            self._answer(memory.do(key, body["resource"], body["token"], lambda: act(body["intent"], key)))

        def _answer(self, status: int) -> None:
            content = json.dumps({"status": status}).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                self.close_connection = True  # whoever asked is gone; the result is remembered

        def log_message(self, format: str, *args: object) -> None:
            """What happened is in the log of effects."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A connection that broke is part of the trial."""

    return Server(("127.0.0.1", 0), Handler)
