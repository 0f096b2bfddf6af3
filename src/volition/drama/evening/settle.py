"""The end of a tick: pacing is paid, feelings fade, needs grow, people see who is where, and tasks are given out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.changes import (
    set_entry,
    set_own,
)
from volition.drama.evening.log import (
    CALLED,
    END_OF_TICK,
    LAPSED,
    LOOKED,
    PART_BUDGET,
    PART_COMMITMENT,
    PART_COMPOSURE,
    PART_COURSE_SEEN,
    PART_COURSES,
    PART_EMOTIONS,
    PART_FATIGUE,
    PART_GRIEVANCE,
    PART_NEEDS,
    PART_POURS,
    PART_RECENT_ACT,
    PART_RECENTS,
    PART_SEEN_IN,
    PART_SEEN_SINCE,
    PART_STRESS,
    PART_SUPPRESSION,
    PART_TASK,
    PART_TASK_SINCE,
    PART_TIMER,
    note,
)
from volition.drama.evening.perceive import recently
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.evening.sets import has
from volition.drama.evening.stance import is_upheld
from volition.drama.evening.state import FEELINGS, FETCH, POUR, SERVE
from volition.drama.rules.catastrophe import aftermath
from volition.drama.rules.passing import fade_fatigue, fade_grievance, need_after
from volition.drama.rules.physics import Pace, Tick, emotion_decay, end_of_tick

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables


def settle(evening: EveningState, tables: ScenarioTables, log: EveningLog) -> None:
    """Let everybody who is still here live through the end of the tick.

    One person's pacing is paid before their own grievances fade, since these uphold commitment.
    """
    for who in range(tables.people):
        if evening.room[who] != DEPARTED:
            pay(evening, tables, log, who)
            fade(evening, tables, log, who)
            want(evening, tables, log, who)
    for who in range(tables.people):
        if evening.room[who] != DEPARTED:
            look(evening, tables, log, who)
    for who in range(tables.people):
        if evening.room[who] != DEPARTED:
            remember_act(evening, tables, log, who)
        for other in range(tables.people):
            if has(evening.sided[who], other):
                evening.sided_at[who][other] = evening.tick


def pay(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int) -> None:
    """Pay what the tick's events asked, each once; an outburst's aftermath stands above that."""
    physics = tables.rules.physics
    before = Pace(
        evening.budget[who],
        evening.stress[who],
        evening.composure[who],
        evening.commitment[who],
        evening.timer[who],
        evening.suppression[who],
    )
    lived = Tick(
        evening.stress_gain[who],
        tables.sensitivity[who],
        evening.commitment_gain[who],
        evening.cost[who],
        evening.lock[who],
        evening.drinks[who],
        tables.privacy[evening.room[who]] >= physics.private_from,
        has(evening.fought, who),
        has(evening.unrest, who),
        has(evening.dramatic, who),
        is_upheld(evening, tables, who),
    )
    after = end_of_tick(before, lived, physics)
    if has(evening.breaking, who):
        after = aftermath(after, physics)
    set_pace(evening, log, who, before, after, END_OF_TICK)


def set_pace(evening: EveningState, log: EveningLog, who: int, before: Pace, after: Pace, reason: int) -> None:
    """Set the six numbers of `who`'s pacing: they change as one, in six rows of the log."""
    if (
        before.budget != after.budget
        or before.stress != after.stress
        or before.composure != after.composure
        or before.commitment != after.commitment
        or before.timer != after.timer
        or before.suppression != after.suppression
    ):
        evening.budget[who] = after.budget
        evening.stress[who] = after.stress
        evening.composure[who] = after.composure
        evening.commitment[who] = after.commitment
        evening.timer[who] = after.timer
        evening.suppression[who] = after.suppression
        note(log, PART_BUDGET, who, NONE, NONE, before.budget, after.budget, reason)
        note(log, PART_STRESS, who, NONE, NONE, before.stress, after.stress, reason)
        note(log, PART_COMPOSURE, who, NONE, NONE, before.composure, after.composure, reason)
        note(log, PART_COMMITMENT, who, NONE, NONE, before.commitment, after.commitment, reason)
        note(log, PART_TIMER, who, NONE, NONE, before.timer, after.timer, reason)
        note(log, PART_SUPPRESSION, who, NONE, NONE, before.suppression, after.suppression, reason)


def fade(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int) -> None:
    """Let emotions, grievances and tiredness fade; the six emotions change as one, in six rows of the log."""
    rules, faded = tables.rules, False
    for emotion in range(FEELINGS):
        felt = evening.emotions[who][emotion]
        faded = faded or emotion_decay(felt, rules.physics) != felt
    if faded:
        for emotion in range(FEELINGS):
            felt = evening.emotions[who][emotion]
            evening.emotions[who][emotion] = emotion_decay(felt, rules.physics)
            note(log, PART_EMOTIONS, who, emotion, NONE, felt, evening.emotions[who][emotion], END_OF_TICK)
    for place in range(tables.people):
        other = tables.by_name[place]
        held = evening.grievance[who][other]
        if held != 0.0:
            faded_to = fade_grievance(held, rules.grievance)
            set_entry(log, evening.grievance, PART_GRIEVANCE, who, other, faded_to, END_OF_TICK)
    for place in range(tables.people):
        other = tables.by_name[place]
        tired = evening.fatigue[who][other]
        if tired >= 0.0:
            set_entry(log, evening.fatigue, PART_FATIGUE, who, other, fade_fatigue(tired, rules.grievance), END_OF_TICK)


def want(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int) -> None:
    """Let needs grow, each person's at a pace drawn once for the evening."""
    wants = tables.rules.wants
    if tables.rules.departures.needs != 0.0:
        for need in range(tables.needs):
            share, rate = evening.need_share[who][need], tables.need_rate[need]
            grown = need_after(evening.needs[who][need], rate, share, wants)
            set_entry(log, evening.needs, PART_NEEDS, who, need, grown, END_OF_TICK)


