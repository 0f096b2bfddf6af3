"""Where people stand: when a word commits, who has done a wrong, and how it is answered.

A word commits a person who is asked about a secret, who speaks before those it would harm, or beside a party of a quarrel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.changes import (
    add_ground,
    change_affection,
    change_emotion,
    change_grievance,
    change_trust,
    set_answered,
    set_entry,
    set_member,
    set_stung,
    strain_stress,
)
from volition.drama.evening.log import (
    BROKE_WITH,
    BY_ANSWER,
    COMFORTED,
    FORGAVE,
    PART_BROKE_WITH,
    PART_COMFORTED,
    PART_FORGIVEN,
    PART_RECONCILED,
    PART_SHUNNED,
    PART_WRONG,
    PROTECTED,
    SHUNNED,
    SWALLOWED,
    WAS_FORGIVEN,
    WAS_LEFT,
    WAS_SHUNNED,
    WAS_WRONGED,
    flag_event,
    note_subject,
)
from volition.drama.evening.perceive import recently, thought_to_know
from volition.drama.evening.record import NONE
from volition.drama.evening.sets import has
from volition.drama.evening.state import OF_ATTACK, OF_HARM, OF_SECRET, SHAME, cause_of, object_of, sort_of
from volition.drama.rules.catalog import Belief

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_BELIEVES_TRUE = int(Belief.BELIEVES_TRUE)


def is_public(tables: ScenarioTables, room: int) -> bool:
    """Whether what is said in a room is said in public."""
    return tables.privacy[room] < tables.rules.pacing.public_below


def is_asked(evening: EveningState, tables: ScenarioTables, me: int) -> bool:
    """Whether `me` was recently asked about a secret that they know."""
    ticks = tables.rules.memory.question
    for secret in range(tables.secrets):
        if evening.belief[me][secret] == _BELIEVES_TRUE:
            for asker in range(tables.people):
                if recently(evening.questions[me][asker][secret], evening.tick, ticks):
                    return True
    return False


def takes_side(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether a word to `other` takes their side in a quarrel that `me` saw: not with a grievance against them."""
    seen = recently(evening.sided_at[me][other], evening.tick, tables.rules.memory.conflict)
    return seen and evening.grievance[me][other] <= tables.rules.departures.grievance_above


