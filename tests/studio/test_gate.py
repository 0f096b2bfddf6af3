"""The gate keeps out whoever should not pass: most tests are attacks."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.processes import PATIENCE
from tests.studio.served import API, Served, problem_of, serving
from volition.studio.bodies import BODY_BYTES
from volition.studio.gate import POLICY, Gate, is_loopback

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "a-long-enough-token-1"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:80", "user@localhost", "localhost/x",
     "10.0.0.1", "0.0.0.0", "[::2]", "", "localhost:x", "localhost#", "localhost?", "metadata.google.internal"],
)  # fmt: skip
def test_dns_rebinding_is_noticed(served: Served, host: str) -> None:
    """A name that an attacker's DNS points to this machine is not one of our hosts, whatever it looks like."""
    answer = served.client.get(f"{API}/about", headers={"Host": host})
    assert answer.status_code in {400, 403}
    if answer.status_code == 403:
        assert problem_of(answer)["where"] == "the header Host"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "localhost:9000", "LOCALHOST:1", "127.1.2.3"])
def test_our_own_names_pass(served: Served, host: str) -> None:
    """Loopback by any of its names and through any forwarded port is accepted."""
    assert served.client.get(f"{API}/about", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("hosts", [[], ["localhost", "evil.example"], ["evil.example", "localhost"], ["localhost"] * 2])
def test_a_request_has_one_host(hosts: list[str]) -> None:
    """A request with no Host or with two is refused, whatever the server in front of the gate lets through."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", host.encode()) for host in hosts]
    asyncio.run(
        Gate(None)({"type": "http", "method": "GET", "path": "/", "headers": headers}, asyncio.Event().wait, send)
    )
    assert sent[0]["status"] == 403


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "file://",
        "http://localhost:1",
        "http://127.0.0.1:1",
        "http://127.0.0.1",
    ],
)
def test_a_page_of_another_site_changes_nothing(served: Served, origin: str) -> None:
    """A POST with a foreign Origin is refused before anything is read or done."""
    before = len(served.get("/records")["records"])
    status, problem = served.refusal("POST", "/play", {"seed": 1, "ticks": 1}, headers={"Origin": origin})
    assert status == 403
    assert problem["where"] == "the header Origin"
    assert len(served.get("/records")["records"]) == before


def test_our_own_page_may_post(served: Served) -> None:
    """The Origin of our own address passes, and so does a program that sends none."""
    ours = {"Origin": f"http://127.0.0.1:{served.port}", "Sec-Fetch-Site": "same-origin"}
    body = {"document": {"candidates": ["a"], "intentions": []}}
    for headers in (ours, {}):
        assert served.client.post(f"{API}/decide", json=body, headers=headers).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_browsers_say_where_a_request_comes_from(served: Served, site: str, method: str) -> None:
    """A request that a browser marks as another site's gets nothing from the API, even without an Origin."""
    status, _ = served.refusal(method, "/about", headers={"Sec-Fetch-Site": site})
    assert status == 403


def test_a_form_is_refused(served: Served) -> None:
    """A body of a type that a form can send without a preflight is refused, whatever it contains."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = served.client.post(f"{API}/decide", content=b'{"document": {}}', headers={"Content-Type": kind})
        assert answer.status_code == 415
        assert problem_of(answer)["expected"] == "application/json"


def test_a_large_upload_is_refused_before_it_is_read(served: Served) -> None:
    """50 MB are refused by their announced length, and the connection is closed: nothing more of them is read."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as line:
        asked = f"POST {API}/govern HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {50 * 2**20}\r\n\r\n"
        line.sendall(asked.encode() + b"[" * 1000)
        head = line.recv(4096)
    assert head.split()[1] == b"413"
    assert b"\r\nconnection: close\r\n" in head


def test_a_large_upload_of_unknown_length_is_cut(served: Served) -> None:
    """A body without an announced length is cut at the limit."""

    def chunks() -> Iterator[bytes]:
        for _ in range(50):
            yield b" " * 2**20

    try:
        answer = served.client.post(f"{API}/govern", content=chunks(), headers={"Content-Type": "application/json"})
    except (httpx.WriteError, httpx.ReadError):
        return  # the connection was closed while we were still sending
    assert answer.status_code == 413
    assert str(BODY_BYTES) in problem_of(answer)["expected"]


@pytest.mark.parametrize("bomb", [b"[" * 100_000, b"[" * 2000 + b"]" * 2000, b'{"a":' * 500 + b"1" + b"}" * 500])
@pytest.mark.parametrize("path", ["/decide", "/govern", "/play"])
def test_a_depth_bomb_is_refused(served: Served, path: str, bomb: bytes) -> None:
    """A body that is nested deeper than the API's types is refused, however deep it is."""
    answer = served.client.post(f"{API}{path}", content=bomb, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert problem_of(answer)["what"] != "this is a bug in volition"


def test_a_depth_bomb_in_a_text_is_refused(served: Served) -> None:
    """A document sent as text is bounded by its reader."""
    for form, bomb in (("json", "[" * 5000 + "]" * 5000), ("toml", "a = " + "[" * 5000 + "]" * 5000)):
        status, problem = served.refusal("POST", "/decide", {"text": bomb, "format": form})
        assert status == 400
        assert "deep" in problem["what"] or "not" in problem["what"]


def test_a_token_is_asked_for(folder: Path) -> None:
    """With a token nothing is answered without it, not even a page; the address with the token sets a cookie."""
    with serving(folder, token=TOKEN, host="0.0.0.0") as guarded:
        for path in ("/", f"{API}/about", f"{API}/openapi.json", "/static/index.html"):
            for wrong in ("-", "wrong", TOKEN[:-1], f"{TOKEN}x", TOKEN.upper()):
                for headers in ({"Authorization": f"Bearer {wrong}"}, {"Cookie": f"volition_studio={wrong}"}):
                    assert guarded.client.get(path, headers=headers).status_code == 401
                assert guarded.client.get(path, params={"token": wrong}).status_code == 401
            for headers in ({}, {"Authorization": TOKEN}, {"Cookie": f"other={TOKEN}"}, {"Cookie": "volition_studio="}):
                assert guarded.client.get(path, headers=headers).status_code == 401
            assert guarded.client.get(path, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        moved = guarded.client.get(f"/?token={TOKEN}&x=1")
        assert (moved.status_code, moved.headers["location"]) == (303, "/?x=1")
        assert "HttpOnly" in moved.headers["set-cookie"]
        assert "SameSite=Strict" in moved.headers["set-cookie"]
        assert guarded.client.get(f"{API}/about").status_code == 200
        assert guarded.client.get(f"{API}/about", headers={"Host": "evil.example"}).status_code == 403
        assert guarded.client.get(f"{API}/about", headers={"Host": "192.168.0.7:8420"}).status_code == 200


def test_the_way_in_leads_nowhere_else(folder: Path) -> None:
    """The address with the token cannot be used to redirect to another site."""
    with serving(folder, token=TOKEN) as guarded:
        for path in ("//evil.example/", "/\\evil.example", "///evil.example"):
            with socket.create_connection(("127.0.0.1", guarded.port)) as line:
                line.sendall(
                    f"GET {path}?token={TOKEN} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
                )
                told = line.recv(4096).decode("latin-1").lower()
            where = next((part for part in told.split("\r\n") if part.startswith("location:")), "location: /")
            assert where.removeprefix("location: ").lstrip("/\\") == where.removeprefix("location: ")[1:]


def test_every_answer_carries_the_policy(served: Served) -> None:
    """Pages, files, answers and refusals carry the policy; only the page with charts may create styles."""
    for path in ("/", "/stage", "/ensemble", "/static/index.html", f"{API}/about", f"{API}/nothing", "/nothing/at/all"):
        answer = served.client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in (
            policy.replace("style-src 'self' 'unsafe-inline'", "") if path == "/ensemble" else policy
        )
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    refused = served.client.get("/", headers={"Host": "evil.example"})
    assert "default-src 'none'" in refused.headers["content-security-policy"]


def test_every_refusal_carries_the_policy(served: Served, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every error carries the policy: bad bodies, bad methods, bugs, and refusals of the gate."""
    about, decide, kind = f"{API}/about", f"{API}/decide", {"Content-Type": "application/json"}
    deep = b"[" * 1000
    with serving(folder, token=TOKEN) as guarded:
        answers = {
            400: served.client.post(decide, content=b"{", headers=kind),
            401: guarded.client.get(about),
            403: served.client.post(decide, json={}, headers={"Origin": "https://evil.example"}),
            404: served.client.get("/static/../../secret"),
            405: served.client.delete(about),
            415: served.client.post(decide, content=b"x", headers={"Content-Type": "text/plain"}),
            303: guarded.client.get(f"/?token={TOKEN}", follow_redirects=False),
        }
    monkeypatch.setattr(served.studio, "records", lambda kind: 1 // 0)
    answers[500] = served.client.get(f"{API}/records")
    answers |= {-400: served.client.post(decide, content=deep, headers=kind), -404: served.client.get(f"{API}/runs/x")}
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as line:
        line.sendall(f"POST {decide} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {BODY_BYTES + 1}\r\n\r\n".encode())
        large = line.recv(4096)
    assert large.split()[1] == b"413"
    assert f"content-security-policy: {POLICY}".encode() in large
    for status, answer in answers.items():
        assert answer.status_code == abs(status)
        assert answer.headers.get_list("content-security-policy") == [POLICY]
        assert answer.headers["cache-control"] == "no-store"
    assert "'unsafe" not in POLICY
    assert "http" not in POLICY
    assert "*" not in POLICY


def test_websockets_are_closed() -> None:
    """A websocket is closed at once."""
    sent: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def receive() -> dict[str, object]:
        raise AssertionError

    knock = Gate(None)({"type": "websocket", "headers": []}, receive, send)
    with pytest.raises(StopIteration):
        knock.send(None)
    assert sent == [{"type": "websocket.close", "code": 1008, "reason": ""}]


def test_loopback_is_known_by_address() -> None:
    """No name but localhost is loopback, and no address outside its networks."""
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.9.9.9", "::1")))
    assert not any(map(is_loopback, ("localhost.", "example.org", "0.0.0.0", "::", "128.0.0.1", "", "1")))


def test_the_body_reaches_the_route_unchanged(served: Served) -> None:
    """A body arrives at its route unchanged, letters of all scripts included."""
    text = json.dumps({"candidates": ["ä", "日本", "🙂"], "intentions": []}, ensure_ascii=False)
    assert [one["id"] for one in served.post("/decide", {"text": text})["decision"]["ranked"]] == ["ä", "日本", "🙂"]
