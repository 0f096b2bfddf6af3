"""Texts are compressed for clients that accept gzip. Event streams are not: each event has to arrive when it is sent.

Tags are weak, so one tag serves for both forms; every text varies with what the client accepts.
"""

from __future__ import annotations

from gzip import compress
from typing import TYPE_CHECKING, Any, Final

from anyio.to_thread import run_sync

from volition.studio.cache import Cache

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from volition.studio.exchange import Receive, Send

    Message = MutableMapping[str, Any]

LEAST: Final = 1024
"""The fewest bytes that are worth compressing."""
LEVEL: Final = 6
FILES_KEPT: Final = 64
_SMALL: Final = 2**15
_TEXTS: Final = (b"text/html", b"text/css", b"text/javascript", b"application/json", b"image/svg+xml")


class Compression:
    """An ASGI application whose texts are compressed. A file with a tag is compressed once."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._files = Cache[bytes](FILES_KEPT)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            send = self._compress_texts(send, accepted=_accepts_gzip(scope))
        await self._app(scope, receive, send)

    def _compress_texts(self, send: Send, *, accepted: bool) -> Send:
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_text(message):
                # Held back until the body is known, because its length is in the headers.
                start = {**message, "headers": [*message["headers"], (b"vary", b"accept-encoding")]}
                return
            if start is not None and message["type"] == "http.response.body":
                head, start = start, None
                body = message.get("body", b"")
                if accepted and not message.get("more_body") and len(body) >= LEAST:
                    body = await self._compress(body, _header(head, b"etag"))
                    head["headers"] = _with_encoding(head, len(body))
                    message = {**message, "body": body}
                await send(head)
            await send(message)

        return send_compressed

    async def _compress(self, body: bytes, tag: bytes) -> bytes:
        if tag in self._files:
            return self._files.get(tag, lambda: compress(body, LEVEL, mtime=0))
        small = compress(body, LEVEL, mtime=0) if len(body) < _SMALL else await run_sync(compress, body, LEVEL)
        return self._files.get(tag, lambda: small) if tag else small


def _accepts_gzip(scope: Message) -> bool:
    """Whether the client accepts gzip, and not with a weight of zero."""
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding").decode("latin-1")
    for offer in accepted.lower().split(","):
        coding, _, weight = (part.strip() for part in offer.partition(";"))
        if coding in {"gzip", "*"}:
            return weight.replace(" ", "").rstrip("0.") not in {"q=", "q"}
    return False


def _is_text(start: Message) -> bool:
    return _header(start, b"content-type").partition(b";")[0].strip() in _TEXTS


def _header(start: Message, wanted: bytes) -> bytes:
    return next((value for name, value in start["headers"] if name.lower() == wanted), b"")


def _with_encoding(start: Message, length: int) -> list[tuple[bytes, bytes]]:
    others = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
    return [*others, (b"content-encoding", b"gzip"), (b"content-length", str(length).encode())]
