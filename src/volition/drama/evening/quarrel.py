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
    set_own,
    strain_by_clash,
    strain_commitment,
)
from volition.drama.evening.learning import is_news, tell
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
    QUARRELLED,
    THROWN,
    THROWN_OUT,
    WAS_CONFRONTED,
    flag_event,
    note,
)
from volition.drama.evening.record import NONE
from volition.drama.evening.sets import has
from volition.drama.evening.stance import answer_in_person, protect
from volition.drama.evening.state import ANGER, FEAR, SHAME
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


def confront(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int) -> int:
    """Confront `other`; the secret that comes out, or none."""
    rules, acts, my_name, their_name = (
        tables.rules,
        tables.rules.acts,
        tables.person_name[me],
        tables.person_name[other],
    )
    strain_by_clash(evening, tables, log, evening.room[me], 1 << me | 1 << other, BY_CONFLICT)
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
    answer_in_person(evening, log, me, other)
    protect(evening, tables, log, me, other, in_room(evening, tables, evening.room[me]))
    tire(evening, tables, log, me, other)
    if rules.departures.feelings != 0:
        change_emotion(evening, log, other, ANGER, rules.feelings.conflict_accused_anger, WAS_CONFRONTED)
        change_emotion(evening, log, other, FEAR, rules.feelings.conflict_accused_fear, WAS_CONFRONTED)
        change_emotion(evening, log, other, SHAME, rules.feelings.conflict_accused_shame, WAS_CONFRONTED)
    out = force_truth(evening, tables, log, me, other)
    throw_out(evening, tables, log, me, other)
    return out


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


def force_truth(evening: EveningState, tables: ScenarioTables, log: EveningLog, accuser: int, accused: int) -> int:
    """Let the weightiest secret that the accuser is after, and that is news to a person present, come out before all.

    One that the accuser is committed to expose comes before any other. Only that one may come out: where composure holds,
    no lighter one takes its place.
    """
    rules, exposes, sought = tables.rules, tables.exposes[accuser], NONE
    present = in_room(evening, tables, evening.room[accuser]) & ~(1 << accused)
    if rules.departures.forced_truth == 0:
        return NONE
    for place in range(tables.held_count[accused]):
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
