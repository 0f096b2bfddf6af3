"""Ray: a real one on this machine gives the same bytes as this process, and loses nothing."""

from __future__ import annotations

import importlib.util
import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.arbitration.test_carrying import COMPOSITE, decide, told
from tests.drama.ensemble.plays import SHORT, content, deadly, plan
from volition.core.errors import MissingPart
from volition.drama.ensemble import EnsemblePlan, ensemble, sweep

if TYPE_CHECKING:
    from pathlib import Path

installed = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None,
    reason="RAY IS NOT INSTALLED: --engine ray is NOT tested here; pip install 'volition[ray]'",
)


@installed
def test_a_ray_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If no Ray is running, a small one is started, gives the same bytes, and is shut down."""
    import ray

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    sweep(plan(), tmp_path / "here", engine="here", format="csv")
    sweep(plan(), tmp_path / "ray", engine="ray", workers=1, task=0.0, format="csv")
    assert content(tmp_path / "ray") == content(tmp_path / "here")
    assert not ray.is_initialized()


@installed
@pytest.mark.req("AR-21")
def test_a_ray_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A running Ray is used and left running; killed workers are noticed and their spans played again; errors arrive; and
    composites of decorated functions can be sent there, and decisions sent back."""
    import ray

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(
        num_cpus=1,
        include_dashboard=False,
        object_store_memory=80 * 2**20,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )
    try:
        notices: list[str] = []
        dying = plan(terms=[deadly(tmp_path / "deaths", 1)])
        sweep(dying, tmp_path / "out", engine="ray", workers=2, task=0.0, format="csv", notice=notices.append)
        assert len(notices) == 1
        sweep(plan(terms=[deadly(tmp_path / "deaths", 0)]), tmp_path / "calm", engine="here", format="csv")
        assert content(tmp_path / "out") == content(tmp_path / "calm")

        with pytest.raises(KeyError, match="departures"):
            ensemble(replace(SHORT, rules={}), [1], engine="ray")
        assert told(ray.get(ray.remote(decide).remote(COMPOSITE))) == told(decide(COMPOSITE))
        assert ray.is_initialized()
    finally:
        ray.shutdown()


def test_without_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Ray the error says what to install, or to use instead."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPart, match=r"volition\[ray\].*--engine process"):
        sweep(EnsemblePlan.of(SHORT, [1]), tmp_path / "out", engine="ray", format="csv")
