"""Who knows the token, and how many wrong ones an address may try.

Each address may try a few wrong tokens, and then one more every few seconds. Until then its tokens are not looked at, so
that guessing gets no faster by asking more often. Other addresses are not affected. A token that was wrong before, such
as the cookie of a studio that was started again, is not a new try.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from hashlib import blake2b
from hmac import compare_digest
from ipaddress import ip_address, ip_network
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, quote, urlencode

from volition.studio.errors import LOG, RequestRefused, escape_control

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.studio.exchange import Scope

COOKIE: Final = "volition_studio"
TRIES: Final = 10
"""How many different wrong tokens an address may try at once."""
SECONDS_PER_TRY: Final = 6.0
"""Seconds after which it may try one more."""
ADDRESSES_KEPT: Final = 1024
"""How many addresses are remembered; the one that was wrong longest ago goes first."""
WHOLE_NETWORK: Final = 64
"""The leading bits of an IPv6 address that count: whoever has one has the whole network."""
_COOKIE: Final = re.compile(rf"(?:^|;)\s*{COOKIE}=([A-Za-z0-9_-]+)")


class WrongTries:
    """The wrong tokens of one address: how many tries are left, as of when, and what the last ones were."""

    def __init__(self, now: float) -> None:
        self.left = float(TRIES)
        self._as_of = now
        self._tried: deque[bytes] = deque(maxlen=TRIES)

    def renew(self, now: float) -> None:
        """Give back the tries of the time that has passed."""
        self.left = min(float(TRIES), self.left + (now - self._as_of) / SECONDS_PER_TRY)
        self._as_of = now

    def note(self, token: str) -> None:
        """Use up a try, unless this one was wrong before. Only a digest of it is kept."""
        digest = blake2b(token.encode("utf-8", "surrogateescape"), digest_size=16).digest()
        if digest not in self._tried:
            self._tried.append(digest)
            self.left = max(0.0, self.left - 1)


class TokenCheck:
    """Whether requests carry the token, in the query, as a cookie or as `Authorization: Bearer`; without one, all pass."""

    def __init__(self, token: str | None, clock: Callable[[], float] = monotonic) -> None:
        self._token = token
        self._clock = clock
        self._wrong: OrderedDict[str, WrongTries] = OrderedDict()

    def check(self, scope: Scope, headers: dict[str, list[str]]) -> None:
        """RequestRefused for a request without the token, or from an address that has tried too many wrong ones."""
        if self._token is None:
            return
        # At most one of each kind: otherwise one request could carry a thousand tries.
        tokens = [value[7:] for value in headers.get("authorization", []) if value.startswith("Bearer ")][:1]
        tokens += [value for header in headers.get("cookie", []) for value in _COOKIE.findall(header)][:1]
        tokens += _query_tokens(scope)
        address = _address(scope)
        if tokens:
            self._check_tries(address)
        if not any(map(self._is_token, tokens)):
            self._note_wrong(address, tokens)
            raise RequestRefused.because(
                401,
                "the token is missing or wrong",
                "the header Authorization, or the cookie",
                "the token that the studio was started with",
                "open the address that the studio printed, which contains it",
            )

    def redirect(self, scope: Scope) -> list[tuple[bytes, bytes]] | None:
        """Where the token is in the address of a page: headers that lead to the same address without it, with a cookie that
        no script can read."""
        if self._token is None or scope["method"] != "GET" or not any(map(self._is_token, _query_tokens(scope))):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        query.pop("token")
        # Two slashes would lead to another site, and a line end would begin another header.
        path = quote("/" + scope["path"].lstrip("/\\"), errors="replace")
        where = path + (f"?{urlencode(query, doseq=True)}" if query else "")
        cookie = f"{COOKIE}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        return [(b"location", where.encode()), (b"set-cookie", cookie.encode())]

    def _is_token(self, value: str) -> bool:
        return compare_digest(value.encode("utf-8", "surrogateescape"), (self._token or "").encode())

    def _check_tries(self, address: str) -> None:
        tries = self._wrong.get(address)
        if tries is None:
            return
        tries.renew(self._clock())
        if tries.left < 1:
            seconds = max(1, ceil((1 - tries.left) * SECONDS_PER_TRY))
            raise RequestRefused.because(
                429,
                "too many wrong tokens came from this address",
                "the header Authorization, or the cookie",
                f"another try in {seconds} seconds",
                "open the address that the studio printed, a little later",
                retry=seconds,
            )

    def _note_wrong(self, address: str, tokens: list[str]) -> None:
        for token in tokens:
            tries = self._wrong.setdefault(address, WrongTries(self._clock()))
            self._wrong.move_to_end(address)
            before = tries.left
            tries.note(token)
            if tries.left < 1 <= before:
                LOG.warning("%s", escape_control(f"{address} sent {TRIES} wrong tokens, and has to wait"))
        while len(self._wrong) > ADDRESSES_KEPT:
            self._wrong.popitem(last=False)


def _query_tokens(scope: Scope) -> list[str]:
    return parse_qs(scope["query_string"].decode("latin-1")).get("token", [])[:1]


def _address(scope: Scope) -> str:
    """Who sent a request: an address, or the network of one that shares it."""
    client = scope.get("client")
    host = str(client[0]) if client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return host if address.version == 4 else str(ip_network((address, WHOLE_NETWORK), strict=False))
