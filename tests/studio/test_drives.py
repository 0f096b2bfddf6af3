"""Drives are watched as they go, asked why, and stopped."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.studio.served import wait_for
from volition.execution.connecting.connect import connect
from volition.execution.worlds.pilot.pilot import drive

if TYPE_CHECKING:
    from tests.studio.served import Served


def test_a_drive_is_the_pilots_own(served: Served) -> None:
    """Steps that are streamed are those that the library takes, and the journal is a record that holds."""
    id = served.post("/drives", {"pace": "fast", "steps": 40, "seed": 3})["id"]
    events = served.stream(f"/drives/{id}/live")
    with connect("embedded", map="courtyard", seed=3) as bridge:
        steps: list[str | None] = []
        drive(bridge, 40, lambda step: steps.append(step.decision.id))
    taken = [data for name, data in events if name == "step"]
    assert [data["chosen"] for data in taken] == steps
    name, end = events[-1]
    assert (name, end["state"], end["steps"]) == ("end", "done", len(steps))
    assert served.post(f"/records/{end['journal']}/verify")["intact"] is True
    assert served.get(f"/records/{end['journal']}")["summary"]["attempts"] >= end["course"]["sent"]
    for data in taken:
        assert data["picture"].splitlines()[0] == "#" * len(end["map"]["rows"][0])


def test_a_step_can_be_asked_why(served: Served) -> None:
    """The decision of a step is of the same shape as any other, and can be asked what if."""
    id = served.post("/drives", {"pace": "fast", "steps": 12, "journal": False})["id"]
    events = served.stream(f"/drives/{id}/live")
    told = served.get(f"/drives/{id}/decisions/3")
    assert told["decision"]["candidate"] == events[2][1]["chosen"]
    assert told["decision"]["why"]["text"] == events[2][1]["why"]
    weights = {one["id"]: one["weight"] for one in told["decision"]["intentions"] if one["kind"] == "heuristic"}
    again = served.post(f"/drives/{id}/decisions/3/what-if", {"weights": weights})
    assert again["changed"] is False
    assert served.refusal("GET", f"/drives/{id}/decisions/4000")[0] == 404


def test_a_body_in_java_is_driven(served: Served) -> None:
    """The arena in a JVM is driven over a real connection: intents pass, nothing is violated, answers have a latency."""
    if os.environ.get("NO_JAVA") == "1":
        pytest.skip("NO_JAVA=1")
    id = served.post("/drives", {"executor": "java", "steps": 25, "seed": 3})["id"]
    name, end = served.stream(f"/drives/{id}/live")[-1]
    assert (name, end["state"], end["problem"]) == ("end", "done", None)
    assert end["course"]["sent"] > 5
    assert end["course"]["violations"] == 0
    assert sum(one["count"] for one in end["latency"]["bins"]) == end["latency"]["results"] > 5
    assert sum(one["lasting"] for one in end["latency"]["bins"]) == end["latency"]["lasting"]
    assert served.post(f"/records/{end['journal']}/verify")["intact"] is True


@pytest.mark.parametrize("journal", [True, False])
def test_a_drive_is_marked_as_its_journal(served: Served, journal: bool) -> None:
    """What happens is marked at its step while the drive goes on, recorded or not; in the end it is what a journal has."""
    asked = {"pace": "fast", "steps": 90, "map": "foundry", "seed": 7}
    id = served.post("/drives", {**asked, "journal": journal})["id"]
    events = served.stream(f"/drives/{id}/live")
    end = events[-1][1]
    steps = [data for name, data in events if name == "step"]
    assert all(mark["number"] == step["number"] for step in steps for mark in step["marks"])
    told = [mark for step in steps for mark in step["marks"]]
    assert end["marks"][: len(told)] == told
    recorded = end["journal"] or served.stream(f"/drives/{served.post('/drives', asked)['id']}/live")[-1][1]["journal"]
    (run,) = served.get(f"/journals/{recorded}")["runs"]
    assert [(mark["kind"], mark["text"]) for mark in end["marks"]] == [
        (mark["kind"], mark["text"]) for mark in run["marks"]
    ]
    assert {"hit", "veto"} <= {mark["kind"] for mark in told} <= end["legend"].keys()
    assert served.get(f"/drives/{id}")["marks"] == end["marks"]


def test_an_early_step_of_a_long_drive_can_be_asked(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is no longer in memory is answered from the journal; without a journal it is gone, and said so."""
    monkeypatch.setattr("volition.studio.drives.STEPS_KEPT", 3)
    asked = {"map": "foundry", "seed": 7, "steps": 8, "pace": "fast"}
    kept, lost = (served.post("/drives", {**asked, "journal": journal})["id"] for journal in (True, False))
    for id in (kept, lost):
        wait_for(lambda id=id: served.get(f"/drives/{id}")["state"] == "done", "the end")
    assert [served.get(f"/drives/{id}")["steps_kept"] for id in (kept, lost)] == [[1, 8], [6, 8]]
    told = {step["number"]: step["chosen"] for name, step in served.stream(f"/drives/{kept}/live") if name == "step"}
    found = served.get(f"/drives/{kept}/decisions/2")
    assert found["decision"]["candidate"] == told[2]
    assert served.post(f"/drives/{kept}/decisions/2/what-if", {"without": ["wall"]})["before"] == told[2]
    assert served.refusal("GET", f"/drives/{lost}/decisions/2")[0] == 404
    assert served.refusal("GET", f"/drives/{kept}/decisions/9")[0] == 404


def test_a_drive_can_be_stopped(served: Served) -> None:
    """A drive in real time ends soon after it is told to, with its results so far; answers have a latency."""
    into_a_wall = {"pace": "real", "goal": "0,0", "steps": 5000, "journal": False}
    id = served.post("/drives", into_a_wall)["id"]
    wait_for(lambda: served.get(f"/drives/{id}")["steps"] >= 3, "steps")
    served.post(f"/drives/{id}/stop")
    wait_for(lambda: served.get(f"/drives/{id}")["state"] == "stopped", "the end")
    assert served.stream(f"/drives/{id}/live")[-1][0] == "end"
    assert id in [one["id"] for one in served.get("/drives")]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"map": "../courtyard"}, 400),
        ({"map": "nowhere"}, 404),
        ({"goal": "nan,nan"}, 400),
        ({"goal": "1"}, 400),
        ({"steps": 0}, 400),
        ({"steps": 10**9}, 400),
        ({"seed": -1}, 400),
        ({"executor": "stdio:sh"}, 400),
        ({"pace": "warp"}, 400),
    ],
)
def test_what_cannot_be_driven_is_refused(served: Served, body: dict[str, Any], status: int) -> None:
    """No map by path, no executor but the shipped ones, no endless drive."""
    assert served.refusal("POST", "/drives", body)[0] == status


def test_maps_have_a_legend(served: Served) -> None:
    """Every map that ships is there, with a legend for all of its letters."""
    for one in served.get("/maps"):
        assert set("".join(one["rows"])) <= set(one["legend"])
