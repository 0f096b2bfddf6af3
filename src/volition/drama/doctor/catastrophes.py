"""Symptoms of catastrophes: too many, too few, always the same person, or somebody who never breaks."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from volition.drama.doctor.symptom import Evidence, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.doctor.symptom import ScenarioCase, Symptom
    from volition.drama.world.settings import Setting

UNDONE: Final = 0.5
"""If a smaller share of people lose their composure, it is composure that keeps them from breaking."""
_ROUNDS: Final = (0.13, 0.36, 0.44, 0.51, 0.65, 0.72, 0.79, 0.85)
"""When to pour, as parts of an evening that has no wine yet."""


def catastrophe_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """The symptoms of catastrophes that are found in a case."""
    none = case.pooled.share(lambda record: not record.catastrophes)
    many = case.pooled.share(lambda record: len(record.catastrophes) > 3)
    if case.fails("catastrophes"):
        if many >= none:
            yield _too_many(case, many)
        if none >= many or none > 0.2:
            yield _too_few(case, none)
    if case.fails("most"):
        yield _one_breaks(case)
    if case.fails("least") and any(case.pooled.catastrophes.values()):
        yield _one_never_breaks(case)


def _too_many(case: ScenarioCase, many: float) -> Symptom:
    propose = case.propose
    pours = propose.now("evening.pours")
    evidence = [
        Evidence("catastrophes in an evening", case.pooled.mean(lambda record: len(record.catastrophes))),
        percent("evenings with more than three", many),
    ]
    changes = [
        propose.more("rules.departures.threshold_rise", 1.5, 0.3),
        propose.more("rules.physics.catastrophe_threshold", 1.2),
        propose.put("evening.pours", pours[:-1]),
    ]
    return case.symptom("too_many_catastrophes", "too many people break", evidence, changes, ("catastrophes",))


def _too_few(case: ScenarioCase, none: float) -> Symptom:
    pooled, propose, physics = case.pooled, case.propose, case.pooled.scenario.rules["physics"]
    people, gate = len(pooled.scenario.people), physics["catastrophe_gate"]
    undone = pooled.mean(lambda record: sum(low < gate for low in record.composure.values()) / people)
    near = pooled.median(lambda record: max(record.potential.values(), default=0.0))
    evidence = [
        percent("evenings without a catastrophe", none),
        percent(f"people whose composure falls below {gate:g} at some time", undone),
        Evidence("glasses that each person gets", pooled.mean(lambda record: record.glasses) / people),
        Evidence(f"greatest potential of an evening (median; {physics['catastrophe_threshold']:g} breaks)", near),
    ]
    changes = list(_pour_more(case)) if undone < UNDONE else []
    if undone >= UNDONE or near < physics["catastrophe_threshold"]:
        changes += [
            propose.put("rules.departures.uphold", True),
            propose.more("rules.physics.stress_direct", 1.25),
            propose.less("rules.departures.threshold_rise", 0.7, 0.3),
            propose.less("rules.physics.catastrophe_threshold", 0.85),
        ]
    failing = ("catastrophes",) if any(pooled.catastrophes.values()) else ("catastrophes", "least")
    return case.symptom("too_few_catastrophes", "hardly anybody breaks", evidence, changes, failing)


def _pour_more(case: ScenarioCase) -> Iterator[Setting | None]:
    """Pour more wine for everybody, and let people be there when it is poured."""
    propose, evening = case.propose, case.pooled.scenario.evening
    yield from propose_servers(case)
    yield propose.put("evening.pours", _more_pours(evening.pours, evening.minutes))
    if not propose.now("rules.departures.courses"):
        yield propose.put("rules.departures.courses", 0.9)
    yield propose.more("rules.departures.manners", 1.2, 0.5)
    yield propose.more("rules.physics.composure_alcohol", 1.2)


def propose_servers(case: ScenarioCase) -> Iterator[Setting | None]:
    """Name servers if there are none: the residents, or else the first person."""
    people = case.pooled.scenario.people
    if not case.pooled.scenario.evening.servers:
        residents = [id for id, person in people.items() if person.resident]
        yield case.propose.put("evening.servers", residents or [next(iter(people))])


def _more_pours(pours: tuple[float, ...], minutes: float) -> list[float]:
    """One more round, in the middle of the longest gap; rounds for the whole evening if there are none."""
    if not pours:
        return [float(round(part * minutes)) for part in _ROUNDS]
    times = [0.0, *pours, minutes]
    gap, before = max((after - before, before) for before, after in pairwise(times))
    return sorted([*pours, before + gap / 2.0])


def _one_breaks(case: ScenarioCase) -> Symptom:
    pooled, propose = case.pooled, case.propose
    who, share = next(iter(pooled.catastrophes.items()))
    evidence = [
        percent(f"catastrophes that are {who}'s", share),
        Evidence(f"sensitivity of {who}", pooled.scenario.people[who].sensitivity),
    ]
    changes = [
        propose.less(f"people.{who}.sensitivity", 0.8),
        propose.less(f"people.{who}.pacing.commitment", 0.7),
        propose.put("rules.departures.grounds", True),
        propose.more("rules.departures.fatigue", 1.25, 0.15),
    ]
    return case.symptom("one_breaks", "it is always the same person who breaks", evidence, changes, ("most",))


def _one_never_breaks(case: ScenarioCase) -> Symptom:
    pooled, propose = case.pooled, case.propose
    never = [who for who, share in pooled.catastrophes.items() if not share]
    gate = pooled.scenario.rules["physics"]["catastrophe_gate"]
    evidence: list[Evidence] = []
    changes: list[Setting | None] = []
    for who in never:
        composure = median(record.composure[who] for record in pooled.records)
        near = median(record.potential[who] for record in pooled.records)
        evidence += [
            Evidence(f"least composure of {who} (median; breaks below {gate:g})", composure),
            Evidence(f"greatest potential of {who} (median)", near),
        ]
        changes.append(propose.more(f"people.{who}.sensitivity", 1.3, 0.5, most=10.0))
        if composure >= gate:
            changes.append(
                propose.put(f"people.{who}.pacing.composure", _lower_composure(pooled.scenario.people[who].composure))
            )
    return case.symptom("one_never_breaks", "somebody never breaks", evidence, changes, ("least",))


def _lower_composure(composure: float) -> float:
    return max(0.05, round(0.85 * composure, 3))
