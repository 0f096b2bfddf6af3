"""A confrontation: what it costs both, the truth that it may bring out, and the guest who is told to go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.changes import (
    add_ground,
    change_emotion,
    change_grievance,
    change_trust,
    draw,
    draw_between,
    in_room,
    set_entry,
    set_member,
    set_own,
    set_question,
    strain_by_clash,
    strain_commitment,
)
from volition.drama.evening.learning import hint_aloud, is_news, state_aloud, tell
from volition.drama.evening.log import (
    BY_CONFLICT,
    CONFRONTED,
    FORCED_OUT,
    PART_CHALLENGED,
    PART_CONFRONTED,
    PART_CONFRONTED_BY,
    PART_FATIGUE,
    PART_GROUNDS,
    PART_THROWN_OUT,
    PART_WRONGED,
    QUARRELLED,
    STATED,
    THROWN,
    THROWN_OUT,
    WAS_CONFRONTED,
    flag_event,
    note,
    note_subject,
)
from volition.drama.evening.perceive import is_open_between
from volition.drama.evening.record import NONE
from volition.drama.evening.sets import has
from volition.drama.evening.stance import confront_wrong, protect
from volition.drama.evening.state import ANGER, FEAR, OF_HARM, OF_LIE, OF_SECRET, SHAME, object_of, sort_of
from volition.drama.evening.tables import FOR_CONFLICT_ANGER, FOR_CONFLICT_TRUST, FOR_FORCED
from volition.drama.rules.beliefs import forced_truth_chance, throws_out
from volition.drama.rules.catalog import CONFLICT, Belief
from volition.drama.rules.passing import fatigue_after
from volition.drama.rules.physics import commitment_gain

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_SUSPECTS, _BELIEVES_TRUE = int(Belief.SUSPECTS), int(Belief.BELIEVES_TRUE)


def confront(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int, cause: int) -> int:
    """Confront `other` about something, or about nothing in particular; the secret that they are forced to admit."""
    rules, acts, my_name, their_name = (
        tables.rules,
        tables.rules.acts,
        tables.person_name[me],
        tables.person_name[other],
    )
    note_subject(log, cause)
    strain_by_clash(evening, tables, log, evening.room[me], me, 1 << me | 1 << other, BY_CONFLICT)
    strain_commitment(evening, log, me, commitment_gain(CONFLICT, False, False, rules.physics), CONFRONTED)
    lost = draw_between(
        evening, tables, acts.conflict_trust_from, acts.conflict_trust_to, me, FOR_CONFLICT_TRUST, their_name
    )
    hurt = draw_between(
        evening, tables, acts.conflict_accused_from, acts.conflict_accused_to, other, FOR_CONFLICT_TRUST, my_name
    )
    change_trust(evening, tables, log, me, other, -lost, CONFRONTED)
    change_trust(evening, tables, log, other, me, -hurt, WAS_CONFRONTED)
    anger = draw_between(
        evening, tables, acts.conflict_anger_from, acts.conflict_anger_to, me, FOR_CONFLICT_ANGER, their_name
    )
    change_emotion(evening, log, me, ANGER, anger, CONFRONTED)
    mark_confrontation(evening, log, me, other)
    if rules.departures.subjects == 0 or cause == evening.wrong[me][other]:
        confront_wrong(evening, tables, log, me, other)
    charge(evening, tables, log, me, other, secret_at_issue(cause))
    protect(evening, tables, log, me, other, in_room(evening, tables, evening.room[me]))
    tire(evening, tables, log, me, other)
    if rules.departures.feelings != 0:
        change_emotion(evening, log, other, ANGER, rules.feelings.conflict_accused_anger, WAS_CONFRONTED)
        change_emotion(evening, log, other, FEAR, rules.feelings.conflict_accused_fear, WAS_CONFRONTED)
        change_emotion(evening, log, other, SHAME, rules.feelings.conflict_accused_shame, WAS_CONFRONTED)
    out = force_truth(evening, tables, log, me, other, cause)
    throw_out(evening, tables, log, me, other)
    return out


def charge(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int, secret: int) -> None:
    """Put a secret to one of those whose it is: they are pressed about it, and know whom they have harmed."""
    departures = tables.rules.departures
    if secret == NONE or not has(tables.holders[secret], other):
        return
    if departures.provocation != 0:
        set_question(evening, log, other, me, secret, evening.tick, WAS_CONFRONTED)
    if departures.blame != 0 and tables.harm[me][secret] > 0.0:
        set_member(log, evening.wronged, other, PART_WRONGED, other, me, NONE, 1, WAS_CONFRONTED)


def mark_confrontation(evening: EveningState, log: EveningLog, me: int, other: int) -> None:
    """Remember who confronted whom and when; the accuser's grounds are used up, the accused has one more."""
    tick, mine, theirs = evening.tick, evening.confronted[me][other], evening.confronted_by[other][me]
    evening.confronted[me][other] = tick
    note(log, PART_CONFRONTED, me, other, NONE, mine, tick, CONFRONTED)
    evening.confronted_by[other][me] = tick
    note(log, PART_CONFRONTED_BY, other, me, NONE, theirs, tick, WAS_CONFRONTED)
    set_own(log, evening.challenged, PART_CHALLENGED, other, evening.tick, WAS_CONFRONTED)
    set_entry(log, evening.grounds, PART_GROUNDS, me, other, 0, CONFRONTED)
    add_ground(evening, log, other, me, WAS_CONFRONTED)


