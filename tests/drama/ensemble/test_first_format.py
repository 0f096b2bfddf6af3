"""Ensembles of the first format, played by the first rules: their numbers are read as ever, and they are not written to."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from tests.drama.ensemble.plays import SHORT, SIGMA
from volition.core.errors import InvalidInput
from volition.drama.ensemble import Ensemble, EnsemblePlan, sweep
from volition.drama.stage.record import RULES_VERSION

FIRST = Path(__file__).parent / "first_format"


def test_an_ensemble_of_the_first_format_is_read(tmp_path: Path) -> None:
    """Its table is the one that was written with it, and its numbers are grouped and compared."""
    folder = shutil.copytree(FIRST, tmp_path / "first")
    there = Ensemble(folder)
    with (FIRST / "table.csv").open(newline="") as stream:
        expected = list(csv.DictReader(stream))
    there.write("csv")
    with (folder / "table.csv").open(newline="") as stream:
        assert list(csv.DictReader(stream)) == expected
    assert (there.plan.measures, there.plan.rules) == (1, 1)
    assert [group.evenings for group in there.figures(SIGMA)] == [2, 2]
    assert there.compare(0, 1).second.evenings == 2
    assert there.paths == {"scalar": 4}


def test_its_evenings_are_not_played_again() -> None:
    """What these rules would decide otherwise is neither played nor given advice on: the version is named instead."""
    there = Ensemble(FIRST)
    for ask in (there.evening, there.examine):
        with pytest.raises(InvalidInput, match=f"made by rules 1, and these are rules {RULES_VERSION}"):
            ask(1)
    with pytest.raises(InvalidInput, match="there is no row 4"):
        there.evening(4)


def test_it_is_not_written_to(tmp_path: Path) -> None:
    """The same settings make another plan now, of other rules, whose measures are defined otherwise."""
    folder = shutil.copytree(FIRST, tmp_path / "first")
    before = _content(folder)
    plan = EnsemblePlan.of(SHORT, [1, 2], grid={SIGMA: [0.1, 0.3]})
    with pytest.raises(InvalidInput, match="another plan: scenario, scenario_hash, rules, measures differ"):
        sweep(plan, folder, engine="here", format="csv")
    assert _content(folder) == before


def _content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name != "writer.lock"}
