"""Evenings are played, followed, stopped and forked from a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.studio.conftest import RUN
from tests.studio.served import Served, serving, wait_for
from volition.drama import Evening, scenario
from volition.drama import play as play_it
from volition.studio.background import JOBS_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


def test_an_evening_is_played_and_recorded(fresh: Served) -> None:
    """An evening played here is the one that the library plays, recorded like that of `volition play`."""
    id = fresh.post("/play", {"seed": 5, "ticks": 6})["id"]
    events = fresh.stream(f"/runs/{id}/live")
    assert [name for name, _ in events] == ["tick"] * 6 + ["end"]
    assert events[-1][1]["reason"] == "ended"
    recorded = Evening.load(fresh.studio.store.folder / "volition-runs" / id)
    assert recorded.run == play_it(scenario("dinner-party"), 5, ticks=6).run


def test_a_live_evening_is_the_one_that_is_read_later(fresh: Served) -> None:
    """Streamed ticks and texts are those of the finished run, wherever the stream is resumed."""
    id = fresh.post("/play", {"seed": 5, "ticks": 8, "pace": 0.01})["id"]
    told = fresh.stream(f"/runs/{id}/live")
    ticks, events = fresh.get(f"/runs/{id}/ticks"), fresh.get(f"/runs/{id}")["events"]
    assert [lived["tick"]["people"]["victor"]["at"] for _, lived in told[:-1]] == [
        tick["people"]["victor"]["at"] for tick in ticks[1:]
    ]
    assert [one["text"] for _, lived in told[:-1] for one in lived["events"]] == [one["text"] for one in events]
    assert fresh.stream(f"/runs/{id}/live?after=5") == told[5:]
    assert fresh.stream(f"/runs/{id}/live", headers={"Last-Event-ID": "7"}) == told[7:]


def test_an_evening_can_be_asked_while_it_goes_on(fresh: Served) -> None:
    """A running evening can be opened, and asked why."""
    id = fresh.post("/play", {"seed": 5, "pace": 5.0})["id"]
    assert fresh.get(f"/runs/{id}")["live"]
    record = fresh.get(f"/records/{id}")["record"]
    assert (record["live"], record["run"]["seed"]) == (True, 5)
    wait_for(lambda: fresh.get(f"/runs/{id}")["last"] >= 1, "a tick")
    assert fresh.get(f"/runs/{id}/decisions/0/victor")["decision"]["kind"] == "act"


def test_a_stopped_evening_is_broken_off_and_reads_whole(fresh: Served) -> None:
    """A stop is answered once the run is completely written: broken off, not live, and verified when played again."""
    id = fresh.post("/play", {"seed": 5, "pace": 5.0})["id"]
    assert fresh.get(f"/records/{id}")["record"]["stoppable"]
    assert fresh.get(f"/runs/{id}")["stoppable"]
    wait_for(lambda: fresh.get(f"/runs/{id}")["last"] >= 1, "a tick")
    record = fresh.post(f"/runs/{id}/stop")
    assert (record["live"], record["stoppable"], record["run"]["ending"]) == (False, False, "broken_off")
    assert fresh.post(f"/runs/{id}/stop") == record
    end = fresh.stream(f"/runs/{id}/live")[-1][1]
    assert (end["reason"], end["ending"]["kind"], end["problem"]) == ("stopped", "broken_off", None)
    shown = fresh.get(f"/runs/{id}")
    assert (shown["live"], shown["ending"]["kind"], shown["ending"]["tick"]) == (False, "broken_off", shown["last"])
    checked = fresh.post(f"/records/{id}/verify")
    assert (checked["intact"], checked["checked"]) == (True, "whole")


def test_only_so_many_go_on_at_once(fresh: Served) -> None:
    """One evening too many is refused, and leaves nothing behind; when one ends there is room again."""
    ids = [fresh.post("/play", {"seed": n, "pace": 5.0})["id"] for n in range(JOBS_AT_ONCE)]
    status, problem = fresh.refusal("POST", "/play", {"seed": 99})
    assert (status, problem["remedy"]) == (429, "wait for one to end, or stop it")
    assert len(fresh.get("/records?kind=run")["records"]) == JOBS_AT_ONCE
    for id in ids:
        fresh.post(f"/runs/{id}/stop")
    wait_for(lambda: fresh.client.post("/api/v1/play", json={"seed": 1, "ticks": 1}).status_code == 201, "room")


def test_the_same_name_is_given_once(fresh: Served) -> None:
    """Two evenings of one seed are two records."""
    ids = [fresh.post("/play", {"seed": 1, "ticks": 1})["id"] for _ in range(3)]
    assert ids == ["dinner-party-1", "dinner-party-1.2", "dinner-party-1.3"]


def test_a_scenario_is_a_name_not_a_path(served: Served, tmp_path: Path) -> None:
    """Only scenarios that ship can be played from a page."""
    file = tmp_path / "own.toml"
    file.write_text("x = 1", encoding="utf-8")
    for name in (str(file), "../own.toml", "/etc/passwd", "dinner_party.toml", ""):
        status, _ = served.refusal("POST", "/play", {"scenario": name})
        assert status == 400


def test_a_record_that_is_not_played_here_has_no_stream(served: Served) -> None:
    """The stream of a finished run says so at once, instead of waiting."""
    assert served.stream(f"/runs/{RUN}/live") == [("end", {"reason": "not live", "ending": None, "problem": None})]


def test_a_forced_act_makes_a_branch(served: Served, evening: Evening) -> None:
    """The branch is the one of the library, recorded, and the comparison is between both."""
    decision = evening.decision(25, "victor")
    act = next(one for one in decision.tally.survivors if one.startswith("conflict:") and one != decision.id)
    told = served.post(f"/runs/{RUN}/forks", {"at": 25, "agent": "victor", "force": act})
    branch = evening.fork(25, force=act, agent="victor")
    assert Evening.load(served.studio.store.find(told["run"]).path).run == branch.run
    assert told["comparison"]["parted"] == 25
    assert told["comparison"]["text"] == str(evening.compare(branch))
    assert served.get(f"/runs/{told['run']}")["interference"][0]["text"] == f"at tick 25, victor: force {act}"


def test_other_weights_make_a_branch(served: Served, evening: Evening) -> None:
    """Weights or left-out intentions that choose another act fork the evening with it; others are refused."""
    decision = evening.decision(25, "victor")
    flip = decision.sensitivity().nearest
    assert flip is not None
    weights = {flip.intention: flip.weight}
    told = served.post(f"/runs/{RUN}/forks", {"at": 25, "agent": "victor", "weights": weights})
    assert (told["interference"][0]["kind"], told["interference"][0]["what"]) == ("force", flip.to)
    told = served.post(f"/runs/{RUN}/forks", {"at": 25, "agent": "victor", "without": ["utility"]})
    assert told["interference"][0]["what"] == decision.what_if(without=["utility"]).after
    for body in (
        {"at": 25, "agent": "victor", "weights": {flip.intention: decision.composite[flip.intention].weight}},  # type: ignore[union-attr]
        {"at": 25, "weights": weights},
        {"at": 25, "agent": "victor", "weights": weights, "force": "internal"},
        {"at": 25},
        {"at": 10**12, "agent": "victor", "force": "internal"},
    ):
        assert served.refusal("POST", f"/runs/{RUN}/forks", body)[0] == 400
