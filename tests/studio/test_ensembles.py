"""An ensemble on a page is the one that was played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from volition.drama import Evening, scenario
from volition.drama.company.ensemble import Ensemble, Plan, sweep

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served

SETTING = "rules.noise.sigma"


@pytest.fixture(scope="module")
def played(folder: Path) -> Ensemble:
    """Two seeds at each of two points."""
    plan = Plan.of(scenario("dinner-party"), (1, 2), grid={SETTING: (0.05, 0.3)})
    return sweep(plan, folder / "noise", engine="here", format="csv")


@pytest.fixture(scope="module")
def id(played: Ensemble, served: Served) -> str:
    (record,) = served.get("/records?kind=ensemble")["records"]
    assert record["ensemble"] == {
        "scenario": "dinner-party",
        "evenings": 4,
        "points": 2,
        "settings": [SETTING],
        "finished": True,
    }
    found: str = record["id"]
    return found


def test_figures_are_those_of_the_library(served: Served, played: Ensemble, id: str) -> None:
    """Shares and means with their intervals are as the ensemble counts them, all together and by setting."""
    told = served.get(f"/ensembles/{id}")
    assert told["points"] == [{SETTING: 0.05}, {SETTING: 0.3}]
    assert told["figures"] == played.figures()[0].to_data() | {"of": None}
    groups = served.get(f"/ensembles/{id}/figures", params={"by": SETTING})
    assert [one["of"] for one in groups] == [f"{SETTING} = 0.05", f"{SETTING} = 0.3"]
    assert groups == [one.to_data() for one in played.figures(SETTING)]


def test_cells_are_those_of_the_table(served: Served, played: Ensemble, id: str) -> None:
    """Columns come cell by cell in the order of the rows."""
    told = served.get(f"/ensembles/{id}/cells", params={"columns": f"ending,{SETTING},catastrophes.victor"})
    rows = list(played.rows())
    assert told["columns"] == {name: [row[name] for row in rows] for name in told["columns"]}
    assert told["left_out"] == 0


def test_the_doctor_speaks_of_one_point(served: Served, played: Ensemble, id: str) -> None:
    """Findings are the doctor's, with the settings that they are about."""
    told = served.get(f"/ensembles/{id}/doctor?point=1")
    report = played.examine(1)
    assert told["settings"] == {SETTING: 0.3}
    assert (told["healthy"], told["text"]) == (report.healthy, str(report))
    assert [one["id"] for one in told["symptoms"]] == [one.id for one in report.symptoms]


def test_any_evening_becomes_a_run(served: Served, played: Ensemble, id: str) -> None:
    """The evening of a row is played again, recorded, and can be looked at like any other."""
    run = served.post(f"/ensembles/{id}/evenings/3")["id"]
    assert Evening.load(served.studio.shelf.find(run).path).run == played.evening(3).run
    assert served.get(f"/runs/{run}")["seed"] == 2


@pytest.mark.parametrize(
    "path",
    [
        "/figures?by=nothing",
        "/cells?columns=nothing",
        "/cells?columns=",
        "/cells",
        "/doctor?point=9",
        "/doctor?point=-1",
    ],
)
def test_what_it_does_not_have_is_refused(served: Served, id: str, path: str) -> None:
    """Columns and points that are none are named."""
    assert served.refused("GET", f"/ensembles/{id}{path}")[0] == 400


def test_an_evening_is_no_ensemble(served: Served) -> None:
    """A record of another kind is refused as such."""
    status: Any = served.refused("GET", "/ensembles/dinner-party-8")[0]
    assert status == 400
    assert served.refused("POST", "/ensembles/none/evenings/0")[0] == 404
