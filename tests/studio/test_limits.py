"""Costs are bounded: the size of a request, how much runs at once, and how long a client may take."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import PATIENCE
from tests.studio.conftest import RUN
from tests.studio.served import Served, answer_on, problem_of, serving, wait_for
from volition.governance.drafts.samples import samples
from volition.studio import cases, routes, server
from volition.studio.background import TaskPool
from volition.studio.cases import CELLS
from volition.studio.errors import Busy
from volition.studio.governing import PLANS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD = (
    b"POST /api/v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
)


def case(candidates: int, intentions: int) -> dict[str, Any]:
    """A case with so many candidates and intentions."""
    names = [f"c{n}" for n in range(candidates)]
    scores = {names[0]: 0.5}
    heard = [{"id": f"h{n}", "kind": "heuristic", "intent": {"scores": scores}} for n in range(intentions)]
    return {"document": {"candidates": names, "intentions": heard}}


@pytest.mark.parametrize(("candidates", "intentions"), [(50_000, 4), (4, CELLS // 4 + 1), (CELLS + 1, 1)])
def test_a_case_has_a_limit(served: Served, candidates: int, intentions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case with too many candidates times intentions is 413, with the number and the limit, before it is read."""
    monkeypatch.setattr(cases, "case_from_data", None)
    status, problem = served.refusal("POST", "/decide", case(candidates, intentions))
    assert status == 413
    assert str(candidates * intentions) in problem["what"]
    assert str(CELLS) in problem["expected"]
    assert served.get("/about")["decide_cells"] == CELLS


