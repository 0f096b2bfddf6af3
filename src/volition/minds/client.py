"""The client of a chat completions server, which minds and narrators share.

Only one address is ever asked: redirects are not followed. An answer is bounded in time and size. The key is read from
the environment at each question, and is taken out of everything that is told about it, also where a server repeats it.
"""

from __future__ import annotations

import asyncio
import os
import weakref
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, urlsplit

from volition.core.errors import format_value, refuse
from volition.core.extras import require
from volition.minds.completion import read_completion
from volition.minds.contract import Unanswered, check_deadline
from volition.minds.workers import seconds_left

if TYPE_CHECKING:
    import httpx

KEY_ENV: Final = "VOLITION_MIND_KEY"
TIMEOUT_S: Final = 20.0
LIMIT_BYTES: Final = 64 * 1024
RETRIES: Final = 2
BACKOFF_S: Final = 0.25
"""The pause before the first retry, unless the server names one; it doubles with each."""
HIDDEN: Final = "[key]"


class ChatClient:
    """Asks one server for completions, in any event loop and as many at the same time as there are callers.

    Args:
        url: the base of the server, such as http://localhost:8080/v1.
        key_env: the environment variable with the key; without one none is sent.
        timeout_s: how long one completion may take, retries included; the deadline of a mind may be shorter.

    MissingPart names the extra to install where httpx is missing.
    """

    def __init__(self, url: str, *, key_env: str = KEY_ENV, timeout_s: float = TIMEOUT_S) -> None:
        require("httpx")
        import httpx  # noqa: PLC0415  now, because importing it takes longer than a deadline may be

        _check_url(url)
        check_deadline(timeout_s)
        self.url, self.key_env, self.timeout_s = url.rstrip("/"), key_env, timeout_s
        # Read once, because it takes as long as a question; without encryption there is nothing to trust.
        self._trusted = httpx.create_ssl_context() if self.url.startswith("https:") else False
        self._clients: dict[asyncio.AbstractEventLoop, httpx.AsyncClient] = {}
        weakref.finalize(self, _close_clients, self._clients).atexit = False  # the system closes them then

    def read_key(self) -> str:
        """The key as it is now; an empty text where there is none."""
        return os.environ.get(self.key_env, "").strip()

    async def complete(self, body: dict[str, Any], key: str) -> tuple[str, int]:
        """The text of the answer to a request, and the tokens that it cost; Unanswered, without the key, says why there is none.

        The text is what the server sent: take the key out of what is kept of it, with `hide_key`.
        """
        try:
            async with asyncio.timeout(self.timeout_s):
                text, tokens = read_completion(await self._post(body, key))
        except TimeoutError:
            raise Unanswered("late", f"no answer within {self.timeout_s:g} s") from None
        except Unanswered as error:
            fault, words = hide_key(error.fault, key), hide_key(error.words, key)
            raise Unanswered(error.fallback, fault, words=words, tokens=error.tokens) from None
        return text, tokens

    async def close(self) -> None:
        """Close the connections of the running event loop, which is about to end."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    async def _post(self, body: dict[str, Any], key: str) -> bytes:
        """The bytes of an answer; passing faults are tried again as long as there is time."""
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {_printable(key, self.key_env)}"
        ends = asyncio.get_running_loop().time() + self.timeout_s
        for attempt in range(RETRIES + 1):
            try:
                return await self._post_once(body, headers)
            except _PassingFault as fault:
                pause = BACKOFF_S * 2**attempt if fault.pause_s is None else fault.pause_s
                left = min(ends - asyncio.get_running_loop().time(), _time_left())
                if attempt == RETRIES:
                    raise Unanswered("unreachable", f"{fault}, {RETRIES + 1} times", words=fault.words) from None
                if pause >= left:
                    late = f"{fault}; trying again in {pause:g} s would be too late"
                    raise Unanswered("unreachable", late, words=fault.words) from None
            await asyncio.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    async def _post_once(self, body: dict[str, Any], headers: dict[str, str]) -> bytes:
        import httpx  # noqa: PLC0415  an optional part

        try:
            async with self._client().stream("POST", f"{self.url}/chat/completions", json=body, headers=headers) as got:
                data = await _read_bounded(got)
        except httpx.TransportError as error:
            raise _PassingFault(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__) from None
        except httpx.HTTPError as error:
            raise Unanswered("unreachable", f"{type(error).__name__}: {error}") from None
        words = data[:200].decode("utf-8", "replace")
        if got.status_code in {408, 429} or got.status_code >= 500:
            raise _PassingFault(f"status {got.status_code}", _retry_after(got.headers.get("Retry-After", "")), words)
        if got.is_redirect:
            to = format_value(got.headers.get("Location", ""))
            raise Unanswered(
                "unreachable", f"status {got.status_code}: a redirect to {to} is not followed", words=words
            )
        if got.status_code != 200:
            raise Unanswered("unreachable", f"status {got.status_code}", words=words)
        return data

    def _client(self) -> httpx.AsyncClient:
        """The client of the running event loop: its connections belong to that loop."""
        import httpx  # noqa: PLC0415  an optional part

        loop = asyncio.get_running_loop()
        for ended in [other for other in tuple(self._clients) if other.is_closed()]:
            self._clients.pop(ended, None)
        if loop not in self._clients:
            # Nothing of the environment (proxies, .netrc) sends a question or a key elsewhere.
            self._clients[loop] = httpx.AsyncClient(timeout=None, trust_env=False, verify=self._trusted)  # noqa: S113
        return self._clients[loop]


class _PassingFault(Exception):
    """A fault that may be gone at the next attempt, after the pause that the server asks for."""

    def __init__(self, what: str, pause_s: float | None = None, words: str = "") -> None:
        super().__init__(what)
        self.pause_s, self.words = pause_s, words


async def _read_bounded(response: httpx.Response) -> bytes:
    """The body as it comes. What is compressed in spite of what was asked for is not unpacked: its size is unknown."""
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise Unanswered("invalid", f"the answer is encoded as {format_value(encoding)}")
    data = bytearray()
    async for part in response.aiter_raw():
        data += part
        if len(data) > LIMIT_BYTES:
            raise Unanswered(
                "invalid", f"the answer is larger than {LIMIT_BYTES} bytes", words=data[:200].decode("latin1")
            )
    return bytes(data)


def _retry_after(value: str) -> float | None:
    """The pause that a server asks for, in seconds; None where it says nothing that can be read."""
    try:
        return (
            max(0.0, float(value)) if value.isdecimal() else max(0.0, parsedate_to_datetime(value).timestamp() - time())
        )
    except (ValueError, OverflowError):
        return None


def _time_left() -> float:
    left = seconds_left()
    return float("inf") if left is None else left


def _printable(key: str, key_env: str) -> str:
    if not (key.isascii() and key.isprintable()):
        raise Unanswered("unreachable", f"the key in {key_env} has characters that cannot be sent")
    return key


def hide_key(text: str, key: str) -> str:
    """A text without the key."""
    return text.replace(key, HIDDEN) if key else text


def _close_clients(clients: dict[asyncio.AbstractEventLoop, httpx.AsyncClient]) -> None:
    """Close connections where they were opened, each in its event loop."""
    for loop, client in clients.items():
        if loop.is_running():
            asyncio.run_coroutine_threadsafe(client.aclose(), loop)


def _check_url(url: Any) -> None:
    parts = _split_address(url)
    if parts is None or parts.query or parts.fragment or "@" in parts.netloc:
        # A part of an address with a user or a query may be secret, and is not repeated.
        what = f"the address of {parts.hostname} has a user, a query or a fragment" if parts else _no_address(url)
        refuse(
            what,
            where="url",
            expected="the http or https address of a server, without a user, a query or a fragment",
            remedy="write it like http://localhost:8080/v1; the key comes from the environment",
        )


def _split_address(url: Any) -> SplitResult | None:
    """The parts of the address of a server; None where it is none."""
    import httpx  # noqa: PLC0415  an optional part

    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        return parts if is_address and httpx.URL(url).host else None
    except (ValueError, TypeError, AttributeError, httpx.InvalidURL):
        return None


def _no_address(url: Any) -> str:
    is_open = not isinstance(url, str) or "@" not in url
    return f"{format_value(url) if is_open else 'this'} is no address of a model"
