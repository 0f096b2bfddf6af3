"""What costs is bounded: by what is asked, by how much goes on, and by how long anybody may take."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.studio.conftest import RUN
from tests.studio.served import PATIENCE, Served, answer_on, problem_of, serving, until
from volition.governance.samples import samples
from volition.studio import routes
from volition.studio.cases import CELLS
from volition.studio.errors import Busy
from volition.studio.shapes.govern import PLANS
from volition.studio.workroom import Workroom

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD = (
    b"POST /api/v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
)


def case(candidates: int, intentions: int) -> dict[str, Any]:
    """A case of so many of both."""
    names = [f"c{n}" for n in range(candidates)]
    scores = {names[0]: 0.5}
    heard = [{"id": f"h{n}", "kind": "heuristic", "intent": {"scores": scores}} for n in range(intentions)]
    return {"document": {"candidates": names, "intentions": heard}}


@pytest.mark.parametrize(("candidates", "intentions"), [(50_000, 4), (4, CELLS // 4 + 1), (CELLS + 1, 1)])
def test_a_case_has_a_limit(served: Served, candidates: int, intentions: int) -> None:
    """More candidates times intentions than are allowed are 413, with both numbers and the limit, before they are read."""
    status, problem = served.refused("POST", "/decide", case(candidates, intentions))
    assert status == 413
    assert str(candidates * intentions) in problem["what"]
    assert str(CELLS) in problem["expected"]
    assert served.get("/about")["decide_cells"] == CELLS


def test_a_case_at_the_limit_is_decided(served: Served) -> None:
    """What is allowed is answered."""
    assert served.post("/decide", case(500, CELLS // 500))["decision"]["candidate"] == "c0"


def test_plans_have_a_limit(served: Served) -> None:
    """More plans than are judged from a page are 413, whatever they are."""
    batch, _ = samples()["same_target"]
    status, problem = served.refused("POST", "/govern", {"set": batch, "intents": [{}] * (PLANS + 1), "limit": False})
    assert (status, str(PLANS) in problem["expected"]) == (413, True)


def test_the_limits_stand_in_the_openapi_document(served: Served) -> None:
    """Who reads the document knows what is too much."""
    document = served.get("/openapi.json")["paths"]
    assert str(CELLS) in document["/api/v1/decide"]["post"]["description"]
    for path in ("/api/v1/decide", "/api/v1/govern"):
        assert {"408", "413", "429"} <= set(document[path]["post"]["responses"])


def test_pages_do_not_wait_for_what_costs(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a dozen cases are worked on, pages, files, lists and short questions are answered as ever."""
    go_on, begun = Event(), Event()

    def held(*_: Any) -> None:
        begun.set()
        go_on.wait(PATIENCE)

    monkeypatch.setattr(routes.decide, "decided", held)
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
    """What finds the queue full is refused; when there is room again it is done."""

    async def ask() -> None:
        go_on, room = Event(), Workroom(at_once=1, waiting=2)
        held = [asyncio.create_task(room.do(lambda: go_on.wait(PATIENCE))) for _ in range(3)]
        for _ in range(5):
            await asyncio.sleep(0)  # each task runs until it waits
        with pytest.raises(Busy):
            await room.do(lambda: None)
        go_on.set()
        assert await asyncio.gather(*held) == [True] * 3
        assert await room.do(lambda: 7) == 7

    asyncio.run(ask())


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio that waits half a second for a head, and for a body, and lets two streams through."""
    with serving(tmp_path_factory.mktemp("hasty"), head=0.5, seconds=0.5, streams=2) as one:
        yield one


@pytest.mark.parametrize(
    "sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: loc", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "]
)
def test_a_head_that_does_not_end_is_answered(hasty: Served, sent: bytes) -> None:
    """Who opens a connection and sends no head, or half of one, gets 408 with a sentence, and the connection ends."""
    with hasty.line() as line:
        line.sendall(sent)
        answer = answer_on(line)
    assert answer.status_code == 408
    assert "0.5 seconds" in problem_of(answer)["expected"]


def test_a_head_that_drips_is_answered(hasty: Served) -> None:
    """A byte now and then does not put the end off: the head as a whole has its time."""
    with hasty.line() as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        line.settimeout(0.05)
        told = b""
        while not told:
            try:
                line.sendall(b"X")
                told = line.recv(4096)
            except TimeoutError:
                continue
        assert told.startswith(b"HTTP/1.1 408 ")


def test_a_second_head_that_does_not_end_is_answered(hasty: Served) -> None:
    """A connection that was used before has no longer time for its next head."""
    with hasty.line() as line:
        line.sendall(b"GET /api/v1/about HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert line.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        line.sendall(b"GET / HT")
        told = b"".join(iter(lambda: line.recv(65536), b""))
    assert b"HTTP/1.1 408 " in told


@pytest.mark.parametrize("sent", [b"", b'{"document": {'])
def test_a_body_that_does_not_end_is_answered(hasty: Served, sent: bytes) -> None:
    """A body that was announced and does not come, or half of it, is 408 with a sentence, and the connection ends."""
    with hasty.line() as line:
        line.sendall(HEAD + sent)
        answer = answer_on(line)
    assert answer.status_code == 408
    assert "0.5 seconds" in problem_of(answer)["expected"]


def test_streams_have_a_cap(hasty: Served) -> None:
    """One stream more than is allowed is 503 and says when to ask again; when one is closed there is room."""
    id = hasty.post("/play", {"seed": 2, "pace": 5.0})["id"]
    path = f"/api/v1/runs/{id}/live"
    with hasty.client.stream("GET", path) as first, hasty.client.stream("GET", path) as second:
        assert (first.status_code, second.status_code) == (200, 200)
        answer = hasty.client.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert "2" in problem_of(answer)["expected"]
        assert hasty.get("/about")
    until(lambda: _is_free(hasty, path), "room")
    hasty.post(f"/runs/{id}/stop")


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
