"""An ensemble on a page is the one that was played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import to_builtins
from msgspec.json import decode, encode

from volition.drama import Evening, scenario
from volition.drama.ensemble import Ensemble, EnsemblePlan, sweep
from volition.drama.ensemble.meanings import meaning_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served

SETTING, FIXED = "rules.noise.sigma", "evening.ticks"


@pytest.fixture(scope="module")
def played(folder: Path) -> Ensemble:
    """Two seeds at each of two points."""
    plan = EnsemblePlan.of(scenario("dinner-party"), (1, 2), grid={SETTING: (0.05, 0.3), FIXED: (40,)})
    return sweep(plan, folder / "noise", engine="here", path="interpreted", format="csv")


@pytest.fixture(scope="module")
def id(played: Ensemble, served: Served) -> str:
    (record,) = (one for one in served.get("/records?kind=ensemble")["records"] if one["name"] == "noise")
    assert record["ensemble"] == {
        "scenario": "dinner-party",
        "evenings": 4,
        "points": 2,
        "settings": [FIXED, SETTING],
        "finished": True,
        "played": 4,
    }
    found: str = record["id"]
    return found


def test_figures_are_those_of_the_library(served: Served, played: Ensemble, id: str) -> None:
    """Shares and means with their intervals are as the ensemble counts them, all together and by setting."""
    told = served.get(f"/ensembles/{id}")
    assert told["points"] == [{FIXED: 40, SETTING: 0.05}, {FIXED: 40, SETTING: 0.3}]
    assert (told["settings"], told["varied"]) == ([FIXED, SETTING], [SETTING])
    assert told["figures"] == played.figures()[0].to_data() | {"of": None}
    groups = served.get(f"/ensembles/{id}/figures", params={"by": SETTING})
    assert [one["of"] for one in groups] == [f"{SETTING} = 0.05", f"{SETTING} = 0.3"]
    assert groups == [one.to_data() for one in played.figures(SETTING)]
    assert served.get(f"/ensembles/{id}/figures?point=1") == [played.figures_at(1).to_data()]


def test_two_points_are_compared_as_the_library_does(served: Served, played: Ensemble, id: str) -> None:
    """Both groups and every pair of means come as the ensemble compares them, in its order and whichever comes first."""
    for first, second in ((0, 1), (1, 0), (1, 1)):
        told = served.get(f"/ensembles/{id}/compare", params={"first": first, "second": second})
        found = played.compare(first, second)
        assert (told["first"], told["second"]) == (found.first.to_data(), found.second.to_data())
        assert told["pairs"] == to_builtins(list(found.pairs))


@pytest.mark.parametrize("by", ["point", SETTING, f"{FIXED},{SETTING}"])
def test_means_are_those_of_the_library(served: Served, played: Ensemble, id: str, by: str) -> None:
    """Means over settings come as the ensemble counts them, with what is missing as null."""
    names = ["tension", "first_drama", "catastrophes.victor"]
    told = served.get(f"/ensembles/{id}/means", params={"columns": ",".join(names), "by": by})
    found = played.means(names, by.split(","))
    assert told["cells"] == [{"at": [*cell.at], "evenings": cell.evenings, "means": cell.means} for cell in found]
    assert told["left_out"] == 0


def test_cells_are_those_of_the_table(served: Served, played: Ensemble, id: str) -> None:
    """Columns come cell by cell in the order of the rows, of all or of one point."""
    told = served.get(f"/ensembles/{id}/cells", params={"columns": f"ending,{SETTING},catastrophes.victor"})
    rows = list(played.rows())
    assert told["columns"] == {name: [row[name] for row in rows] for name in told["columns"]}
    assert told["left_out"] == 0
    mine = served.get(f"/ensembles/{id}/cells", params={"columns": "row,tension", "point": 1})
    assert mine == {
        "columns": {name: [row[name] for row in rows if row["point"] == 1] for name in ("row", "tension")},
        "left_out": 0,
    }


def test_no_more_is_given_at_once_than_is_allowed(served: Served, id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows and means beyond what is given at once are counted, of all rows and of a point."""
    monkeypatch.setattr("volition.studio.ensembles.ROWS", 1)
    assert served.get(f"/ensembles/{id}/cells?columns=row") == {"columns": {"row": [0]}, "left_out": 3}
    assert served.get(f"/ensembles/{id}/cells?columns=row&point=1") == {"columns": {"row": [2]}, "left_out": 1}
    told = served.get(f"/ensembles/{id}/means?columns=events&by=point")
    assert ([cell["at"] for cell in told["cells"]], told["left_out"]) == ([[0]], 1)


def test_the_doctor_speaks_of_one_point(served: Served, played: Ensemble, id: str) -> None:
    """Findings are the doctor's, with the settings that they are about."""
    told = served.get(f"/ensembles/{id}/doctor?point=1")
    report = played.examine(1)
    assert told["settings"] == {FIXED: 40, SETTING: 0.3}
    assert (told["healthy"], told["text"]) == (report.healthy, str(report))
    assert [told["targets"], told["symptoms"]] == decode(encode([report.targets, report.symptoms]))


def test_any_evening_becomes_a_run(served: Served, played: Ensemble, id: str) -> None:
    """The evening of a row is played again, recorded, and can be looked at like any other."""
    run = served.post(f"/ensembles/{id}/evenings/3")["id"]
    assert Evening.load(served.studio.store.find(run).path).run == played.evening(3).run
    assert served.get(f"/runs/{run}")["seed"] == 2
    assert served.post(f"/ensembles/{id}/evenings/3")["id"] == run


def test_every_measure_says_what_it_means(served: Served, id: str) -> None:
    """Each column comes with a sentence, the one of the library."""
    columns = served.get(f"/ensembles/{id}")["columns"]
    assert {one["name"]: one["about"] for one in columns} == {one["name"]: meaning_of(one["name"]) for one in columns}


def test_a_point_does_not_differ_from_itself(served: Served, id: str) -> None:
    """Compared with itself no number of a point is apart, also where its interval is a point."""
    for point in (0, 1):
        pairs = served.get(f"/ensembles/{id}/compare", params={"first": point, "second": point})["pairs"]
        assert any(pair["first"]["low"] == pair["first"]["high"] for pair in pairs)
        assert not any(pair["apart"] for pair in pairs)


@pytest.mark.parametrize(
    "path",
    [
        "/figures?by=nothing",
        "/figures?point=2",
        "/figures?point=1&by=seed",
        "/compare?first=0",
        "/compare?first=0&second=2",
        "/compare?first=-1&second=0",
        "/means?columns=tension",
        "/means?columns=tension&by=row",
        "/means?columns=ending&by=point",
        f"/means?columns={SETTING}&by=point",
        "/means?columns=nothing&by=point",
        "/cells?columns=tension&point=2",
        "/cells?columns=nothing",
        "/cells?columns=",
        "/cells",
        "/doctor?point=9",
        "/doctor?point=-1",
    ],
)
def test_what_it_does_not_have_is_refused(served: Served, id: str, path: str) -> None:
    """Unknown columns and points are named."""
    assert served.refusal("GET", f"/ensembles/{id}{path}")[0] == 400


def test_a_run_is_not_an_ensemble(served: Served) -> None:
    """A record of another kind is refused as such."""
    status: Any = served.refusal("GET", "/ensembles/dinner-party-8")[0]
    assert status == 400
    assert served.refusal("POST", "/ensembles/none/evenings/0")[0] == 404
