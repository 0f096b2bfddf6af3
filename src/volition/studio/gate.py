"""The gate: who may ask the studio at all, and how much may be sent. It stands before everything else.

A page of another site can make a browser send requests to this machine. So the Host must be one of our names (a name
that an attacker's DNS points here is not), and whatever changes something must come from our own pages or from no page.
"""

from __future__ import annotations

import asyncio
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from anyio.to_thread import run_sync

from volition.core.errors import InvalidInput, MissingPart, Problem
from volition.studio.connection import BODY_SECONDS
from volition.studio.depth import MOST, too_deep
from volition.studio.errors import RETRY, body_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, MutableMapping

    Message = MutableMapping[str, Any]
    Scope = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Any]]
    Send = Callable[[Any], Awaitable[None]]

LIMIT: Final = 16 * 2**20
"""How many bytes a body may have."""
STREAMS: Final = 32
"""How many streams of events may be open at once."""
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
OURS: Final = frozenset({"same-origin", "none"})
"""What browsers say of requests by our own pages, and of those that a person typed."""
COOKIE: Final = "volition_studio"
LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What our pages may load: their own files, and nothing inline."""
CHARTED: Final = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""What a page with charts may load: the library that draws them makes its styles as it goes; scripts stay files."""
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_LARGE: Final = 2**18


def is_loopback(host: str) -> bool:
    """Whether an address reaches this machine alone.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "10.0.0.1", "example.org")]
    [True, True, True, False, False, False]
    """
    if host == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


