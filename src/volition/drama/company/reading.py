"""A report as text for people."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.company.doctor import Report
    from volition.drama.company.symptom import Symptom

FEW: Final = 100
"""With fewer evenings than this, a share says little."""


def as_text(report: Report) -> str:
    """Targets, then symptoms with what to change, then the word of the doctor."""
    return "\n".join([*_head(report), *_targets(report), *_symptoms(report), _verdict(report)])


def _head(report: Report) -> Iterator[str]:
    first, last = report.seeds
    yield f"{report.scenario}: {report.evenings} evenings, seeds {first} to {last}"
    if report.evenings < FEW:
        give = 100.0 * sqrt(0.25 / report.evenings)
        yield f"So few evenings are a hint: a share may be off by {give:.0f} points. Play {FEW} or more to be sure."


def _targets(report: Report) -> Iterator[str]:
    yield ""
    width = max(len(target.name) for target in report.targets)
    for target in report.targets:
        value, bar = _number(target.value, target.unit), f"{target.bar} {target.unit}".rstrip()
        holds = "holds" if target.holds else "FAILS"
        yield f"  {holds}  {target.name:<{width}}  {value:>10}   {bar:<14}{target.detail}".rstrip()


def _symptoms(report: Report) -> Iterator[str]:
    for symptom in report.symptoms:
        yield ""
        yield f"{symptom.name[0].upper()}{symptom.name[1:]}."
        yield from _told(symptom)


def _told(symptom: Symptom) -> Iterator[str]:
    for evidence in symptom.evidence:
        yield f"  seen:   {evidence.what}: {_number(evidence.value, evidence.unit)}"
    for setting in symptom.settings:
        yield f"  change: {setting}"


def _verdict(report: Report) -> str:
    if report.healthy:
        return "\nEvery target holds, and there is no symptom."
    failing, symptoms = sum(not target.holds for target in report.targets), len(report.symptoms)
    return (
        f"\n{failing} of {len(report.targets)} targets fail; symptoms: {symptoms}."
        " Change one or two settings, and ask again with the same seeds."
    )


def _number(value: float, unit: str) -> str:
    shown = f"{value:.1f}" if unit in ("%", "tick") else f"{value:.3g}" if value < 100 else f"{value:.0f}"
    return f"{shown} {unit}".rstrip()