def tire(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int) -> None:
    """Let both hold more against each other, and be more tired of it."""
    table = tables.rules.grievance
    change_grievance(evening, log, me, other, table.accuser, CONFRONTED)
    change_grievance(evening, log, other, me, table.accused, WAS_CONFRONTED)
    mine = fatigue_after(max(0.0, evening.fatigue[me][other]), table.fatigue_accuser, table)
    set_entry(log, evening.fatigue, PART_FATIGUE, me, other, mine, QUARRELLED)
    theirs = fatigue_after(max(0.0, evening.fatigue[other][me]), table.fatigue_accused, table)
    set_entry(log, evening.fatigue, PART_FATIGUE, other, me, theirs, QUARRELLED)


def secret_at_issue(cause: int) -> int:
    """The secret that a quarrel is about; none where who confronts is angry that it was told, or that another is attacked."""
    if cause != NONE and sort_of(cause) in (OF_HARM, OF_LIE, OF_SECRET):
        return object_of(cause)
    return NONE


def say_subject(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int, cause: int, out: int
) -> int:
    """Let everybody here hear what a quarrel is about; the secret that is stated, or none.

    Who knows it states it, and who only suspects it hints at it. What the accused has just admitted need not be said.
    """
    secret, here = secret_at_issue(cause), in_room(evening, tables, evening.room[me])
    if secret == NONE or out != NONE:
        return NONE
    if evening.belief[me][secret] == _BELIEVES_TRUE:
        flag_event(log, STATED)
        state_aloud(evening, tables, log, secret, me, other, here)
        return secret
    caught = hint_aloud(evening, tables, log, secret, me, here)
    if log.on != 0:
        log.event_caught[log.events] = caught
    return NONE


def force_truth(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, accuser: int, accused: int, cause: int
) -> int:
    """Let the secret that a quarrel is about come out before all, where it is news to somebody present.

    Where quarrels have no subjects it is the weightiest that the accuser is after; one that the accuser is committed to
    expose comes before any other. Only that one may come out: where composure holds, no lighter one takes its place. What
    was said before both of them need not be admitted.
    """
    rules, exposes, sought = tables.rules, tables.exposes[accuser], NONE
    present = in_room(evening, tables, evening.room[accuser]) & ~(1 << accused)
    if rules.departures.forced_truth == 0:
        return NONE
    if rules.departures.subjects != 0:
        subject = secret_at_issue(cause)
        held = subject != NONE and has(tables.holds[accused], subject)
        if held and is_news(evening, tables, subject, present):
            sought = subject
        if sought != NONE and is_open_between(evening, tables, accused, accuser, sought):
            sought = NONE
    for place in range(tables.held_count[accused] if rules.departures.subjects == 0 else 0):
        secret = tables.held[accused][place]
        belief = evening.belief[accuser][secret]
        harmed = belief == _BELIEVES_TRUE and tables.harm[accuser][secret] > 0.0
        before = sought == NONE or (has(exposes, secret) and not has(exposes, sought))
        if before and (belief == _SUSPECTS or harmed) and is_news(evening, tables, secret, present):
            sought = secret
    if sought == NONE:
        return NONE
    chance = forced_truth_chance(evening.composure[accused], rules.information)
    if draw(evening, tables, accused, FOR_FORCED, tables.secret_name[sought]) >= chance:
        return NONE
    tell(evening, tables, log, sought, accused, present, True, FORCED_OUT)
    return sought


def throw_out(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int) -> None:
    """Let a resident who has had enough tell a guest to go."""
    trust, held = evening.trust[me][other], evening.grievance[me][other]
    host, guest, table = tables.resident[me] != 0, tables.resident[other] == 0, tables.rules.grievance
    share = evening.minutes / tables.last_minute
    if tables.rules.departures.throwing_out != 0 and throws_out(host, guest, trust, held, share, table):
        set_own(log, evening.thrown_out, PART_THROWN_OUT, other, 1, THROWN_OUT)
        flag_event(log, THROWN)
