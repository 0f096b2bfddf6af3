"""Ensembles are begun from a page, followed, stopped and continued; what was played is kept."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.studio.served import Served, serving
from volition.drama import scenario
from volition.drama.ensemble import Ensemble, EnsemblePlan, sweep
from volition.drama.ensemble.folder import EnsembleFolder
from volition.studio import sweeps
from volition.studio.sweeps import MOST_EVENINGS, Sweep

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TICKS = "evening.ticks"
ASKED = {"scenario": "dinner-party", "first": 3, "seeds": 3, "grid": {TICKS: ["2", "3"]}}


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


def test_an_ensemble_begun_here_is_that_of_the_library(fresh: Served, tmp_path: Path) -> None:
    """Its evenings have the bytes that the library writes; progress is reported up to the last evening."""
    started = fresh.post("/ensembles", ASKED)
    events = fresh.stream(f"/ensembles/{started['id']}/live")
    assert events[-1] == ("end", {"reason": "ended", "problem": None})
    done = [data["done"] for name, data in events if name == "progress"]
    assert (done[0], done[-1]) == (0, 6)
    assert done == sorted(done)
    plan = EnsemblePlan.of(scenario("dinner-party"), (3, 4, 5), grid={TICKS: (2, 3)})
    library = sweep(plan, tmp_path / "library", engine="here", format="jsonl")
    mine = Ensemble(fresh.studio.store.find(started["id"]).path)
    assert mine.folder.evenings.read_bytes() == library.folder.evenings.read_bytes()
    assert fresh.get(f"/ensembles/{started['id']}")["evenings"] == 6
    record = fresh.get(f"/records/{started['id']}")["record"]
    assert (record["live"], record["ensemble"]["finished"], record["ensemble"]["played"]) == (False, True, 6)
    assert fresh.refusal("POST", f"/ensembles/{started['id']}/resume")[0] == 409


def test_a_stopped_one_keeps_what_it_played(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop is answered once everything played is on disk; its figures are those of that, and it goes on to the same end."""
    monkeypatch.setattr(sweeps, "TASK", 0.0)
    second, go_on, report = Event(), Event(), Sweep._report

    def wait_at_two(self: Sweep, done: int, of: int) -> None:
        if done == 2:
            second.set()
            go_on.wait()
        report(self, done, of)

    monkeypatch.setattr(Sweep, "_report", wait_at_two)
    id = fresh.post("/ensembles", ASKED)["id"]
    second.wait()
    record = fresh.get(f"/records/{id}")["record"]
    assert (record["live"], record["stoppable"], record["ensemble"]["finished"]) == (True, True, False)
    fresh.studio.sweeps.find(id).stop()
    go_on.set()
    stopped = fresh.post(f"/ensembles/{id}/stop")
    assert (stopped["live"], stopped["ensemble"]["played"], stopped["ensemble"]["evenings"]) == (False, 2, 6)
    assert fresh.stream(f"/ensembles/{id}/live")[-1] == ("end", {"reason": "stopped", "problem": None})
    shown = fresh.get(f"/ensembles/{id}")
    assert (shown["finished"], shown["evenings"], shown["planned"], shown["played_at"]) == (False, 2, 6, [2, 0])
    assert fresh.get(f"/ensembles/{id}/figures?point=0")[0]["evenings"] == 2
    assert fresh.refusal("GET", f"/ensembles/{id}/figures?point=1")[0] == 409
    opened = [fresh.post(f"/ensembles/{id}/evenings/1")["id"] for _ in range(2)]
    assert opened[0] == opened[1]
    fresh.post(f"/ensembles/{id}/resume")
    told = fresh.stream(f"/ensembles/{id}/live")
    assert told[0] == ("progress", {"done": 2, "of": 6, "note": ""})
    assert told[-1][1]["reason"] == "ended"
    whole = fresh.get(f"/ensembles/{id}")
    assert (whole["finished"], whole["evenings"], whole["played_at"]) == (True, 6, [3, 3])


def test_answers_about_a_running_one_agree(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """While evenings are played, all answers are about those that were there when the whole was last asked for."""
    monkeypatch.setattr(sweeps, "TASK", 0.0)
    reached, go_on = {count: Event() for count in (1, 3)}, {count: Event() for count in (1, 3)}
    report = Sweep._report

    def wait_there(self: Sweep, done: int, of: int) -> None:
        if done in reached:
            reached[done].set()
            go_on[done].wait()
        report(self, done, of)

    monkeypatch.setattr(Sweep, "_report", wait_there)
    id = fresh.post("/ensembles", ASKED)["id"]
    reached[1].wait()
    assert fresh.get(f"/ensembles/{id}")["evenings"] == 1
    go_on[1].set()
    reached[3].wait()
    assert fresh.get(f"/ensembles/{id}/cells?columns=row")["columns"]["row"] == [0]
    assert fresh.get(f"/ensembles/{id}")["evenings"] == 3
    assert fresh.get(f"/ensembles/{id}/cells?columns=row")["columns"]["row"] == [0, 1, 2]
    go_on[3].set()
    fresh.stream(f"/ensembles/{id}/live")
    assert fresh.get(f"/ensembles/{id}/cells?columns=row")["columns"]["row"] == list(range(6))


def test_one_that_another_process_plays_is_live(fresh: Served, tmp_path: Path) -> None:
    """An ensemble whose folder is locked is being played, and this studio does not offer to stop it."""
    plan = EnsemblePlan.of(scenario("dinner-party"), (1, 2), grid={TICKS: (2,)})
    with EnsembleFolder(tmp_path / "elsewhere").writing(plan):
        (record,) = fresh.get("/records?kind=ensemble")["records"]
        assert (record["live"], record["stoppable"], record["ensemble"]["played"]) == (True, False, 0)
        assert fresh.get(f"/ensembles/{record['id']}")["evenings"] == 0
    (record,) = fresh.get("/records?kind=ensemble")["records"]
    assert record["live"] is False


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"scenario": "nothing"}, 404),
        ({"scenario": "/etc/passwd"}, 404),
        ({"grid": {"rules.nothing": ["1"]}}, 400),
        ({"grid": {TICKS: ["soon"]}}, 400),
        ({"grid": {TICKS: []}}, 400),
        ({"seeds": MOST_EVENINGS, "grid": {TICKS: ["2", "3"]}}, 413),
        ({"seeds": MOST_EVENINGS + 1}, 400),
        ({"out": "/tmp/x"}, 400),
    ],
)
def test_what_cannot_be_played_is_refused(fresh: Served, more: dict[str, Any], status: int) -> None:
    """Unknown scenarios and settings, too many evenings, and anything that names a place are refused, and nothing is written."""
    assert fresh.refusal("POST", "/ensembles", ASKED | more)[0] == status
    assert fresh.get("/records?kind=ensemble")["records"] == []


def test_only_an_ensemble_is_continued(fresh: Served) -> None:
    """An unknown id and a run are 404; the stream of what is not being played says so at once."""
    run = fresh.post("/play", {"seed": 1, "ticks": 1})["id"]
    fresh.stream(f"/runs/{run}/live")
    for id in ("none", run):
        assert fresh.refusal("POST", f"/ensembles/{id}/resume")[0] == 404
    assert fresh.stream("/ensembles/none/live") == [("end", {"reason": "not live", "problem": None})]
