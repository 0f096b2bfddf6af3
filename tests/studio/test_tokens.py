"""Wrong tokens are limited by address, in bounded memory, and are never written down."""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import PATIENCE
from tests.sentences import lines_about
from tests.studio.served import answer_on, problem_of, serving
from volition.studio.errors import RequestRefused
from volition.studio.tokens import ADDRESSES_KEPT, SECONDS_PER_TRY, TRIES, TokenCheck

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

TOKEN = "a-long-enough-token-1"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def status(tokens: TokenCheck, token: str | None, address: str = "10.0.0.1") -> int:
    """What a request with a token is answered with."""
    scope: dict[str, Any] = {"method": "GET", "path": "/", "query_string": b"", "client": (address, 1)}
    try:
        tokens.check(scope, {} if token is None else {"authorization": [f"Bearer {token}"]})
    except RequestRefused as refused:
        return refused.status
    return 200


def test_wrong_tokens_are_limited() -> None:
    """After some wrong tokens an address is refused, even with the right one, until time has passed; then it has one try."""
    clock = Clock()
    tokens = TokenCheck(TOKEN, clock)
    assert [status(tokens, f"wrong-{n}") for n in range(TRIES + 5)] == [401] * TRIES + [429] * 5
    assert status(tokens, TOKEN) == 429
    clock.now += SECONDS_PER_TRY
    assert [status(tokens, "wrong-x"), status(tokens, "wrong-y")] == [401, 429]
    clock.now += SECONDS_PER_TRY
    assert status(tokens, TOKEN) == 200
    clock.now += TRIES * SECONDS_PER_TRY
    assert [status(tokens, f"again-{n}") for n in range(TRIES + 1)] == [401] * TRIES + [429]


def test_others_are_not_locked_out() -> None:
    """Whatever other addresses do, and however many they are, the right token passes, and memory is bounded."""
    tokens = TokenCheck(TOKEN, Clock())
    for number in range(3 * ADDRESSES_KEPT):
        for attempt in range(2):
            status(tokens, f"wrong-{number}-{attempt}", f"10.0.{number // 256}.{number % 256}")
    assert len(tokens._wrong) == ADDRESSES_KEPT
    for _ in range(2 * TRIES):
        status(tokens, "wrong", "10.9.9.9")
        assert status(tokens, TOKEN, "10.9.9.8") == 200


def test_a_network_is_one_address() -> None:
    """Whoever has an IPv6 address has its whole network, so the network is limited."""
    tokens = TokenCheck(TOKEN, Clock())
    answers = [status(tokens, f"wrong-{n}", f"2001:db8::{n:x}") for n in range(TRIES + 1)]
    assert answers == [401] * TRIES + [429]
    assert status(tokens, TOKEN, "2001:db8:0:1::1") == 200


def test_an_old_cookie_is_not_a_guess() -> None:
    """The same wrong token again tells nobody anything, and locks nobody out; neither does a request without one."""
    tokens = TokenCheck(TOKEN, Clock())
    for _ in range(5 * TRIES):
        assert status(tokens, "of-the-studio-before") == 401
        assert status(tokens, None) == 401
    assert status(tokens, TOKEN) == 200


def test_a_request_carries_few_tries() -> None:
    """Of many tokens in one request the first of each kind counts."""
    tokens = TokenCheck(TOKEN, Clock())
    cookies = "; ".join(f"volition_studio=guess-{n}" for n in range(100)) + f"; volition_studio={TOKEN}"
    scope = {"method": "GET", "path": "/", "query_string": b"", "client": ("10.0.0.1", 1)}
    with pytest.raises(RequestRefused):
        tokens.check(scope, {"cookie": [cookies]})


def test_a_served_studio_limits_wrong_tokens(tmp_path: Path, caplog: pytest.LogCaptureFixture, told: Told) -> None:
    """The answer is 429 with Retry-After; another address gets in; a header that names an address changes nothing; the log
    has the address, and no token."""
    with serving(tmp_path, token=TOKEN) as guarded, caplog.at_level(logging.WARNING, logger="volition.studio"):
        for number in range(TRIES):
            wrong = {"Authorization": f"Bearer guessed-{number}", "X-Forwarded-For": f"10.0.0.{number}"}
            assert guarded.client.get("/", headers=wrong).status_code == 401
        refused = guarded.client.get("/", headers={"Authorization": f"Bearer {TOKEN}"})
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["retry-after"]) <= SECONDS_PER_TRY
        assert "wrong tokens" in problem_of(refused)["what"]
        with socket.create_connection(("127.0.0.1", guarded.port), PATIENCE, ("127.0.0.2", 0)) as line:
            line.sendall(f"GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n".encode())  # fmt: skip
            assert answer_on(line).status_code == 200
    told(*lines_about("\n".join(caplog.messages), "wrong tokens"))
    assert "guessed" not in caplog.text
    assert TOKEN not in caplog.text


@pytest.mark.parametrize(
    "path", ["/%0d%0aSet-Cookie:%20x=1", "/%0d%0a%0d%0a", "/%00", "/%ff%0a", "/ä%F0%9F%92%A9", "/%0d%0a//x"]
)
def test_no_line_end_reaches_a_header(tmp_path: Path, path: str, caplog: pytest.LogCaptureFixture) -> None:
    """The way in from any address is an answer with one clean location, and nothing in the log."""
    with serving(tmp_path, token=TOKEN) as guarded, guarded.line() as line:
        line.sendall(
            f"GET {path}?token={TOKEN} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode("latin-1")
        )
        head = b"".join(iter(lambda: line.recv(65536), b"")).partition(b"\r\n\r\n")[0].decode("ascii")
    status, *lines = head.split("\r\n")
    if status.split()[1] != "400":  # a byte that no address has
        assert status.split()[1] == "303"
        assert [one.split(": ")[0].lower() for one in lines].count("set-cookie") == 1
        assert [one for one in lines if one.lower().startswith("location: /")]
    assert not caplog.records
