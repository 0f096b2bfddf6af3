"""The doctor's report: a scenario examined by the measures of many evenings, with what was found as data and as text."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, Final

from volition.core.typed import DataStruct
from volition.drama.doctor.case import ScenarioCase, Symptom
from volition.drama.doctor.pooled import PooledEvenings
from volition.drama.doctor.symptoms import symptoms_of
from volition.drama.doctor.targets import Target, shape_targets, story_targets
from volition.drama.doctor.told import telling_targets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from volition.drama.batch.measures import Measures
    from volition.drama.doctor.told import ToldEvening
    from volition.drama.world.model import Scenario

FEW: Final = 100
"""With fewer evenings than this, a share says little."""


class DoctorReport(DataStruct, frozen=True):
    """Every target, and the symptoms found. Each target that fails belongs to at least one symptom."""

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

    @property
    def misfit(self) -> float:
        """How far evenings are from their targets: 0 if every target holds with a margin."""
        return misfit_of(self.targets, self.evenings)

    def to_data(self) -> dict[str, Any]:
        """The report as JSON-compatible data."""
        return super().to_data() | {"healthy": self.healthy}

    def __str__(self) -> str:
        return "\n".join([*_head(self), *_targets(self), *_symptoms(self), _conclusion(self)])


def _head(report: DoctorReport) -> Iterator[str]:
    first, last = report.seeds
    yield f"{report.scenario}: {report.evenings} evenings, seeds {first} to {last}"
    if report.evenings < FEW:
        error = 100.0 * sqrt(0.25 / report.evenings)
        yield f"So few evenings are a hint: a share may be off by {error:.0f} points. Play {FEW} or more to be sure."


def _targets(report: DoctorReport) -> Iterator[str]:
    width, part = max(len(target.name) for target in report.targets), ""
    for target in report.targets:
        if target.part != part:
            part = target.part
            yield f"\n{part.capitalize()}"
        value, bar = _format_number(target.value, target.unit), f"{target.bar} {target.unit}".rstrip()
        holds = "holds" if target.holds else "FAILS"
        yield f"  {holds}  {target.name:<{width}}  {value:>10}   {bar:<14}{target.detail}".rstrip()


def _symptoms(report: DoctorReport) -> Iterator[str]:
    for symptom in report.symptoms:
        yield ""
        yield f"{symptom.name[0].upper()}{symptom.name[1:]}."
        for evidence in symptom.evidence:
            yield f"  seen:   {evidence.what}: {_format_number(evidence.value, evidence.unit)}"
        for setting in symptom.settings:
            yield f"  change: {setting}"


def _conclusion(report: DoctorReport) -> str:
    if report.healthy:
        return "\nEvery target holds, and there is no symptom."
    failing, symptoms = sum(not target.holds for target in report.targets), len(report.symptoms)
    return (
        f"\n{failing} of {len(report.targets)} targets fail; symptoms: {symptoms}."
        " Change one or two settings, and ask again with the same seeds."
    )


def _format_number(value: float, unit: str) -> str:
    number = f"{value:.1f}" if unit in ("%", "tick") else f"{value:.3g}" if value < 100 else f"{value:.0f}"
    return f"{number} {unit}".rstrip()


def examine(records: Sequence[Measures], scenario: Scenario, transcripts: Sequence[ToldEvening] = ()) -> DoctorReport:
    """Examine the evenings of a scenario, of which there must be at least one; `transcripts` are of those that were told."""
    pooled = PooledEvenings(records, scenario)
    targets = (*judge(pooled), *telling_targets(transcripts))
    symptoms = tuple(symptoms_of(ScenarioCase(pooled, targets)))
    seeds = [record.seed for record in records]
    return DoctorReport(scenario.id, scenario.hash, len(records), (min(seeds), max(seeds)), targets, symptoms)


def judge(pooled: PooledEvenings) -> tuple[Target, ...]:
    """Every target of some evenings, and whether it holds."""
    return (*shape_targets(pooled), *story_targets(pooled))


def misfit_of(targets: Iterable[Target], evenings: int) -> float:
    """How far so many evenings are from their targets: 0 if every target holds with a margin."""
    return round(sum(target.misfit(evenings) for target in targets), 6)
