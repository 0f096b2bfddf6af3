"""The gate in front of everything else: who may send requests at all, and how much.

A page of another site can make a browser send requests to this machine. So the Host must be one of our names (a name
that an attacker's DNS points here is not), and whatever changes something must come from our own pages or from no page.
Bodies are bounded in bytes and time, and are JSON in UTF-8, before any parser sees them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from hmac import compare_digest
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlencode

from volition.core.errors import InvalidInput, MissingPart, Problem
from volition.studio.errors import RETRY, body_of

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableMapping

    from volition.core.errors import VolitionError

    Scope = MutableMapping[str, Any]


Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
BODY_BYTES: Final = 16 * 2**20
"""How many bytes a body may have."""
BODY_SECONDS: Final = 30.0
"""How long a body may take, from the end of its head on."""
STREAMS: Final = 32
"""How many event streams may be open at once."""
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
OURS: Final = frozenset({"same-origin", "none"})
"""What browsers say about requests by our own pages, and about those that a person typed."""
COOKIE: Final = "volition_studio"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What our pages may load: their own files, and nothing inline."""
CHARTED: Final = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""What a page with charts may load: the chart library creates styles as it draws; scripts are still files only."""
HEADERS: Final = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}
_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::[0-9]{1,5})?")
_COOKIE: Final = re.compile(rf"(?:^|;)\s*{COOKIE}=([A-Za-z0-9_-]+)")


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


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "10.0.0.1", "example.org")]
    [True, True, True, False, False, False]
    """
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


class Gate:
    """An ASGI application in front of another one.

    `bound` is the address that the studio listens on. On loopback only the names of loopback are accepted as hosts;
    elsewhere also the studio's own address, and where it listens everywhere any numeric address: no DNS can change
    what those mean.
    """

    def __init__(
        self,
        app: Any,
        *,
        bound: str = "127.0.0.1",
        token: str | None = None,
        limit: int = BODY_BYTES,
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
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            send = _with_headers(send)
            try:
                await self._answer(scope, receive, send)
            except RequestRefused as refused:
                headers = [(b"content-type", b"application/json"), *refused.headers]
                await _respond(send, refused.status, body_of(refused.error), headers)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        self._check_sender(scope, headers)
        self._check_token(scope, headers)
        if self._token is not None and scope["method"] == "GET" and any(map(self._is_token, _query_tokens(scope))):
            await _respond(send, 303, b"", self._move_token_to_cookie(scope))
            return
        if scope["method"] not in SAFE:
            receive = await _read_body(headers, receive, limit=self._limit, seconds=self.seconds)
        pass_on = self._answer_head if scope["method"] == "HEAD" else self._pass_on
        await pass_on(scope, receive, send)

    async def _answer_head(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The head of what GET returns. Once it is sent, the application hears a disconnect, so that a stream ends."""
        begun = asyncio.Event()

        async def send_head(message: Any) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                begun.set()

        async def disconnect() -> Any:
            await begun.wait()
            return {"type": "http.disconnect"}

        await self._pass_on({**scope, "method": "GET"}, disconnect, send_head)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """To the application, with a cap on the number of streams."""
        is_stream = scope["path"].endswith("/live")
        if is_stream and self._streaming >= self._streams:
            problem = Problem(
                f"{self._streams} streams are open",
                "the studio",
                f"at most {self._streams} at once",
                "close a page that follows something, or try again later",
            )
            raise RequestRefused(503, MissingPart(problem), [(b"retry-after", RETRY.encode())])
        self._streaming += is_stream
        try:
            await self._app(scope, receive, send)
        finally:
            self._streaming -= is_stream

    def _check_sender(self, scope: Scope, headers: dict[str, list[str]]) -> None:
        """Refuse requests for other hosts, and those that pages of other sites caused."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._is_our_host(hosts[0].lower()):
            expected, remedy = "an address of this studio", "open the address that the studio printed"
            raise RequestRefused.because(403, "the request is for another host", "the header Host", expected, remedy)
        changes = scope["method"] not in SAFE
        origins = {f"http://{hosts[0].lower()}", f"https://{hosts[0].lower()}"}
        foreign = any(site not in OURS for site in headers.get("sec-fetch-site", []))
        if (foreign and (changes or scope["path"].startswith("/api/"))) or (
            changes and any(origin.lower() not in origins for origin in headers.get("origin", []))
        ):
            what = "the request comes from a page of another site"
            raise RequestRefused.because(
                403, what, "the header Origin", "a page of this studio", "use the studio's own pages"
            )

    def _is_our_host(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        name = parts[1] or parts[2]
        if is_loopback(self._bound) or is_loopback(name):
            return is_loopback(name)
        everywhere = (address := _address(self._bound)) is not None and address.is_unspecified
        return name == self._bound.lower() or (everywhere and _address(name) is not None)

    def _check_token(self, scope: Scope, headers: dict[str, list[str]]) -> None:
        if self._token is None:
            return
        tokens = [value[7:] for value in headers.get("authorization", []) if value.startswith("Bearer ")]
        tokens += [value for header in headers.get("cookie", []) for value in _COOKIE.findall(header)]
        if not any(map(self._is_token, [*tokens, *_query_tokens(scope)])):
            raise RequestRefused.because(
                401,
                "the token is missing or wrong",
                "the header Authorization, or the cookie",
                "the token that the studio was started with",
                "open the address that the studio printed, which contains it",
            )

    def _is_token(self, value: str) -> bool:
        return compare_digest(value.encode(), (self._token or "").encode())

    def _move_token_to_cookie(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """Headers that lead to the same address without the token, with a cookie that no script can read."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        query.pop("token")
        path = "/" + scope["path"].lstrip("/\\")  # two slashes would lead to another site
        where = path + (f"?{urlencode(query, doseq=True)}" if query else "")
        cookie = f"{COOKIE}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        return [(b"location", where.encode("latin-1", "replace")), (b"set-cookie", cookie.encode())]


def _headers(scope: Scope) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for key, value in scope["headers"]:
        headers.setdefault(key.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


def _address(host: str) -> Any:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _query_tokens(scope: Scope) -> list[str]:
    return parse_qs(scope["query_string"].decode("latin-1")).get("token", [])


def _with_headers(send: Send) -> Send:
    """Sends responses with the headers that apply everywhere, unless a route sets its own."""

    async def send_with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            present = {key.lower() for key, _ in message["headers"]}
            added = [(key, value) for key, value in HEADERS.items() if key not in present]
            message["headers"] = [*message["headers"], *added]
        await send(message)

    return send_with_headers


async def _respond(send: Send, status: int, body: bytes, headers: Iterable[tuple[bytes, bytes]]) -> None:
    start = [*headers, (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _read_body(headers: dict[str, list[str]], receive: Receive, *, limit: int, seconds: float) -> Receive:
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
    try:
        body.decode()
    except UnicodeDecodeError as error:
        what = f"the body is not UTF-8: byte {error.start} is 0x{body[error.start]:02x}"
        raise RequestRefused.because(400, what, "the body", "JSON in UTF-8", "write it in UTF-8") from None
    return _replay(bytes(body), receive)


def _too_large(limit: int) -> RequestRefused:
    remedy = "send less, or use the command line"
    return RequestRefused.because(413, "the body is too large", "the body", f"at most {limit} bytes", remedy)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Receives a body that was already read, and then whatever comes."""
    messages: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Any:
        return messages.pop() if messages else await receive()

    return next_message
