"""The gate in front of everything else: who may send requests at all, and how much.

A page of another site can make a browser send requests to this machine. So the Host must be one of our names (a name
that an attacker's DNS points here is not), and whatever changes something must come from our own pages or from no page.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import MissingPart, Problem
from volition.studio.bodies import BODY_BYTES, BODY_SECONDS, read_body
from volition.studio.errors import RETRY, RequestRefused, body_of
from volition.studio.exchange import Exchange
from volition.studio.tokens import TokenCheck

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.studio.exchange import Receive, Scope, Send

STREAMS: Final = 256
"""How many event streams may be open at once."""
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
OURS: Final = frozenset({"same-origin", "none"})
"""What browsers say about requests by our own pages, and about those that a person typed."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What our pages may load: their own files, and nothing inline."""
HEADERS: Final = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}
_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::[0-9]{1,5})?")


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
        self._tokens = TokenCheck(token)
        self._limit = limit
        self.seconds = seconds
        self._streams = streams
        self.streaming = 0

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
        self._tokens.check(scope, headers)
        if (way_in := self._tokens.redirect(scope)) is not None:
            await _respond(send, 303, b"", way_in)
            return
        body = b""
        if scope["method"] not in SAFE:
            body = await read_body(headers, receive, limit=self._limit, seconds=self.seconds)
        await self._pass_on(scope, Exchange(body, receive), send)

    async def _pass_on(self, scope: Scope, exchange: Exchange, send: Send) -> None:
        """To the application, with a cap on the number of streams: a response says whether it is one, no address does."""
        counted = refused = False

        async def send_counted(message: Any) -> None:
            nonlocal counted, refused
            if message["type"] == "http.response.start" and _is_stream(message):
                refused = self.streaming >= self._streams
                counted = not refused
                self.streaming += counted
                if refused:
                    exchange.end()
            if not refused:
                await send(message)

        run = exchange.run_for_head if scope["method"] == "HEAD" else exchange.run
        try:
            await run(self._app, scope, send_counted)
        finally:
            self.streaming -= counted
        if refused:
            problem = Problem(
                f"{self._streams} streams are open",
                "the studio",
                f"at most {self._streams} at once",
                "close a page that follows something, or try again later",
            )
            raise RequestRefused(503, MissingPart(problem), RETRY)

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


def _is_stream(start: Any) -> bool:
    kinds = [value for name, value in start["headers"] if name.lower() == b"content-type"]
    return any(kind.partition(b";")[0].strip().lower() == b"text/event-stream" for kind in kinds)


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
