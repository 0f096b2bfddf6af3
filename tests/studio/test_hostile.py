"""No input crashes the studio: hostile bodies, addresses and methods get a list of problems."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.studio.conftest import RUN
from tests.studio.served import Served, answer_on, problem_of, serving
from volition.studio.gate import Gate
from volition.studio.store import RecordStore

if TYPE_CHECKING:
    from pathlib import Path

POSTS = (
    "/decide",
    "/govern",
    "/play",
    "/games",
    "/games/none/answer",
    "/ensembles",
    "/drives",
    f"/runs/{RUN}/forks",
    f"/runs/{RUN}/decisions/3/victor/what-if",
    f"/runs/{RUN}/stop",
    f"/records/{RUN}/verify",
)
JSON = {"Content-Type": "application/json"}
BODIES = {
    "a byte that is no letter": b'{"text": "\xff"}',
    "half a letter": b'{"text": "\xc3"}',
    "a letter too long": b'{"text": "\xc0\xaf"}',
    "half a pair, as bytes": b'{"text": "\xed\xa0\x80"}',
    "another encoding": '{"seed": 1}'.encode("utf-16"),
    "half a pair": b'{"text": "\\ud800", "scenario": "\\udfff", "goal": "\\ud800x"}',
    "half a pair in a key": b'{"\\ud800": 1}',
    "deep lists": b'{"document": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "deep and open": b'{"a":' * 30_000,
    "not a number": b'{"seed": NaN, "weights": {"a": NaN}}',
    "infinite": b'{"pace": Infinity, "weights": {"a": -Infinity}}',
    "a large number": b'{"seed": 1' + b"0" * 5000 + b"}",
    "a large number in a document": b'{"document": {"candidates": [1' + b"0" * 5000 + b'], "intentions": []}}',
    "a large float": b'{"weights": {"a": 1e400}, "pace": 1e400}',
    "a zero byte": b'{"text": "\\u0000", "scenario": "\\u0000"}',
    "escapes of a terminal": b'{"scenario": "\\u001b[2J"}',
    "nothing": b"",
    "null": b"null",
    "a mark of order": b"\xef\xbb\xbf{}",
    "two documents": b"{}{}",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_no_body_is_a_bug(served: Served, body: bytes) -> None:
    """Every route that takes a body answers any body, and never with 500."""
    for path in POSTS:
        answer = served.client.post(f"/api/v1{path}", content=body, headers=JSON)
        assert answer.status_code < 500, f"{path}: {answer.text}"
        if answer.status_code >= 400:
            problem_of(answer)


@pytest.mark.parametrize("body", [b'{"text": "\xff"}', b'"\xed\xa0\x80"', b"\xfe\xff"])
def test_invalid_utf8_is_named(served: Served, body: bytes) -> None:
    """A body that is not UTF-8 is 400 and names the wrong byte."""
    for path in POSTS:
        answer = served.client.post(f"/api/v1{path}", content=body, headers=JSON)
        assert answer.status_code == 400
        assert re.search(r"not UTF-8: byte \d+ is 0x[0-9a-f]{2}", problem_of(answer)["what"])


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(body=st.binary(max_size=60) | st.text(max_size=40).map(lambda text: json.dumps({"text": text}).encode()))
def test_no_bytes_are_a_bug(served: Served, body: bytes) -> None:
    """Any bytes at all get an answer below 500."""
    answer = served.client.post("/api/v1/decide", content=body, headers=JSON)
    assert answer.status_code < 500


ADDRESSES = (
    "/%ff%fe", "/%1b%5b2J", "/api/v1/runs/%1b%5b31m", "/api/v1/runs/%00", "/api/v1/records?kind=%ff",
    "/api/v1/records?kind=%1b", f"/api/v1/runs/{RUN}/ticks/%ff", f"/api/v1/runs/{RUN}/ticks/99999999999999999999999",
    f"/api/v1/runs/{RUN}/ticks/-1", f"/api/v1/runs/{RUN}/audience?genre=%ed%a0%80", f"/api/v1/runs/{RUN}/live?after=%ff",
    f"/api/v1/runs/{RUN}/live?after=1e9", f"/api/v1/journals/{RUN}", f"/api/v1/journals/{RUN}/moments?run=0&after=-1&most=x",
    f"/api/v1/ensembles/{RUN}", "/static/%2e%2e%2f%1b", "/?token=%ff", "/api/v1/drives/%f0%9f%92%a9", "/api/v1/x" + "y" * 9000,
)  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_address_is_a_bug(served: Served, address: str) -> None:
    """Any path and any query is answered, and never with 500."""
    answer = served.raw(address)
    assert answer.status_code < 500, answer.text


def test_nothing_raw_reaches_the_terminal(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A bug is logged with its address and its message without control characters: no escape sequence reaches the terminal."""

    def broken(*_: Any) -> Any:
        raise RuntimeError("words \x1b]0;title\x07 \x9b2J\r")

    monkeypatch.setattr(RecordStore, "find", broken)
    with caplog.at_level(logging.ERROR, logger="volition.studio"):
        assert served.raw("/api/v1/runs/%1b%5b2J%0d%c2%9b").status_code == 500
    assert "\\x1b[2J\\r" in caplog.text
    told = "".join(logging.Formatter("%(message)s").format(record) for record in caplog.records).replace("\n", "")
    assert told.isprintable(), ascii(told)


