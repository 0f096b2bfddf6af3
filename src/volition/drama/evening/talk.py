"""What a word does: it warms, commits who speaks, may be a question, and may mend what stands between two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.changes import (
    change_affection,
    change_emotion,
    change_grievance,
    change_trust,
    draw,
    draw_between,
    see_that_suspects,
    set_entry,
    set_member,
    set_own,
    set_question,
    strain_commitment,
    strain_stress,
)
from volition.drama.evening.log import (
    ASKED,
    ASKED_IN_PUBLIC,
    MADE_UP,
    MENDED,
    PART_CHALLENGED,
    PART_RECONCILED,
    PART_WRONG,
    POSITION,
    RECONCILED,
    SIDE,
    SIDES,
    STANCE,
    TALKED,
    flag_event,
)
from volition.drama.evening.perceive import is_open_between, recently
from volition.drama.evening.record import NONE
from volition.drama.evening.sets import has
from volition.drama.evening.stance import is_asked, is_public, keeps_from, takes_side
from volition.drama.evening.state import FEAR, SHAME, SUSPICION
from volition.drama.evening.tables import FOR_ASK, FOR_CHAT
from volition.drama.rules.beliefs import mending, mends
from volition.drama.rules.catalog import CHAT, Belief
from volition.drama.rules.physics import commitment_gain

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_SUSPECTS, _BELIEVES_TRUE = int(Belief.SUSPECTS), int(Belief.BELIEVES_TRUE)


def chat(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, act: int, targets: int) -> None:
    """A word warms its listeners, and may commit. One to all is no question and mends nothing, even if one hears it."""
    rules, count, last = tables.rules, 0, NONE
    for other in range(tables.people):
        if has(targets, other):
            count += 1
            last = other
            warmth = draw_between(
                evening, tables, rules.acts.chat_affection_from, rules.acts.chat_affection_to, me, FOR_CHAT,
                tables.person_name[other],
            )  # fmt: skip
            change_affection(evening, log, other, me, warmth, TALKED)
    public = is_public(tables, evening.room[me])
    states = public and (is_asked(evening, tables, me) or (count == 1 and keeps_from(evening, tables, me, last)))
    sides = public and count == 1 and takes_side(evening, tables, me, last)
    strain_commitment(evening, log, me, commitment_gain(CHAT, states, False, rules.physics), POSITION)
    strain_commitment(evening, log, me, commitment_gain(CHAT, False, sides, rules.physics), SIDE)
    if states:
        flag_event(log, STANCE)
    if sides:
        flag_event(log, SIDES)
    if act != tables.chat_to_all:
        ask(evening, tables, log, me, last)
        make_up(evening, tables, log, me, last)


def ask(evening: EveningState, tables: ScenarioTables, log: EveningLog, asker: int, asked: int) -> None:
    """Turn a word to `asked` into a question about the weightiest of their secrets that `asker` suspects, if a draw says so.

    Nobody asks the same again before some time has passed, or what was said before both. Whose wish it is to ask does so at once, without a draw, about
    what they wish; a question about something that is not theirs does not trouble who is asked. Those in the room who know
    the secret understand that the asker suspects it.
    """
    rules, secret = tables.rules, evening.asks[asker]
    if secret == NONE:
        for place in range(tables.held_count[asked]):
            held = tables.held[asked][place]
            again = recently(evening.questions[asked][asker][held], evening.tick, rules.memory.asking)
            again = again or is_open_between(evening, tables, asker, asked, held)
            if secret == NONE and evening.belief[asker][held] == _SUSPECTS and not again:
                secret = held
        eagerness = rules.departures.probing * tables.truth_seeking[asker]
        if secret == NONE or draw(evening, tables, asker, FOR_ASK, tables.person_name[asked]) >= eagerness:
            return
    if has(tables.holders[secret], asked):
        trouble(evening, tables, log, asker, asked, secret)
    for who in range(tables.people):
        if evening.room[who] == evening.room[asker] and who != asker and evening.belief[who][secret] == _BELIEVES_TRUE:
            see_that_suspects(evening, log, who, asker, secret, 1, ASKED)
    if is_public(tables, evening.room[asker]):
        strain_commitment(evening, log, asker, rules.consequences.question_commitment, ASKED_IN_PUBLIC)
        if has(tables.holders[secret], asked):
            strain_commitment(evening, log, asked, rules.consequences.question_commitment, ASKED_IN_PUBLIC)


def trouble(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, asker: int, asked: int, secret: int
) -> None:
    """Put a question to one of those whose secret it is about, who is troubled by it."""
    rules = tables.rules
    if log.on != 0:
        log.event_question[log.events] = secret
    set_question(evening, log, asked, asker, secret, evening.tick, ASKED)
    set_own(log, evening.challenged, PART_CHALLENGED, asked, evening.tick, ASKED)
    strain_stress(evening, log, asked, rules.consequences.question_stress, ASKED)
    if rules.departures.feelings != 0:
        change_emotion(evening, log, asked, FEAR, rules.feelings.question_fear, ASKED)
        change_emotion(evening, log, asked, SUSPICION, rules.feelings.question_suspicion, ASKED)


def make_up(evening: EveningState, tables: ScenarioTables, log: EveningLog, speaker: int, other: int) -> None:
    """Let a word between two take from what the other holds against the speaker."""
    table, held, own = tables.rules.grievance, evening.grievance[other][speaker], evening.grievance[speaker][other]
    if tables.rules.departures.making_up == 0.0 or not mends(held, evening.emotions[speaker][SHAME], own, table):
        return
    flag_event(log, MENDED)
    private = not is_public(tables, evening.room[speaker])
    change = mending(evening.affection[other][speaker], private, table)
    change_grievance(evening, log, other, speaker, -change, MADE_UP)
    change_trust(evening, tables, log, other, speaker, change * table.mending_trust, MADE_UP)
    small = evening.grievance[other][speaker] < table.reconciled_below
    great = evening.peaks[other][speaker] >= table.reconciled_from
    owes = tables.rules.departures.peace != 0 and evening.stung[other][speaker] >= 0.0
    if great and small and not owes and not has(evening.reconciled[other], speaker):
        reconcile(evening, tables, log, speaker, other)


def reconcile(evening: EveningState, tables: ScenarioTables, log: EveningLog, speaker: int, other: int) -> None:
    """Let two be friends again: for both it is peace, and what the speaker did is made up for."""
    stress = tables.rules.grievance.reconciled_stress
    set_member(log, evening.reconciled, other, PART_RECONCILED, other, speaker, NONE, 1, MADE_UP)
    if tables.rules.departures.peace != 0:
        set_member(log, evening.reconciled, speaker, PART_RECONCILED, speaker, other, NONE, 1, MADE_UP)
    if tables.rules.departures.unforgiven != 0:
        set_entry(log, evening.wrong, PART_WRONG, other, speaker, NONE, MADE_UP)
    flag_event(log, RECONCILED)
    strain_stress(evening, log, speaker, stress, MADE_UP)
    strain_stress(evening, log, other, stress, MADE_UP)
