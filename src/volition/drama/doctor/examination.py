"""Examining a scenario: the measures of many evenings against targets, and symptoms with their remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.doctor.catastrophes import catastrophe_symptoms
from volition.drama.doctor.guide import guide_symptoms
from volition.drama.doctor.plots import plot_symptoms
from volition.drama.doctor.pooled import PooledEvenings
from volition.drama.doctor.proposals import Proposals
from volition.drama.doctor.report import DoctorReport
from volition.drama.doctor.rhythm import rhythm_symptoms
from volition.drama.doctor.story import story_targets
from volition.drama.doctor.symptom import ScenarioCase
from volition.drama.doctor.targets import shape_targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.company.measures import Measures
    from volition.drama.world.model import Scenario


def examine(records: Sequence[Measures], scenario: Scenario) -> DoctorReport:
    """Examine the evenings of a scenario, of which there must be at least one."""
    pooled = PooledEvenings(records, scenario)
    found = (*shape_targets(pooled), *story_targets(pooled))
    case = ScenarioCase(pooled, Proposals(scenario), found)
    seeds = [record.seed for record in records]
    symptoms = (*guide_symptoms(case), *catastrophe_symptoms(case), *rhythm_symptoms(case), *plot_symptoms(case))
    return DoctorReport(scenario.id, scenario.hash, len(records), (min(seeds), max(seeds)), found, symptoms)