def test_no_answer_names_a_place_on_this_machine(tmp_path: Path, folder: Path) -> None:
    """Whatever is wrong with a record, no answer contains its absolute path: neither lists nor errors."""
    home = tmp_path / "somewhere" / "private"
    runs = home / "volition-runs"
    copytree(folder / "volition-runs" / RUN, runs / "changed")
    copytree(folder / "volition-runs" / RUN, runs / "headless")
    copytree(folder / "volition-runs" / RUN, runs / "cut")
    files = {name: runs / name / "000001.jsonl" for name in ("changed", "headless", "cut")}
    files["changed"].write_bytes(files["changed"].read_bytes().replace(b'"tick":30', b'"tick":31', 1))
    files["headless"].write_bytes(files["headless"].read_bytes()[9:])
    files["cut"].write_bytes(files["cut"].read_bytes()[:-40])
    (home / "judged").mkdir()
    (home / "judged" / "result.json").write_bytes(b"{}")
    (home / "swept" / "parts").mkdir(parents=True)
    (home / "swept" / "manifest.json").write_bytes(b"{}")
    with serving(home) as served:
        told: list[str] = []
        for record in served.get("/records")["records"]:
            id = record["id"]
            asked = (
                f"records/{id}",
                f"runs/{id}",
                f"runs/{id}/ticks",
                f"runs/{id}/live",
                f"journals/{id}",
                f"ensembles/{id}",
            )
            told += [served.client.get(f"/api/v1/{address}").text for address in asked]
            told.append(served.client.post(f"/api/v1/records/{id}/verify").text)
        told += [served.client.get(f"/api/v1/{address}").text for address in ("records", "about")]
    assert len(told) > 30
    assert any("changed record" in text for text in told)
    for text in told:
        assert str(home) not in text
        assert not re.search(r"/(?:tmp|home|root|usr|var|etc)/", text), text


@pytest.mark.parametrize("path", ["/", "/stage", "/static/app.css", "/api/v1/about", f"/api/v1/runs/{RUN}", "/static/threads.js"])  # fmt: skip
def test_a_head_is_that_of_the_whole(served: Served, path: str) -> None:
    """HEAD returns the status and the headers of GET, and no body."""
    whole, head = served.client.get(path), served.client.head(path)
    assert (head.status_code, head.content) == (whole.status_code, b"")
    assert dict(head.headers) == dict(whole.headers)


def test_a_head_of_a_stream_ends(served: Served) -> None:
    """HEAD of a stream is answered at once, and follows nothing."""
    id = served.post("/play", {"seed": 3, "pace": 5.0})["id"]
    assert served.client.head(f"/api/v1/runs/{id}/live").status_code == 200
    assert served.client.head(f"/api/v1/runs/none-{id}").status_code == 404
    assert served.post(f"/runs/{id}/stop")["run"]["ending"] == "broken_off"


def test_a_stream_hears_of_the_disconnect_after_its_head() -> None:
    """A stream hears of the disconnect after its head is sent, not before; the response is complete."""
    sent: list[Any] = []

    async def stream(_: Any, receive: Any, send: Any) -> None:
        assert (await receive())["type"] == "http.request"
        listening = asyncio.ensure_future(receive())
        for _ in range(5):
            await asyncio.sleep(0)  # each is a chance to hear of the end
        assert not listening.done()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        assert (await listening)["type"] == "http.disconnect"

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "HEAD", "path": "/api/v1/runs/x/live", "headers": [(b"host", b"localhost")]}
    asyncio.run(Gate(stream)(scope, asyncio.Event().wait, send))
    assert [(one["type"], one.get("more_body")) for one in sent] == [
        ("http.response.start", None),
        ("http.response.body", False),
    ]


def test_a_head_does_not_change_anything(served: Served) -> None:
    """HEAD of a route that only takes POST is refused like GET."""
    assert served.client.head("/api/v1/play").status_code == 405
    with served.line() as line:
        line.sendall(b"HEAD /api/v1/play HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert answer_on(line).status_code == 405