def test_a_case_at_the_limit_is_decided(served: Served) -> None:
    """A case of exactly the limit is decided."""
    assert served.post("/decide", case(500, CELLS // 500))["decision"]["candidate"] == "c0"


def test_plans_have_a_limit(served: Served) -> None:
    """Too many plans are 413, whatever they contain."""
    batch, _ = samples()["same_target"]
    status, problem = served.refusal("POST", "/govern", {"set": batch, "intents": [{}] * (PLANS + 1), "limit": False})
    assert (status, str(PLANS) in problem["expected"]) == (413, True)


def test_the_openapi_document_names_the_limits(served: Served) -> None:
    """The OpenAPI document names the limits."""
    document = served.get("/openapi.json")["paths"]
    assert str(CELLS) in document["/api/v1/decide"]["post"]["description"]
    for path in ("/api/v1/decide", "/api/v1/govern"):
        assert {"408", "413", "429"} <= set(document[path]["post"]["responses"])


def test_pages_do_not_wait_for_what_costs(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a dozen cases are being decided, pages, files, lists and quick requests are answered as usual."""
    go_on, begun = Event(), Event()

    def held(*_: Any) -> None:
        begun.set()
        go_on.wait(PATIENCE)

    monkeypatch.setattr(routes.documents, "decide_case", held)
    with ThreadPoolExecutor(12) as pool:
        asked = [
            pool.submit(served.client.post, "/api/v1/decide", json=case(1, 1), timeout=PATIENCE) for _ in range(12)
        ]
        try:
            assert begun.wait(PATIENCE)
            for path in ("/", "/stage", "/api/v1/about", "/api/v1/records", f"/api/v1/runs/{RUN}/ticks"):
                assert served.client.get(path, timeout=PATIENCE / 2).status_code == 200
            assert not any(one.done() for one in asked)
        finally:
            go_on.set()
        assert {one.result().status_code for one in asked} == {200}


def test_only_so_much_waits_for_its_turn() -> None:
    """Work that finds the queue full is refused; when there is room again it is done."""

    async def ask() -> None:
        go_on, room = Event(), TaskPool(at_once=1, waiting=2)
        held = [asyncio.create_task(room.run(lambda: go_on.wait(PATIENCE))) for _ in range(3)]
        for _ in range(5):
            await asyncio.sleep(0)  # each task runs until it waits
        with pytest.raises(Busy):
            await room.run(lambda: None)
        go_on.set()
        assert await asyncio.gather(*held) == [True] * 3
        assert await room.run(lambda: 7) == 7

    asyncio.run(ask())


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio that waits half a second for a head, and for a body."""
    with serving(tmp_path_factory.mktemp("hasty"), head=0.5, seconds=0.5) as one:
        yield one


@pytest.mark.parametrize(
    "sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: loc", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "]
)
def test_a_head_that_does_not_end_is_answered(hasty: Served, sent: bytes) -> None:
    """A client that sends no head, or half of one, gets 408 with a problem, and the connection ends."""
    with hasty.line() as line:
        line.sendall(sent)
        answer = answer_on(line)
    assert answer.status_code == 408
    assert "0.5 seconds" in problem_of(answer)["expected"]


def test_a_head_that_drips_is_answered(hasty: Served) -> None:
    """A byte now and then does not extend the time: it is for the whole head."""
    with hasty.line() as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        line.settimeout(0.05)
        told: list[bytes] = []

        def dripped() -> bool:
            with suppress(TimeoutError):
                line.sendall(b"X")
                told.append(line.recv(4096))
            return bool(told)

        wait_for(dripped, "an answer")
        assert told[0].startswith(b"HTTP/1.1 408 ")


def test_a_second_head_that_does_not_end_is_answered(tmp_path: Path) -> None:
    """The time also applies to the next head on a connection."""
    with serving(tmp_path, head=2.0) as served, served.line() as line:
        line.sendall(b"GET /api/v1/about HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert line.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        line.sendall(b"GET / HT")
        told = b"".join(iter(lambda: line.recv(65536), b""))
    assert b"HTTP/1.1 408 " in told


@pytest.mark.parametrize("sent", [b"", b'{"document": {'])
def test_a_body_that_does_not_end_is_answered(hasty: Served, sent: bytes) -> None:
    """An announced body that does not come, or only half, is 408 with a problem, and the connection ends."""
    with hasty.line() as line:
        line.sendall(HEAD + sent)
        answer = answer_on(line)
    assert answer.status_code == 408
    assert "0.5 seconds" in problem_of(answer)["expected"]


def test_streams_have_a_cap(tmp_path: Path) -> None:
    """One stream too many is 503 and says when to try again; when one is closed there is room."""
    with serving(tmp_path, streams=2) as served:
        id = served.post("/play", {"seed": 2, "pace": 5.0})["id"]
        path = f"/api/v1/runs/{id}/live"
        with served.client.stream("GET", path) as first, served.client.stream("GET", path) as second:
            assert (first.status_code, second.status_code) == (200, 200)
            with served.client.stream("GET", path) as third:
                assert (third.status_code, third.headers["retry-after"]) == (503, "2")
                third.read()
                assert "2" in problem_of(third)["expected"]
            assert served.get("/about")
        wait_for(lambda: _is_free(served, path), "room")


@pytest.mark.parametrize(
    "written", ["{}/live/", "{}//live", "/{}/live", "{}/live?x=/", "{}/liv%65", "{}/live/?after=0"]
)
def test_every_stream_counts(tmp_path: Path, written: str) -> None:
    """A stream counts however its address is written: every answer is the stream of a free place, or no stream at all."""
    with serving(tmp_path, streams=1) as served:
        path = f"/api/v1/runs/{served.post('/play', {'seed': 2, 'pace': 5.0})['id']}"
        with served.client.stream("GET", f"{path}/live") as first:
            assert first.status_code == 200
            for _ in range(3):
                with served.line() as line:
                    target = written.format(path)
                    line.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                    assert answer_on(line).status_code in {503, 404}
        wait_for(lambda: _is_free(served, f"{path}/live"), "room")
        with served.client.stream("GET", written.format(path)) as other:
            streams = other.status_code == 200
            assert served.client.get(f"{path}/live/").status_code == 503 if streams else True


def test_a_stream_that_ends_is_not_counted(tmp_path: Path) -> None:
    """A stream that was read to its end leaves its place, though its connection stays open."""
    with serving(tmp_path, streams=1) as served:
        id = served.post("/play", {"seed": 2, "ticks": 1})["id"]

        def is_read() -> bool:
            answer = served.client.get(f"/api/v1/runs/{id}/live")
            return answer.status_code == 200 and "event: end" in answer.text

        for _ in range(3):
            wait_for(is_read, "a place, and the end")


def test_connections_have_a_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With too many open connections a request is 503; when one is closed there is room."""
    monkeypatch.setattr(server, "CONNECTIONS", 3)
    with serving(tmp_path, head=PATIENCE) as served:
        with served.line(), served.line(), served.line() as line:
            line.sendall(b"GET /api/v1/about HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert answer_on(line).status_code == 503
        wait_for(lambda: served.client.get("/api/v1/about").status_code == 200, "room")


def _is_free(served: Served, path: str) -> bool:
    with served.client.stream("GET", path) as answer:
        return answer.status_code == 200


def test_what_is_refused_for_now_says_when_to_ask_again(tmp_path: Path) -> None:
    """Too many evenings at once are 429 with Retry-After."""
    with serving(tmp_path) as served:
        for seed in range(4):
            served.post("/play", {"seed": seed, "pace": 5.0})
        answer = served.client.post("/api/v1/play", json={"seed": 9})
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
