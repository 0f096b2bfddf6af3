"""The bodies of requests: bounded in bytes, time and depth, and JSON in UTF-8, before any parser sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from anyio.to_thread import run_sync

from volition.core.errors import InvalidInput, Problem
from volition.studio.depth import DEEPEST, too_deep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.core.errors import VolitionError

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

BODY_BYTES: Final = 16 * 2**20
"""How many bytes a body may have."""
_LARGE: Final = 2**18


class RequestRefused(Exception):
    """A request is answered with an error before it reaches the application."""

    def __init__(self, status: int, error: VolitionError, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        super().__init__(status)
        self.status = status
        self.error = error
        self.headers = headers

    @classmethod
    def because(cls, status: int, *problem: str) -> RequestRefused:
        """A refusal for what was sent: what, where, expected, remedy."""
        return cls(status, InvalidInput(Problem(*problem)))


async def read_body(headers: dict[str, list[str]], receive: Receive, *, limit: int, seconds: float) -> Receive:
    """Read a whole body; returns what an application receives it from. RequestRefused says what is wrong with it."""
    announced = headers.get("content-length", ["0"])[0]
    if not announced.isdecimal() or int(announced) > limit:
        raise _too_large(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            more = True
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise RequestRefused.because(
                        400, "the body ended early", "the body", "a whole body", "send it again"
                    )
                body += message["body"]
                more = message["more_body"]
                if len(body) > limit:
                    raise _too_large(limit)
    except TimeoutError:
        expected = f"a whole body within {seconds:g} seconds"
        raise RequestRefused.because(408, "the body was too slow", "the body", expected, "send it again") from None
    kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
    if body and kind != "application/json":
        # A page of another site can send a form without asking first, but never JSON.
        what = f"the body is {kind[:80] or 'of no type'}"
        raise RequestRefused.because(415, what, "the header Content-Type", "application/json", "send JSON")
    if len(body) < _LARGE:
        _check_text(body)
    else:
        await run_sync(_check_text, body)
    return _replay(bytes(body), receive)


def _too_large(limit: int) -> RequestRefused:
    remedy = "send less, or use the command line"
    return RequestRefused.because(413, "the body is too large", "the body", f"at most {limit} bytes", remedy)


def _check_text(body: bytes | bytearray) -> None:
    """Refuse what would crash or slow down a parser: invalid UTF-8, and nesting without end."""
    if too_deep(body):
        expected = f"at most {DEEPEST} levels"
        raise RequestRefused.because(400, "the body is nested too deeply", "the body", expected, "flatten it")
    try:
        body.decode()
    except UnicodeDecodeError as error:
        what = f"the body is not UTF-8: byte {error.start} is 0x{body[error.start]:02x}"
        raise RequestRefused.because(400, what, "the body", "JSON in UTF-8", "write it in UTF-8") from None


def _replay(body: bytes, receive: Receive) -> Receive:
    """Receives a body that was already read, and then whatever comes."""
    messages: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Any:
        return messages.pop() if messages else await receive()

    return next_message
