"""Evenings that another process plays are followed while they go on."""

from __future__ import annotations

import os
from itertools import pairwise
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import PATIENCE
from tests.studio.elsewhere import frozen, going_on, has_begun, playing
from tests.studio.served import Served, serving, wait_for
from volition.core.ledger import Ledger
from volition.core.ledger.segment import is_written
from volition.studio import plays

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

ENDLESS = 400
"""More ticks than an evening has."""
GOES_ON = "dinner-party-6"
"""The evening of the process that stands still."""


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A folder with an evening that has begun, and its process, which stands still: so it lasts for all tests that look on."""
    folder = tmp_path_factory.mktemp("endless")
    with playing(folder, 6, pace=0.2, ticks=ENDLESS) as process:
        wait_for(lambda: has_begun(folder, GOES_ON), "it has begun")
        with frozen(process):
            yield folder, process


@pytest.fixture
def beside(endless: tuple[Path, subprocess.Popen[bytes]]) -> Iterator[Served]:
    """A studio of that folder."""
    with serving(endless[0]) as one:
        yield one


def wait_until_begun(served: Served, id: str) -> None:
    """Wait until an evening exists and has a tick."""

    def there() -> bool:
        answer = served.client.get(f"/api/v1/runs/{id}")
        return answer.status_code == 200 and answer.json()["last"] >= 1

    wait_for(there, "it has begun")


def test_an_evening_of_another_process_is_followed(fresh: Served, tmp_path: Path) -> None:
    """Its ticks arrive while it is played; the stream ends with it, and its items are what is read later."""
    with playing(tmp_path, 5, pace=0.1, ticks=30) as process:
        wait_for(lambda: has_begun(tmp_path, "dinner-party-5"), "it has begun")
        with frozen(process):
            record = fresh.get("/records/dinner-party-5")["record"]
            assert (record["live"], record["kind"], record["run"]["seed"]) == (True, "run", 5)
            early = fresh.get("/runs/dinner-party-5")
            assert early["live"]
            assert early["last"] < 30
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


def test_ticks_are_told_as_they_are_written(beside: Served, endless: tuple[Path, subprocess.Popen[bytes]]) -> None:
    """A tick reaches a stream while the evening goes on, not at its end; a stream can be resumed."""
    folder, process = endless
    with (
        going_on(process),
        beside.client.stream("GET", f"/api/v1/runs/{GOES_ON}/live?after=2") as answer,
    ):
        seen: list[str] = []
        for line in answer.iter_lines():
            if line.startswith("id: "):
                seen.append(line[4:])
                assert is_written(folder / "volition-runs" / GOES_ON)
            if len(seen) == 4:
                break
    assert seen == ["3", "4", "5", "6"]


def test_a_process_that_dies_ends_its_evening(fresh: Served, tmp_path: Path) -> None:
    """When the process of an evening is killed, its followers hear that it stopped, and what was written stays."""
    with playing(tmp_path, 7, pace=0.2, ticks=ENDLESS) as process:
        wait_until_begun(fresh, "dinner-party-7")
        with frozen(process):
            status, problem = fresh.refusal("POST", "/runs/dinner-party-7/stop")
            assert (status, problem["remedy"]) == (409, "end it where it was started")
            told: list[tuple[str, Any]] = []
            listening = Thread(target=lambda: told.extend(fresh.stream("/runs/dinner-party-7/live")))
            listening.start()
            wait_for(
                lambda: (follower := fresh.studio.followers.get("dinner-party-7")) and follower.feed.has_followers,
                "it is followed",
            )
            process.kill()
        listening.join(PATIENCE)
    assert told
    assert told[-1] == ("end", {"reason": "stopped", "ending": None, "problem": None})
    left = fresh.get("/runs/dinner-party-7")
    assert not left["live"]
    assert left["ending"] is None
    assert left["last"] >= len(told) - 1


def test_without_followers_nothing_is_read(beside: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the last follower is gone, the record is no longer read; a new follower gets all of it."""
    monkeypatch.setattr(plays, "UNWATCHED", 0.3)
    feed = beside.studio.feed(GOES_ON)
    follower = beside.studio.followers.find(GOES_ON)
    assert feed is follower.feed is beside.studio.feed(GOES_ON)
    wait_for(lambda: not follower.is_running, "it is let go")
    assert follower.state == "stopped"
    assert beside.studio.feed(GOES_ON) is not feed


def test_looking_costs_little(beside: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that does not grow is polled a few times a second at most."""
    looks: list[float] = []

    def counted(folder: Path) -> bool:
        looks.append(monotonic())
        return is_written(folder)

    monkeypatch.setattr(plays, "is_written", counted)
    beside.studio.feed(GOES_ON)
    wait_for(lambda: len(looks) >= 8, "some looks")
    beside.studio.followers.find(GOES_ON).stop()
    apart = [after - before for before, after in pairwise(looks)]
    assert min(apart) >= plays.POLL * 0.9


def test_a_lock_says_who_writes(tmp_path: Path) -> None:
    """A ledger counts as written exactly while its writer has it open; checking does not lock out the next writer."""
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
