"""Evenings that another process plays are followed while they go on."""

from __future__ import annotations

import os
from itertools import pairwise
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest

from tests.studio.elsewhere import playing
from tests.studio.served import Served, serving, until
from volition.core.ledger import Ledger, is_written
from volition.studio import watches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


def begun(served: Served, id: str) -> None:
    """Wait until an evening is there and has a tick."""

    def there() -> bool:
        answer = served.client.get(f"/api/v1/runs/{id}")
        return answer.status_code == 200 and answer.json()["last"] >= 1

    until(there, "it has begun")


def test_an_evening_of_another_process_is_followed(fresh: Served, tmp_path: Path) -> None:
    """Its ticks arrive while it is played; the stream ends with it, and told what is read later."""
    with playing(tmp_path, 5, pace=0.1, ticks=30) as process:
        begun(fresh, "dinner-party-5")
        record = fresh.get("/records/dinner-party-5")["record"]
        assert (record["live"], record["kind"], record["run"]["seed"]) == (True, "run", 5)
        early = fresh.get("/runs/dinner-party-5")
        assert early["live"]
        assert early["last"] < 30
        assert process.poll() is None
        told = fresh.stream("/runs/dinner-party-5/live")
    assert [name for name, _ in told] == ["tick"] * 30 + ["end"]
    assert told[-1][1]["reason"] == "ended"
    assert told[-1][1]["ending"]["kind"] == "broken_off"
    whole, ticks = fresh.get("/runs/dinner-party-5"), fresh.get("/runs/dinner-party-5/ticks")
    assert not whole["live"]
    assert [one for _, lived in told[:-1] for one in lived["events"]] == [
        {**event, "effects": []} for event in whole["events"]
    ]
    for before, (_, lived) in zip(ticks, told, strict=True):
        if "choices" in lived:
            assert lived["length"] == before["length"]
            assert lived["choices"] == {
                who: person["choice"] for who, person in before["people"].items() if person["choice"]
            }
    assert not fresh.get("/records/dinner-party-5")["record"]["live"]
    assert fresh.stream("/runs/dinner-party-5/live")[-1][1]["reason"] == "not live"


def test_ticks_are_told_as_they_are_written(fresh: Served, tmp_path: Path) -> None:
    """A tick reaches a stream while the evening still goes on, not at its end; a stream is taken up where it was left."""
    with (
        playing(tmp_path, 6, pace=0.2),
        fresh.client.stream("GET", f"/api/v1/runs/{_first(fresh, 'dinner-party-6')}/live?after=2") as answer,
    ):
        seen: list[str] = []
        for line in answer.iter_lines():
            if line.startswith("id: "):
                seen.append(line[4:])
                assert is_written(tmp_path / "volition-runs" / "dinner-party-6")
            if len(seen) == 4:
                break
    assert seen == ["3", "4", "5", "6"]


def _first(served: Served, id: str) -> str:
    begun(served, id)
    return id


def test_a_process_that_dies_ends_its_evening(fresh: Served, tmp_path: Path) -> None:
    """Who follows an evening hears that it stopped when its process is killed, and keeps what was written."""
    with playing(tmp_path, 7, pace=0.1) as process:
        begun(fresh, "dinner-party-7")
        status, problem = fresh.refused("POST", "/runs/dinner-party-7/stop")
        assert (status, problem["remedy"]) == (409, "end it where it was started")
        told: list[tuple[str, Any]] = []
        listening = Thread(target=lambda: told.extend(fresh.stream("/runs/dinner-party-7/live")))
        listening.start()
        until(lambda: (watch := fresh.studio.watches.get("dinner-party-7")) and watch.feed.followed, "it is followed")
        process.kill()
        listening.join(10)
    assert told
    assert told[-1] == ("end", {"reason": "stopped", "ending": None, "problem": None})
    left = fresh.get("/runs/dinner-party-7")
    assert not left["live"]
    assert left["ending"] is None
    assert left["last"] >= len(told) - 1


def test_nobody_reads_along_for_nobody(fresh: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the last who follows is gone, the record is not read along any more; who comes again hears all of it."""
    monkeypatch.setattr(watches, "PATIENCE", 0.3)
    with playing(tmp_path, 8, pace=0.2):
        begun(fresh, "dinner-party-8")
        feed = fresh.studio.feed("dinner-party-8")
        watch = fresh.studio.watches.find("dinner-party-8")
        assert feed is watch.feed is fresh.studio.feed("dinner-party-8")
        until(lambda: not watch.running, "it is let go")
        assert watch.state == "stopped"
        assert fresh.studio.feed("dinner-party-8") is not feed


def test_looking_costs_little(fresh: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that does not grow is looked at a few times a second, and not without end."""
    looks: list[float] = []

    def counted(folder: Path) -> bool:
        looks.append(monotonic())
        return is_written(folder)

    with playing(tmp_path, 9, pace=5.0):
        begun(fresh, "dinner-party-9")
        monkeypatch.setattr(watches, "is_written", counted)
        fresh.studio.feed("dinner-party-9")
        until(lambda: len(looks) >= 8, "some looks")
        fresh.studio.watches.find("dinner-party-9").stop()
    apart = [after - before for before, after in pairwise(looks)]
    assert min(apart) >= watches.POLL * 0.9


def test_a_lock_says_who_writes(tmp_path: Path) -> None:
    """A ledger is written exactly while its writer has it open; looking does not keep the next writer out."""
    path = tmp_path / "ledger"
    assert not is_written(path)
    for _ in range(3):
        with Ledger(path, kind="test") as ledger:
            ledger.append({"a": 1})
            assert is_written(path)
        assert not is_written(path)
    (path / "writer.lock").write_text("4242\n", encoding="ascii")  # as a writer leaves it that was killed
    assert not is_written(path)
    (path / "writer.lock").unlink()
    os.mkfifo(path / "writer.lock")
    assert not is_written(path)
