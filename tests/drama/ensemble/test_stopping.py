"""Stopping early: at the same seed whoever plays, at the first stage at which the interval is narrow at every point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.ensemble.plays import QUICK, SHORT, SIGMA
from volition.core.errors import InvalidInput
from volition.drama.ensemble import Ensemble, EnsemblePlan, playing, sweep
from volition.drama.ensemble.intervals import mean
from volition.drama.ensemble.playing import stages

if TYPE_CHECKING:
    from pathlib import Path


def _plan(width: float, column: str = "events") -> EnsemblePlan:
    return EnsemblePlan.of(SHORT, range(1, 25), grid={SIGMA: [0.1, 0.3]}, until=(column, width))


def test_it_stops_at_the_first_stage_that_is_narrow_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By brute force: of all stages, the first at which the intervals of all points are narrow enough is the last played.

    What was played is a whole ensemble with fewer seeds: each point has the same ones, and rows are numbered through.
    """
    monkeypatch.setattr(playing, "FIRST", 5)
    whole = sweep(EnsemblePlan.of(SHORT, range(1, 25), grid={SIGMA: [0.1, 0.3]}), tmp_path / "whole", format="csv")
    cells = [[row["events"] for row in whole.rows() if row["point"] == point] for point in (0, 1)]
    widths = {seeds: max(_width(part[:seeds]) for part in cells) for seeds in stages(24)}
    width = widths[15]
    expected = next(seeds for seeds in stages(24) if widths[seeds] <= width)
    assert expected < 24
    done = sweep(_plan(width), tmp_path / "here", engine="here", format="csv")
    assert done.plan.seeds == tuple(range(1, expected + 1))
    assert [row["row"] for row in done.rows()] == list(range(2 * expected))
    kept = [row for row in whole.rows() if row["seed"] <= expected]
    assert [{**row, "row": 0} for row in done.rows()] == [{**row, "row": 0} for row in kept]
    assert Ensemble(tmp_path / "here").evening(expected).seed == 1
    again = sweep(_plan(width), tmp_path / "again", engine="process", workers=2, task=0.0, format="csv")
    assert (tmp_path / "again" / "evenings.rows").read_bytes() == (tmp_path / "here" / "evenings.rows").read_bytes()
    assert len(again) == 2 * expected


def _width(values: list[int]) -> float:
    found = mean([float(value) for value in values])
    assert found.high is not None
    assert found.low is not None
    return found.high - found.low


def test_a_width_that_is_never_reached(tmp_path: Path) -> None:
    """Then every seed is played."""
    assert len(sweep(_plan(1e-9, "tension"), tmp_path, engine="here", path=QUICK, format="csv")) == 48


@pytest.mark.parametrize(
    ("column", "width", "said"), [("eventz", 1.0, "events"), ("ending", 1.0, "column"), ("events", 0.0, "width")]
)
def test_what_cannot_be_waited_for_is_refused(column: str, width: float, said: str, tmp_path: Path) -> None:
    """A column that there is not, or that has no interval, and a width of nothing are refused before anything is played."""
    with pytest.raises(InvalidInput, match=said):
        sweep(_plan(width, column), tmp_path / "out", engine="here", format="csv")
    assert not (tmp_path / "out").exists()


def test_stages_reach_every_seed() -> None:
    """Stages grow, and the last one is all seeds, however few or many."""
    for seeds in (1, 49, 50, 51, 999, 100_000):
        reached = list(stages(seeds))
        assert reached == sorted(set(reached))
        assert reached[-1] == seeds
        assert len(reached) < 60
