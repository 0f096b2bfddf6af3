"""The shipped scenarios meet their targets, on seeds that they were not tuned on."""

from __future__ import annotations

from typing import Final

import pytest

from volition.drama.doctor import examine
from volition.drama.doctor.cure import measure_evenings
from volition.drama.world.scenario import load_scenario, scenario_names

UNSEEN: Final = range(90_001, 90_201)
BELOW: Final = {
    "dinner-party": {"flaws": 0.5},
    "night-tide": {"flaws": 1.5, "firsts": 4.0},
    "winter-station": {"flaws": 0.25, "firsts": 4.0, "quietest": 7.5},
}
"""The targets of the story that a scenario does not meet on every two hundred evenings, and how far it comes.

The bars are 3 for the flaw that changes the smallest share of choices, 5 for the ways in which evenings begin, and 8 for
the share of events that the quietest person makes.
"""


def test_every_shipped_scenario_is_accepted() -> None:
    """What is not met is known of every scenario that is shipped."""
    assert sorted(BELOW) == sorted(scenario_names())


@pytest.mark.req("DE-13", "DE-19")
@pytest.mark.parametrize("name", BELOW)
def test_a_shipped_scenario_meets_its_targets(name: str) -> None:
    """Every target of shape and story holds but for the few that are named, which do not fall lower; and there is no
    symptom but theirs."""
    pytest.importorskip("numba")
    scenario = load_scenario(name)
    report = examine(measure_evenings(scenario, UNSEEN), scenario)
    missed = {target.id: target for target in report.targets if not target.holds}
    assert [target.name for id, target in missed.items() if id not in BELOW[name]] == []
    assert [target.name for target in report.targets if target.value < BELOW[name].get(target.id, 0.0)] == []
    assert [symptom.name for symptom in report.symptoms if not set(symptom.targets) & BELOW[name].keys()] == []
