"""Ensembles of the first format: their lines of JSON are read, opened and examined as ever, and not written to."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from tests.drama.ensemble.plays import SHORT, SIGMA
from volition.core.errors import InvalidInput
from volition.drama.ensemble import Ensemble, EnsemblePlan, sweep

FIRST = Path(__file__).parent / "first_format"


def test_an_ensemble_of_the_first_format_is_read(tmp_path: Path) -> None:
    """Its table is the one that was written with it, its evenings can be played again, and the doctor examines it."""
    folder = shutil.copytree(FIRST, tmp_path / "first")
    there = Ensemble(folder)
    with (FIRST / "table.csv").open(newline="") as stream:
        expected = list(csv.DictReader(stream))
    there.write("csv")
    with (folder / "table.csv").open(newline="") as stream:
        assert list(csv.DictReader(stream)) == expected
    assert there.plan.measures == 1
    assert there.evening(3).seed == 2
    assert there.examine(1).evenings == 2
    assert there.figures(SIGMA)[0].evenings == 2


def test_it_is_not_written_to(tmp_path: Path) -> None:
    """The same settings make another plan now, whose measures are defined otherwise."""
    folder = shutil.copytree(FIRST, tmp_path / "first")
    with pytest.raises(InvalidInput, match="another plan: measures differ"):
        sweep(EnsemblePlan.of(SHORT, [1, 2], grid={SIGMA: [0.1, 0.3]}), folder, engine="here", format="csv")
