"""The shipped scenarios and the starter meet their targets, on seeds that no search ran on."""

from __future__ import annotations

from typing import Final

import pytest

from volition.drama.doctor import examine
from volition.drama.doctor.cure import measure_evenings
from volition.drama.world.draft import pattern_data
from volition.drama.world.scenario import load_scenario, scenario_from_data, scenario_names

STARTER: Final = "starter"
UNSEEN: Final = range(90_001, 90_081)


@pytest.mark.req("DE-13", "DE-19", "DE-24", "DE-25")
@pytest.mark.parametrize("name", [*scenario_names(), STARTER])
def test_a_scenario_meets_its_targets(name: str) -> None:
    """Every target of shape and story holds, and there is no symptom. `benchmarks/acceptance.py` asks more evenings."""
    pytest.importorskip("numba")
    scenario = scenario_from_data(pattern_data(name)) if name == STARTER else load_scenario(name)
    report = examine(measure_evenings(scenario, UNSEEN), scenario)
    assert [target.name for target in report.targets if not target.holds] == []
    assert [symptom.name for symptom in report.symptoms] == []
