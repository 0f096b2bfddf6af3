"""The shipped dinner party meets its targets, on seeds that it was not tuned on.

Two dozen evenings here; `benchmarks/acceptance.py` measures two hundred.
"""

from __future__ import annotations

import pytest

from volition.drama.doctor import examine
from volition.drama.doctor.targets import SHAPE
from volition.drama.ensemble import ensemble
from volition.drama.world.scenario import load_scenario

FIRST, COUNT = 80_001, 24


@pytest.mark.req("DE-13", "DE-19")
def test_the_dinner_party_meets_its_targets() -> None:
    """Length, rooms, moves, first act, catastrophes and their shares, tension, endings, acts and totals are in bounds."""
    scenario = load_scenario("dinner-party")
    report = examine(ensemble(scenario, range(FIRST, FIRST + COUNT), workers=1), scenario)
    assert [target.name for target in report.targets if target.part == SHAPE and not target.holds] == []
