"""Ensembles that were played, or as far as they were: table, figures, reports and evenings agree."""

from __future__ import annotations

import csv
import json
from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pyarrow.ipc
import pyarrow.parquet
import pytest

from tests.drama.batch.stories import story_of
from tests.drama.ensemble.own_terms import TALK
from tests.drama.ensemble.plays import QUICK, SHORT, SIGMA, STRENGTH, plan
from volition.core.errors import BrokenRecord, InvalidInput, NotPossible
from volition.drama.batch.measures import digest_of_world
from volition.drama.doctor import examine
from volition.drama.ensemble import Ensemble, EnsemblePlan, ensemble, figures, sweep
from volition.drama.ensemble.figures import BANDS
from volition.drama.ensemble.folder import EnsembleFolder
from volition.drama.ensemble.intervals import mean, share
from volition.drama.stage.record import RULES_VERSION
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Ensemble:
    return sweep(plan(), tmp_path_factory.mktemp("done") / "out", engine="here")


def test_rows(done: Ensemble) -> None:
    """A row identifies its evening, and has the numbers of that evening when it is played alone."""
    rows = list(done.rows())
    assert [(row["row"], row["point"], row["seed"]) for row in rows] == [
        (row, row // 3, 1 + row % 3) for row in range(12)
    ]
    for row in rows[::5]:
        scenario = done.plan.scenario_at(row["point"])
        played = run(scenario, row["seed"])
        assert row["scenario"] == scenario.hash
        assert (row[SIGMA], row[STRENGTH]) == (
            scenario.rules["noise"]["sigma"],
            scenario.people["victor"].flaws[0].strength,
        )
        assert played.ending is not None
        assert (row["ticks"], row["ending"], row["minutes"]) == (
            len(played.ticks),
            played.ending.kind,
            played.ending.minutes,
        )
        kinds = Counter(event.type.name for event in played.events)
        assert {name.removeprefix("events."): count for name, count in row.items() if name.startswith("events.")} == {
            **dict.fromkeys((name.removeprefix("events.") for name in row if name.startswith("events.")), 0),
            **kinds,
        }
        assert (row["events"], row["moves"]) == (len(played.events), kinds["SOCIAL_MOVE"])
        used = {event.room for event in played.events if event.type.name != "SOCIAL_MOVE"}
        assert {room for room in scenario.rooms if row[f"rooms.{room}"]} == used
        assert (row["rooms"], row["path"]) == (len(used), "interpreted")
        assert row["decisions"] == sum(len(record.choices) for record in played.ticks)
        story = story_of(played)
        assert {secret for secret in scenario.secrets if row[f"out.{secret}"]} == set(story.out)
        assert {who: row[f"made.{who}"] for who in scenario.people} == dict(story.made)
        assert (row["conflicts"], row["driven_off"]) == (kinds["CONFLICT"], len(story.driven_off))


def test_the_same_evening(done: Ensemble) -> None:
    """Any evening can be opened: it has the digest of its row, explains its choices, and verifies."""
    row = list(done.rows())[7]
    evening = done.evening(7)
    assert digest_of_world(evening.state(evening.last)) == done.digest(evening) == row["state"]
    assert (evening.seed, evening.scenario.hash) == (row["seed"], row["scenario"])
    who, choice = next(iter(evening.run.ticks[1].choices.items()))
    assert evening.decision(1, who).id == choice.id
    assert evening.verify() == row["ticks"]
    assert len({row["state"] for row in done.rows()}) > 6


def test_formats(done: Ensemble) -> None:
    """Parquet, Arrow, CSV and JSON lines contain the same table as the one in memory."""
    expected = list(done.rows())
    assert done.table().to_pylist() == expected
    assert pyarrow.parquet.read_table(done.write("parquet")).to_pylist() == expected
    with pyarrow.OSFile(str(done.write("arrow"))) as file:
        assert pyarrow.ipc.open_file(file).read_all().to_pylist() == expected
    assert [json.loads(line) for line in done.write("jsonl").read_text().splitlines()] == expected
    with done.write("csv").open(newline="") as stream:
        read = list(csv.DictReader(stream))
    assert [_text(row) for row in expected] == read


def _text(row: dict[str, Any]) -> dict[str, str]:
    return {
        name: "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)
        for name, cell in row.items()
    }


def test_types(done: Ensemble) -> None:
    """Every column has one kind, whatever its cells are."""
    schema = done.table().schema
    kinds = {name: str(schema.field(name).type) for name in (SIGMA, "row", "ending", "rooms.kitchen", "first_drama")}
    assert kinds == {
        SIGMA: "double",
        "row": "int64",
        "ending": "string",
        "rooms.kitchen": "bool",
        "first_drama": "int64",
    }


def test_figures(done: Ensemble) -> None:
    """Figures are shares and means of the table's columns, over all rows or a group, with their intervals."""
    rows = list(done.rows())
    (all_,) = done.figures()
    assert (all_.of, all_.evenings, all_.paths) == (None, 12, {"interpreted": 12})
    numbers = {column.name for column in done.columns if column.kind in ("int", "float") and not column.setting}
    assert set(all_.means) == numbers
    for name, found in all_.means.items():
        assert found == mean([row[name] for row in rows if row[name] is not None])
    assert all_.flags["rooms.kitchen"] == share(sum(row["rooms.kitchen"] for row in rows), 12)
    assert all_.endings == {
        kind: share(count, 12) for kind, count in Counter(row["ending"] for row in rows).most_common()
    }
    groups = done.figures(SIGMA)
    assert [group.of for group in groups] == [f"{SIGMA} = 0.1", f"{SIGMA} = 0.3"]
    for group, sigma in zip(groups, (0.1, 0.3), strict=True):
        some = [row["tension"] for row in rows if row[SIGMA] == sigma]
        assert group.means["tension"].value == pytest.approx(fmean(some))
    quiet = [row["first_drama"] for row in rows if row["first_drama"] is not None]
    assert all_.means["first_drama"].evenings == len(quiet)
    assert json.dumps([group.to_data() for group in groups])
    assert not {"row", "seed", "point", SIGMA} & set(all_.means)


def test_bands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a setting has many values, groups are bands that cover all of them, in order."""
    monkeypatch.setattr(figures, "GROUPS", 9)
    many = EnsemblePlan.of(SHORT, [1], random={SIGMA: (0.05, 0.5)}, draws=10)
    groups = sweep(many, tmp_path / "out", engine="here", path=QUICK, format="csv").figures(SIGMA)
    assert [group.evenings for group in groups] == [10 // BANDS] * BANDS
    lows = [float(str(group.of).split(" = ")[1].split(" to ")[0]) for group in groups]
    assert lows == sorted(lows)
    with pytest.raises(InvalidInput, match="10 values"):
        Ensemble(tmp_path / "out").figures("scenario")


def test_an_unknown_column(done: Ensemble) -> None:
    """A column that does not exist is refused with the nearest one."""
    with pytest.raises(InvalidInput, match="tension"):
        done.figures("tensoin")


def test_the_doctor(done: Ensemble) -> None:
    """The doctor's report on an ensemble's evenings is that on the same evenings played for it."""
    for point in (0, 3):
        scenario = done.plan.scenario_at(point)
        assert done.examine(point) == examine(ensemble(scenario, [1, 2, 3], workers=1), scenario)


@pytest.mark.parametrize("row", [-1, 12])
def test_no_such_row(done: Ensemble, row: int, told: Told) -> None:
    """A row or a point that does not exist is refused."""
    with told.raises(InvalidInput):
        done.evening(row)
    with told.raises(InvalidInput):
        done.examine(row)


def test_terms(tmp_path: Path) -> None:
    """Opening an evening that was played with custom terms needs the terms; nothing else does."""
    sweep(EnsemblePlan.of(SHORT, [1, 2], terms=[TALK]), tmp_path, engine="here", format="csv")
    assert Ensemble(tmp_path).figures()[0].evenings == 2
    with pytest.raises(InvalidInput, match="custom terms"):
        Ensemble(tmp_path).evening(1)
    evening = Ensemble(tmp_path, [TALK]).evening(1)
    assert "talk" in evening.decision(1, "victor").trace.voters


@pytest.mark.parametrize(
    ("part", "version"),
    [("rules", RULES_VERSION + 1), ("rules", RULES_VERSION - 1), ("rules", None), ("rules", "2"), ("measures", 1)],
)
def test_other_versions(done: Ensemble, tmp_path: Path, part: str, version: object) -> None:
    """An ensemble that was made by other rules, or measured otherwise, is refused with the version that it has."""
    data = EnsembleFolder(done.folder.path).manifest()
    data["plan"][part] = version
    (tmp_path / "manifest.json").write_text(json.dumps(data))
    with pytest.raises(InvalidInput) as refused:
        Ensemble(tmp_path)
    assert str(version) in refused.value.problems[0].what


def test_another_evening(done: Ensemble, monkeypatch: pytest.MonkeyPatch) -> None:
    """An evening that differs from its row when it is played again is an error."""
    monkeypatch.setattr("volition.drama.ensemble.results.digest_of_world", lambda world: "another")
    with pytest.raises(BrokenRecord, match="row 3"):
        done.evening(3)


@pytest.mark.parametrize("text", ["{}", "[]", '{"kind": "ensemble", "format": 99}'])
def test_no_ensemble(tmp_path: Path, text: str, told: Told) -> None:
    """A folder without the manifest of an ensemble is refused."""
    with told.raises(InvalidInput):
        Ensemble(tmp_path)
    (tmp_path / "manifest.json").write_text(text)
    with told.raises(InvalidInput):
        Ensemble(tmp_path)


class Stop(Exception):
    """An interrupt."""


def stopped(folder: Path, after: int, what: EnsemblePlan | None = None) -> Ensemble:
    """What was played of a plan before it was stopped."""

    def progress(done: int, of: int) -> None:
        if done >= after:
            raise Stop

    with pytest.raises(Stop):
        sweep(what or plan(), folder, engine="here", task=0.0, format="csv", progress=progress)
    return Ensemble(folder, so_far=True)


def test_what_was_played_so_far(done: Ensemble, tmp_path: Path) -> None:
    """A stopped ensemble has the rows and figures of what was played, as the whole one has them, and says how much that is."""
    found = stopped(tmp_path / "out", 4)
    assert (found.finished, len(found), found.played_at, found.plan.size) == (False, 4, (3, 1, 0, 0), 12)
    assert list(found.rows()) == list(done.rows())[:4]
    assert found.figures_at(0) == done.figures_at(0)
    assert found.figures()[0].evenings == sum(found.paths.values()) == 4
    assert str(found.examine(0)) == str(done.examine(0))
    assert found.digest(found.evening(3)) == list(found.rows())[3]["state"]
    compared = found.compare(0, 1)
    assert (compared.first.evenings, compared.second.evenings) == (3, 1)
    assert {pair.difference.evenings for pair in compared.pairs if pair.name in ("tension", "events")} == {1}


def test_what_was_not_played_is_not_made_up(tmp_path: Path, told: Told) -> None:
    """A point and a row that were not played are refused; so is everything once the rest was played and the parts are gone."""
    found = stopped(tmp_path / "out", 4)
    for ask in (found.figures_at, found.examine):
        with told.raises(NotPossible):
            ask(2)
    with told.raises(NotPossible):
        found.evening(4)
    none = stopped(tmp_path / "none", 0)
    assert (len(none), none.figures()[0].evenings, list(none.rows())) == (0, 0, [])
    sweep(plan(), tmp_path / "out", engine="here", format="csv")
    with told.raises(NotPossible):
        found.figures()
    assert len(Ensemble(tmp_path / "out", so_far=True)) == 12


def test_an_ensemble_with_custom_terms_is_read_so_far(tmp_path: Path) -> None:
    """What was played with custom terms is read without them."""
    assert len(stopped(tmp_path, 1, EnsemblePlan.of(SHORT, (1, 2), terms=[TALK]))) == 1
