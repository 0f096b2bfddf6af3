"""The work for a client that hung up ends, and does not keep others waiting."""

from __future__ import annotations

import json
from itertools import count
from threading import Event
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import PATIENCE
from tests.studio.served import serving, wait_for
from tests.studio.test_limits import case
from volition.core.pausing import pause, pausing
from volition.studio import cases, routes
from volition.studio.background import TASKS_AT_ONCE, TASKS_WAITING
from volition.studio.evenings import OpenEvening
from volition.studio.exchange import HungUp
from volition.studio.plays import ForkAsked, fork
from volition.studio.store import RecordStore

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from pathlib import Path

    from tests.studio.served import Served
    from volition.drama import Evening


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Served]:
    """A studio without anything else to do."""
    with serving(tmp_path) as one:
        yield one


def ask(studio: Served, body: Any) -> socket.socket:
    """A connection on which a decision was asked for."""
    line, content = studio.line(), json.dumps(body).encode()
    head = f"POST /api/v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    line.sendall(head.encode() + content)
    return line


def test_running_work_ends_at_its_next_pause(studio: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that runs when its client hangs up ends at its next pause, and not before; its place is free again."""
    begun, ended = Event(), Event()

    def endless(*_: Any) -> None:
        begun.set()
        limit = monotonic() + PATIENCE
        try:
            while monotonic() < limit:
                sleep(0.001)
                pause()
        except Exception:
            ended.set()
            raise

    monkeypatch.setattr(routes.documents, "decide_case", endless)
    for _ in range(2 * TASKS_AT_ONCE):
        begun.clear()
        ended.clear()
        with ask(studio, case(1, 1)):
            assert begun.wait(PATIENCE)
            assert not ended.is_set()
        assert ended.wait(PATIENCE)
    monkeypatch.undo()
    assert studio.post("/decide", case(1, 1))["decision"]["candidate"] == "c0"


def test_waiting_work_is_dropped(studio: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work whose client hung up before it began is never begun, and others may wait in its place."""
    go_on, begun = Event(), []

    def held(asked: Any) -> None:
        begun.append(asked)
        go_on.wait(PATIENCE)

    monkeypatch.setattr(routes.documents, "decide_case", held)
    places = studio.studio.tasks._places
    running = [ask(studio, case(1, 1)) for _ in range(TASKS_AT_ONCE)]
    wait_for(lambda: len(begun) == TASKS_AT_ONCE, "running work")
    abandoned = [ask(studio, case(1, 1)) for _ in range(TASKS_WAITING)]
    wait_for(lambda: places.statistics().tasks_waiting == TASKS_WAITING, "waiting work")
    for line in abandoned:
        line.close()
    wait_for(lambda: places.statistics().tasks_waiting == 0, "that it is dropped")
    go_on.set()
    for line in running:
        line.recv(100)
        line.close()
    assert len(begun) == TASKS_AT_ONCE


@pytest.mark.parametrize(("candidates", "intentions"), [(20, 500), (500, 20)])
def test_the_next_request_does_not_wait_for_abandoned_ones(
    studio: Served, monkeypatch: pytest.MonkeyPatch, candidates: int, intentions: int
) -> None:
    """As many of the largest cases as can run and wait are abandoned; none of them is decided, and the next decision comes."""
    names = [f"c{n}" for n in range(candidates)]
    votes = [{name: ((at * 7 + n * 13) % 97) / 97 for at, name in enumerate(names)} for n in range(intentions)]
    heard = [{"id": f"h{n}", "kind": "heuristic", "intent": {"scores": scores}} for n, scores in enumerate(votes)]
    large: dict[str, Any] = {"document": {"candidates": names, "intentions": heard}}
    begun: list[Any] = []
    decided: list[Any] = []

    def decide(asked: cases.CaseAsked) -> cases.CaseDecided:
        begun.append(asked)
        result = cases.decide_case(asked)
        decided.append(asked)
        return result

    monkeypatch.setattr(routes.documents, "decide_case", decide)
    for _ in range(3):
        lines = [ask(studio, large) for _ in range(TASKS_AT_ONCE + 2)]
        wait_for(lambda: begun, "work that runs")
        for line in lines:
            line.close()
    studio.post("/decide", case(1, 1))
    assert [len(asked.document["candidates"]) for asked in decided] == [1]


@pytest.mark.parametrize("after", [0, 5, 20])
def test_an_abandoned_fork_leaves_nothing(tmp_path: Path, evening: Evening, after: int) -> None:
    """A fork whose client hangs up ends between two ticks, and no run of it is left."""
    store, shown = RecordStore(tmp_path), OpenEvening("evening", evening)
    chosen = shown.choice(30, "victor").decision.candidate
    calls = count()

    def check() -> None:
        if next(calls) >= after:
            raise HungUp

    with pausing(check), pytest.raises(HungUp):
        fork(store, shown, ForkAsked(at=30, agent="victor", veto=chosen))
    assert store.all() == []
