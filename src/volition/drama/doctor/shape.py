"""Symptoms of an evening's shape: who breaks, how it opens, how tension rises, which rooms are used, and how it ends."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from volition.drama.doctor.remedies import USED, symptom_of
from volition.drama.doctor.symptom import Evidence, ScenarioCase, Symptom, percent
from volition.drama.doctor.targets import first_ticks

if TYPE_CHECKING:
    from collections.abc import Iterator

STAY: Final = 0.9
"""The largest share of evenings in which nobody leaves."""


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


def rhythm_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """The symptoms of rhythm that are found in a case."""
    if case.fails("first"):
        first, (early, _) = case.targets["first"].value, first_ticks(case.pooled)
        evidence = [Evidence("first dramatic act (median)", first, "tick")]
        yield symptom_of(case, "opening_not_calm" if first < early else "nothing_happens", evidence)
    for target, id, look in (
        ("tension", "no_rise", _tension),
        ("minutes", "too_short", _length),
        ("rooms", "empty_room", _empty_rooms),
    ):
        if case.fails(target):
            yield symptom_of(case, id, look(case))
    staying = case.pooled.share(lambda record: not record.left)
    if staying > STAY and any(not person.resident for person in case.pooled.scenario.people.values()):
        yield symptom_of(case, "nobody_leaves", [percent("evenings in which nobody leaves", staying)])
    yield from _acts_and_scores(case)


def _acts_and_scores(case: ScenarioCase) -> Iterator[Symptom]:
    pooled = case.pooled
    if case.fails("endings"):
        evidence = [percent(f"evenings that end as {kind}", share) for kind, share in pooled.endings.items()]
        yield symptom_of(case, "one_ending", evidence)
    if case.fails("chats"):
        chats = pooled.mean(lambda record: record.events.get("CHAT", 0))
        yield symptom_of(case, "silent", [Evidence("chats in an evening", chats)])
    if case.fails("tellings"):
        told = pooled.mean(lambda record: record.events.get("REVEAL", 0) + record.events.get("CONFIDE", 0))
        yield symptom_of(case, "secrets_kept", [Evidence("secrets revealed or confided in an evening", told)])
    if case.fails("events"):
        events = pooled.median(lambda record: record.event_count)
        id = "too_much_happens" if events > 175 * pooled.size else "too_little_happens"
        yield symptom_of(case, id, [Evidence("events in an evening (median)", events)])
    if case.fails("internal"):
        internal = case.targets["internal"].value
        id = "quiet_pays" if internal > 0.4 else "quiet_costs"
        yield symptom_of(case, id, [Evidence("total of INTERNAL (median)", internal)])
    if case.fails("winners", "bands"):
        evidence = [Evidence("total of the winner (95th percentile)", case.targets["winners"].value)]
        evidence += [percent(f"totals {band}", share) for band, share in pooled.spread("all").bands().items()]
        yield symptom_of(case, "out_of_range", evidence)


def _tension(case: ScenarioCase) -> Iterator[Evidence]:
    pooled = case.pooled
    early = pooled.mean(lambda record: sum(at < record.minutes / 2.0 for _, at in record.catastrophes))
    yield Evidence("mean tension of the first half", pooled.mean(lambda record: record.tension[0]))
    yield Evidence("mean tension of the second half", pooled.mean(lambda record: record.tension[1]))
    yield Evidence("catastrophes in the first half of an evening", early)


def _length(case: ScenarioCase) -> Iterator[Evidence]:
    pooled, ticks = case.pooled, case.pooled.scenario.evening.ticks
    yield Evidence("minutes that an evening lasts (median)", pooled.median(lambda record: record.minutes))
    yield Evidence("people who leave", pooled.mean(lambda record: len(record.left)))
    yield percent(f"evenings that run out of their {ticks} ticks before that", pooled.ran_out)


def _empty_rooms(case: ScenarioCase) -> Iterator[Evidence]:
    rooms = case.pooled.rooms.items()
    return (percent(f"evenings with an act in {room}", used) for room, used in rooms if used < USED)
