"""Workers that are processes are kept between sweeps, and never for longer than they are of use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.ensemble.plays import SHORT, content, plan
from volition.drama.ensemble import EnsemblePlan, playing, processes, sweep
from volition.drama.evening.play_many import COMPILES

if TYPE_CHECKING:
    from pathlib import Path


def test_workers_are_kept_for_the_next_sweep(tmp_path: Path) -> None:
    """Two sweeps with as many workers have the same ones; the bytes are those of this process; others end them."""
    sweep(plan(1), tmp_path / "first", engine="process", workers=2, format="csv")
    pool = processes._pools[2]
    workers = set(pool._processes)
    sweep(plan(2), tmp_path / "second", engine="process", workers=2, format="csv")
    assert processes._pools[2] is pool
    assert set(pool._processes) == workers
    sweep(plan(2), tmp_path / "here", engine="here", format="csv")
    assert content(tmp_path / "second") == content(tmp_path / "here")
    processes._end_pool(2)
    assert not processes._pools


def test_compiling_is_said_before_it_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where something must be compiled first, a line says so, once, and what it is worth."""
    pytest.importorskip("numba")
    said: list[str] = []
    monkeypatch.setattr(playing, "is_compiled", lambda plan: False)
    two = EnsemblePlan.of(SHORT, [1, 2])
    sweep(two, tmp_path / "out", engine="here", path="compiled", format="csv", notice=said.append)
    assert said == [COMPILES]
    sweep(two, tmp_path / "plain", engine="here", path="interpreted", format="csv", notice=said.append)
    assert said == [COMPILES]