class Gate:
    """An ASGI application in front of another one.

    `bound` is the address that the studio listens on. On loopback its names are the only hosts; elsewhere its own
    address is one too, and where it listens everywhere any address in digits: no DNS can change what those mean.
    """

    def __init__(
        self,
        app: Any,
        *,
        bound: str = "127.0.0.1",
        token: str | None = None,
        limit: int = LIMIT,
        seconds: float = BODY_SECONDS,
        streams: int = STREAMS,
    ) -> None:
        self._app = app
        self._bound = bound
        self._token = token
        self._limit = limit
        self.seconds = seconds
        self._streams = streams
        self._streaming = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return
        headers = _headers(scope)
        guarded = _guarded(send)
        refused = self._refused(scope, headers) or self._strange(scope, headers)
        if refused is None and (moved := self._let_in(scope)) is not None:
            await _respond(guarded, 303, b"", moved)
            return
        if refused is None and scope["method"] not in SAFE:
            receive, refused = await self._body(headers, receive)
        if refused is not None:
            status, problem = refused
            await _respond(guarded, status, body_of(InvalidInput(problem)), [(b"content-type", b"application/json")])
            return
        if scope["method"] == "HEAD":
            await self._head(scope, guarded)
        else:
            await self._through(scope, receive, guarded)

    async def _head(self, scope: Scope, send: Send) -> None:
        """The head of what GET gives; when it is sent nobody reads on, so that a stream ends."""
        begun = asyncio.Event()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                begun.set()

        async def receive() -> Any:
            await begun.wait()
            return {"type": "http.disconnect"}

        await self._through({**scope, "method": "GET"}, receive, sending)
        if begun.is_set():
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _through(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._stream if scope["path"].endswith("/live") else self._app)(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one more stream through, as long as there are not too many."""
        if self._streaming >= self._streams:
            problem = Problem(
                f"{self._streams} streams are open",
                "the studio",
                f"at most {self._streams} at once",
                "close a page that follows something, or ask again later",
            )
            headers = [(b"content-type", b"application/json"), (b"retry-after", RETRY.encode())]
            await _respond(send, 503, body_of(MissingPart(problem)), headers)
            return
        self._streaming += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._streaming -= 1

    # Who asks.

    def _refused(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, Problem] | None:
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return 403, Problem(
                "the request is for another host", "the header Host", "an address of this studio", "open the address that the studio printed"
            )  # fmt: skip
        sites, origins = headers.get("sec-fetch-site", []), headers.get("origin", [])
        changes = scope["method"] not in SAFE
        foreign = any(site not in OURS for site in sites) and (changes or scope["path"].startswith("/api/"))
        if foreign or (changes and any(not _same(origin, hosts[0]) for origin in origins)):
            return 403, Problem(
                "the request comes from a page of another site", "the header Origin", "a page of this studio", "use the studio's own pages"
            )  # fmt: skip
        return None

    def _is_ours(self, host: str) -> bool:
        name = _name(host)
        if name in LOCAL or (name is not None and is_loopback(name)):
            return True
        if name is None or is_loopback(self._bound):
            return False
        everywhere = (address := _address(self._bound)) is not None and address.is_unspecified
        return name == self._bound.lower() or (everywhere and _address(name) is not None)

    # Whether they know the token.

    def _strange(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, Problem] | None:
        if self._token is None or self._knows(scope, headers):
            return None
        return 401, Problem(
            "the token is missing or wrong",
            "the header Authorization, or the cookie",
            "the token that the studio was started with",
            "open the address that the studio printed, which holds it",
        )

    def _knows(self, scope: Scope, headers: dict[str, list[str]]) -> bool:
        given = [
            value.removeprefix("Bearer ") for value in headers.get("authorization", []) if value.startswith("Bearer ")
        ]
        given += [told for header in headers.get("cookie", []) if (told := _cookie(header))]
        given += _query_tokens(scope)
        return any(self._is_token(value) for value in given)

    def _is_token(self, value: str) -> bool:
        return compare_digest(value.encode(), (self._token or "").encode())

    def _let_in(self, scope: Scope) -> list[tuple[bytes, bytes]] | None:
        """Where an address with the token leads: to the same without it, with a cookie that only we can read."""
        if self._token is None or scope["method"] != "GET" or not any(map(self._is_token, _query_tokens(scope))):
            return None
        rest = {
            key: value for key, value in parse_qs(scope["query_string"].decode("latin-1")).items() if key != "token"
        }
        path = "/" + scope["path"].lstrip("/\\")
        where = path + (f"?{urlencode(rest, doseq=True)}" if rest else "")
        cookie = f"{COOKIE}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        return [(b"location", where.encode("latin-1", "replace")), (b"set-cookie", cookie.encode())]

    # How much they send.

    async def _body(
        self, headers: dict[str, list[str]], receive: Receive
    ) -> tuple[Receive, tuple[int, Problem] | None]:
        where = "the body"
        large = Problem(
            "the body is too large", where, f"at most {self._limit} bytes", "send less, or use the command line"
        )
        announced = headers.get("content-length", ["0"])[0]
        if not announced.isdecimal() or int(announced) > self._limit:
            return receive, (413, large)
        parts, size, more = list[bytes](), 0, True
        try:
            async with asyncio.timeout(self.seconds):
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        return receive, (400, Problem("the body ended early", where, "a whole body", "send it again"))
                    parts.append(message["body"])
                    size += len(message["body"])
                    more = message["more_body"]
                    if size > self._limit:
                        return receive, (413, large)
        except TimeoutError:
            expected = f"a whole body within {self.seconds:g} seconds"
            return receive, (408, Problem("the body did not come to its end in time", where, expected, "send it again"))
        body = b"".join(parts)
        kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
        if body and kind != "application/json":
            return receive, (
                415,
                Problem(
                    f"the body is {kind[:80] or 'of no kind'}",
                    "the header Content-Type",
                    "application/json",
                    "send JSON",
                ),
            )
        flaw = _flaw(body) if size < _LARGE else await run_sync(_flaw, body)
        return (receive, (400, flaw)) if flaw is not None else (_once(body, receive), None)


def _flaw(body: bytes) -> Problem | None:
    """What no parser has to be asked about: letters that are none, and nesting without end."""
    if too_deep(body):
        return Problem("the body is nested too deeply", "the body", f"at most {MOST} levels", "flatten it")
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return Problem(
            f"the body is not UTF-8: byte {error.start} is 0x{body[error.start]:02x}",
            "the body",
            "JSON in UTF-8",
            "write it in UTF-8, or escape what is not a letter",
        )
    return None


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in scope["headers"]:
        found.setdefault(key.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _name(host: str) -> str | None:
    """The name in a Host header, without the port; None where it is no such header."""
    try:
        parts = urlsplit(f"//{host}")
        named = parts.hostname if parts.port is None or parts.port else None
    except ValueError:
        return None
    bare = host.rpartition("@")[0] or parts.path or parts.query or parts.fragment
    return None if bare else named


def _address(host: str) -> Any:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _same(origin: str, host: str) -> bool:
    return origin.lower() in {f"http://{host}".lower(), f"https://{host}".lower()}


def _cookie(header: str) -> str | None:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


def _query_tokens(scope: Scope) -> list[str]:
    return parse_qs(scope["query_string"].decode("latin-1")).get("token", [])


def _once(body: bytes, receive: Receive) -> Receive:
    """What receives a body that was read already, and then whatever comes."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:
        return messages.pop() if messages else await receive()

    return again


def _guarded(send: Send) -> Send:
    """Sends with the headers that hold everywhere; a route may set its own before."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            told = {key.lower() for key, _ in message["headers"]}
            more = [(key.encode(), value.encode()) for key, value in HEADERS.items() if key.encode() not in told]
            message["headers"] = [*message["headers"], *more]
        await send(message)

    return guarded


async def _respond(
    send: Callable[[Any], Any], status: int, body: bytes, headers: Iterable[tuple[bytes, bytes]]
) -> None:
    start = [*headers, (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body, "more_body": False})