def keeps_from(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether `me` holds or conceals a secret that would harm the other, who is not thought to know it."""
    kept = tables.holds[me] | tables.conceals[me]
    for secret in range(tables.secrets):
        harms = has(kept, secret) and tables.harm[other][secret] > 0.0
        if harms and not has(thought_to_know(evening, tables, me, secret), other):
            return True
    return False


def is_upheld(evening: EveningState, tables: ScenarioTables, me: int) -> bool:
    """Whether commitment is kept alive: in public, before a person it is about or against whom there is a grievance."""
    departures, room = tables.rules.departures, evening.room[me]
    if departures.uphold == 0 or not is_public(tables, room):
        return False
    for other in range(tables.people):
        faced = other != me and evening.room[other] == room
        resented = evening.grievance[me][other] > departures.grievance_above
        if faced and (resented or keeps_from(evening, tables, me, other)):
            return True
    return False


def subject_of(evening: EveningState, tables: ScenarioTables, me: int, act: int) -> int:
    """What a confrontation is about: a secret, the wrong of the other, or nothing in particular."""
    if act >= tables.confront_wrong:
        return evening.wrong[me][tables.target[act]]
    if act >= tables.confront_about:
        return cause_of(OF_SECRET, tables.secret[act])
    return NONE


def gravity_of(tables: ScenarioTables, who: int, cause: int) -> float:
    """What a subject weighs for `who`: the harm that a secret does them; nothing else weighs as much as any harm."""
    if cause != NONE and sort_of(cause) in (OF_HARM, OF_SECRET):
        return tables.weight[object_of(cause)] * tables.harm[who][object_of(cause)]
    return 0.0


def wrong(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, culprit: int, cause: int) -> None:
    """Let `who` be wronged by another: it waits for an answer from now on, or from when an earlier wrong was done.

    A wrong that is not forgiven gives way only to one that weighs as much. A new wrong ends the peace.
    """
    departures = tables.rules.departures
    if departures.consequences == 0:
        return
    if departures.peace != 0:
        set_member(log, evening.forgiven, who, PART_FORGIVEN, who, culprit, NONE, 0, WAS_WRONGED)
        set_member(log, evening.reconciled, who, PART_RECONCILED, who, culprit, NONE, 0, WAS_WRONGED)
    greater = gravity_of(tables, who, evening.wrong[who][culprit]) > gravity_of(tables, who, cause)
    if departures.unforgiven != 0 and greater:
        return
    if departures.owed == 0.0 or evening.stung[who][culprit] < 0.0:
        set_stung(evening, log, who, culprit, evening.minutes, WAS_WRONGED)
    set_entry(log, evening.wrong, PART_WRONG, who, culprit, cause, WAS_WRONGED)


def answer_in_person(evening: EveningState, log: EveningLog, me: int, culprit: int) -> None:
    """Answer another's wrong to their face, if there is one: it waits no longer, and is over."""
    if evening.stung[me][culprit] >= 0.0:
        set_stung(evening, log, me, culprit, -1.0, BY_ANSWER)
    set_entry(log, evening.wrong, PART_WRONG, me, culprit, NONE, BY_ANSWER)


def confront_wrong(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, culprit: int) -> None:
    """Answer another's wrong by a confrontation: it waits no longer, and is over where wrongs need no forgiving."""
    if tables.rules.departures.unforgiven == 0:
        answer_in_person(evening, log, me, culprit)
    elif evening.stung[me][culprit] >= 0.0:
        set_stung(evening, log, me, culprit, -1.0, BY_ANSWER)


def answer_before(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, present: int) -> None:
    """Answer the wrongs of all who are present."""
    for other in range(tables.people):
        if has(present, other):
            answer_in_person(evening, log, me, other)


def tell_ally(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, ally: int) -> None:
    """Answer every wrong of others by telling `ally` of it."""
    for other in range(tables.people):
        if other != ally and evening.stung[me][other] >= 0.0:
            set_answered(evening, log, me, other, 1, BY_ANSWER)


def shun(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int) -> None:
    """Turn away from `other` before all: they feel it. Anyone who swallows a wrong shows it in this way."""
    acts, rules = tables.rules.acts, tables.rules
    if evening.stung[me][other] >= 0.0:
        set_answered(evening, log, me, other, 1, SHUNNED)
        if tables.swallows[me] != 0:
            flag_event(log, SWALLOWED)
    set_entry(log, evening.shunned, PART_SHUNNED, me, other, evening.minutes, SHUNNED)
    strain_stress(evening, log, other, acts.shun_stress, WAS_SHUNNED)
    change_trust(evening, tables, log, other, me, -acts.shun_trust, WAS_SHUNNED)
    if rules.departures.feelings != 0:
        change_emotion(evening, log, other, SHAME, rules.feelings.shunned_shame, WAS_SHUNNED)


def comfort(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int) -> None:
    """Stand by `other` after a quarrel."""
    acts = tables.rules.acts
    set_entry(log, evening.comforted, PART_COMFORTED, me, other, evening.minutes, COMFORTED)
    strain_stress(evening, log, other, acts.comfort_stress, COMFORTED)
    change_affection(evening, log, other, me, acts.comfort_affection, COMFORTED)


def forgive(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int) -> None:
    """Forgive another's wrong: little of it is held against them, and both are relieved."""
    acts = tables.rules.acts
    note_subject(log, evening.wrong[me][other])
    answer_in_person(evening, log, me, other)
    set_member(log, evening.forgiven, me, PART_FORGIVEN, me, other, NONE, 1, FORGAVE)
    if tables.rules.departures.peace != 0:
        set_member(log, evening.reconciled, other, PART_RECONCILED, other, me, NONE, 1, WAS_FORGIVEN)
    held = evening.grievance[me][other]
    change_grievance(evening, log, me, other, held * (acts.forgive_kept - 1.0), FORGAVE)
    change_trust(evening, tables, log, me, other, acts.forgive_trust, FORGAVE)
    change_affection(evening, log, other, me, acts.forgiven_affection, WAS_FORGIVEN)
    strain_stress(evening, log, me, acts.forgiven_stress, FORGAVE)
    strain_stress(evening, log, other, acts.forgiven_stress, WAS_FORGIVEN)
    if tables.rules.departures.feelings != 0:
        change_emotion(evening, log, other, SHAME, tables.rules.feelings.forgiven_shame, WAS_FORGIVEN)


def break_with(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int) -> None:
    """Let `me` break with `other` over their wrong: what was between the two is gone, and there are no kind words any more."""
    acts = tables.rules.acts
    note_subject(log, evening.wrong[me][other])
    answer_in_person(evening, log, me, other)
    set_member(log, evening.broke_with, me, PART_BROKE_WITH, me, other, NONE, 1, BROKE_WITH)
    change_trust(evening, tables, log, me, other, -acts.break_trust, BROKE_WITH)
    change_affection(evening, log, me, other, -acts.break_affection, BROKE_WITH)
    change_trust(evening, tables, log, other, me, -acts.break_trust, WAS_LEFT)
    change_affection(evening, log, other, me, -acts.break_affection, WAS_LEFT)
    strain_stress(evening, log, other, acts.break_stress, WAS_LEFT)
    if tables.rules.departures.feelings != 0:
        change_emotion(evening, log, other, SHAME, tables.rules.feelings.left_shame, WAS_LEFT)


def protect(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, accuser: int, accused: int, present: int
) -> None:
    """Let those present who are committed to protect the accused take the confrontation as a wrong."""
    if tables.rules.departures.protect == 0.0:
        return
    for who in range(tables.people):
        if has(present, who) and has(tables.protects[who], accused) and who != accuser:
            change_grievance(evening, log, who, accuser, tables.rules.consequences.protege_grievance, PROTECTED)
            add_ground(evening, log, who, accuser, PROTECTED)
            wrong(evening, tables, log, who, accuser, cause_of(OF_ATTACK, accused))
