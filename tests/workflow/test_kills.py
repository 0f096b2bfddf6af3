"""Real processes, killed with SIGKILL: every effect happens once, and none is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflow.killing import Site

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.req("WF-05", "EX-21")
def test_killed_processes_leave_every_effect_once(place: str, tmp_path: Path) -> None:
    """Drivers and the executor are killed at random moments. In the end every node is done, and the executor has done each
    request exactly once; what is unknown, a person looked up.

    benchmarks/workflow.py does the same with 50 kills.
    """
    site = Site(place, tmp_path)
    site.prepare(3)
    hits = site.run(4, seed=7, kill_executor=True)
    assert sorted(site.effects()) == site.requests()
    assert hits
