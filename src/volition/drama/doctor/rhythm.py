"""Symptoms of an evening's rhythm: how it opens, how tension rises, which rooms are used, and how it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.doctor.catastrophes import propose_servers
from volition.drama.doctor.guide import lower_internal_cap
from volition.drama.doctor.symptom import Evidence, percent
from volition.drama.doctor.targets import ENDINGS, LASTS, first_ticks
from volition.drama.rules.catalog import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.doctor.symptom import ScenarioCase, Symptom
    from volition.drama.world.settings import Setting

STAY: Final = 0.9
"""The largest share of evenings in which nobody leaves."""
USED: Final = 0.75

_CLOSENESS = EFFECTS.index("closeness")
_COURSES: Final = (0.05, 0.3, 0.6)
"""When to serve, as parts of an evening."""
_VISIT: Final = "errand"
"""The name of a need that is proposed for a room without one."""


def rhythm_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """The symptoms of rhythm that are found in a case."""
    if case.fails("first"):
        yield _opening(case)
    if case.fails("tension"):
        yield _no_rise(case)
    if case.fails("minutes"):
        yield _too_short(case)
    if case.fails("rooms"):
        yield _empty_room(case)
    guests = any(not person.resident for person in case.pooled.scenario.people.values())
    if guests and case.pooled.share(lambda record: not record.left) > STAY:
        yield _nobody_leaves(case)
    if case.fails("endings"):
        yield _one_ending(case)
    if case.fails("chats"):
        yield _silent(case)
    if case.fails("tellings"):
        yield _secrets_kept(case)
    if case.fails("events"):
        yield _odd_event_count(case)
    if case.fails("internal"):
        yield _baseline(case)
    if case.fails("winners", "bands"):
        yield _out_of_range(case)


def _opening(case: ScenarioCase) -> Symptom:
    propose, target = case.propose, case.targets["first"]
    early, _ = first_ticks(case.pooled)
    evidence = [Evidence("first dramatic act (median)", target.value, "tick")]
    if target.value < early:
        changes = [
            propose.more("rules.departures.opening_restraint", 1.2, 0.55),
            propose.more("rules.departures.opening_share", 1.25, most=1.0),
            propose.more("rules.departures.telling_cost", 1.25, 0.25),
        ]
        return case.symptom("opening_not_calm", "the opening is not calm", evidence, changes, ("first",))
    changes = [
        propose.less("rules.departures.opening_restraint", 0.8, 0.55),
        propose.less("rules.departures.opening_share", 0.8),
        propose.less("rules.departures.telling_cost", 0.8, 0.25),
        propose.less("rules.pacing.masking", 0.8),
    ]
    return case.symptom("nothing_happens", "for a long time nothing happens", evidence, changes, ("first",))


def _no_rise(case: ScenarioCase) -> Symptom:
    pooled, propose = case.pooled, case.propose
    early = pooled.mean(lambda record: sum(at < record.minutes / 2.0 for _, at in record.catastrophes))
    evidence = [
        Evidence("mean tension of the first half", pooled.mean(lambda record: record.tension[0])),
        Evidence("mean tension of the second half", pooled.mean(lambda record: record.tension[1])),
        Evidence("catastrophes in the first half of an evening", early),
    ]
    changes = [
        propose.more("rules.departures.politeness", 1.2, 0.8),
        propose.more("rules.departures.politeness_share", 1.2, most=1.0),
        propose.more("rules.departures.opening_restraint", 1.2, 0.55),
        propose.put("rules.departures.consequences", True),
        propose.less("rules.leaving.scene", 0.8),
    ]
    return case.symptom("no_rise", "the tension does not rise", evidence, changes, ("tension",))


def _too_short(case: ScenarioCase) -> Symptom:
    pooled, propose, evening = case.pooled, case.propose, case.pooled.scenario.evening
    spent = pooled.share(lambda record: record.ticks >= evening.ticks and record.minutes < LASTS * evening.minutes)
    evidence = [
        Evidence("minutes that an evening lasts (median)", pooled.median(lambda record: record.minutes)),
        Evidence("people who leave", pooled.mean(lambda record: len(record.left))),
        percent(f"evenings that run out of their {evening.ticks} ticks before that", spent),
    ]
    changes = [
        propose.put("evening.ticks", evening.ticks * 2) if spent else None,
        propose.more("rules.leaving.decency", 1.25),
        propose.more("rules.leaving.decency_share", 1.1, most=1.0),
        propose.less("rules.leaving.scene", 0.8),
        propose.less("rules.leaving.broken", 0.8),
    ]
    return case.symptom("too_short", "the evening is too short", evidence, changes, ("minutes",))


def _empty_room(case: ScenarioCase) -> Symptom:
    empty = {room: used for room, used in case.pooled.rooms.items() if used < USED}
    evidence = [percent(f"evenings with an act in {room}", used) for room, used in empty.items()]
    changes = [change for room in empty for change in _invite(case, room)]
    return case.symptom("empty_room", "a room stays empty", evidence, changes, ("rooms",))


def _invite(case: ScenarioCase, room: str) -> Iterator[Setting | None]:
    """Bring people into a room: by a need, by a course to fetch, or by leaving through it."""
    propose, evening = case.propose, case.pooled.scenario.evening
    needs = [need for need, place in evening.needs.items() if place == room]
    if room == evening.gathering:
        yield propose.more("rules.departures.away_pull", 1.25, 0.045)
    elif room == evening.kitchen:
        yield propose.put("rules.departures.courses", 0.9) if not propose.now("rules.departures.courses") else None
        yield from propose_servers(case)
        if not evening.courses:
            yield propose.put("evening.courses", [float(round(part * evening.minutes)) for part in _COURSES])
        yield propose.more("rules.departures.course_window", 1.25, 0.25)
    elif needs:
        growth = propose.now("rules.wants.growth")
        yield propose.rate(f"evening.need_rates.{needs[0]}", growth, 1.5)
        yield propose.more("rules.departures.needs", 1.25, 1.0)
    else:
        name = next(name for name in (_VISIT, *(f"{_VISIT}_{n}" for n in range(2, 99))) if name not in evening.needs)
        yield propose.add(f"evening.needs.{name}", room)
        yield propose.more("rules.departures.needs", 1.0, 1.0)
    if room == evening.exit:
        yield propose.put("rules.departures.leaving", True)


def _nobody_leaves(case: ScenarioCase) -> Symptom:
    propose = case.propose
    evidence = [percent("evenings in which nobody leaves", case.pooled.share(lambda record: not record.left))]
    changes = [
        propose.put("rules.departures.leaving", True),
        propose.less("rules.leaving.late_from", 0.9),
        propose.less("rules.leaving.decency_share", 0.9),
        propose.more("rules.leaving.scene", 1.25),
    ]
    return case.symptom("nobody_leaves", "nobody leaves", evidence, changes)


def _one_ending(case: ScenarioCase) -> Symptom:
    propose, endings = case.propose, case.pooled.endings
    evidence = [percent(f"evenings that end as {kind}", share) for kind, share in endings.items()]
    changes = [
        propose.put("rules.departures.leaving", True),
        propose.put("rules.departures.throwing_out", True),
        propose.more("rules.departures.making_up", 1.25, 0.2),
    ]
    changes += [_make_rarer(case, kind) for kind, share in endings.items() if share > 1.0 - 2 * ENDINGS]
    return case.symptom("one_ending", "it always ends in the same way", evidence, changes, ("endings",))


def _make_rarer(case: ScenarioCase, ending: str) -> Setting | None:
    """Make a kind of ending rarer."""
    propose = case.propose
    if ending == "thrown_out":
        return propose.more("rules.grievance.throwing_out_grievance", 1.2)
    if ending == "reconciliation":
        return propose.more("rules.grievance.reconciled_from", 1.25)
    if ending == "ran_its_course":
        return propose.less("rules.leaving.decency", 0.8)
    return propose.less("rules.leaving.scene", 0.8)


def _silent(case: ScenarioCase) -> Symptom:
    propose = case.propose
    chat = f"rules.effects.CHAT[{_CLOSENESS}]"
    evidence = [Evidence("chats in an evening", case.pooled.mean(lambda record: record.events.get("CHAT", 0)))]
    changes = [propose.more(chat, 1.5, 0.2), propose.more("rules.bonds.chat_affection", 1.5), lower_internal_cap(case)]
    return case.symptom("silent", "people hardly talk", evidence, changes, ("chats",))


def _secrets_kept(case: ScenarioCase) -> Symptom:
    propose = case.propose
    told = case.pooled.mean(lambda record: record.events.get("REVEAL", 0) + record.events.get("CONFIDE", 0))
    evidence = [Evidence("secrets revealed or confided in an evening", told)]
    changes = [
        propose.less("rules.departures.telling_cost", 0.7, 0.25),
        propose.less("rules.candidates.confide_trust", 0.8),
        propose.more("rules.bonds.confide_trust", 1.25),
        propose.more("rules.context.telling_weight", 1.25),
    ]
    return case.symptom("secrets_kept", "hardly a secret is told", evidence, changes, ("tellings",))


def _odd_event_count(case: ScenarioCase) -> Symptom:
    pooled, propose = case.pooled, case.propose
    events = pooled.median(lambda record: record.event_count)
    evidence = [Evidence("events in an evening (median)", events)]
    if events > 175 * pooled.size:
        changes = [
            propose.more("evening.time_scale", 1.25, 1.0),
            propose.put("rules.departures.conversations", True),
            propose.put("rules.departures.normalise_groups", True),
            propose.more("rules.departures.move_cost", 1.25, 0.5),
        ]
        return case.symptom("too_much_happens", "too much happens", evidence, changes, ("events",))
    changes = [
        propose.less("evening.time_scale", 0.8),
        lower_internal_cap(case),
        propose.more("rules.bonds.chat_affection", 1.5),
    ]
    return case.symptom("too_little_happens", "too little happens", evidence, changes, ("events",))


def _baseline(case: ScenarioCase) -> Symptom:
    propose, target = case.propose, case.targets["internal"]
    evidence = [Evidence("total of INTERNAL (median)", target.value)]
    if target.value > 0.4:
        changes = [lower_internal_cap(case)]
        return case.symptom("quiet_pays", "doing nothing is worth too much", evidence, changes, ("internal",))
    cap = "rules.departures.internal_cap"
    changes = [
        propose.more(cap, 1.15, 0.45) if propose.now(cap) else None,
        propose.less("rules.departures.recency", 0.8, 0.15),
        propose.more("rules.effects.INTERNAL[0]", 1.2),
    ]
    return case.symptom("quiet_costs", "doing nothing is worth too little", evidence, changes, ("internal",))


def _out_of_range(case: ScenarioCase) -> Symptom:
    pooled, propose = case.pooled, case.propose
    evidence = [Evidence("total of the winner (95th percentile)", case.targets["winners"].value)]
    evidence += [percent(f"totals {band}", share) for band, share in pooled.spread("all").bands().items()]
    high = case.fails("winners")
    changes = [
        propose.put("rules.departures.normalise_groups", True) if high else None,
        propose.put("rules.flaws.cap", 0.5) if high else None,
        propose.less("rules.departures.courses", 0.9, 0.9) if high else None,
        propose.less("rules.departures.grievance", 0.8, 0.35) if high else None,
        propose.more("rules.noise.sigma", 1.25) if not high else None,
    ]
    return case.symptom("out_of_range", "scores leave their range", evidence, changes, ("winners", "bands"))
