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
CHANCE = 2 * 100 / COUNT
"""By how many points a share of so few evenings may miss its bar: two evenings."""


@pytest.mark.req("DE-13", "DE-19")
def test_the_dinner_party_meets_its_targets() -> None:
    """Length, rooms, moves, first act, catastrophes and their shares, tension, endings, acts and totals are in bounds, but
    for what two evenings of so few may change."""
    scenario = load_scenario("dinner-party")
    report = examine(ensemble(scenario, range(FIRST, FIRST + COUNT), workers=1), scenario)
    failed = [target for target in report.targets if target.part == SHAPE and not target.holds]
    shares = {target.id: float(target.bar.removeprefix(">= ")) for target in failed if target.bar.startswith(">= ")}
    far = [target for target in failed if target.unit != "%" or target.value + CHANCE < shares.get(target.id, 101.0)]
    assert [target.name for target in far] == []
