"""An endpoint that speaks the chat completions protocol, asked for one answer at a time, within bounds of time and size."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Timer
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

TIMEOUT_S: Final = 20.0
LIMIT_BYTES: Final = 64 * 1024
_PATH: Final = "/chat/completions"


class EndpointFailed(Exception):
    """The endpoint gave no usable answer; its text says why."""


@dataclass(frozen=True, slots=True)
class WordEndpoint:
    """Where to ask, for which model, and how much time and how many bytes one answer may take.

    `url` is the base, such as http://localhost:8080/v1; `key` is sent as a bearer token if there is one.
    """

    url: str
    model: str
    key: str | None = None
    timeout_s: float = TIMEOUT_S
    limit_bytes: int = LIMIT_BYTES

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            refuse(
                f"{self.url!r} is no address of an endpoint",
                where="the endpoint",
                expected="an http or https address",
                remedy="write it like http://localhost:8080/v1",
            )

    def body(self, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        """The body of a request: all that an answer depends on."""
        return {"model": self.model, "messages": list(messages), "temperature": 0, "max_tokens": 120}

    def ask(self, body: dict[str, Any]) -> str:
        """The text of the answer; EndpointFailed for anything else, after at most `timeout_s` for connecting and for it."""
        try:
            return _content(self._post(json.dumps(body).encode()))
        except (OSError, HTTPException, ValueError) as error:
            raise EndpointFailed(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__) from None

    def _post(self, data: bytes) -> bytes:
        parts = urlsplit(self.url)
        assert parts.hostname is not None
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname, parts.port, timeout=self.timeout_s)
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        try:
            connection.connect()
            # A timeout of the socket starts again with every byte, so a server that drips is cut off by a timer.
            cut = Timer(self.timeout_s, _shut, [connection.sock])
            cut.daemon = True
            cut.start()
            try:
                connection.request("POST", parts.path.rstrip("/") + _PATH, data, headers)
                response = connection.getresponse()
                answer = response.read(self.limit_bytes + 1)
            finally:
                cut.cancel()
        finally:
            connection.close()
        if response.status != 200:
            raise ValueError(f"the endpoint answered with status {response.status}")
        if len(answer) > self.limit_bytes:
            raise ValueError(f"the answer is larger than {self.limit_bytes} bytes")
        return answer


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _content(answer: bytes) -> str:
    """The text in a chat completion."""
    try:
        content = json.loads(answer)["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError, RecursionError):
        raise ValueError("the answer is no chat completion") from None
    if not isinstance(content, str):
        raise ValueError("the answer has no text")  # noqa: TRY004  an unusable answer is one kind of failure
    return content
