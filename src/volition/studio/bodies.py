"""Bodies are bounded in bytes and time, and are JSON in UTF-8, before any parser sees them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from volition.studio.errors import RequestRefused

if TYPE_CHECKING:
    from volition.studio.exchange import Receive

BODY_BYTES: Final = 16 * 2**20
"""How many bytes a body may have."""
BODY_SECONDS: Final = 30.0
"""How long a body may take, from the end of its head on."""


async def read_body(headers: dict[str, list[str]], receive: Receive, *, limit: int, seconds: float) -> bytes:
    """A whole body; RequestRefused says what is wrong with it."""
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
    try:
        body.decode()
    except UnicodeDecodeError as error:
        what = f"the body is not UTF-8: byte {error.start} is 0x{body[error.start]:02x}"
        raise RequestRefused.because(400, what, "the body", "JSON in UTF-8", "write it in UTF-8") from None
    return bytes(body)


def _too_large(limit: int) -> RequestRefused:
    remedy = "send less, or use the command line"
    return RequestRefused.because(413, "the body is too large", "the body", f"at most {limit} bytes", remedy)
