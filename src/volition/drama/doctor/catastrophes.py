"""Symptoms of catastrophes: too many, too few, always the same person, or somebody who never breaks."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from volition.drama.doctor.remedies import symptom_of
from volition.drama.doctor.symptom import Evidence, ScenarioCase, Symptom, percent

if TYPE_CHECKING:
    from collections.abc import Iterator


def catastrophe_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """The symptoms of catastrophes that are found in a case."""
    pooled = case.pooled
    none = pooled.share(lambda record: not record.catastrophes)
    many = pooled.share(lambda record: len(record.catastrophes) > 3)
    anybody = any(pooled.catastrophes.values())
    if case.fails("catastrophes"):
        if many >= none:
            evidence = [
                Evidence("catastrophes in an evening", pooled.mean(lambda record: len(record.catastrophes))),
                percent("evenings with more than three", many),
            ]
            yield symptom_of(case, "too_many_catastrophes", evidence)
        if none >= many or none > 0.2:
            targets = ("catastrophes",) if anybody else None
            yield symptom_of(case, "too_few_catastrophes", _too_few(case, none), targets)
    if case.fails("most"):
        who, share = next(iter(pooled.catastrophes.items()))
        evidence = [
            percent(f"catastrophes that are {who}'s", share),
            Evidence(f"sensitivity of {who}", pooled.scenario.people[who].sensitivity),
        ]
        yield symptom_of(case, "one_breaks", evidence)
    if case.fails("least") and anybody:
        yield symptom_of(case, "one_never_breaks", _never(case))


def _too_few(case: ScenarioCase, none: float) -> Iterator[Evidence]:
    pooled, physics = case.pooled, case.pooled.scenario.rules["physics"]
    glasses = pooled.mean(lambda record: record.glasses) / len(pooled.scenario.people)
    breaks = f"{physics['catastrophe_threshold']:g} breaks"
    yield percent("evenings without a catastrophe", none)
    yield percent(f"people whose composure falls below {physics['catastrophe_gate']:g} at some time", pooled.undone)
    yield Evidence("glasses that each person gets", glasses)
    yield Evidence(f"greatest potential of an evening (median; {breaks})", pooled.potential)


def _never(case: ScenarioCase) -> Iterator[Evidence]:
    pooled, gate = case.pooled, case.pooled.scenario.rules["physics"]["catastrophe_gate"]
    for who in pooled.unbroken:
        near = median(record.potential[who] for record in pooled.records)
        yield Evidence(f"least composure of {who} (median; breaks below {gate:g})", pooled.composure_of(who))
        yield Evidence(f"greatest potential of {who} (median)", near)
