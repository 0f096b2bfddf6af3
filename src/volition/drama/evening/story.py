"""What makes an evening a story, measured from the log of each tick: who acts, what comes out, and who answers a wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.log import LIE_FOUND_OUT, PART_BELIEF, PART_PLANTED, PART_STUNG, SEEN
from volition.drama.evening.measure import (
    ABOUT_NOTHING,
    ABOUT_SECRET,
    ABOUT_WRONG,
    ANSWER_MINUTES,
    OVERDUE,
    OWED_MINUTES,
    SCENE_TICKS,
    STORM_MINUTES,
    UNMET,
    UNWRONGED,
)
from volition.drama.evening.perceive import recently
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.evening.sets import has
from volition.drama.evening.state import OF_SECRET, POUR, sort_of
from volition.drama.rules.catalog import CATASTROPHE, CLOCK, CONFIDE, CONFLICT, LIE, REVEAL, Belief

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.measure import EveningMeasures
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.tension import EveningMoments

_BELIEVES_TRUE = int(Belief.BELIEVES_TRUE)


def begin_story(tables: ScenarioTables, measures: EveningMeasures) -> None:
    """Begin with an evening in which nothing has happened."""
    measures.first_by = NONE
    measures.first_kind = NONE
    measures.first_to = NONE
    measures.out = 0
    measures.first_out = NONE
    measures.remained = 0
    measures.owed = 0
    measures.settled = 0
    for subject in range(ABOUT_WRONG + 1):
        measures.quarrels[subject] = 0
    measures.stale = 0
    measures.driven_off = 0
    measures.seen_through = 0
    measures.found_out = 0
    measures.pours = 0
    measures.pours_amid_rows = 0
    for minute in range(ANSWER_MINUTES + 1):
        measures.answers[minute] = 0
    for who in range(tables.people):
        measures.made[who] = 0
        measures.rowed_at[who] = -1.0
        for whom in range(tables.people):
            measures.conflicts[who][whom] = 0
            measures.wronged_at[who][whom] = UNWRONGED
            measures.opened_at[who][whom] = -1.0


def follow_story(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, moments: EveningMoments, measures: EveningMeasures
) -> None:
    """Follow a tick that has passed: its events first, then who has been wronged, and who meets whom."""
    for row in range(log.events):
        end = log.event_delta[row + 1] if row + 1 < log.events else log.settled
        follow_event(evening, tables, log, row, end, moments, measures)
    for row in range(log.events):
        end = log.event_delta[row + 1] if row + 1 < log.events else log.settled
        for delta in range(log.event_delta[row], end):
            if log.delta_part[delta] == PART_STUNG and log.delta_after[delta] >= 0.0:
                who, whom = log.delta_agent[delta], log.delta_key[delta]
                if measures.wronged_at[who][whom] == UNWRONGED:
                    measures.wronged_at[who][whom] = UNMET
    follow_debts(evening, tables, log, measures)
    for who in range(tables.people):
        for whom in range(tables.people):
            if measures.wronged_at[who][whom] != UNWRONGED:
                wait_for_answer(evening, who, whom, measures)


def follow_event(
    evening: EveningState,
    tables: ScenarioTables,
    log: EveningLog,
    row: int,
    end: int,
    moments: EveningMoments,
    measures: EveningMeasures,
) -> None:
    """Follow one event, whose deltas end before `end`."""
    kind, source, targets, learned = log.event_kind[row], log.event_source[row], log.event_targets[row], 0
    if kind != CLOCK:
        measures.made[source] += 1
    for delta in range(log.event_delta[row], end):
        if log.delta_part[delta] == PART_BELIEF and log.delta_after[delta] == _BELIEVES_TRUE:
            learned |= 1 << log.delta_key[delta]
            if measures.first_out == NONE:
                measures.first_out = log.delta_key[delta]
        if log.delta_part[delta] == PART_PLANTED and log.delta_reason[delta] == LIE_FOUND_OUT:
            measures.found_out += 1
    measures.out |= learned
    if kind == CONFLICT:
        measures.quarrels[subject_of_quarrel(log.event_about[row])] += 1
    told = log.event_secret[row] if kind == REVEAL else log.event_out[row]
    if told != NONE and not has(learned, told):
        measures.stale += 1
    if kind == LIE and log.event_flags[row] & SEEN != 0:
        measures.seen_through += 1
    if kind in (REVEAL, CONFLICT, CONFIDE, LIE) and measures.first_kind == NONE:
        measures.first_by = source
        measures.first_kind = kind
        measures.first_to = tables.target[log.event_act[row]]
    for whom in range(tables.people):
        if kind == CONFLICT and has(targets, whom):
            measures.conflicts[source][whom] += 1
            measures.rowed_at[whom] = moments.minutes
    if kind in (CONFLICT, CATASTROPHE):
        measures.rowed_at[source] = moments.minutes
    if log.event_act[row] == tables.leave and leaves_in_anger(evening, source, moments, measures):
        measures.driven_off |= 1 << source
    if log.event_act[row] == tables.do_task + POUR:
        measures.pours += 1
        measures.pours_amid_rows += int(recently(evening.clash_at[log.event_room[row]], moments.tick, SCENE_TICKS))
    find_answers(tables, log, row, moments, measures)


def subject_of_quarrel(cause: int) -> int:
    """What a confrontation was about, as it is counted."""
    if cause == NONE:
        return ABOUT_NOTHING
    return ABOUT_SECRET if sort_of(cause) == OF_SECRET else ABOUT_WRONG


def follow_debts(evening: EveningState, tables: ScenarioTables, log: EveningLog, measures: EveningMeasures) -> None:
    """Count the wrongs that were settled in a tick, and those that should have been.

    A wrong counts once it is half an hour old, or settled, if it was learned half an hour before the end of the evening.
    """
    latest = tables.last_minute - OWED_MINUTES
    for who in range(tables.people):
        for whom in range(tables.people):
            opened, stung = measures.opened_at[who][whom], evening.stung[who][whom]
            if opened >= 0.0 and stung < 0.0:
                measures.owed += 1
                measures.settled += 1
                measures.opened_at[who][whom] = -1.0
            elif opened >= 0.0 and evening.minutes - opened >= OWED_MINUTES:
                measures.owed += 1
                measures.opened_at[who][whom] = OVERDUE
            elif opened == OVERDUE and stung < 0.0:
                measures.settled += 1
                measures.opened_at[who][whom] = -1.0
            elif opened == -1.0 and 0.0 <= stung <= latest and evening.room[whom] != DEPARTED:
                measures.opened_at[who][whom] = stung


def leaves_in_anger(evening: EveningState, who: int, moments: EveningMoments, measures: EveningMeasures) -> bool:
    """Whether `who` leaves because they were told to, or has just had a row."""
    rowed = measures.rowed_at[who]
    return evening.thrown_out[who] != 0 or (rowed >= 0.0 and moments.minutes - rowed <= STORM_MINUTES)


def find_answers(
    tables: ScenarioTables, log: EveningLog, row: int, moments: EveningMoments, measures: EveningMeasures
) -> None:
    """Count the wrongs that an event answers: by a row or by turning away, by telling of it, by an outburst or by leaving."""
    kind, source, act, secret = log.event_kind[row], log.event_source[row], log.event_act[row], log.event_secret[row]
    bursts = kind == CATASTROPHE or act in (tables.leave, tables.slam)
    for whom in range(tables.people):
        met = measures.wronged_at[source][whom]
        meant = has(log.event_targets[row], whom)
        gesture = act in (tables.shun + whom, tables.forgive + whom, tables.break_with + whom)
        faces = meant and (kind == CONFLICT or gesture)
        tells = kind == CONFIDE and not meant
        if kind == REVEAL and secret != NONE:
            tells = has(tables.holders[secret], whom)
        if met >= 0.0 and (bursts or tells or faces):
            measures.answers[min(int(moments.minutes - met), ANSWER_MINUTES)] += 1
            measures.wronged_at[source][whom] = UNWRONGED


def wait_for_answer(evening: EveningState, who: int, whom: int, measures: EveningMeasures) -> None:
    """Let time pass over a wrong: it is met where both are in one room, and given up when it is late or one is gone."""
    met, here, there = measures.wronged_at[who][whom], evening.room[who], evening.room[whom]
    if DEPARTED in (here, there):
        measures.wronged_at[who][whom] = UNWRONGED
    elif met == UNMET:
        if here == there:
            measures.wronged_at[who][whom] = evening.minutes
    elif evening.minutes - met >= ANSWER_MINUTES:
        measures.answers[ANSWER_MINUTES] += 1
        measures.wronged_at[who][whom] = UNWRONGED