def look(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int) -> None:
    """See what is served, who is here, where those went who left before one's eyes, and who is not where one thought."""
    here = evening.room[me]
    if here == tables.gathering:
        set_own(log, evening.course_seen, PART_COURSE_SEEN, me, evening.course_served, LOOKED)
    for other in range(tables.people):
        if other != me:
            thought, where = evening.seen_in[me][other], evening.seen_in[me][other]
            witnessed = has(evening.witnesses[other], me)
            if evening.room[other] == here:
                where = here
            elif witnessed and evening.went_to[other] != NONE:
                where = evening.went_to[other]
            elif witnessed and evening.room[other] == DEPARTED:
                where = DEPARTED
            elif thought == here:
                where = NONE
            if where != thought:
                since = NONE if where == NONE else evening.tick
                note(log, PART_SEEN_IN, me, other, NONE, thought, where, LOOKED)
                note(log, PART_SEEN_SINCE, me, other, NONE, evening.seen_since[me][other], since, LOOKED)
                evening.seen_in[me][other] = where
                evening.seen_since[me][other] = since


def remember_act(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int) -> None:
    """Remember what `me` did; an act that came to nothing is remembered as what it became.

    The log has the number of acts before and after, then the acts before and the acts after, each with its tick.
    """
    count, kept, did = evening.recents[me], 0, evening.became[me]
    for place in range(count):
        if evening.tick - evening.recent_tick[me][place] < tables.rules.departures.recency_ticks:
            kept += 1
    after = kept + int(did != NONE)
    if kept == count and did == NONE:
        return
    note(log, PART_RECENTS, me, NONE, NONE, count, after, END_OF_TICK)
    for place in range(count):
        act, tick = evening.recent_act[me][place], evening.recent_tick[me][place]
        note(log, PART_RECENT_ACT, me, NONE, NONE, act, tick, END_OF_TICK)
    dropped = count - kept  # the oldest stand first, so those that are too old are at the beginning
    for place in range(kept):
        evening.recent_act[me][place] = evening.recent_act[me][place + dropped]
        evening.recent_tick[me][place] = evening.recent_tick[me][place + dropped]
    for place in range(kept, count):
        evening.recent_act[me][place] = NONE
        evening.recent_tick[me][place] = NONE
    if did != NONE:
        evening.recent_act[me][kept] = did
        evening.recent_tick[me][kept] = evening.tick
    evening.recents[me] = after
    for place in range(after):
        act, tick = evening.recent_act[me][place], evening.recent_tick[me][place]
        note(log, PART_RECENT_ACT, me, NONE, NONE, act, tick, END_OF_TICK)


def call_for_service(evening: EveningState, tables: ScenarioTables, log: EveningLog) -> None:
    """Drop tasks that took too long, and give those that are due to the first who may serve: courses before wine.

    Nobody is called while a scene at the gathering is fresh, or for a course that has stood too long. Of wine that should have come several times, one is poured.
    """
    service = tables.rules.service
    if tables.rules.departures.courses == 0.0:
        return
    for who in range(tables.people):
        drop_task(evening, tables, log, who)
    if recently(evening.clash_at[tables.gathering], evening.tick, service.calm):
        return
    if evening.courses < tables.courses:
        due = tables.course_at[evening.courses]
        task = FETCH if tables.kitchen != NONE else SERVE
        spoilt = evening.minutes - due > service.spoil_minutes
        if due <= evening.minutes and (spoilt or give_task(evening, tables, log, task, due, service.lapse_course)):
            note(log, PART_COURSES, NONE, NONE, NONE, evening.courses, evening.courses + 1, CALLED)
            evening.courses += 1
    while evening.pours + 1 < tables.pours and tables.pour_at[evening.pours + 1] <= evening.minutes:
        note(log, PART_POURS, NONE, NONE, NONE, evening.pours, evening.pours + 1, LAPSED)
        evening.pours += 1
    if evening.pours < tables.pours:
        due = tables.pour_at[evening.pours]
        if due <= evening.minutes and give_task(evening, tables, log, POUR, due, service.lapse_pour):
            note(log, PART_POURS, NONE, NONE, NONE, evening.pours, evening.pours + 1, CALLED)
            evening.pours += 1


def drop_task(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int) -> None:
    """Take the task of `who` if they took too long or have left."""
    service, since = tables.rules.service, evening.task_since[who]
    if evening.task[who] == NONE:
        return
    lapse = service.lapse_pour if evening.task[who] == POUR else service.lapse_course
    if evening.room[who] == DEPARTED or (since >= 0.0 and evening.minutes - since > lapse):
        set_own(log, evening.task, PART_TASK, who, NONE, LAPSED)
        set_own(log, evening.task_since, PART_TASK_SINCE, who, -1.0, LAPSED)


def give_task(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, task: int, due: float, lapse: float
) -> bool:
    """Give a task to the first who may take it; whether that is done with, taken or waited for too long."""
    for place in range(tables.servers):
        who = tables.server[place]
        if may_serve(evening, tables, who, task):
            set_own(log, evening.task, PART_TASK, who, task, CALLED)
            set_own(log, evening.task_since, PART_TASK_SINCE, who, evening.minutes, CALLED)
            return True
    return evening.minutes - due > lapse


def may_serve(evening: EveningState, tables: ScenarioTables, who: int, task: int) -> bool:
    """Whether `who` is in the house and free, as all can see; to pour, one must be where people gather."""
    if evening.room[who] == DEPARTED or evening.task[who] != NONE:
        return False
    return task != POUR or evening.room[who] == tables.gathering
