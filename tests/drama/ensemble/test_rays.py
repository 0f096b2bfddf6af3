"""Ray: a real one on this machine gives the same bytes as this process, and loses nothing."""

from __future__ import annotations

import importlib.util
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.arbitration.test_pickling import COMPOSITE, decide, told
from tests.drama.ensemble.own_terms import deadly
from tests.drama.ensemble.plays import SHORT, difference, plan
from volition.core.errors import MissingPart
from volition.drama.ensemble import EnsemblePlan, ensemble, sweep

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

installed = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None,
    reason="RAY IS NOT INSTALLED: --engine ray is NOT tested here; pip install '.[ray]'",
)


PATIENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_register_timeout_seconds": "600",
    "RAY_agent_register_timeout_ms": "600000",
    "RAY_health_check_failure_threshold": "100",
}
"""Settings of Ray for a busy machine, on which its processes start slowly and answer late."""


class SlowTime:
    """The time as Ray's nodes see it while they start: they get half a minute for that, and a busy machine takes longer."""

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    def monotonic(self) -> float:
        return time.monotonic() / 20


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """The folder of a sweep that had to start a Ray, and how often it shut that down; it is kept for the other tests,
    because starting one takes longer than everything that is done with it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAY_ADDRESS", raising=False)
        for name, value in PATIENT.items():
            patch.setenv(name, value)
        ray = importlib.import_module("ray")
        patch.setattr(importlib.import_module("ray._private.node"), "time", SlowTime())
        shut_down, ends = ray.shutdown, list[object]()
        folder = tmp_path_factory.mktemp("ray")
        try:
            with pytest.MonkeyPatch.context() as keeping:
                keeping.setattr(ray, "shutdown", lambda: ends.append(ray))
                sweep(plan(), folder, engine="ray", workers=1, task=0.0, format="csv")
            yield folder, len(ends)
        finally:
            shut_down()


@installed
def test_a_ray_of_its_own(tmp_path: Path, begun: tuple[Path, int]) -> None:
    """If no Ray is running, a small one is started, gives the same bytes, and is shut down once."""
    folder, ends = begun
    sweep(plan(), tmp_path, engine="here", format="csv")
    assert not difference(folder, tmp_path)
    assert ends == 1


@installed
@pytest.mark.req("AR-21")
@pytest.mark.usefixtures("begun")
def test_a_ray_that_runs(tmp_path: Path) -> None:
    """A running Ray is used and left running; killed workers are noticed and their spans played again; errors arrive; and
    composites of decorated functions can be sent there, and decisions sent back."""
    import ray

    assert ray.is_initialized()
    notices: list[str] = []
    dying = plan(terms=[deadly(tmp_path / "deaths", 1)])
    sweep(dying, tmp_path / "out", engine="ray", workers=2, task=0.0, format="csv", notice=notices.append)
    assert len(notices) == 1
    sweep(plan(terms=[deadly(tmp_path / "deaths", 0)]), tmp_path / "calm", engine="here", format="csv")
    assert not difference(tmp_path / "out", tmp_path / "calm")

    with pytest.raises(KeyError, match="departures"):
        ensemble(replace(SHORT, rules={}), [1], engine="ray")
    assert told(ray.get(ray.remote(decide).remote(COMPOSITE))) == told(decide(COMPOSITE))
    assert ray.is_initialized()


def test_without_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Ray the error says what to install, or to use instead."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPart, match=r"\.\[ray\].*--engine process"):
        sweep(EnsemblePlan.of(SHORT, [1]), tmp_path / "out", engine="ray", format="csv")
