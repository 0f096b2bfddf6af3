"""The doctor: reads the measures of many evenings, says which targets hold, and names symptoms with their remedies."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from volition.drama.company.guide import guide
from volition.drama.company.pooled import Pooled
from volition.drama.company.rhythm import rhythm
from volition.drama.company.settings import Settings
from volition.drama.company.straining import straining
from volition.drama.company.symptom import Case
from volition.drama.company.targets import targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.company.measures import Measures
    from volition.drama.company.symptom import Symptom
    from volition.drama.company.targets import Target
    from volition.drama.world.model import Scenario


@dataclass(frozen=True, slots=True)
class Report:
    """What the doctor found: every target, and the symptoms. Every target that does not hold is some symptom's."""

    scenario: str
    hash: str
    evenings: int
    seeds: tuple[int, int]
    targets: tuple[Target, ...]
    symptoms: tuple[Symptom, ...]

    @property
    def healthy(self) -> bool:
        """Whether all targets hold and there is no symptom."""
        return not self.symptoms and all(target.holds for target in self.targets)

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        data = asdict(self)
        data["seeds"] = list(self.seeds)
        data["targets"] = [target._asdict() for target in self.targets]
        data["symptoms"] = [
            {
                "id": symptom.id,
                "name": symptom.name,
                "targets": list(symptom.targets),
                "evidence": [evidence._asdict() for evidence in symptom.evidence],
                "settings": [setting._asdict() for setting in symptom.settings],
            }
            for symptom in self.symptoms
        ]
        return {**data, "healthy": self.healthy}

    def __str__(self) -> str:
        from volition.drama.company.reading import as_text  # noqa: PLC0415  only when it is printed

        return as_text(self)


def examine(records: Sequence[Measures], scenario: Scenario) -> Report:
    """Examine the evenings of a scenario; there is at least one."""
    pooled = Pooled(records, scenario)
    found = targets(pooled)
    case = Case(pooled, Settings(scenario), found)
    seeds = [record.seed for record in records]
    symptoms = (*guide(case), *straining(case), *rhythm(case))
    return Report(scenario.id, scenario.hash, len(records), (min(seeds), max(seeds)), found, symptoms)
