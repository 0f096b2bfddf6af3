"""Texts are sent compressed to those who take gzip. Streams of events are not: they have to arrive as they are told.

Tags are weak, so one tag serves for both forms; every text says that it varies with what the other side takes.
"""

from __future__ import annotations

from gzip import compress
from typing import TYPE_CHECKING, Any, Final

from anyio.to_thread import run_sync

from volition.studio.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    Message = MutableMapping[str, Any]
    Scope = MutableMapping[str, Any]
    Send = Callable[[Any], Awaitable[None]]

LEAST: Final = 1024
"""Bytes from which on it is worth it."""
LEVEL: Final = 6
FILES_KEPT: Final = 64
_SMALL: Final = 2**15
_TEXTS: Final = (b"text/html", b"text/css", b"text/javascript", b"application/json", b"image/svg+xml")


class Compression:
    """An ASGI application whose texts are compressed. What has a tag is compressed once."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._files = Memory[bytes](FILES_KEPT)

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] == "http":
            send = self._compressing(send, wanted=_takes_gzip(scope))
        await self._app(scope, receive, send)

    def _compressing(self, send: Send, *, wanted: bool) -> Send:
        begun: Message | None = None

        async def sending(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start" and _is_text(message):
                begun = {**message, "headers": [*message["headers"], (b"vary", b"accept-encoding")]}
                return
            if begun is not None and message["type"] == "http.response.body":
                start, begun = begun, None
                body = message.get("body", b"")
                if wanted and not message.get("more_body") and len(body) >= LEAST:
                    body = await self._compressed(body, _header(start, b"etag"))
                    start["headers"] = _headers(start, len(body))
                    message = {**message, "body": body}
                await send(start)
            await send(message)

        return sending

    async def _compressed(self, body: bytes, tag: bytes) -> bytes:
        if tag in self._files:
            return self._files.get(tag, lambda: compress(body, LEVEL, mtime=0))
        small = compress(body, LEVEL, mtime=0) if len(body) < _SMALL else await run_sync(compress, body, LEVEL)
        return self._files.get(tag, lambda: small) if tag else small


def _takes_gzip(scope: Scope) -> bool:
    """Whether gzip is among what the other side takes, and not by a weight of nothing."""
    told = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding").decode("latin-1")
    for one in told.lower().split(","):
        coding, _, weight = (part.strip() for part in one.partition(";"))
        if coding in {"gzip", "*"}:
            return weight.replace(" ", "").rstrip("0.") not in {"q=", "q"}
    return False


def _is_text(start: Message) -> bool:
    return _header(start, b"content-type").partition(b";")[0].strip() in _TEXTS


def _header(start: Message, wanted: bytes) -> bytes:
    return next((value for name, value in start["headers"] if name.lower() == wanted), b"")


def _headers(start: Message, length: int) -> list[tuple[bytes, bytes]]:
    kept = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
    return [*kept, (b"content-encoding", b"gzip"), (b"content-length", str(length).encode())]
