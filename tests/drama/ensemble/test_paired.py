"""Differences seed by seed: what a setting changes in evenings that are alike in all else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.drama.ensemble.plays import SIGMA, STRENGTH, plan
from volition.drama.ensemble import sweep
from volition.drama.ensemble.intervals import mean

if TYPE_CHECKING:
    from pathlib import Path


def test_differences_are_of_evenings_alike_in_all_else(tmp_path: Path) -> None:
    """By brute force: each evening is paired with the one of the same seed and other settings at the first value."""
    done = sweep(plan(), tmp_path / "out", engine="here", format="csv")
    rows = list(done.rows())
    (found,) = done.differences(SIGMA)
    assert (found.first, found.value) == (0.1, 0.3)
    for name in ("tension", "events", "minutes"):
        pairs = [
            float(two[name]) - float(one[name])
            for two in rows
            for one in rows
            if (one[SIGMA], two[SIGMA]) == (0.1, 0.3) and all(one[part] == two[part] for part in ("seed", STRENGTH))
        ]
        assert len(pairs) == 6
        assert found.means[name] == mean(pairs)
    assert found.to_data()["from"] == 0.1
    assert done.differences("ending") == ()
