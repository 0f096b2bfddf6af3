"""Symptoms of an evening's rhythm: how it opens, rises, fills its rooms, and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.company.guide import quieter
from volition.drama.company.straining import servers
from volition.drama.company.symptom import Evidence, percent
from volition.drama.company.targets import ENDINGS, LASTS, first_ticks
from volition.drama.rules.catalog import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.company.settings import Setting
    from volition.drama.company.symptom import Case, Symptom

STAY: Final = 0.9
"""If nobody leaves in more evenings than this, nobody leaves."""
USED: Final = 0.75

_CLOSENESS = EFFECTS.index("closeness")
_COURSES: Final = (0.05, 0.3, 0.6)
"""When to serve, in parts of an evening."""
_VISIT: Final = "errand"
"""A need for a room that nobody needs."""


def rhythm(case: Case) -> Iterator[Symptom]:
    """The symptoms of rhythm that a case shows."""
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
        yield _crowded(case)
    if case.fails("internal"):
        yield _baseline(case)
    if case.fails("winners", "bands"):
        yield _out_of_range(case)


def _opening(case: Case) -> Symptom:
    settings, target = case.settings, case.targets["first"]
    early, _ = first_ticks(case.pooled)
    evidence = [Evidence("first dramatic act (median)", target.value, "tick")]
    if target.value < early:
        changes = [
            settings.more("rules.departures.opening_restraint", 1.2, 0.55),
            settings.more("rules.departures.opening_minutes", 1.25),
            settings.more("rules.departures.telling_cost", 1.25, 0.25),
        ]
        return case.symptom("opening_not_calm", "the opening is not calm", evidence, changes, ("first",))
    changes = [
        settings.less("rules.departures.opening_restraint", 0.8, 0.55),
        settings.less("rules.departures.opening_minutes", 0.8),
        settings.less("rules.departures.telling_cost", 0.8, 0.25),
        settings.less("rules.pacing.masking", 0.8),
    ]
    return case.symptom("nothing_happens", "for a long time nothing happens", evidence, changes, ("first",))


def _no_rise(case: Case) -> Symptom:
    pooled, settings = case.pooled, case.settings
    early = pooled.mean(lambda record: sum(at < record.minutes / 2.0 for _, at in record.catastrophes))
    evidence = [
        Evidence("mean tension of the first half", pooled.mean(lambda record: record.tension[0])),
        Evidence("mean tension of the second half", pooled.mean(lambda record: record.tension[1])),
        Evidence("catastrophes in the first half of an evening", early),
    ]
    changes = [
        settings.more("rules.departures.politeness", 1.2, 0.8),
        settings.more("rules.departures.politeness_minutes", 1.2),
        settings.more("rules.departures.opening_restraint", 1.2, 0.55),
        settings.put("rules.departures.consequences", True),
        settings.less("rules.leaving.scene", 0.8),
    ]
    return case.symptom("no_rise", "the tension does not rise", evidence, changes, ("tension",))


def _too_short(case: Case) -> Symptom:
    pooled, settings, evening = case.pooled, case.settings, case.pooled.scenario.evening
    spent = pooled.share(lambda record: record.ticks >= evening.ticks and record.minutes < LASTS * evening.minutes)
    evidence = [
        Evidence("minutes that an evening lasts (median)", pooled.middle(lambda record: record.minutes)),
        Evidence("people who leave", pooled.mean(lambda record: len(record.left))),
        percent(f"evenings that run out of their {evening.ticks} ticks before that", spent),
    ]
    changes = [
        settings.put("evening.ticks", evening.ticks * 2) if spent else None,
        settings.more("rules.leaving.decency", 1.25),
        settings.more("rules.leaving.decency_minutes", 1.1),
        settings.less("rules.leaving.scene", 0.8),
        settings.less("rules.leaving.broken", 0.8),
    ]
    return case.symptom("too_short", "the evening is too short", evidence, changes, ("minutes",))


def _empty_room(case: Case) -> Symptom:
    empty = {room: used for room, used in case.pooled.rooms.items() if used < USED}
    evidence = [percent(f"evenings with an act in {room}", used) for room, used in empty.items()]
    changes = [change for room in empty for change in _inviting(case, room)]
    return case.symptom("empty_room", "a room stays empty", evidence, changes, ("rooms",))


def _inviting(case: Case, room: str) -> Iterator[Setting | None]:
    """What brings people into a room: a need, a course to fetch, or their leaving by it."""
    settings, evening = case.settings, case.pooled.scenario.evening
    needs = [need for need, place in evening.needs.items() if place == room]
    if room == evening.gathering:
        yield settings.more("rules.departures.away_pull", 1.25, 0.045)
    elif room == evening.kitchen:
        yield settings.put("rules.departures.courses", 0.9) if not settings.now("rules.departures.courses") else None
        yield from servers(case)
        if not evening.courses:
            yield settings.put("evening.courses", [float(round(part * evening.minutes)) for part in _COURSES])
        yield settings.more("rules.departures.course_window", 1.25, 0.25)
    elif needs:
        growth = settings.now("rules.wants.growth")
        yield settings.rate(f"evening.need_rates.{needs[0]}", growth, 1.5)
        yield settings.more("rules.departures.needs", 1.25, 1.0)
    else:
        name = next(name for name in (_VISIT, *(f"{_VISIT}_{n}" for n in range(2, 99))) if name not in evening.needs)
        yield settings.add(f"evening.needs.{name}", room)
        yield settings.more("rules.departures.needs", 1.0, 1.0)
    if room == evening.exit:
        yield settings.put("rules.departures.leaving", True)


def _nobody_leaves(case: Case) -> Symptom:
    settings, evening = case.settings, case.pooled.scenario.evening
    evidence = [percent("evenings in which nobody leaves", case.pooled.share(lambda record: not record.left))]
    changes = [
        settings.put("rules.departures.leaving", True),
        settings.less("rules.leaving.late_from", 0.9, 0.9 * evening.minutes),
        settings.less("rules.leaving.decency_minutes", 0.9, LASTS * evening.minutes),
        settings.more("rules.leaving.scene", 1.25),
    ]
    return case.symptom("nobody_leaves", "nobody leaves", evidence, changes)


def _one_ending(case: Case) -> Symptom:
    settings, endings = case.settings, case.pooled.endings
    evidence = [percent(f"evenings that end as {kind}", share) for kind, share in endings.items()]
    changes = [
        settings.put("rules.departures.leaving", True),
        settings.put("rules.departures.throwing_out", True),
        settings.more("rules.departures.making_up", 1.25, 0.2),
    ]
    changes += [_rarer(case, kind) for kind, share in endings.items() if share > 1.0 - 2 * ENDINGS]
    return case.symptom("one_ending", "it always ends in the same way", evidence, changes, ("endings",))


def _rarer(case: Case, ending: str) -> Setting | None:
    """What makes a kind of ending rarer."""
    settings = case.settings
    if ending == "thrown_out":
        return settings.more("rules.grievance.throwing_out_grievance", 1.2)
    if ending == "reconciliation":
        return settings.more("rules.grievance.reconciled_from", 1.25)
    if ending == "ran_its_course":
        return settings.less("rules.leaving.decency", 0.8)
    return settings.less("rules.leaving.scene", 0.8)


def _silent(case: Case) -> Symptom:
    settings = case.settings
    chat = f"rules.effects.CHAT[{_CLOSENESS}]"
    evidence = [Evidence("chats in an evening", case.pooled.mean(lambda record: record.events.get("CHAT", 0)))]
    changes = [settings.more(chat, 1.5, 0.2), settings.more("rules.bonds.chat_affection", 1.5), quieter(case)]
    return case.symptom("silent", "people hardly talk", evidence, changes, ("chats",))


def _secrets_kept(case: Case) -> Symptom:
    settings = case.settings
    told = case.pooled.mean(lambda record: record.events.get("REVEAL", 0) + record.events.get("CONFIDE", 0))
    evidence = [Evidence("secrets revealed or confided in an evening", told)]
    changes = [
        settings.less("rules.departures.telling_cost", 0.7, 0.25),
        settings.less("rules.candidates.confide_trust", 0.8),
        settings.more("rules.bonds.confide_trust", 1.25),
        settings.more("rules.context.telling_weight", 1.25),
    ]
    return case.symptom("secrets_kept", "hardly a secret is told", evidence, changes, ("tellings",))


def _crowded(case: Case) -> Symptom:
    pooled, settings = case.pooled, case.settings
    events = pooled.middle(lambda record: record.event_count)
    evidence = [Evidence("events in an evening (median)", events)]
    if events > 175 * pooled.size:
        changes = [
            settings.more("evening.time_scale", 1.25, 1.0),
            settings.put("rules.departures.conversations", True),
            settings.put("rules.departures.normalise_groups", True),
            settings.more("rules.departures.move_cost", 1.25, 0.5),
        ]
        return case.symptom("too_much_happens", "too much happens", evidence, changes, ("events",))
    changes = [
        settings.less("evening.time_scale", 0.8),
        quieter(case),
        settings.more("rules.bonds.chat_affection", 1.5),
    ]
    return case.symptom("too_little_happens", "too little happens", evidence, changes, ("events",))


def _baseline(case: Case) -> Symptom:
    settings, target = case.settings, case.targets["internal"]
    evidence = [Evidence("total of INTERNAL (median)", target.value)]
    if target.value > 0.4:
        changes = [quieter(case)]
        return case.symptom("quiet_pays", "doing nothing is worth too much", evidence, changes, ("internal",))
    cap = "rules.departures.internal_cap"
    changes = [
        settings.more(cap, 1.15, 0.45) if settings.now(cap) else None,
        settings.less("rules.departures.recency", 0.8, 0.15),
        settings.more("rules.effects.INTERNAL[0]", 1.2),
    ]
    return case.symptom("quiet_costs", "doing nothing is worth too little", evidence, changes, ("internal",))


def _out_of_range(case: Case) -> Symptom:
    pooled, settings = case.pooled, case.settings
    evidence = [Evidence("total of the winner (95th percentile)", case.targets["winners"].value)]
    evidence += [percent(f"totals {band}", share) for band, share in pooled.spread("all").bands().items()]
    high = case.fails("winners")
    changes = [
        settings.put("rules.departures.normalise_groups", True) if high else None,
        settings.put("rules.flaws.cap", 0.5) if high else None,
        settings.less("rules.departures.courses", 0.9, 0.9) if high else None,
        settings.less("rules.departures.grievance", 0.8, 0.35) if high else None,
        settings.more("rules.noise.sigma", 1.25) if not high else None,
    ]
    return case.symptom("out_of_range", "scores leave their range", evidence, changes, ("winners", "bands"))
